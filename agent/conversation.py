"""What a model is given of the conversation: every call answered, nothing that failed, only roles it knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from .messages import (
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    Message,
    ModelMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from .mutable import mutable

INTERRUPTED = (
    "This call was interrupted and has no result: it may or may not have taken effect. Check before you repeat it."
)


def for_model(messages: Iterable[Message]) -> tuple[ModelMessage, ...]:
    """The conversation as a provider may send it.

    Replies that failed or were aborted while streaming are left out, with their results; a call without a result gets
    a synthetic error in its place; app messages become user text and never split a call from its result. Nothing
    stored is changed, and the same messages always give the same answer (a prompt cache depends on it).
    """
    assembly = _Assembly()
    for message in messages:
        assembly.add(message)
    assembly.settle()
    return tuple(assembly.out)


@mutable
class _Assembly:
    out: list[ModelMessage] = field(default_factory=list[ModelMessage])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    results: dict[str, ToolResultMessage] = field(default_factory=dict[str, ToolResultMessage])
    held: list[UserMessage] = field(default_factory=list[UserMessage])

    def add(self, message: Message) -> None:
        match message:
            case ToolResultMessage():
                self._answer(message)
            case AssistantMessage():
                self.settle()
                if message.stop_reason not in ("error", "aborted") and message.content:
                    self.out.append(message)
                    self.calls.extend(message.tool_calls)
            case UserMessage():
                self.settle()
                self.out.append(message)
            case _:
                if (text := _as_text(message)) is not None:
                    self.held.append(text)
                if not self.calls:
                    self.settle()

    def settle(self) -> None:
        """Close the open batch: every call's result in call order, then what waited behind it."""
        if self.calls:
            self.out.extend(self.results.get(call.id) or interrupted_result(call) for call in self.calls)
            self.calls = []
            self.results = {}
        if self.held:
            self.out.extend(self.held)
            self.held = []

    def _answer(self, message: ToolResultMessage) -> None:
        if any(call.id == message.tool_call_id for call in self.calls):
            self.results.setdefault(message.tool_call_id, message)


def interrupted_result(call: ToolCall) -> ToolResultMessage:
    """The answer to a call that never got one. Its time is 0, so that it is the same at every request."""
    return ToolResultMessage(call.id, call.name, (TextContent(INTERRUPTED),), is_error=True, timestamp=0)


def open_calls(messages: Iterable[Message]) -> tuple[ToolCall, ...]:
    """The calls that have no result: interrupted, outcome unknown."""
    calls: dict[str, ToolCall] = {}
    for message in messages:
        if isinstance(message, AssistantMessage) and message.stop_reason not in ("error", "aborted"):
            calls.update((call.id, call) for call in message.tool_calls)
        elif isinstance(message, ToolResultMessage):
            calls.pop(message.tool_call_id, None)
    return tuple(calls.values())


def _as_text(
    message: BashExecutionMessage | CustomMessage | BranchSummaryMessage | CompactionSummaryMessage,
) -> UserMessage | None:
    match message:
        case BashExecutionMessage():
            text = None if message.exclude_from_context else _command_text(message)
        case CustomMessage():
            return UserMessage(message.content, message.timestamp)
        case BranchSummaryMessage():
            text = f"Summary of a branch of this conversation that was left:\n\n{message.summary}"
        case CompactionSummaryMessage():
            text = f"The conversation before this point was compacted to this summary:\n\n{message.summary}"
    return None if text is None else UserMessage((TextContent(text),), message.timestamp)


def _command_text(message: BashExecutionMessage) -> str:
    lines = [f"I ran this command: `{message.command}`", "```", message.output.rstrip("\n") or "(no output)", "```"]
    if message.cancelled:
        lines.append("It was cancelled.")
    elif message.exit_code:
        lines.append(f"It exited with code {message.exit_code}.")
    if message.truncated and message.full_output_path:
        lines.append(f"The output above is cut; all of it is in {message.full_output_path}")
    return "\n".join(lines)
