"""JSON of messages, their content blocks and their usage."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never, get_args

from .details import Details, DiffDetails
from .details_encoding import details_to_json, result_details
from .foreign_details import display_from_patch
from .json_values import (
    Json,
    drop_none,
    integer,
    integer_or_none,
    is_true,
    number,
    object_of,
    objects_of,
    text_of,
    text_or_none,
)
from .messages import (
    AssistantContent,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    Cost,
    CustomMessage,
    ImageContent,
    JsonObject,
    Message,
    ServerToolContent,
    StopReason,
    TextContent,
    ThinkingContent,
    ThinkingLevel,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserContent,
    UserMessage,
)
from .permission_encoding import permission_from_json, permission_to_json

DISPLAY_CHARACTERS = 64 * 1024
"""A longer change is kept in one form only."""

_STOP_REASONS = frozenset(get_args(StopReason)) - {"pending"}
_THINKING_LEVELS = frozenset(get_args(ThinkingLevel))


def usage_to_json(usage: Usage) -> JsonObject:
    """The reference's usage object; an unknown cost is all zeros there and marked `costUnknown`."""
    cost = usage.cost or Cost()
    data: JsonObject = {
        "input": usage.input,
        "output": usage.output,
        "cacheRead": usage.cache_read,
        "cacheWrite": usage.cache_write,
        "totalTokens": usage.total_tokens,
        "cost": {
            "input": cost.input,
            "output": cost.output,
            "cacheRead": cost.cache_read,
            "cacheWrite": cost.cache_write,
            "total": cost.total,
        },
    }
    if usage.reasoning:
        data["reasoning"] = usage.reasoning
    if usage.cost is None:
        data["costUnknown"] = True
    if usage.estimated:
        data["estimated"] = True
    return data


def usage_from_json(data: Json | None) -> Usage:
    """A usage object; no object at all is no usage and an unknown cost."""
    data = object_of(data)
    return Usage(
        input=integer(data.get("input")),
        output=integer(data.get("output")),
        cache_read=integer(data.get("cacheRead")),
        cache_write=integer(data.get("cacheWrite")),
        reasoning=integer(data.get("reasoning")),
        cost=_cost_from_json(data),
        estimated=is_true(data.get("estimated")),
    )


def _cost_from_json(data: Json) -> Cost | None:
    cost = object_of(data.get("cost"))
    if not cost or data.get("costUnknown") is True:
        return None
    parts = [number(cost.get(key)) for key in ("input", "output", "cacheRead", "cacheWrite")]
    if "total" in cost:
        # A provider's own bill may differ from the sum of the parts; the total is what was paid.
        parts[1] += round(number(cost["total"]) - sum(parts), 12)
    return Cost(*parts)


def content_to_json(block: AssistantContent | UserContent) -> JsonObject:
    """One content block."""
    match block:
        case TextContent(text, signature):
            return drop_none({"type": "text", "text": text, "textSignature": signature})
        case ThinkingContent(thinking, signature, redacted):
            data = {"type": "thinking", "thinking": thinking, "thinkingSignature": signature}
            return drop_none({**data, "redacted": redacted or None})
        case ImageContent(data, mime_type):
            return {"type": "image", "data": data, "mimeType": mime_type}
        case ToolCall():
            return _tool_call_to_json(block)
        case ServerToolContent(kind, data):
            return {"type": "serverTool", "kind": kind, "data": data}
        case _:
            assert_never(block)


def _tool_call_to_json(call: ToolCall) -> JsonObject:
    return drop_none(
        {
            "type": "toolCall",
            "id": call.id,
            "name": call.name,
            "arguments": call.arguments,
            "argumentsError": call.parse_error,
            "rawArguments": call.raw_arguments,
            "thoughtSignature": call.signature,
            "wireId": call.wire_id,
        }
    )


def _tool_call_from_json(data: JsonObject) -> ToolCall:
    return ToolCall(
        id=text_of(data.get("id")),
        name=text_of(data.get("name")),
        arguments=object_of(data.get("arguments")),
        raw_arguments=text_or_none(data.get("rawArguments")),
        parse_error=text_or_none(data.get("argumentsError")),
        signature=text_or_none(data.get("thoughtSignature")),
        wire_id=text_or_none(data.get("wireId")),
    )


