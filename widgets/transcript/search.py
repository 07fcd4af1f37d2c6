"""Search in the history: from hit to hit, wherever it is, opened if it is hidden."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from textual.strip import Strip

from ..text.lines import Span
from .cell import Cell
from .cell_rows import Row
from .history import History
from .part import Part

LONGEST = 200
"""Characters of a query that count."""

_FOLD = r"(?:\n\s*)?"
"""Where a word may go on in the next row."""

KEPT = 200
"""Parts whose hits are remembered."""


class Hit(NamedTuple):
    """Where a hit begins: part, row and character of its cell."""

    part: int
    line: int
    start: int


class Found(NamedTuple):
    """The hits in the rows of a part: spans row by row, and where each hit begins (row, character)."""

    strips: Sequence[Strip]
    spans: list[list[Span]]
    begins: list[tuple[int, int]]


class Search:
    """A text that is looked for, and the hit that was shown last.

    Case does not count unless the text has capitals; a blank stands for any blanks, also for a line break.
    `counting` must have run before there is something to show.
    """

    def __init__(self, history: History, query: str, origin: Cell | None = None) -> None:
        """`origin` is the cell from which on it is looked for, the first in the window if None."""
        self._history = history
        top = min(history.top.cell, len(history.cells) - 1)
        self.origin = origin or (history.cells[top] if history.cells else None)
        self.query = query[:LONGEST].strip()
        words = self.query.split()
        flags = re.IGNORECASE if self.query == self.query.lower() else 0
        self._in_text = re.compile(r"\s+".join(map(re.escape, words)), flags)
        self._in_rows = re.compile(r"\s+".join(_folded(word) for word in words), flags)
        self._counts: dict[Cell, int] = {}
        self._known: dict[Part, Found] = {}
        self._cell: Cell | None = None
        self._hit: Hit | None = None
        self._opened: Cell | None = None

    # ---- how many

    def counting(self) -> Iterator[int]:
        """Count the hits of cell after cell; how many there are so far."""
        total = 0
        for cell in list(self._history.cells):
            total += self._count(cell)
            yield total

    def _count(self, cell: Cell) -> int:
        count = sum(1 for _ in self._in_text.finditer(cell.text())) if self.query else 0
        self._counts[cell] = count
        return count

    @property
    def total(self) -> int:
        """How often the text occurs in what was counted."""
        return sum(self._counts.values())

    @property
    def cell(self) -> Cell | None:
        """The cell of the hit that is shown."""
        return self._cell

    @property
    def position(self) -> int:
        """The number of the hit that is shown, from 1; 0 if none is."""
        cell, hit = self._cell, self._hit
        if cell is None or hit is None or cell not in self._counts:
            return 0
        before = sum(self._counts.get(each, 0) for each in self._history.cells[: self._history.index(cell)])
        own = sum(1 for each in self._hits(cell) if each <= hit)
        return before + min(own, max(self._counts[cell], 1))

    # ---- what is marked

    def spans(self, row: Row) -> list[Span]:
        """The characters of a row that belong to a hit."""
        lines = self._found(row.part).spans
        return lines[row.line] if row.line < len(lines) else []

    def current(self, row: Row) -> list[Span]:
        """The same of the hit that is shown, in the row where it begins."""
        hit = self._hit
        if hit is None or row.cell is not self._cell or row.line != hit.line:
            return []
        if hit.part >= len(row.cell.parts) or row.cell.parts[hit.part] is not row.part:
            return []
        return [span for span in self.spans(row) if span[0] == hit.start]

    def _found(self, part: Part) -> Found:
        strips = part.strips(self._history.width, self._history.look)
        known = self._known.get(part)
        if known is None or known.strips is not strips:
            if len(self._known) > KEPT:
                self._known.clear()
            known = self._known[part] = self._find(strips, part.indent)
        return known

    def _find(self, strips: Sequence[Strip], indent: int) -> Found:
        """The hits of a part: one that goes on in the next row has a span in each."""
        found = Found(strips, [[] for _ in strips], [])
        if not self.query:
            return found
        rows = [strip.text[indent:].rstrip() for strip in strips]
        starts = [0, *accumulate(len(row) + 1 for row in rows)]
        for match in self._in_rows.finditer("\n".join(rows)):
            first = line = bisect_right(starts, match.start()) - 1
            while line < len(rows) and starts[line] < match.end():
                begin, end = max(match.start() - starts[line], 0), min(match.end() - starts[line], len(rows[line]))
                if begin < end:
                    found.spans[line].append((begin + indent, end + indent))
                line += 1
            found.begins.append((first, match.start() - starts[first] + indent))
        return found

    # ---- going there

    def move(self, direction: Literal[-1, 1]) -> bool:
        """Show the next or previous hit, round the end; whether there is one."""
        history = self._history
        if not self.query or not history.cells:
            return False
        start = self._start()
        for step in range(len(history.cells) + 1):
            index = (start + direction * step) % len(history.cells)
            if self._has_hit(index) and self._show(history.cells[index], direction, is_first=step == 0):
                return True
        return False

    def _start(self) -> int:
        """The cell from which the way goes on: that of the hit, or where it began."""
        for cell in (self._cell, self.origin):
            if cell is not None and cell in self._history.cells:
                return self._history.index(cell)
        self._cell = self._hit = None
        return 0

    def _has_hit(self, index: int) -> bool:
        """Whether a cell holds the text; one that came in later or still changes is counted again."""
        cell = self._history.cells[index]
        if cell not in self._counts or index >= len(self._history.cells) - 2:
            return self._count(cell) > 0
        return self._counts[cell] > 0

    def _show(self, cell: Cell, direction: Literal[-1, 1], *, is_first: bool) -> bool:
        hits = self._opened_hits(cell)
        if is_first and self._hit is not None and cell is self._cell:
            hits = [hit for hit in hits if (hit > self._hit if direction > 0 else hit < self._hit)]
        if not hits:
            return False
        self._cell, self._hit = cell, hits[0] if direction > 0 else hits[-1]
        self._scroll(cell, self._hit)
        return True

    def close(self) -> None:
        """Close the cell that was opened for its hit."""
        if self._opened is not None:
            self._history.expand(self._opened, False)
            self._opened = None

    def _opened_hits(self, cell: Cell) -> list[Hit]:
        """The hits of a cell, opened if it hides some; one that was opened before is closed again."""
        if self._opened is not cell:
            self.close()
        hits = self._hits(cell)
        if len(hits) < self._counts[cell] and self._history.expand(cell, True):
            self._opened = cell
            hits = self._hits(cell)
        return hits

    def _scroll(self, cell: Cell, hit: Hit) -> None:
        """Bring a hit in sight; one that is in sight stays where it is."""
        history, part = self._history, cell.parts[hit.part]
        seen = next((y for y, row in enumerate(history.rows) if row.part is part and row.line == hit.line), None)
        history.show(cell, part, hit.line, row=history.height // 3 if seen is None else seen)

    def _hits(self, cell: Cell) -> list[Hit]:
        """The hits of a cell as it stands."""
        return [
            Hit(number, line, start)
            for number, part in enumerate(cell.parts)
            for line, start in self._found(part).begins
        ]


def _folded(word: str) -> str:
    """The pattern of a word that may be folded; very short ones would be found where one line ends and another begins."""
    return (_FOLD if len(word) > 2 else "").join(map(re.escape, word))
