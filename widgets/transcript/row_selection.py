"""Rows that are selected with the keys: from the row where it began to the one where the keys have led."""

from __future__ import annotations

from textual.geometry import Offset
from textual.selection import Selection

from .cell_rows import Place
from .history import History
from .selection import offset_of

WHOLE_ROW = 1_000_000
"""A column right of any text."""


class RowSelection:
    """Whole rows of a history; the row at its moving end is kept in sight."""

    def __init__(self, history: History, begin: Place) -> None:
        self._history = history
        self._begin = self._end = begin

    @property
    def selection(self) -> Selection:
        """As the screen keeps selections."""
        first, last = sorted((self._begin, self._end))
        return Selection(Offset(0, offset_of(first)), Offset(WHOLE_ROW, offset_of(last)))

    def move(self, rows: int) -> None:
        """Move the end down, or up if negative."""
        history = self._history
        self._end = history.moved(self._end, rows)
        if not history.rows:
            return
        if self._end < history.place_of(history.rows[0]):
            history.show_place(self._end)
        elif self._end > history.place_of(history.rows[-1]):
            history.show_place(self._end, row=max(history.height - 1, 0))
