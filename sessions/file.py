"""Reads a session file, tolerant of everything a crash or another program can do to it. Never writes.

Only the envelope of a message (id, parent, time, role) is read at once, so that memory and time stay small whatever
the messages hold; their text is read from the file when asked for.
"""

from __future__ import annotations

import re
from dataclasses import field
from pathlib import Path

from ..agent.messages import JsonObject
from ..agent.mutable import mutable
from .codec import entry_from_json, header_from_json
from .entries import VERSION, MessageEntry, SessionEntry, SessionHeader
from .line import Line, LineReader, dump_line, parse_object
from .migration import migrate

_ID = rb"[A-Za-z0-9._-]{1,64}"
_PARENT = rb'"parentId":(?:null|"(' + _ID + rb')")'
_MESSAGE_START = rb'{"type":"message","id":"'
_ENVELOPE = re.compile(
    re.escape(_MESSAGE_START)
    + rb"("
    + _ID
    + rb')",'
    + _PARENT
    + rb',"timestamp":"([^"\\]{1,40})","message":\{"role":"(\w+)"'
)
_DAMAGED_ENVELOPE = re.compile(rb'"id": ?"(' + _ID + rb')", ?' + _PARENT.replace(b":(", b": ?("))
_SALVAGE_TRIES = 200
_BLANK = b" \t\r\n\0"


class SessionFileError(Exception):
    """The file is no session file, or cannot be read; `str(error)` says which, for the person."""


@mutable
class SessionFile:
    """What was found. `entries` in file order, parents repaired where a line was lost.

    `end` is the byte after the last whole line; what follows is the torn tail. `needs_newline`: the last line is whole
    but its line break is missing. `needs_rewrite`: the file is of an old version, `entries` are in memory.
    `broken_lines` are line numbers from 1.
    """

    path: Path
    header: SessionHeader | None = None
    entries: list[SessionEntry] = field(default_factory=list[SessionEntry])
    reader: LineReader = field(init=False)
    end: int = 0
    size: int = 0
    needs_newline: bool = False
    needs_rewrite: bool = False
    broken_lines: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        self.reader = LineReader(self.path)

    @property
    def is_torn(self) -> bool:
        """Whether bytes of an unfinished line stand at the end."""
        return self.size > self.end

    @property
    def warning(self) -> str | None:
        """One sentence about the damage, if there is any."""
        if not self.broken_lines:
            return None
        count = len(self.broken_lines)
        lines = ", ".join(str(number) for number in self.broken_lines[:5]) + (", …" if count > 5 else "")
        noun, verb = ("line", "was") if count == 1 else ("lines", "were")
        return f"{count} damaged {noun} of the session file {verb} skipped ({lines}); everything else is here."


def read_session_file(path: Path) -> SessionFile:
    """Read the file; an empty one has no header. Raises `SessionFileError` if it is unreadable or no session."""
    scan = _Scan(SessionFile(path))
    try:
        with path.open("rb") as lines:
            for line in lines:
                scan.add(line)
    except OSError as error:
        raise SessionFileError(f"cannot read {path}: {error.strerror or error}") from error
    return scan.finish()


@mutable
class _Scan:
    file: SessionFile
    number: int = 0
    ids: set[str] = field(default_factory=set[str])
    lost: dict[str, str | None] = field(default_factory=dict[str, str | None])
    anchor: str | None = None
    """The last entry before the latest damaged line whose id is unknown."""
    unplaced: list[tuple[SessionEntry, str | None]] = field(default_factory=list[tuple[SessionEntry, "str | None"]])
    old: list[tuple[JsonObject | None, int]] = field(default_factory=list[tuple["JsonObject | None", int]])

    def add(self, line: bytes) -> None:
        self.number += 1
        offset = self.file.size
        self.file.size += len(line)
        whole = line.endswith(b"\n")
        text = line.strip(_BLANK)
        is_good = self._read(text, offset + line.index(text[:1])) if text else b"\0" not in line
        if not is_good and whole:
            self._damaged(line, offset)
        if whole or (is_good and text):
            self.file.end = self.file.size
            self.file.needs_newline = not whole

    def _read(self, text: bytes, offset: int) -> bool:
        if self.file.header is None:
            return self._read_header(text)
        if self.file.header.version < VERSION:
            data = parse_object(text)
            self.old.append((data, self.number))
            return data is not None
        entry = self._entry(text, offset)
        if entry is None:
            return False
        self._place(entry)
        return True

    def _read_header(self, text: bytes) -> bool:
        data = parse_object(text)
        if data is None:
            return False
        self.file.header = header_from_json(data)
        if self.file.header is None:
            raise SessionFileError(f"{self.file.path} is not a session file: its first line is no session header")
        return True

    def _entry(self, text: bytes, offset: int) -> SessionEntry | None:
        line = Line(None, self.file.reader, offset, len(text))
        return _message_envelope(text, line) or entry_from_json(parse_object(text) or {}, line)

    def _damaged(self, line: bytes, offset: int) -> None:
        self.file.broken_lines.append(self.number)
        envelope = _DAMAGED_ENVELOPE.search(line[:400])
        if envelope:
            self.lost[envelope[1].decode()] = envelope[2].decode() if envelope[2] else None
        elif self.file.entries:
            self.anchor = self.file.entries[-1].id
        if self.file.header and self.file.header.version == VERSION:
            self._salvage(line, offset)

    def _salvage(self, line: bytes, offset: int) -> None:
        """A whole record may stand behind the torn one that an older crash left."""
        start = len(line)
        for _ in range(_SALVAGE_TRIES):
            start = line.rfind(b'{"type":"', 1, start)
            if start < 0:
                return
            text = line[start:].rstrip(_BLANK)
            entry = self._entry(text, offset + start) if parse_object(text) else None
            if entry is not None:
                self._place(entry)
                return

    def _place(self, entry: SessionEntry) -> None:
        if entry.parent_id is not None and entry.parent_id not in self.ids:
            self.unplaced.append((entry, self.anchor))
        self.ids.add(entry.id)
        self.file.entries.append(entry)

    def finish(self) -> SessionFile:
        if self.file.header is None and self.file.size and (self.file.broken_lines or self.file.is_torn):
            raise SessionFileError(f"{self.file.path} is not a session file: it has no session header")
        if self.old:
            self._migrate()
        for entry, anchor in self.unplaced:
            entry.parent_id = self._nearest_known(entry.parent_id, anchor)
        return self.file

    def _nearest_known(self, parent: str | None, anchor: str | None) -> str | None:
        """The parent if it is known after all, else through the lost lines to one that is, else where lines were lost."""
        seen: set[str] = set()
        while parent is not None and parent not in self.ids:
            if parent in seen or parent not in self.lost:
                return anchor
            seen.add(parent)
            parent = self.lost[parent]
        return parent

    def _migrate(self) -> None:
        assert self.file.header is not None
        migrate(self.file.header.version, [data for data, _ in self.old])
        for data, _ in self.old:
            entry = entry_from_json(data, Line(dump_line(data))) if data else None
            if entry is not None:
                self._place(entry)
        self.file.needs_rewrite = True


def _message_envelope(text: bytes, line: Line) -> MessageEntry | None:
    """A message by its first bytes, if the line looks whole: most lines of most files."""
    match = _ENVELOPE.match(text)
    if match is None or not text.endswith(b"}}") or b"\0" in text or text.rfind(_MESSAGE_START) > 0:
        return None
    parent = match[2].decode() if match[2] else None
    id_, time, role = match[1].decode(), match[3].decode(), match[4].decode()
    return MessageEntry(id=id_, parent_id=parent, timestamp=time, line=line, role=role)
