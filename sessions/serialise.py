"""A conversation as plain text for a model that summarises it: short lines, long results cut."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import assert_never

from ..agent.messages import (
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    Message,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserContent,
    UserMessage,
)

RESULT_CHARACTERS = 2_000


def conversation_text(messages: Sequence[Message], limit: int | None = None) -> str:
    """One part per message, thinking left out. With a `limit` (characters) the oldest parts give way to a note."""
    parts = [part for message in messages for part in _parts(message)]
    if limit is None or sum(len(part) + 2 for part in parts) <= limit:
        return "\n\n".join(parts)
    return "\n\n".join(_newest(parts, limit))


def _newest(parts: list[str], limit: int) -> list[str]:
    kept: list[str] = []
    room = limit
    for part in reversed(parts):
        shown = cut(part, max(limit // 4, 500))
        room -= len(shown) + 2
        if room < 0:
            break
        kept.append(shown)
    left_out = len(parts) - len(kept)
    return [*([f"[{left_out} older parts left out]"] if left_out else []), *reversed(kept)]


def cut(text: str, limit: int) -> str:
    """The first `limit` characters, with a note of how many more there were."""
    return text if len(text) <= limit else f"{text[:limit]}\n[… {len(text) - limit} more characters]"


def _parts(message: Message) -> Iterable[str]:
    match message:
        case UserMessage() | CustomMessage():
            yield f"[User]: {_text(message.content)}"
        case AssistantMessage():
            yield from _reply(message)
        case ToolResultMessage():
            word = "Tool error" if message.is_error else "Tool result"
            yield f"[{word}]: {cut(_text(message.content), RESULT_CHARACTERS)}"
        case BashExecutionMessage():
            if not message.exclude_from_context:
                yield f"[User ran]: {message.command}\n{cut(message.output, RESULT_CHARACTERS)}"
        case BranchSummaryMessage():
            yield f"[Summary of another branch]: {message.summary}"
        case CompactionSummaryMessage():
            yield f"[Summary so far]: {message.summary}"
        case _:
            assert_never(message)


def _reply(message: AssistantMessage) -> Iterable[str]:
    if message.text:
        yield f"[Assistant]: {message.text}"
    if message.tool_calls:
        yield "[Assistant tool calls]: " + "; ".join(_call(call) for call in message.tool_calls)


def _call(call: ToolCall) -> str:
    arguments = (f"{key}={json.dumps(value, ensure_ascii=False, default=str)}" for key, value in call.arguments.items())
    return cut(f"{call.name}({', '.join(arguments)})", RESULT_CHARACTERS)


def _text(content: Iterable[UserContent]) -> str:
    return "\n".join(_block(block) for block in content)


def _block(block: UserContent) -> str:
    match block:
        case TextContent(text):
            return text
        case ImageContent(_, mime_type):
            return f"[picture, {mime_type}]"
        case _:
            assert_never(block)
