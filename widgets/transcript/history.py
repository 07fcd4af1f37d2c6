"""The cells of a transcript and the window on them: what is seen is rendered, what is not costs nothing.

The window hangs on a place in the text, not on a row number: text that grows below or is opened elsewhere does not
move it, and no height has to be known but of what is seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from ..text.look import Look
from .cell import Cell
from .cell_rows import CellRows, Place, Row
from .part import Gap, Part

KEPT_PARTS = 160
"""Parts whose rendered rows are kept; a screen shows some dozens."""

MEASURED_PARTS = 8
"""Parts out of sight that are rendered at most to count the new rows."""


class News(NamedTuple):
    """Rows below since the reader left the end; not exact where they were not all measured."""

    rows: int
    is_exact: bool


class History(CellRows):
    """Cells in order, and a window of `width` × `height` cells on them, which follows the end or keeps its place."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.height = 0
        self.is_following = True
        self.counts_news = True
        self._top = Place(0, 0, 0)
        self._rows: list[Row] = []
        self._rendered: dict[Part, None] = {}
        self._left_at: tuple[Cell, int, int] | None = None  # the end when the reader left it

    # ---- what it holds

    def _likely(self) -> range:
        return range(self._top.cell, min(self._top.cell + self.height, len(self.cells)))

    def _came(self, index: int) -> None:
        if index <= self._top.cell and index < len(self.cells) - 1:
            self._top = self._top._replace(cell=self._top.cell + 1)

    def _goes(self, index: int) -> None:
        if self._left_at is not None and self._left_at[0] is self.cells[index]:
            self._left_at = self._end_before(index)

    def _went(self, index: int) -> None:
        if index < self._top.cell:
            self._top = self._top._replace(cell=self._top.cell - 1)
        elif index == self._top.cell:
            self._top = Place(min(index, max(len(self.cells) - 1, 0)), 0, 0)

    def clear(self) -> None:
        """Forget everything."""
        self.cells.clear()
        self._rendered.clear()
        self._rows = []
        self._left_at = None
        self._top = Place(0, 0, 0)
        self.is_following = True

    def leave_out(self, leaves_out: bool) -> None:
        """Do without the optional cells, or show them again; what is at the top of the window stays in sight."""
        top = next((row for row in self._rows if not (row.cell.is_optional or isinstance(row.part, Gap))), None)
        y = self._rows.index(top) if top is not None else 0
        super().leave_out(leaves_out)
        if top is not None and not self.is_following:
            self.show_place(self.place_of(top), row=y)

    def expand(self, cell: Cell, is_expanded: bool) -> bool:
        """Open or close a cell; whether that changed anything. What it shows more is not new to the reader."""
        is_end = self._left_at is not None and self._left_at[0] is cell
        if not cell.expand(is_expanded):
            return False
        if is_end:
            self._left_at = self._end_before(self.index(cell) + 1)
        return True

    def open_all(self, opens: bool) -> None:
        """Open every cell, or close it, and those that come later too."""
        self.opens_all = opens
        for cell in self.cells:
            self.expand(cell, opens)

    # ---- the window

    @property
    def rows(self) -> list[Row]:
        """What was seen when `view` was last called."""
        return self._rows

    def view(self) -> list[Row]:
        """The rows that are seen now, at most `height`."""
        if self.width <= 0 or self.height <= 0:
            return []
        if self.is_following or (rows := self._rows_from(self._settled(self._top))) is None:
            self.follow()
            rows = self._last_rows()
        self._rows = rows
        self._release()
        return rows

    def follow(self) -> None:
        """Keep to the end from now on."""
        self.is_following = True
        self._left_at = None

    def resize(self, width: int, height: int) -> None:
        """The window has another size; the text that was at its top stays there."""
        if width != self.width and not self.is_following and self.width > 0:
            cell, part, line = self._settled(self._top)
            if self.cells and self.cells[cell].parts:
                before = len(self._strips(cell, part))
                self.width = width
                after = len(self._strips(cell, part))
                self._top = Place(cell, part, line * after // max(before, 1))
        self.width, self.height = width, height

    def scroll(self, lines: int) -> None:
        """Move the window down (up, if negative); at the end it follows again."""
        if not self._rows:
            return
        if self.is_following and lines > 0:
            return
        self._leave_end()
        self._top = self.moved(self._top, lines)
        self.view()

    def to_start(self) -> None:
        """Show the beginning."""
        self._leave_end()
        self._top = Place(0, 0, 0)
        self.view()

    def show(self, cell: Cell, part: Part | None = None, line: int = 0, *, row: int = 0) -> None:
        """Bring a line of a cell (its first, unless said otherwise) to the row `row` of the window."""
        index = self.index(cell)
        parts = cell.parts
        at = parts.index(part) if part is not None and part in parts else min(cell.has_gap, max(len(parts) - 1, 0))
        self._leave_end()
        self._top = self.moved(Place(index, at, line), -row)
        self.view()

    def show_place(self, place: Place, *, row: int = 0) -> None:
        """Bring a place to the row `row` of the window."""
        self._leave_end()
        self._top = self.moved(place, -row)
        self.view()

    def is_seen(self, cell: Cell) -> bool:
        """Whether any of its rows is in the window."""
        return any(row.cell is cell for row in self._rows)

    def is_part_seen(self, part: Part) -> bool:
        """Whether any of its rows is in the window."""
        return any(row.part is part for row in self._rows)

    def row_of(self, cell: Cell) -> int | None:
        """The row on which a cell begins (blank rows aside), None if that is not seen."""
        first = next((part for part in cell.parts[cell.has_gap :]), None)
        return next((y for y, row in enumerate(self._rows) if row.part is first and row.line == 0), None)

    @property
    def top(self) -> Place:
        """The place of the first row that is seen."""
        return self._top

    def parts_from(
        self, direction: Literal[-1, 1], cell: Cell | None = None, part: Part | None = None
    ) -> Iterator[tuple[Cell, Part]]:
        """The parts below (or, nearest first, above) a part of a cell, or else the one at the top of the window."""
        start = self._top
        if cell is not None and part is not None and part in cell.parts:
            start = Place(self.index(cell), cell.parts.index(part), 0)
        walk = self._parts_down(start) if direction > 0 else self._parts_up(start)
        for at, index in walk:
            if (at, index) != (start.cell, start.part):
                yield self.cells[at], self.cells[at].parts[index]

    def news(self) -> News:
        """How many rows there are below since the reader left the end."""
        if self._left_at is None or not self.counts_news:
            return News(0, True)
        cell, part, line = self._left_at
        count, is_exact, budget = -line, True, MEASURED_PARTS
        for index in range(self.index(cell), len(self.cells)):
            parts = self.cells[index].parts if self.cells[index] is not cell else cell.parts[part:]
            for piece in parts:
                if piece.known_height(self.width) is None and budget > 0:
                    budget -= 1
                    self._measure(piece)
                is_exact = is_exact and piece.known_height(self.width) is not None
                count += piece.height(self.width)
        return News(max(count, 0), is_exact)

    def _measure(self, part: Part) -> None:
        part.strips(self.width, self.look)
        self._rendered[part] = None

    # ---- walking

    def _rows_from(self, top: Place) -> list[Row] | None:
        """The rows from a place on; None if there are too few to fill the window, so that the end is to be shown."""
        rows: list[Row] = []
        first = top.line
        for cell, index in self._parts_down(top):
            self._take(rows, cell, index, first)
            first = 0
            if len(rows) >= self.height:
                self._top = top
                return rows
        return None

    def _take(self, rows: list[Row], cell: int, index: int, first: int) -> None:
        """Add the rows of a part from `first` on, as many as there is room for."""
        owner = self.cells[cell]
        part = owner.parts[index]
        strips = part.strips(self.width, self.look)
        last = min(len(strips), first + self.height - len(rows))
        rows.extend(Row(strips[line], owner, part, line) for line in range(first, last))

    def _last_rows(self) -> list[Row]:
        """The last rows, or all from the beginning where there are fewer than the window has."""
        rows: list[Row] = []
        missing = self.height
        self._top = Place(0, 0, 0)
        for cell, index in self._parts_up(self._end()):
            missing -= len(self._strips(cell, index))
            if missing <= 0:
                self._top = Place(cell, index, -missing)
                break
        first = self._top.line
        for cell, index in self._parts_down(self._top):
            self._take(rows, cell, index, first)
            first = 0
        return rows

    def _leave_end(self) -> None:
        if self.is_following:
            self.is_following = False
            self._left_at = self._end_before(len(self.cells))

    def _end_before(self, index: int) -> tuple[Cell, int, int] | None:
        if index <= 0:
            return None
        cell = self.cells[index - 1]
        if not cell.parts:
            return (cell, 0, 0)
        part = len(cell.parts) - 1
        if self.width > 0 and cell.parts[part].known_height(self.width) is None:
            self._measure(cell.parts[part])
        return (cell, part, cell.parts[part].height(self.width))

    def _release(self) -> None:
        """Free what was rendered longest ago and is not seen."""
        for row in self._rows:
            self._rendered.pop(row.part, None)
        for row in self._rows:
            self._rendered[row.part] = None
        while len(self._rendered) > KEPT_PARTS:
            part = next(iter(self._rendered))
            del self._rendered[part]
            part.release()
