"""One entry of a session as HTML: what the page shows of it, and its line in the tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from ..agent.details import (
    Details,
    DiffDetails,
    FileDetails,
    ImageDetails,
    ListingDetails,
    NoteDetails,
    OtherDetails,
    OutputDetails,
)
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
    Usage,
    UserContent,
    UserMessage,
)
from ..agent.permission import Permission
from .context import entry_message
from .entries import SessionEntry
from .html_text import HtmlText
from .outline import failure_word, note_of, outline_of

OUTLINE_CHARACTERS = 80


class HtmlCells:
    """Draws entries. All text goes through `text`, which escapes and redacts it."""

    def __init__(self, text: HtmlText) -> None:
        self._text = text

    def cell(self, entry: SessionEntry) -> tuple[str, str] | None:
        """The (CSS class, inner HTML) of an entry; None for one that the page does not show."""
        message = entry_message(entry)
        if message is not None:
            return self._message(message)
        note = note_of(entry)
        return ("note", self._text.plain(note)) if note else None

    def outline(self, entry: SessionEntry) -> str:
        """The entry's line in the tree, as HTML."""
        message = entry_message(entry)
        text = outline_of(message) if message is not None else note_of(entry) or entry.type
        return self._text.line(text, OUTLINE_CHARACTERS)

    def label(self, label: str) -> str:
        """A label's text, as HTML."""
        return self._text.plain(label)

    def _message(self, message: Message) -> tuple[str, str]:
        match message:
            case UserMessage():
                return "user", self._blocks(message.content)
            case AssistantMessage():
                return "assistant", self._reply(message)
            case ToolResultMessage():
                return "tool", self._result(message)
            case BashExecutionMessage():
                title = self._text.plain(f"$ {message.command}")
                return "tool", self._folded(title, self._pre(message.output), is_open=True)
            case CustomMessage():
                return (
                    "custom",
                    f'<p class="meta">[{self._text.plain(message.custom_type)}]</p>{self._blocks(message.content)}',
                )
            case BranchSummaryMessage():
                return "summary", self._folded("Summary of a branch that was left", self._markdown(message.summary))
            case CompactionSummaryMessage():
                title = f"Compacted from {message.tokens_before:,} tokens"
                return "summary", self._folded(title, self._markdown(message.summary))
            case _:
                assert_never(message)

    def _reply(self, message: AssistantMessage) -> str:
        parts = [self._reply_block(block) for block in message.content]
        if message.stop_reason in ("error", "aborted", "length"):
            why = message.error_message or {"aborted": "Interrupted", "length": "Cut off at the output limit"}.get(
                message.stop_reason, "Failed"
            )
            parts.append(f'<p class="failed">{self._text.plain(why)}</p>')
        about = " · ".join(filter(None, (message.model, usage_text(message.usage))))
        return "".join(parts) + f'<p class="meta">{self._text.plain(about)}</p>'

    def _reply_block(self, block: AssistantContent) -> str:
        match block:
            case TextContent(text):
                return self._markdown(text)
            case ThinkingContent(thinking):
                body = f'<div class="thinking">{self._text.plain(thinking)}</div>'
                return self._folded("Thinking", body) if thinking.strip() else ""
            case ToolCall():
                return self._folded(
                    f"<b>{self._text.plain(block.name)}</b> {self._argument(block)}", self._arguments(block)
                )
            case ServerToolContent(kind, data):
                return self._folded(self._text.plain(kind), self._json(data))
            case _:
                assert_never(block)

    def _argument(self, call: ToolCall) -> str:
        first = next((value for value in call.arguments.values() if isinstance(value, str)), "")
        return self._text.line(first, OUTLINE_CHARACTERS)

    def _arguments(self, call: ToolCall) -> str:
        return self._pre(call.raw_arguments or "") if call.parse_error else self._json(call.arguments)

    def _result(self, message: ToolResultMessage) -> str:
        mark = f'<span class="error">{failure_word(message)}</span>' if message.is_error else "result"
        title = f"{self._text.plain(message.tool_name)} {mark}"
        if message.duration_ms is not None:
            title += f" · {message.duration_ms / 1000:.1f} s"
        if message.permission is not None:
            title += f' <span class="meta">{self._text.plain(str(message.permission))}</span>'
        changed = "" if message.permission is None else self._changed(message.permission)
        body = self._details(message.details)
        shown = body if body is not None else self._blocks(message.content, is_code=True)
        pictures = "".join(self._block(block) for block in message.content if isinstance(block, ImageContent))
        return self._folded(
            title,
            changed + shown + (pictures if body is not None else ""),
            is_open=isinstance(message.details, DiffDetails),
        )

    def _changed(self, permission: Permission) -> str:
        """What the person let run in place of what was proposed, and what they left out."""
        command = self._pre(f"$ {permission.command}") if permission.command else ""
        return command + (self._text.patch(permission.parts) if permission.parts else "")

    def _details(self, details: Details | None) -> str | None:
        match details:
            case DiffDetails() if details.patch:
                path = f'<p class="meta">{self._text.plain(details.path)} +{details.added} −{details.removed}</p>'
                return path + self._text.patch(details.patch)
            case OutputDetails() if details.output:
                return self._pre(details.output)
            case (
                None
                | DiffDetails()
                | OutputDetails()
                | FileDetails()
                | ListingDetails()
                | ImageDetails()
                | NoteDetails()
                | OtherDetails()
            ):
                return None
            case _:
                assert_never(details)

    def _blocks(self, blocks: Iterable[UserContent], *, is_code: bool = False) -> str:
        return "".join(self._block(block, is_code=is_code) for block in blocks)

    def _block(self, block: UserContent, *, is_code: bool = False) -> str:
        match block:
            case TextContent(text):
                return self._pre(text) if is_code else f'<div class="text plain">{self._text.plain(text)}</div>'
            case ImageContent(data, mime_type):
                return self._text.picture(data, mime_type)
            case _:
                assert_never(block)

    def _markdown(self, text: str) -> str:
        return f'<div class="markdown">{self._text.markdown(text)}</div>'

    def _pre(self, text: str) -> str:
        return f"<pre>{self._text.plain(text)}</pre>"

    def _json(self, value: object) -> str:
        return f"<pre>{self._text.json(value)}</pre>"

    @staticmethod
    def _folded(title: str, body: str, *, is_open: bool = False) -> str:
        return f"<details{' open' if is_open else ''}><summary>{title}</summary>{body}</details>"


def usage_text(usage: Usage) -> str:
    """Tokens and money of one reply, in a few characters; empty if nothing was counted."""
    if not usage.total_tokens:
        return ""
    cost = "" if usage.cost is None else f" ${usage.cost.total:.4f}"
    return f"↑{usage.prompt_tokens:,} ↓{usage.output:,}{cost}"
