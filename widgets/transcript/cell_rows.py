"""Rows of cells by their places, at one width: where one is, and the way from there to others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from textual.strip import Strip

from ..text.look import Look
from .cell import Cell
from .cell_list import CellList
from .part import Part


class Place(NamedTuple):
    """A row: its cell, part and line by index."""

    cell: int
    part: int
    line: int


class Row(NamedTuple):
    """A row that is seen."""

    strip: Strip
    cell: Cell
    part: Part
    line: int


class CellRows(CellList):
    """Cells in rows of `width` cells. Only what the way leads over is rendered."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look
        self.width = 0

    def place_of(self, row: Row) -> Place:
        """Where a row stands."""
        return Place(self.index(row.cell), row.cell.parts.index(row.part), row.line)

    def rows_between(self, first: Place, last: Place | None) -> Iterator[Row]:
        """The rows from one place to another one (None: to the end), both included."""
        start = self._settled(first)
        for cell, index in self._parts_down(start):
            owner = self.cells[cell]
            for line, strip in enumerate(self._strips(cell, index)):
                place = Place(cell, index, line)
                if last is not None and place > last:
                    return
                if place >= start:
                    yield Row(strip, owner, owner.parts[index], line)

    def moved(self, place: Place, rows: int) -> Place:
        """The place some rows further down (up, if negative), the first or last one at most."""
        place = self._settled(place)
        return self._moved_up(place, -rows) if rows < 0 else self._moved_down(place, rows)

    def _strips(self, cell: int, part: int) -> Sequence[Strip]:
        return self.cells[cell].parts[part].strips(self.width, self.look)

    def _settled(self, place: Place) -> Place:
        """The place, or the nearest one that still exists."""
        if not self.cells:
            return Place(0, 0, 0)
        cell = min(place.cell, len(self.cells) - 1)
        parts = self.cells[cell].parts
        part = min(place.part, max(len(parts) - 1, 0))
        line = min(place.line, max(len(self._strips(cell, part)) - 1, 0)) if parts else 0
        return Place(cell, part, line)

    def _parts_down(self, place: Place) -> Iterator[tuple[int, int]]:
        part = place.part
        for cell in range(place.cell, len(self.cells)):
            for index in range(part, len(self.cells[cell].parts)):
                yield cell, index
            part = 0

    def _parts_up(self, place: Place) -> Iterator[tuple[int, int]]:
        """The parts above a place, its own first."""
        part = place.part
        for cell in range(place.cell, -1, -1):
            parts = self.cells[cell].parts
            for index in range(min(part, len(parts) - 1), -1, -1):
                yield cell, index
            part = len(self.cells[cell - 1].parts) if cell else 0

    def _end(self) -> Place:
        last = len(self.cells) - 1
        return Place(last, len(self.cells[last].parts), 0) if self.cells else Place(-1, 0, 0)

    def _moved_up(self, place: Place, lines: int) -> Place:
        above = place.line
        for cell, index in self._parts_up(place):
            if (cell, index) != (place.cell, place.part):
                above = len(self._strips(cell, index))
            if lines <= above:
                return Place(cell, index, above - lines)
            lines -= above
        return Place(0, 0, 0)

    def _moved_down(self, place: Place, lines: int) -> Place:
        lines += place.line
        last = place
        for cell, index in self._parts_down(place):
            height = len(self._strips(cell, index))
            if lines < height:
                return Place(cell, index, lines)
            lines -= height
            last = Place(cell, index, max(height - 1, 0))
        return last
