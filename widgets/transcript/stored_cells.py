"""The cells of messages that are whole when they come: what the person said, a command of theirs."""

from __future__ import annotations

from ...agent.details import OutputDetails
from ...agent.messages import BashExecutionMessage, ImageContent, TextContent, UserContent
from ...agent.tool import ToolResult
from ..text.numbers import format_count
from .message_cells import UserCell
from .person_calls import person_call_id
from .tool_cell import ToolCell


def text_of(content: tuple[UserContent, ...]) -> str:
    """The text of a message without its pictures."""
    return "\n".join(block.text for block in content if isinstance(block, TextContent))


def user_cell(content: tuple[UserContent, ...]) -> UserCell:
    """What the person said, pictures named with their size."""
    images = [block for block in content if isinstance(block, ImageContent)]
    pictures = [(f"{image.mime_type}, {format_count(len(image.data) * 3 // 4)}B", image.data) for image in images]
    return UserCell(text_of(content), pictures)


def command_cell(message: BashExecutionMessage) -> ToolCell:
    """A command of the person, as a call that has run."""
    cell = ToolCell(person_call_id(message.timestamp), "!" if not message.exclude_from_context else "!!")
    cell.know({"command": message.command})
    details = OutputDetails(
        message.command,
        message.output,
        message.exit_code,
        aborted=message.cancelled,
        full_output_path=message.full_output_path,
    )
    outcome = "aborted" if message.cancelled else "failed" if message.exit_code else "ok"
    cell.end(ToolResult.of(message.output, details, is_error=bool(message.exit_code)), outcome, None)
    return cell
