"""Keeps lines of a session file small: what only the screen needs is cut, what the model needs stays."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TypeVar

from ..agent.details import Details, DiffDetails, OtherDetails, OutputDetails
from ..agent.messages import ImageContent, Message, TextContent, ToolResultMessage, UserContent, UserMessage

PATCH_CHARACTERS = 512 * 1024
OUTPUT_CHARACTERS = 256 * 1024
OTHER_CHARACTERS = 1024 * 1024
IMAGE_CHARACTERS = 10 * 1024 * 1024

MessageT = TypeVar("MessageT", bound=Message)


def bounded(message: Message) -> Message:
    """The message as it is stored: the same object unless something in it is too large."""
    match message:
        case ToolResultMessage():
            content, details = _content(message.content), _details(message.details)
            same = content == message.content and details is message.details
            return message if same else replace(message, content=content, details=details)
        case UserMessage():
            content = _content(message.content)
            return message if content == message.content else replace(message, content=content)
        case _:
            return message


def _content(blocks: tuple[UserContent, ...]) -> tuple[UserContent, ...]:
    if not any(_is_too_large(block) for block in blocks):
        return blocks
    return tuple(_left_out(block) if _is_too_large(block) else block for block in blocks)


def _is_too_large(block: UserContent) -> bool:
    return isinstance(block, ImageContent) and len(block.data) > IMAGE_CHARACTERS


def _left_out(block: UserContent) -> TextContent:
    assert isinstance(block, ImageContent)
    megabytes = len(block.data) * 3 / 4 / 1_000_000
    return TextContent(f"[A picture of {megabytes:.1f} MB ({block.mime_type}) is not kept in the session.]")


def _details(details: Details | None) -> Details | None:
    match details:
        case DiffDetails() if len(details.patch) > PATCH_CHARACTERS:
            cut = details.patch[: details.patch.rfind("\n", 0, PATCH_CHARACTERS) + 1]
            return replace(details, patch=cut, note=details.note or "The change is longer than what the session keeps.")
        case OutputDetails() if len(details.output) > OUTPUT_CHARACTERS:
            return replace(details, output=details.output[-OUTPUT_CHARACTERS:])
        case OtherDetails():
            size = len(json.dumps(dict(details.data), default=str))
            return details if size <= OTHER_CHARACTERS else OtherDetails(details.kind, {"omittedCharacters": size})
        case _:
            return details
