"""JSON of messages and events, spelled as the reference system spells it (camelCase), for session files and JSON mode.

Writing is exact; reading is tolerant: unknown fields are ignored, missing or wrongly typed ones take a default.
This is the one door to it; the codecs of messages and details live in files of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from .details_encoding import details_from_json, details_to_json
from .events import (
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
from .json_values import drop_none
from .message_encoding import (
    content_to_json,
    message_from_json,
    message_to_json,
    usage_from_json,
    usage_to_json,
    user_content_from_json,
)
from .messages import JsonObject, Message
from .permission_encoding import permission_to_json
from .provider import (
    ServerTool,
    StreamDone,
    StreamError,
    StreamEvent,
    StreamStart,
    StreamUsage,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from .tool import ToolResult

__all__ = [
    "content_to_json",
    "details_from_json",
    "details_to_json",
    "event_to_json",
    "message_from_json",
    "message_to_json",
    "stream_event_to_json",
    "tool_result_to_json",
    "usage_from_json",
    "usage_to_json",
    "user_content_from_json",
]


def tool_result_to_json(result: ToolResult) -> JsonObject:
    """What a tool returned, as `tool_execution_update` and `tool_execution_end` carry it."""
    return drop_none(
        {
            "content": [content_to_json(block) for block in result.content],
            "details": None if result.details is None else details_to_json(result.details),
            "usage": None if result.usage is None else usage_to_json(result.usage),
            "terminate": result.terminate or None,
        }
    )


def stream_event_to_json(event: StreamEvent) -> JsonObject:
    """One `assistantMessageEvent`: deltas only, never the growing message."""
    match event:
        case StreamStart(response_id, response_model):
            return drop_none({"type": "start", "responseId": response_id, "responseModel": response_model})
        case TextStart(index):
            return {"type": "text_start", "contentIndex": index}
        case TextDelta(index, delta):
            return {"type": "text_delta", "contentIndex": index, "delta": delta}
        case TextEnd(index, content):
            return {"type": "text_end", "contentIndex": index, "content": content.text}
        case ThinkingStart(index):
            return {"type": "thinking_start", "contentIndex": index}
        case ThinkingDelta(index, delta):
            return {"type": "thinking_delta", "contentIndex": index, "delta": delta}
        case ThinkingEnd(index, content):
            return {"type": "thinking_end", "contentIndex": index, "content": content.thinking}
        case ToolCallStart(index, id_, name):
            return {"type": "toolcall_start", "contentIndex": index, "id": id_, "toolName": name}
        case ToolCallDelta(index, delta):
            return {"type": "toolcall_delta", "contentIndex": index, "delta": delta}
        case ToolCallEnd(index, call):
            return {"type": "toolcall_end", "contentIndex": index, "toolCall": content_to_json(call)}
        case ServerTool(index, content):
            return {"type": "server_tool", "contentIndex": index, "content": content_to_json(content)}
        case StreamUsage(usage):
            return {"type": "usage", "usage": usage_to_json(usage)}
        case StreamDone():
            return _done_to_json(event)
        case StreamError(reason, message):
            return {"type": "error", "reason": reason, "errorMessage": message}
        case _:
            assert_never(event)


def _done_to_json(event: StreamDone) -> JsonObject:
    return drop_none(
        {
            "type": "done",
            "reason": event.stop_reason,
            "stopDetail": event.stop_detail,
            "errorMessage": event.error_message,
            "usage": usage_to_json(event.usage),
        }
    )


def event_to_json(event: AgentEvent) -> JsonObject:
    """One event of a run as a JSON object whose `type` is the reference's name for it."""
    match event:
        case AgentStart():
            return {"type": "agent_start"}
        case TurnStart():
            return {"type": "turn_start"}
        case MessageStart(message):
            return {"type": "message_start", "message": message_to_json(message)}
        case MessageUpdate(update):
            return {"type": "message_update", "assistantMessageEvent": stream_event_to_json(update)}
        case MessageEnd(message):
            return {"type": "message_end", "message": message_to_json(message)}
        case ToolExecutionStart() | ToolExecutionUpdate() | ToolExecutionEnd():
            return _execution_to_json(event)
        case TurnEnd(message, results):
            return {"type": "turn_end", "message": message_to_json(message), "toolResults": _messages(results)}
        case AgentEnd(messages, reason, _):
            return {"type": "agent_end", "messages": _messages(messages), "reason": reason, "willRetry": False}
        case QueueUpdate(steering, follow_up):
            return {"type": "queue_update", "steering": list(steering), "followUp": list(follow_up)}
        case AutoRetryStart() | AutoRetryEnd():
            return _retry_to_json(event)
        case CompactionStart() | CompactionEnd():
            return _compaction_to_json(event)
        case AgentNotice(level, text):
            return {"type": "agent_notice", "level": level, "text": text}
        case _:
            assert_never(event)


def _messages(messages: Iterable[Message]) -> list[JsonObject]:
    return [message_to_json(message) for message in messages]


def _execution_to_json(event: ToolExecutionStart | ToolExecutionUpdate | ToolExecutionEnd) -> JsonObject:
    common = {"toolCallId": event.tool_call_id, "toolName": event.tool_name}
    match event:
        case ToolExecutionStart():
            return {"type": "tool_execution_start", **common, "args": event.arguments}
        case ToolExecutionUpdate():
            return {
                "type": "tool_execution_update",
                **common,
                "partialResult": tool_result_to_json(event.partial_result),
            }
        case ToolExecutionEnd(result=result):
            data = {"type": "tool_execution_end", **common, "result": tool_result_to_json(result)}
            ended = {"isError": event.is_error, "outcome": event.outcome, "durationMs": event.duration_ms}
            return drop_none({**data, **ended, "permission": permission_to_json(event.permission)})
        case _:
            assert_never(event)


def _retry_to_json(event: AutoRetryStart | AutoRetryEnd) -> JsonObject:
    if isinstance(event, AutoRetryEnd):
        end = {"success": event.success, "attempt": event.attempt, "finalError": event.final_error}
        return drop_none({"type": "auto_retry_end", **end})
    return {
        "type": "auto_retry_start",
        "attempt": event.attempt,
        "maxAttempts": event.max_attempts,
        "delayMs": event.delay_ms,
        "errorMessage": event.error_message,
    }


def _compaction_to_json(event: CompactionStart | CompactionEnd) -> JsonObject:
    if isinstance(event, CompactionStart):
        return {"type": "compaction_start", "reason": event.reason}
    return drop_none(
        {
            "type": "compaction_end",
            "reason": event.reason,
            "result": None if event.summary is None else {"summary": event.summary},
            "aborted": event.aborted,
            "willRetry": event.will_retry,
            "errorMessage": event.error_message,
        }
    )
