"""Search in the history: from hit to hit, wherever it is, opened if it is hidden."""

from __future__ import annotations

from typing import Literal

from .cell import Cell
from .history import History, Place


class Search:
    """A text that is looked for, and the row where it was found last. Case does not count unless the text has capitals."""

    def __init__(self, history: History, query: str) -> None:
        self._history = history
        self.query = query
        self._ignores_case = query == query.lower()
        self.at: Place | None = None

    def count(self) -> int:
        """How often the text occurs in everything that was said and done."""
        return sum(self._fold(cell.text()).count(self.query) for cell in self._history.cells) if self.query else 0

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where it occurs in a row."""
        spans: list[tuple[int, int]] = []
        folded, start = self._fold(text), 0
        while self.query and (start := folded.find(self.query, start)) >= 0:
            spans.append((start, start + len(self.query)))
            start += len(self.query)
        return spans

    def move(self, direction: Literal[-1, 1]) -> bool:
        """Show the next or previous row that holds the text, round the end; whether there is one."""
        history = self._history
        if not self.query or not history.cells:
            return False
        start = self.at or history.top
        order = range(len(history.cells) + 1)
        for step in order:
            index = (start.cell + direction * step) % len(history.cells)
            if self._query_in(history.cells[index]) and self._show_hit(index, start if step == 0 else None, direction):
                return True
        return False

    def _query_in(self, cell: Cell) -> bool:
        return self.query in self._fold(cell.text())

    def _show_hit(self, index: int, start: Place | None, direction: Literal[-1, 1]) -> bool:
        cell = self._history.cells[index]
        hits = self._hits(index)
        if not hits and cell.expand(True):
            hits = self._hits(index)
        if start is not None and self.at is not None:
            hits = [hit for hit in hits if (hit > start if direction > 0 else hit < start)]
        if not hits:
            return False
        self.at = hits[0] if direction > 0 else hits[-1]
        part = cell.parts[self.at.part]
        self._history.show(cell, part, self.at.line, row=self._history.height // 3)
        return True

    def _hits(self, index: int) -> list[Place]:
        """The rows of a cell that hold the text."""
        history, cell = self._history, self._history.cells[index]
        return [
            Place(index, number, line)
            for number, part in enumerate(cell.parts)
            for line, strip in enumerate(part.strips(history.width, history.look))
            if self.query in self._fold(strip.text)
        ]

    def _fold(self, text: str) -> str:
        return text.lower() if self._ignores_case else text
