"""History as every model API demands it: each call answered right after it was made, once, and no answer without a call."""

from __future__ import annotations

from collections.abc import Sequence

from ..agent.messages import AssistantMessage, ModelMessage, TextContent, ToolCall, ToolResultMessage

UNANSWERED = "No result: the call was interrupted before it ran."
"""What a call reads that nobody answered."""


def paired(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """`messages` without failed replies, orphaned results and repeated results, and with a result for each open call."""
    kept: list[ModelMessage] = []
    waiting: dict[str, ToolCall] = {}
    for message in messages:
        if isinstance(message, ToolResultMessage):
            if waiting.pop(message.tool_call_id, None) is not None:
                kept.append(message)
            continue
        if waiting:
            kept += _answers(waiting)
            waiting = {}
        if isinstance(message, AssistantMessage):
            if message.stop_reason in ("error", "aborted"):
                continue
            waiting = {call.id: call for call in message.tool_calls}
        kept.append(message)
    return kept + _answers(waiting)


def _answers(waiting: dict[str, ToolCall]) -> list[ModelMessage]:
    content = (TextContent(UNANSWERED),)
    return [ToolResultMessage(call.id, call.name, content, is_error=True) for call in waiting.values()]
