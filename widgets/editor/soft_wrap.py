"""Lines folded to a width: which code points stand in which cells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from ..text.grapheme import clusters, is_marker, is_plain
from ..text.marks import marks
from ..text.outside_text import has_hidden, outside_text

TAB = " " * 4
_CACHE_SIZE = 32_768


class Piece(NamedTuple):
    """One cluster as drawn: code points from `start` to `end`, `text` fills `width` cells."""

    start: int
    end: int
    text: str
    width: int
    is_marker: bool = False


class Row:
    """One row of a folded line: code points from `start` to `end`, drawn as `pieces`."""

    __slots__ = ("_line", "_pieces", "end", "start")

    def __init__(self, start: int, end: int, pieces: tuple[Piece, ...] | None = None, line: str = "") -> None:
        """A row of `pieces`; None for a row of a plain `line`, where a code point is a cell."""
        self.start, self.end = start, end
        self._pieces = pieces
        self._line = line

    @property
    def pieces(self) -> tuple[Piece, ...]:
        if self._pieces is None:
            self._pieces = tuple(Piece(index, index + 1, self._line[index], 1) for index in range(self.start, self.end))
        return self._pieces

    @property
    def text(self) -> str:
        """What is drawn."""
        return self._line[self.start : self.end] if self._line else "".join(piece.text for piece in self.pieces)

    def cell_of(self, column: int) -> int:
        """The cell in which the code point `column` begins."""
        if self._line:
            return max(0, min(column, self.end) - self.start)
        return sum(piece.width for piece in self.pieces if piece.end <= column)

    def column_at(self, cell: int) -> int:
        """The code point offset nearest to a cell; the row's end beyond it."""
        if self._line:
            return min(self.start + cell, self.end)
        left = 0
        for piece in self.pieces:
            if cell < left + (piece.width + 1) // 2:
                return piece.start
            left += piece.width
        return self.end


class SoftWrap:
    """Folds lines at blanks, or inside a word that is wider than `width` cells. Folded lines are remembered."""

    def __init__(self, label: Callable[[str], str]) -> None:
        self._label = label
        self._width = 1
        self._rows: dict[str, tuple[Row, ...]] = {}

    @property
    def width(self) -> int:
        return self._width

    @width.setter
    def width(self, width: int) -> None:
        if width != self._width:
            self._width = max(2, width)
            self._rows.clear()

    def forget(self) -> None:
        """Drop what is remembered, after labels have changed."""
        self._rows.clear()

    def rows(self, line: str) -> tuple[Row, ...]:
        """The rows of one line, at least one."""
        rows = self._rows.get(line)
        if rows is None:
            if len(self._rows) >= _CACHE_SIZE:
                self._rows.clear()
            rows = self._rows[line] = tuple(self._fold_plain(line) if is_plain(line) else self._fold(line))
        return rows

    def _fold_plain(self, line: str) -> list[Row]:
        """The same for a plain line, without a look at every character."""
        rows: list[Row] = []
        start = 0
        while len(line) - start > self._width:
            gap = line.rfind(" ", start, start + self._width)
            end = gap + 1 if gap >= start else start + self._width
            rows.append(Row(start, end, line=line))
            start = end
        rows.append(Row(start, len(line), line=line))
        return rows

    def _fold(self, line: str) -> list[Row]:
        pieces = self._pieces(line)
        rows: list[Row] = []
        start = gap = 0
        used = used_at_gap = 0
        for index, piece in enumerate(pieces):
            while used + piece.width > self._width and index > start:
                cut, width = (gap, used_at_gap) if gap > start else (index, used)
                rows.append(_row(pieces[start:cut]))
                used -= width
                start, used_at_gap = cut, 0
            used += piece.width
            if piece.text.isspace():
                gap, used_at_gap = index + 1, used
        rows.append(_row(pieces[start:]) if pieces[start:] else Row(len(line), len(line), ()))
        return rows

    def _pieces(self, line: str) -> list[Piece]:
        if line.isprintable() and not has_hidden(line):
            return [Piece(start, end, line[start:end], width) for start, end, width in clusters(line)]
        return [self._piece(line, start, end) for start, end in _spans(line)]

    def _piece(self, line: str, start: int, end: int) -> Piece:
        text = line[start:end]
        if is_marker(text[0]):
            label = self._label(text[0])
            if cell_len(label) > self._width:
                label = set_cell_size(label, max(0, self._width - cell_len(marks().ellipsis))) + marks().ellipsis
            return Piece(start, end, label, cell_len(label), is_marker=True)
        drawn = TAB if text == "\t" else outside_text(text)
        return Piece(start, end, drawn, cell_len(drawn))


def row_index(rows: tuple[Row, ...], column: int) -> int:
    """Which row of a line holds the caret at `column`: at a fold, the later one."""
    return max(0, bisect_right(rows, column, key=lambda row: row.start) - 1)


def _row(pieces: list[Piece]) -> Row:
    return Row(pieces[0].start, pieces[-1].end, tuple(pieces))


def _spans(line: str) -> list[tuple[int, int]]:
    """Clusters, with every marker a cluster of its own."""
    spans: list[tuple[int, int]] = []
    start = 0
    for index in [*(i for i, character in enumerate(line) if is_marker(character)), len(line)]:
        spans += [(start + first, start + last) for first, last, _ in clusters(line[start:index])]
        if index < len(line):
            spans.append((index, index + 1))
        start = index + 1
    return spans
