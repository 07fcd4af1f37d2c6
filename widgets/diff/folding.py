"""A very long line in a few rows: what changed in it with some text around it, and how many characters are left out."""

from __future__ import annotations

from collections.abc import Sequence

from ..text.lines import Line, Span, cells, cut, plain
from ..text.look import Look
from ..text.numbers import format_plural

FOLDED_ROWS = 3
"""Rows that a folded line takes; one that takes but one more is left whole."""

MARKER = 24
"""About how many characters a marker takes."""


def fold(line: Line, spans: Sequence[Span], width: int, look: Look, style: str = "dim") -> tuple[Line, list[Span]]:
    """The line as far as `FOLDED_ROWS` rows of `width` cells go, and where its spans are in that.

    Without spans its beginning and its end stay. What is left out is counted where it stood.
    """
    text = plain(line)
    size = cells(text)
    room = max(FOLDED_ROWS * width * len(text) // max(size, 1), 4 * MARKER)
    if size <= (FOLDED_ROWS + 1) * width or len(text) <= room + MARKER:
        return line, list(spans)
    folded: Line = []
    moved: list[Span] = []
    offset = position = 0
    kept = _around(spans, len(text), room) if spans else _both_ends(len(text), room)
    for (start, stop), runs in zip(kept, cut(line, kept), strict=True):
        offset += _leave_out(folded, start - position, look, style)
        moved += [
            (max(begin, start) - start + offset, min(end, stop) - start + offset)
            for begin, end in spans
            if begin < stop and end > start
        ]
        folded += runs
        offset, position = offset + stop - start, stop
    _leave_out(folded, len(text) - position, look, style)
    return folded, moved


def _leave_out(line: Line, count: int, look: Look, style: str) -> int:
    """Say how many characters are left out here; the length of the words."""
    if count <= 0:
        return 0
    ground = line[-1][1] if line else look.base
    words = f" {look.marks.ellipsis} {format_plural(count, 'character')} {look.marks.ellipsis} "
    line.append((words, look.attributes(style, ground)))
    return len(words)


def _both_ends(length: int, room: int) -> list[Span]:
    end = room // 4
    return [(0, room - end - MARKER), (length - end, length)]


def _around(spans: Sequence[Span], length: int, room: int) -> list[Span]:
    """The spans with some text around them, the first ones where there is no room for all."""
    near = max(room // (4 * min(len(spans), 3)), 8)
    kept: list[Span] = []
    for start, stop in spans:
        begin, end = max(start - near, kept[-1][1] if kept else 0), min(stop + near, length)
        if kept and begin - kept[-1][1] <= MARKER:
            begin = kept[-1][1]
        end = min(end, begin + room - MARKER)
        if end <= max(begin, start):
            break
        room -= end - begin + MARKER
        if kept and begin == kept[-1][1]:
            kept[-1] = (kept[-1][0], end)
        else:
            kept.append((begin, end))
    return kept