def _block_from_json(data: JsonObject) -> AssistantContent | ImageContent | None:
    match data.get("type"):
        case "text":
            return TextContent(text_of(data.get("text")), text_or_none(data.get("textSignature")))
        case "thinking":
            signature = text_or_none(data.get("thinkingSignature"))
            return ThinkingContent(text_of(data.get("thinking")), signature, is_true(data.get("redacted")))
        case "image":
            return ImageContent(text_of(data.get("data")), text_of(data.get("mimeType")))
        case "toolCall":
            return _tool_call_from_json(data)
        case "serverTool":
            return ServerToolContent(text_of(data.get("kind")), object_of(data.get("data")))
        case _:
            return None


def _blocks_from_json(content: object) -> list[AssistantContent | ImageContent]:
    if isinstance(content, str):
        return [TextContent(content)]
    return [block for data in objects_of(content) if (block := _block_from_json(data)) is not None]


def user_content_from_json(content: object) -> tuple[UserContent, ...]:
    """Text and pictures from a string, a list of blocks or null."""
    return tuple(block for block in _blocks_from_json(content) if isinstance(block, (TextContent, ImageContent)))


def _assistant_content(content: object) -> tuple[AssistantContent, ...]:
    return tuple(block for block in _blocks_from_json(content) if not isinstance(block, ImageContent))


def message_to_json(message: Message) -> JsonObject:
    """A message as session files and events carry it."""
    match message:
        case UserMessage():
            content = [content_to_json(block) for block in message.content]
            return {"role": "user", "content": content, "timestamp": message.timestamp}
        case AssistantMessage():
            return _assistant_to_json(message)
        case ToolResultMessage():
            return _tool_result_to_json(message)
        case BashExecutionMessage():
            return _bash_execution_to_json(message)
        case CustomMessage():
            return _custom_to_json(message)
        case BranchSummaryMessage(summary, from_id, timestamp):
            return {"role": "branchSummary", "summary": summary, "fromId": from_id, "timestamp": timestamp}
        case CompactionSummaryMessage(summary, tokens, timestamp):
            return {"role": "compactionSummary", "summary": summary, "tokensBefore": tokens, "timestamp": timestamp}
        case _:
            assert_never(message)


def _assistant_to_json(message: AssistantMessage) -> JsonObject:
    return drop_none(
        {
            "role": "assistant",
            "content": [content_to_json(block) for block in message.content],
            "api": message.api,
            "provider": message.provider,
            "model": message.model,
            "responseModel": message.response_model,
            "responseId": message.response_id,
            "thinkingLevel": message.thinking_level,
            "usage": usage_to_json(message.usage),
            "stopReason": message.stop_reason,
            "stopDetail": message.stop_detail,
            "errorMessage": message.error_message,
            "timestamp": message.timestamp,
        }
    )


def _tool_result_to_json(message: ToolResultMessage) -> JsonObject:
    return drop_none(
        {
            "role": "toolResult",
            "toolCallId": message.tool_call_id,
            "toolName": message.tool_name,
            "content": [content_to_json(block) for block in message.content],
            "details": None if message.details is None else _details_to_json(message.details, message.tool_name),
            "usage": None if message.usage is None else usage_to_json(message.usage),
            "isError": message.is_error,
            "durationMs": message.duration_ms,
            "permission": permission_to_json(message.permission),
            "timestamp": message.timestamp,
        }
    )


def _details_to_json(details: Details, tool_name: str) -> JsonObject:
    """With the form of a change that the reference shows, of its one tool that has it."""
    data = details_to_json(details)
    if tool_name == "edit" and isinstance(details, DiffDetails) and 0 < len(details.patch) <= DISPLAY_CHARACTERS:
        data["diff"] = display_from_patch(details.patch)
    return data


def _bash_execution_to_json(message: BashExecutionMessage) -> JsonObject:
    return drop_none(
        {
            "role": "bashExecution",
            "command": message.command,
            "output": message.output,
            "exitCode": message.exit_code,
            "cancelled": message.cancelled,
            "truncated": message.truncated,
            "fullOutputPath": message.full_output_path,
            "excludeFromContext": message.exclude_from_context or None,
            "timestamp": message.timestamp,
        }
    )


