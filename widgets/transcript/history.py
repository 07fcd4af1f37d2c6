"""The cells of a transcript and the window on them: what is seen is rendered, what is not costs nothing.

The window hangs on a place in the text, not on a row number: text that grows below or is opened elsewhere does not
move it, and no height has to be known but of what is seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from textual.strip import Strip

from ..text.look import Look
from .cell import Cell
from .part import Gap, Part

KEPT_PARTS = 160
"""Parts whose rendered rows are kept; a screen shows some dozens."""

MEASURED_PARTS = 8
"""Parts out of sight that are rendered at most to count the new rows."""


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


class News(NamedTuple):
    """Rows below since the reader left the end; not exact where they were not all measured."""

    rows: int
    is_exact: bool


class History:
    """Cells in order, and a window of `width` × `height` cells on them, which follows the end or keeps its place."""

    def __init__(self, look: Look) -> None:
        self.cells: list[Cell] = []
        self.look = look
        self.width = 0
        self.height = 0
        self.is_following = True
        self.counts_news = True
        self.leaves_out = False
        self.opens_all = False
        """Whether cells are open, those that come later too."""
        self._top = Place(0, 0, 0)
        self._rows: list[Row] = []
        self._rendered: dict[Part, None] = {}
        self._left_at: tuple[Cell, int, int] | None = None  # the end when the reader left it

    # ---- what it holds

    def add(self, cell: Cell, before: Cell | None = None) -> None:
        """Put a cell at the end, or before another one."""
        index = len(self.cells) if before is None else self.index(before)
        self.cells.insert(index, cell)
        cell.is_left_out = self.leaves_out and cell.is_optional
        cell.is_expanded = cell.is_expanded or self.opens_all
        if index <= self._top.cell and index < len(self.cells) - 1:
            self._top = self._top._replace(cell=self._top.cell + 1)
        self._space(index)

    def remove(self, cell: Cell) -> None:
        """Take a cell out."""
        index = self.index(cell)
        if self._left_at is not None and self._left_at[0] is cell:
            self._left_at = self._end_before(index)
        del self.cells[index]
        if index < self._top.cell:
            self._top = self._top._replace(cell=self._top.cell - 1)
        elif index == self._top.cell:
            self._top = Place(min(index, max(len(self.cells) - 1, 0)), 0, 0)
        self._space(index)

    def replace(self, cells: Sequence[Cell], replacement: Cell) -> None:
        """Put one cell in place of others."""
        self.add(replacement, before=cells[0])
        for cell in cells:
            self.remove(cell)

    def clear(self) -> None:
        """Forget everything."""
        self.cells.clear()
        self._rendered.clear()
        self._rows = []
        self._left_at = None
        self._top = Place(0, 0, 0)
        self.is_following = True

    def index(self, cell: Cell) -> int:
        """Where a cell stands; searched in the window, then from the end, where things change. Raises ValueError if it is not here."""
        cells, top = self.cells, self._top.cell
        for index in range(top, min(top + self.height, len(cells))):
            if cells[index] is cell:
                return index
        for index in range(len(cells) - 1, -1, -1):
            if cells[index] is cell:
                return index
        raise ValueError("no such cell")

    def leave_out(self, leaves_out: bool) -> None:
        """Do without the optional cells, or show them again; what is at the top of the window stays in sight."""
        top = next((row for row in self._rows if not (row.cell.is_optional or isinstance(row.part, Gap))), None)
        y = self._rows.index(top) if top is not None else 0
        self.leaves_out = leaves_out
        for index, cell in enumerate(self.cells):
            if cell.is_optional:
                cell.is_left_out = leaves_out
                self._space(index)
        if top is not None and not self.is_following:
            self.show_place(self.place_of(top), row=y)

    def _space(self, index: int) -> None:
        """A blank row before the first two cells from `index` on that are seen, unless two rows follow each other."""
        before = next((cell for cell in self._back_from(index) if not cell.is_hidden), None)
        seen = 0
        for here in range(index, len(self.cells)):
            cell = self.cells[here]
            if not cell.is_hidden:
                cell.set_gap(before is not None and not (cell.is_row and before.is_row))
                before, seen = cell, seen + 1
            if seen == 2:
                return

    def _back_from(self, index: int) -> Iterator[Cell]:
        return (self.cells[here] for here in range(index - 1, -1, -1))

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
        self._top = self._moved(self._top, lines)
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
        self._top = self._moved(Place(index, at, line), -row)
        self.view()

    def show_place(self, place: Place, *, row: int = 0) -> None:
        """Bring a place to the row `row` of the window."""
        self._leave_end()
        self._top = self._moved(place, -row)
        self.view()

    def moved(self, place: Place, rows: int) -> Place:
        """The place some rows further down (up, if negative), the first or last one at most."""
        return self._moved(place, rows)

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

    def _end(self) -> Place:
        last = len(self.cells) - 1
        return Place(last, len(self.cells[last].parts), 0) if self.cells else Place(-1, 0, 0)

    def _moved(self, place: Place, lines: int) -> Place:
        place = self._settled(place)
        return self._moved_up(place, -lines) if lines < 0 else self._moved_down(place, lines)

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
