"""Short ways to say what happens in a run, for tests of the screen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from pyagent_tui.agent.details import Details, DiffDetails, FileDetails, OutputDetails
from pyagent_tui.agent.events import (
    AgentEvent,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    TurnEnd,
    TurnStart,
)
from pyagent_tui.agent.messages import (
    AssistantContent,
    AssistantMessage,
    StopReason,
    TextContent,
    ToolCall,
    ToolResultMessage,
)
from pyagent_tui.agent.provider import TextDelta, TextEnd, TextStart, ToolCallDelta, ToolCallEnd, ToolCallStart
from pyagent_tui.agent.tool import ToolResult

PATCH = "\n".join(
    [
        "--- a/shop/totals.py",
        "+++ b/shop/totals.py",
        "@@ -1,6 +1,6 @@",
        " from decimal import Decimal",
        " ",
        " ",
        " def total(items):",
        "-    return sum(float(i.price) for i in items)",
        "+    return sum((i.price for i in items), Decimal())",
        " ",
        "",
    ]
)


def begin_reply() -> MessageStart:
    return MessageStart(AssistantMessage((), stop_reason="pending"))


def end_reply(*content: AssistantContent, stop: StopReason = "stop", error: str | None = None) -> MessageEnd:
    return MessageEnd(AssistantMessage(content, stop_reason=stop, error_message=error))


def streamed_text(text: str, *, size: int = 4, index: int = 0) -> Iterator[AgentEvent]:
    """The deltas of one text block."""
    yield MessageUpdate(TextStart(index))
    for offset in range(0, len(text), size):
        yield MessageUpdate(TextDelta(index, text[offset : offset + size]))
    yield MessageUpdate(TextEnd(index, TextContent(text)))


def reply(text: str, *, size: int = 4) -> Iterator[AgentEvent]:
    """A whole reply of one text."""
    yield begin_reply()
    yield from streamed_text(text, size=size)
    yield end_reply(TextContent(text))


def streamed_call(call: ToolCall, *, size: int = 16, index: int = 0) -> Iterator[AgentEvent]:
    """A call whose arguments stream in."""
    text = json.dumps(call.arguments)
    yield MessageUpdate(ToolCallStart(index, call.id, call.name))
    for offset in range(0, len(text), size):
        yield MessageUpdate(ToolCallDelta(index, text[offset : offset + size]))
    yield MessageUpdate(ToolCallEnd(index, call))


def propose(*calls: ToolCall) -> Iterator[AgentEvent]:
    """A reply of calls only."""
    yield begin_reply()
    for index, call in enumerate(calls):
        yield from streamed_call(call, index=index)
    yield end_reply(*calls, stop="toolUse")


def start(call: ToolCall) -> ToolExecutionStart:
    return ToolExecutionStart(call.id, call.name, call.arguments)


def settle(
    call: ToolCall,
    text: str = "",
    details: Details | None = None,
    *,
    outcome: Literal["ok", "failed", "blocked", "invalid", "aborted"] = "ok",
    duration_ms: int | None = 12,
) -> Iterator[AgentEvent]:
    """The end of a call and its result message."""
    result = ToolResult.of(text, details, is_error=outcome != "ok")
    yield ToolExecutionEnd(call.id, call.name, result, outcome, duration_ms)
    message = result_message(call, text, details, is_error=outcome != "ok", duration_ms=duration_ms)
    yield MessageStart(message)
    yield MessageEnd(message)


def result_message(
    call: ToolCall,
    text: str = "",
    details: Details | None = None,
    *,
    is_error: bool = False,
    duration_ms: int | None = 12,
) -> ToolResultMessage:
    return ToolResultMessage(call.id, call.name, (TextContent(text),), details, is_error, duration_ms=duration_ms)


def tool_turn(number: int) -> Iterator[AgentEvent]:
    """One turn of a long tool loop: read, bash, edit in turn."""
    kinds: list[tuple[str, dict[str, Any], str, Details]] = [
        ("read", {"path": "counter.txt"}, f"value = {number};\n", FileDetails("counter.txt", 1, 1, 1)),
        ("bash", {"command": "true"}, "", OutputDetails("true", "", 0)),
        (
            "edit",
            {"path": "counter.txt", "edits": []},
            "ok",
            DiffDetails(
                "counter.txt",
                f"--- a/counter.txt\n+++ b/counter.txt\n@@ -1 +1 @@\n-value = {number};\n+value = {number + 1};\n",
                1,
                1,
            ),
        ),
    ]
    name, arguments, text, details = kinds[number % 3]
    call = ToolCall(f"call-{number}", name, arguments)
    yield TurnStart()
    yield from propose(call)
    yield start(call)
    yield from settle(call, text, details)
    message = AssistantMessage((call,), stop_reason="toolUse")
    yield TurnEnd(message, (result_message(call, text, details),))