def _custom_to_json(message: CustomMessage) -> JsonObject:
    return drop_none(
        {
            "role": "custom",
            "customType": message.custom_type,
            "content": [content_to_json(block) for block in message.content],
            "display": message.display,
            "details": None if message.details is None else dict(message.details),
            "timestamp": message.timestamp,
        }
    )


def message_from_json(data: Json) -> Message:
    """Read a stored message; raises `ValueError` for a role that is none of ours (such as the reference's ``system``)."""
    reader = _MESSAGE_READERS.get(text_of(data.get("role")))
    if reader is None:
        raise ValueError(f"unknown message role: {data.get('role')!r}")
    return reader(data)


def _read_user(data: Json) -> UserMessage:
    return UserMessage(user_content_from_json(data.get("content")), integer(data.get("timestamp")))


def _read_assistant(data: Json) -> AssistantMessage:
    reason = data.get("stopReason", "stop")
    known = reason in _STOP_REASONS
    level = data.get("thinkingLevel")
    return AssistantMessage(
        content=_assistant_content(data.get("content")),
        api=text_of(data.get("api")),
        provider=text_of(data.get("provider")),
        model=text_of(data.get("model")),
        usage=usage_from_json(data.get("usage")),
        # A reply stored while it streamed was cut off; a word of a newer version is kept as the detail.
        stop_reason=reason if known else "aborted" if reason == "pending" else "stop",
        stop_detail=text_or_none(data.get("stopDetail")) if known else text_or_none(reason),
        error_message=text_or_none(data.get("errorMessage")),
        response_id=text_or_none(data.get("responseId")),
        response_model=text_or_none(data.get("responseModel")),
        thinking_level=level if level in _THINKING_LEVELS else None,
        timestamp=integer(data.get("timestamp")),
    )


def _read_tool_result(data: Json) -> ToolResultMessage:
    content = user_content_from_json(data.get("content"))
    text = "\n".join(block.text for block in content if isinstance(block, TextContent))
    return ToolResultMessage(
        tool_call_id=text_of(data.get("toolCallId")),
        tool_name=text_of(data.get("toolName")),
        content=content,
        details=result_details(data, text),
        is_error=is_true(data.get("isError")),
        usage=usage_from_json(data["usage"]) if isinstance(data.get("usage"), dict) else None,
        duration_ms=integer_or_none(data.get("durationMs")),
        permission=permission_from_json(object_of(data.get("permission"))),
        timestamp=integer(data.get("timestamp")),
    )


def _read_bash_execution(data: Json) -> BashExecutionMessage:
    return BashExecutionMessage(
        command=text_of(data.get("command")),
        output=text_of(data.get("output")),
        exit_code=integer_or_none(data.get("exitCode")),
        cancelled=is_true(data.get("cancelled")),
        truncated=is_true(data.get("truncated")),
        full_output_path=text_or_none(data.get("fullOutputPath")),
        exclude_from_context=is_true(data.get("excludeFromContext")),
        timestamp=integer(data.get("timestamp")),
    )


def _read_custom(data: Json) -> CustomMessage:
    return CustomMessage(
        custom_type=text_of(data.get("customType")),
        content=user_content_from_json(data.get("content")),
        display=data.get("display") is not False,
        details=object_of(data["details"]) if isinstance(data.get("details"), dict) else None,
        timestamp=integer(data.get("timestamp")),
    )


def _read_branch_summary(data: Json) -> BranchSummaryMessage:
    return BranchSummaryMessage(
        text_of(data.get("summary")), text_of(data.get("fromId")), integer(data.get("timestamp"))
    )


def _read_compaction_summary(data: Json) -> CompactionSummaryMessage:
    tokens = integer(data.get("tokensBefore"))
    return CompactionSummaryMessage(text_of(data.get("summary")), tokens, integer(data.get("timestamp")))


_MESSAGE_READERS: dict[str, Callable[[Json], Message]] = {
    "user": _read_user,
    "assistant": _read_assistant,
    "toolResult": _read_tool_result,
    "bashExecution": _read_bash_execution,
    "custom": _read_custom,
    "branchSummary": _read_branch_summary,
    "compactionSummary": _read_compaction_summary,
}
