"""Events as labelled lines."""

from __future__ import annotations

from typing import assert_never

from ...agent.events import (
    AgentEnd,
    AgentEvent,
    AgentNotice,
    AgentStart,
    AutoRetryEnd,
    AutoRetryStart,
    CompactionEnd,
    CompactionStart,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    QueueUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnEnd,
    TurnStart,
)
from ...agent.messages import AssistantMessage, Message, UserMessage
from ...agent.provider import StreamEvent, TextDelta, TextEnd, TextStart, ThinkingStart
from ...widgets.text.numbers import format_count, format_milliseconds, format_money
from ...widgets.transcript.arguments import telling_argument
from .output import LinearOutput
from .results import headline, result_rows


class LinearPrinter:
    """Says every event that the person should know of, in order. `folder` is where the agent works."""

    def __init__(self, output: LinearOutput) -> None:
        self.folder = ""
        self.shown: set[str] = set()
        """Calls whose change the person has seen before it was made."""
        self._output = output
        self._typed: list[str] = []
        self._open: dict[str, str] = {}
        self._has_text = False

    def typed(self, text: str) -> None:
        """This message stands in the output already."""
        self._typed.append(text)

    def show(self, event: AgentEvent) -> None:
        """Write one event."""
        output = self._output
        match event:
            case AgentStart():
                output.line("status", "working")
            case MessageStart():
                self._started(event.message)
            case MessageUpdate():
                self._streamed(event.event)
            case MessageEnd():
                self._ended(event.message)
            case ToolExecutionStart():
                argument = telling_argument(event.arguments, self.folder)
                self._open[event.tool_call_id] = argument
                output.line(f"tool {event.tool_name}", argument)
            case ToolExecutionEnd():
                self._settled(event)
            case AgentEnd():
                self._open.clear()
                self._typed.clear()
                output.line("status", _end_words(event))
            case AutoRetryStart():
                wait = format_milliseconds(event.delay_ms)
                attempt = f"attempt {event.attempt} of {event.max_attempts}"
                output.line("status", f"{event.error_message}; trying again in {wait} ({attempt})")
            case CompactionStart():
                output.line("status", "summarising the conversation to make room")
            case CompactionEnd():
                output.line("status", _compaction_words(event))
            case AgentNotice():
                output.line("note" if event.level == "info" else event.level, event.text)
            case TurnStart() | TurnEnd() | ToolExecutionUpdate() | QueueUpdate() | AutoRetryEnd():
                pass
            case _:
                assert_never(event)

    def _started(self, message: Message) -> None:
        if not isinstance(message, UserMessage):
            return
        if message.text in self._typed:
            self._typed.remove(message.text)
        else:
            self._output.line("you", message.text)

    def _streamed(self, event: StreamEvent) -> None:
        match event:
            case TextStart():
                self._output.begin("assistant")
                self._has_text = False
            case TextDelta():
                self._has_text = self._has_text or bool(event.delta)
                self._output.feed(event.delta)
            case TextEnd():
                if not self._has_text:
                    self._output.feed(event.content.text)
                self._output.end()
            case ThinkingStart():
                self._output.line("status", "thinking")
            case _:
                pass

    def _ended(self, message: Message) -> None:
        if not isinstance(message, AssistantMessage):
            return
        self._output.end()
        if message.stop_reason == "error":
            self._output.line("error", message.error_message or "the model gave no answer")
        elif message.stop_reason == "length":
            self._output.line("warning", "the answer was cut off by the model's output limit")

    def _settled(self, event: ToolExecutionEnd) -> None:
        argument = self._open.pop(event.tool_call_id, "")
        what = f"{argument}: " if self._open and argument else ""
        rows = result_rows(event, was_shown=event.tool_call_id in self.shown)
        self._output.line(f"result {event.tool_name}", f"{what}{headline(event)}", rows)


def _end_words(event: AgentEnd) -> str:
    words = {"done": "done", "error": "ended by an error", "aborted": "stopped", "limit": "stopped by a limit"}
    total = event.measures.total
    tokens = f"{format_count(total.prompt_tokens)} tokens in, {format_count(total.output)} out"
    cost = event.measures.cost
    parts = (words[event.reason], format_milliseconds(event.measures.duration_ms), tokens)
    return ", ".join([*parts, *([] if cost is None else [format_money(cost)])])


def _compaction_words(event: CompactionEnd) -> str:
    if event.error_message:
        return f"not summarised: {event.error_message}"
    return "summary stopped, nothing is changed" if event.aborted else "summarised"
