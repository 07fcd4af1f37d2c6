"""From bytes to payloads: server-sent events, NDJSON, or one JSON document, in bounded memory.

Lines end with CR, LF or CRLF and nothing else (WHATWG HTML, 9.2.6). Against the standard, and because servers do it:
an event that the end of the stream cuts short of its blank line is delivered, and lines that are no field at all are
kept and delivered last, because some servers put an error there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Literal, TypeAlias

from ..agent.provider import ProviderError

Format: TypeAlias = Literal["sse", "ndjson", "json"]

_BOM = b"\xef\xbb\xbf"
_FIELDS = (b"data", b"event", b"id", b"retry")


def format_of(content_type: str, head: bytes) -> Format | None:
    """How a body is written, by its content type and, where that says little, by its first bytes. None: unknown."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        return "sse"
    if kind in ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"):
        return "ndjson"
    start = head.removeprefix(_BOM).lstrip()
    if start.startswith((b"{", b"[")):
        return "json"
    fields = (b":", *(field + b":" for field in _FIELDS))
    return "sse" if start.startswith(fields) else None


class PayloadDecoder:
    """Cuts a body into payloads. Raises `ProviderError` where a line, an event or the whole is larger than allowed."""

    def __init__(self, form: Format, line_limit: int, reply_limit: int, empty_limit: int) -> None:
        self._form = form
        self._line_limit = line_limit if form != "json" else reply_limit
        self._reply_limit = reply_limit
        self._empty_limit = empty_limit
        self._held: list[bytes] = []
        self._held_size = 0
        self._total = 0
        self._after_cr = False
        self._first = True
        self._data: list[bytes] = []
        self._data_size = 0
        self._stray: list[bytes] = []
        self._empty = 0
        self.last_line = time.monotonic()
        """When a line was last complete, on the monotonic clock (s)."""

    def feed(self, chunk: bytes) -> Iterator[str]:
        """The payloads that `chunk` completes."""
        self._total += len(chunk)
        if self._total > self._reply_limit:
            raise _too_large("reply", self._reply_limit)
        for line in self._lines(chunk):
            if (payload := self._line(line)) is not None:
                yield payload

    def flush(self) -> Iterator[str]:
        """What the end of the body completes."""
        rest = b"".join(self._held)
        self._held = []
        for line in (rest, b""):
            if (payload := self._line(line)) is not None:
                yield payload
        if self._stray:
            yield _text(b"\n".join(self._stray))
            self._stray = []

    def _lines(self, chunk: bytes) -> list[bytes]:
        if self._after_cr:
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        if not chunk:
            return []
        if self._form == "json" or not (b"\n" in chunk or b"\r" in chunk):
            self._hold(chunk)
            return []
        self._after_cr = chunk.endswith(b"\r")
        whole = b"".join([*self._held, chunk]) if self._held else chunk
        lines = whole.splitlines()
        self._held, self._held_size = [], 0
        if not chunk.endswith((b"\n", b"\r")):
            self._hold(lines.pop())
        self.last_line = time.monotonic()
        return lines

    def _hold(self, piece: bytes) -> None:
        self._held.append(piece)
        self._held_size += len(piece)
        if self._held_size > self._line_limit:
            raise _too_large("line", self._line_limit)
        if len(self._held) > 10_000:
            # Bytes that come one at a time must not cost a hundred bytes of memory each.
            self._held = [b"".join(self._held)]

    def _line(self, line: bytes) -> str | None:
        if self._first:
            self._first = False
            line = line.removeprefix(_BOM)
        if self._form != "sse":
            return _text(line) if line.strip() else None
        if line.startswith(b"data:"):
            self._append(line[6:] if line.startswith(b"data: ") else line[5:])
        elif not line:
            return self._dispatch()
        elif line == b"data":
            self._append(b"")
        elif not line.startswith(b":") and line.partition(b":")[0] not in _FIELDS:
            self._keep_stray(line)
        self._count_empty()
        return None

    def _append(self, value: bytes) -> None:
        self._data.append(value)
        self._data_size += len(value)
        if self._data_size > self._line_limit:
            raise _too_large("event", self._line_limit)

    def _dispatch(self) -> str | None:
        if not self._data:
            self._count_empty()
            return None
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data, self._data_size, self._empty = [], 0, 0
        return _text(data)

    def _keep_stray(self, line: bytes) -> None:
        if len(self._stray) < 1_000:
            self._stray.append(line[:20_000])

    def _count_empty(self) -> None:
        self._empty += 1
        if self._empty > self._empty_limit:
            raise ProviderError("protocol", f"The server sent {self._empty_limit:,} lines without any data.")


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")


def _too_large(what: str, limit: int) -> ProviderError:
    return ProviderError("protocol", f"The server sent a {what} of more than {limit // 1_000_000 or 1} MB.")
