"""A range of lines out of a stream of bytes, in bounded memory."""

from __future__ import annotations

from ..agent.frozen import frozen
from .truncation import MAX_BYTES, MAX_LINES


@frozen
class LineRange:
    """The lines that were found. `lines` are whole lines without their line break.

    `total_lines` counts the lines of the whole text (a final line break makes no empty last line; `ends_with_break`
    says whether there is one). `oversized` is the length in bytes of the first wanted line if that alone is longer than
    the limit; then there are no lines. `stopped_by` says which limit ended the range before the end of the text.
    """

    lines: list[str]
    total_lines: int
    total_bytes: int
    oversized: int | None
    stopped_by: str | None
    ends_with_break: bool


class LineWindow:
    """Takes UTF-8 text in pieces, keeps the lines from `start` (from 1) on, up to the limits; counts the rest."""

    def __init__(self, start: int, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> None:
        self._start = start
        self._max_lines = max_lines
        self._max_bytes = max_bytes
        self._line = 1
        self._kept = bytearray()
        self._kept_lines = 0
        self._is_full = False
        self._first_length = 0
        self._first_ended = False
        self._size = 0
        self._ends_with_break = True

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""
        if not piece:
            return
        self._size += len(piece)
        self._ends_with_break = piece.endswith(b"\n")
        begin = self._skip_to_start(piece) if self._line < self._start else 0
        if begin < len(piece) and self._line >= self._start:
            self._take(piece, begin)

    def _skip_to_start(self, piece: bytes) -> int:
        """Count the lines before the wanted ones; where those begin in the piece."""
        breaks = piece.count(b"\n")
        missing = self._start - self._line
        if breaks < missing:
            self._line += breaks
            return len(piece)
        place = 0
        for _ in range(missing):
            place = piece.index(b"\n", place) + 1
        self._line = self._start
        return place

    def _take(self, piece: bytes, begin: int) -> None:
        if not self._first_ended:
            end = piece.find(b"\n", begin)
            self._first_ended = end >= 0
            self._first_length += (end if end >= 0 else len(piece)) - begin
        self._line += piece.count(b"\n", begin)
        # One byte more than the limit shows that the text goes on; the line count is bounded by the bytes.
        room = self._max_bytes + 2 - len(self._kept)
        if room > 0:
            self._kept += piece[begin : begin + room]

    def finish(self) -> LineRange:
        """What was found, after the last piece."""
        total = self._line if not self._ends_with_break else self._line - 1
        total = 0 if self._size == 0 else total
        if self._first_length > self._max_bytes:
            return LineRange([], total, self._size, self._first_length, "bytes", self._ends_with_break)
        wanted = total - self._start + 1
        raw = bytes(self._kept)
        lines = raw.split(b"\n")
        kept, used = 0, 0
        for line in lines[: min(self._max_lines, max(0, wanted))]:
            used += len(line) + (1 if kept else 0)
            if used > self._max_bytes:
                break
            kept += 1
        stopped = None if kept >= wanted else ("lines" if kept == self._max_lines else "bytes")
        return LineRange(
            [_text(line) for line in lines[:kept]], total, self._size, None, stopped, self._ends_with_break
        )


def _text(line: bytes) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "replace")
