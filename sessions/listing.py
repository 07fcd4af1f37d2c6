"""What a list of sessions shows of each, read from both ends of its file, so that size does not matter."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from io import FileIO
from pathlib import Path

from ..agent.encoding import user_content_from_json
from ..agent.frozen import frozen
from ..agent.json_values import integer, object_of
from ..agent.messages import JsonObject, TextContent
from ..agent.mutable import mutable
from .codec import header_from_json
from .entries import SessionHeader
from .identifiers import milliseconds_of
from .line import parse_object
from .locate import HEADER_BYTES, session_files
from .tree import clean_name

END_BYTES = 8 * 1024
WIDE_END_BYTES = 128 * 1024
TITLE_CHARACTERS = 200
NO_MESSAGES = "(no messages)"

_NAME = b'"type":"session_info"'
_SAID = re.compile(rb'"role": ?"(?:user|assistant)"')


@frozen
class SessionSummary:
    """One session in a list. `modified` is the time of the last user or assistant message (ms since the epoch).

    `messages` counts messages, None where the file is too large to count them at once; `first_message` is on one line.
    """

    path: Path
    id: str
    cwd: str
    name: str | None
    first_message: str
    created: int
    modified: int
    size: int
    messages: int | None
    parent_session: str | None = None

    @property
    def title(self) -> str:
        return self.name or self.first_message or NO_MESSAGES


def list_sessions(folders: Iterable[Path]) -> list[SessionSummary]:
    """All readable sessions of some folders, the last used first."""
    return sorted(iter_sessions(folders), key=lambda summary: summary.modified, reverse=True)


def iter_sessions(folders: Iterable[Path]) -> Iterator[SessionSummary]:
    """The same one by one, newest file first within a folder: a list can be filled while it is read, and left early."""
    for folder in folders:
        for path, changed in session_files(folder):
            summary = summarise(path, round(changed * 1000))
            if summary is not None:
                yield summary


def summarise(path: Path, changed: int = 0) -> SessionSummary | None:
    """One file's summary; None if it is unreadable or no session. `changed` (ms) stands in for an unknown time."""
    try:
        with path.open("rb", buffering=0) as file:
            return _summarise(path, _Ends(file), changed)
    except OSError:
        return None


@mutable
class _Ends:
    """The beginning and the end of a file, both the whole of a small one."""

    file: FileIO
    size: int = field(init=False)
    head: bytes = b""
    tail: bytes = b""

    def __post_init__(self) -> None:
        self.size = self.file.seek(0, os.SEEK_END)
        self.read(END_BYTES)

    def read(self, length: int) -> None:
        """Read both ends again, each at least so long. Raises `OSError`."""
        self.head = self._at(0, length if self.size > 2 * length else 2 * length)
        if b"\n" not in self.head:
            self.head = self._at(0, HEADER_BYTES)
        self.tail = self.head if self.is_whole else self._at(max(self.size - length, 0), length)

    def _at(self, offset: int, length: int) -> bytes:
        self.file.seek(offset)
        return self.file.read(length) or b""

    @property
    def is_whole(self) -> bool:
        return self.size <= len(self.head)


def _summarise(path: Path, ends: _Ends, changed: int) -> SessionSummary | None:
    header = _header(ends.head)
    if header is None:
        return None
    first, said = _first_message(ends.head), _last_said(ends.tail)
    if not ends.is_whole and not (first and said):
        ends.read(WIDE_END_BYTES)
        first, said = _first_message(ends.head), _last_said(ends.tail)
    created = milliseconds_of(header.timestamp)
    return SessionSummary(
        path=path,
        id=header.id,
        cwd=header.cwd,
        name=(_name(ends.head) if (name := _name(ends.tail)) is None else name) or None,
        first_message=first,
        created=created,
        modified=said or changed or created,
        size=ends.size,
        messages=ends.head.count(b'\n{"type":"message"') if ends.is_whole else None,
        parent_session=header.parent_session,
    )


def _header(head: bytes) -> SessionHeader | None:
    start = 0
    while start < len(head):
        end = head.find(b"\n", start)
        end = len(head) if end < 0 else end
        data = parse_object(head[start:end].strip(b" \t\r\0"))
        if data is not None:
            return header_from_json(data)
        start = end + 1
    return None


def _first_message(head: bytes) -> str:
    position = head.find(b'"role":"user"')
    while position >= 0:
        start, end = head.rfind(b"\n", 0, position) + 1, head.find(b"\n", position)
        data = parse_object(head[start : end if end >= 0 else len(head)])
        if data is None and end < 0:
            return _cut_text(head[start:])
        message = object_of((data or {}).get("message"))
        if message.get("role") == "user" and (text := _text(message)):
            return text
        position = head.find(b'"role":"user"', end) if end >= 0 else -1
    return ""


def _text(message: JsonObject) -> str:
    blocks = user_content_from_json(message.get("content"))
    return _one_line(" ".join(block.text for block in blocks if isinstance(block, TextContent)))


def _one_line(text: str) -> str:
    return " ".join(text[: TITLE_CHARACTERS * 4].split())[:TITLE_CHARACTERS]


def _cut_text(line: bytes) -> str:
    """The beginning of a text whose line is longer than what was read."""
    match = re.search(rb'"(?:text|content)":"((?:[^"\\]|\\.)*)', line)
    cut = match[1][: TITLE_CHARACTERS * 4] if match else b""
    for end in range(len(cut), max(len(cut) - 12, 0), -1):
        data = parse_object(b'{"t":"' + cut[:end] + b'"}')
        if data is not None:
            return _one_line(data["t"])
    return ""


def _name(data: bytes) -> str | None:
    """The latest name in a part of a file: None without one, empty where it was cleared."""
    if _NAME not in data:  # `rfind` alone is many times slower
        return None
    position = data.rfind(_NAME)
    start, end = data.rfind(b"\n", 0, position) + 1, data.find(b"\n", position)
    name = (parse_object(data[start : end if end >= 0 else len(data)]) or {}).get("name")
    return clean_name(name) if isinstance(name, str) else None


def _last_said(tail: bytes) -> int:
    """When a user or assistant message was said last (ms), 0 if that is not in this part of the file."""
    end = len(tail)
    while end > 0:
        start = tail.rfind(b"\n", 0, end) + 1
        line = tail[start:end]
        if line.startswith(b'{"type":"message"') and _SAID.search(line[:400]):
            data = parse_object(line)
            if data is not None:
                time = integer(object_of(data.get("message")).get("timestamp"))
                return time or milliseconds_of(str(data.get("timestamp")))
        end = start - 1
    return 0
