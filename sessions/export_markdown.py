"""The current branch of a session as Markdown, to read, paste or commit."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import assert_never

from ..agent.details import DiffDetails
from ..agent.frozen import frozen
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
from ..agent.permission import Permission
from .context import entry_message
from .folders import open_private
from .html_text import Redact, redacted
from .outline import failure_word
from .session import Session


def export_markdown(session: Session, target: Path, redact: Redact = str) -> None:
    """Write the current branch, for its owner only, whole or not at all. Raises `OSError`."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    descriptor = open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.writelines(part + "\n\n" for part in markdown_parts(session, redact))
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def markdown_parts(session: Session, redact: Redact = str) -> Iterator[str]:
    """A heading, then a part for each message of the branch, compacted history included."""
    parts = _Parts(redact)
    yield redact(f"# {session.name or 'Session'}\n\n{session.header.timestamp} · `{session.cwd}` · {session.id}")
    for entry in session.tree.path():
        message = entry_message(entry)
        if message is not None:
            yield redact(parts.message(message))


@frozen
class _Parts:
    redact: Redact

    def message(self, message: Message) -> str:
        match message:
            case UserMessage():
                return "## User\n\n" + _blocks(message.content)
            case AssistantMessage():
                return f"## Assistant\n\n{self._reply(message)}"
            case ToolResultMessage():
                patch = message.details.patch if isinstance(message.details, DiffDetails) else ""
                body = fenced(patch, "diff") if patch else fenced(_blocks(message.content))
                decided = "" if message.permission is None else _decided(message.permission)
                failed = f" ({failure_word(message)})" if message.is_error else ""
                return f"### Result of {message.tool_name}{failed}\n\n{decided}{body}"
            case BashExecutionMessage():
                return f"## User ran\n\n{fenced(f'$ {message.command}' + chr(10) + message.output)}"
            case CustomMessage():
                return f"## {message.custom_type}\n\n{_blocks(message.content)}"
            case BranchSummaryMessage():
                return f"## Summary of a branch that was left\n\n{message.summary}"
            case CompactionSummaryMessage():
                return f"## Compacted from {message.tokens_before:,} tokens\n\n{message.summary}"
            case _:
                assert_never(message)

    def _reply(self, message: AssistantMessage) -> str:
        parts = [part for block in message.content if (part := self._reply_block(block))]
        if message.error_message:
            parts.append(f"*{message.error_message}*")
        return "\n\n".join(parts)

    def _reply_block(self, block: AssistantContent) -> str:
        match block:
            case TextContent(text):
                return text
            case ThinkingContent(thinking):
                return "\n".join(f"> {line}" for line in thinking.splitlines())
            case ToolCall():
                return f"**{block.name}**\n\n{fenced(self._json(block.arguments), 'json')}"
            case ServerToolContent(kind, data):
                return f"**{kind}**\n\n{fenced(self._json(data), 'json')}"
            case _:
                assert_never(block)

    def _json(self, value: object) -> str:
        return json.dumps(redacted(value, self.redact), ensure_ascii=False, indent=2, default=str)


def _decided(permission: Permission) -> str:
    """Who decided, and what the person let run in place of what was proposed."""
    command = f"{fenced(permission.command, 'sh')}\n\n" if permission.command else ""
    parts = f"{fenced(permission.parts, 'diff')}\n\n" if permission.parts else ""
    return f"*{permission}*\n\n{command}{parts}"


def _blocks(blocks: tuple[UserContent, ...]) -> str:
    return "\n\n".join(_block(block) for block in blocks)


def _block(block: UserContent) -> str:
    match block:
        case TextContent(text):
            return text
        case ImageContent(_, mime_type):
            return f"*(picture, {mime_type})*"
        case _:
            assert_never(block)


def fenced(text: str, language: str = "") -> str:
    """A code block that no line of the text can end (CommonMark 4.5: the fence is longer than any in it)."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"
