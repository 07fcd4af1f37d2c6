"""How many tokens a message takes, without asking anyone: four characters a token, 1,200 tokens a picture."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import assert_never

from ..agent.messages import (
    AssistantContent,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    Message,
    ServerToolContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserContent,
    UserMessage,
)

CHARACTERS_PER_TOKEN = 4
IMAGE_CHARACTERS = 4_800


def estimate_tokens(message: Message) -> int:
    """Tokens of a message, rounded up."""
    return -(-_characters(message) // CHARACTERS_PER_TOKEN)


def estimate_text(text: str) -> int:
    """Tokens of a text, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _characters(message: Message) -> int:
    match message:
        case UserMessage() | AssistantMessage() | ToolResultMessage() | CustomMessage():
            return _content(message.content)
        case BashExecutionMessage():
            return 0 if message.exclude_from_context else len(message.command) + len(message.output)
        case BranchSummaryMessage() | CompactionSummaryMessage():
            return len(message.summary)
        case _:
            assert_never(message)


def _content(blocks: Iterable[AssistantContent | UserContent]) -> int:
    return sum(_block(block) for block in blocks)


def _block(block: AssistantContent | UserContent) -> int:
    match block:
        case TextContent(text):
            return len(text)
        case ThinkingContent(thinking, signature):
            return len(thinking) or len(signature or "")
        case ImageContent():
            return IMAGE_CHARACTERS
        case ToolCall():
            return len(block.name) + _size(block.arguments)
        case ServerToolContent():
            return _size(block.data)
        case _:
            assert_never(block)


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, default=str))
