"""Reads what is worth finding out of a session file, from where it was read last."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from pathlib import Path
from typing import IO

from ..agent.encoding import message_from_json, user_content_from_json
from ..agent.frozen import frozen
from ..agent.json_values import object_of, text_of
from ..agent.messages import (
    AssistantMessage,
    BashExecutionMessage,
    JsonObject,
    Message,
    TextContent,
    ToolCall,
    UserMessage,
)
from ..agent.mutable import mutable
from .line import parse_object
from .tree import clean_name

TEXT_CHARACTERS = 20_000
ARGUMENT_CHARACTERS = 500
MARK_BYTES = 64


@frozen
class FileState:
    """What tells whether a file changed. It was read up to the byte `end` (whole lines only); `mark` are the bytes before."""

    inode: int
    size: int
    changed: int
    end: int = 0
    mark: bytes = b""

    @classmethod
    def of(cls, path: Path) -> FileState:
        """The file as it is now. Raises `OSError`."""
        status = path.stat()
        return cls(status.st_ino, status.st_size, status.st_mtime_ns)

    def is_same(self, now: FileState) -> bool:
        return (self.inode, self.size, self.changed) == (now.inode, now.size, now.changed)

    def is_grown_to(self, now: FileState, path: Path) -> bool:
        """Whether the file only grew, as session files do; else it is another one. Raises `OSError`."""
        if self.inode != now.inode or now.size < self.end:
            return False
        with path.open("rb") as file:
            return _mark(file, self.end) == self.mark


@mutable
class IndexedText:
    """What was found: rows of (entry id, role, UTC time, text), and what describes the session."""

    rows: list[tuple[str, str, str, str]] = field(default_factory=list[tuple[str, str, str, str]])
    session_id: str = ""
    cwd: str = ""
    name: str | None = None
    end: int = 0
    mark: bytes = b""


def read_texts(path: Path, start: int = 0, is_cancelled: Callable[[], bool] = lambda: False) -> IndexedText | None:
    """Read whole lines from a byte on; None if it was cancelled meanwhile. Raises `OSError`."""
    found = IndexedText(end=start)
    with path.open("rb") as file:
        file.seek(start)
        for line in file:
            if is_cancelled():
                return None
            if not line.endswith(b"\n"):
                break
            found.end += len(line)
            # Results of tools are the bulk of a session and hardly what a person looks for.
            if b'"role":"toolResult"' not in line[:400]:
                _add(found, parse_object(line.strip(b"\0\r\n")) or {})
        found.mark = _mark(file, found.end)
    return found


def _mark(file: IO[bytes], end: int) -> bytes:
    start = max(end - MARK_BYTES, 0)
    file.seek(start)
    return file.read(end - start)


def _add(found: IndexedText, data: JsonObject) -> None:
    id_, time = text_of(data.get("id")), text_of(data.get("timestamp"))
    match data.get("type"):
        case "session":
            found.session_id, found.cwd = id_, text_of(data.get("cwd"))
        case "session_info":
            found.name = clean_name(text_of(data.get("name")))
            _row(found, "", "name", time, found.name)
        case "message":
            role = text_of(object_of(data.get("message")).get("role"))
            _row(found, id_, role, time, _message_text(object_of(data.get("message"))))
        case "compaction" | "branch_summary":
            _row(found, id_, "summary", time, text_of(data.get("summary")))
        case "custom_message":
            blocks = user_content_from_json(data.get("content"))
            _row(found, id_, "custom", time, _joined(block.text for block in blocks if isinstance(block, TextContent)))
        case _:
            pass


def _row(found: IndexedText, id_: str, role: str, time: str, text: str) -> None:
    if text.strip():
        # SQLite stores UTF-8, which has no lone surrogates.
        found.rows.append((id_, role, time, text[:TEXT_CHARACTERS].encode(errors="replace").decode()))


def _message_text(data: JsonObject) -> str:
    try:
        return _text(message_from_json(data))
    except ValueError:
        return ""


def _text(message: Message) -> str:
    match message:
        case UserMessage():
            return message.text
        case AssistantMessage():
            return _joined([message.text, *(_call_text(call) for call in message.tool_calls)])
        case BashExecutionMessage():
            return message.command
        case _:
            return ""


def _call_text(call: ToolCall) -> str:
    values = (str(value) for value in call.arguments.values())
    return _joined([call.name, *values])[:ARGUMENT_CHARACTERS]


def _joined(parts: Iterable[str]) -> str:
    return " ".join(filter(None, parts))
