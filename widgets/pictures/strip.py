"""A row of the screen with a slice of a picture in it, for terminals that paint pictures over their cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from rich.console import Console
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip

KEEP_CURSOR, BACK_TO_CURSOR = "\x1b7", "\x1b8"
"""DECSC and DECRC: whatever a slice does to the cursor, the row goes on behind its cells."""


class Slice(Protocol):
    """A row of a picture."""

    @property
    def sequence(self) -> str:
        """What paints it where the cursor is; empty once it is forgotten."""
        ...


class PictureStrip(Strip):
    """A row of half blocks with a slice of the picture painted over the cells from `start` to `end`.

    Writing the half blocks first erases what was painted there. They are all that is left of the row where only a part
    of the slice is wanted, where it is tinted under a dialog, and when the slice is forgotten, by us or by the terminal.
    """

    __slots__ = ("_headed", "_slice", "end", "start")

    def __init__(self, cells: Iterable[Segment], length: int, slice: Slice, start: int, end: int) -> None:
        super().__init__(cells, length)
        self.start, self.end = start, end
        self._slice = slice
        self._headed: tuple[Segment, PictureStrip] | None = None

    def render(self, console: Console) -> str:
        cells, painted = super().render(console), self._slice.sequence
        if not painted:
            return cells
        return (
            f"{KEEP_CURSOR}{cells}"
            f"{BACK_TO_CURSOR}{_right(self.start)}{painted}"
            f"{BACK_TO_CURSOR}{_right(self.cell_length)}"
        )

    def crop(self, start: int, end: int | None = None) -> Strip:
        return self._carried(super().crop(start, end), max(start, 0))

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        pieces: list[Strip] = []
        at = 0
        for piece in super().divide(cuts):
            pieces.append(self._carried(piece, at))
            at += piece.cell_length
        return pieces

    def apply_filter(self, filter: LineFilter, background: Color) -> Strip:
        strip = super().apply_filter(filter, background)
        if not isinstance(strip, PictureStrip):
            self._filter_cache[filter, background] = strip = self._carried(strip, 0)
        return strip

    def headed(self, head: Segment) -> Strip:
        """The same row with another first cell; the same object for the same one."""
        if self._headed is None or self._headed[0] != head:
            cells = [head, *super().crop(1)]
            self._headed = head, PictureStrip(cells, self.cell_length, self._slice, self.start, self.end)
        return self._headed[1]

    def _carried(self, strip: Strip, at: int) -> Strip:
        """A piece of this row that begins in its cell `at`: with the slice, if all of that is in it."""
        start, end = self.start - at, self.end - at
        if strip is self or start < 0 or end > strip.cell_length:
            return strip
        return PictureStrip(strip, strip.cell_length, self._slice, start, end)


def _right(cells: int) -> str:
    return f"\x1b[{cells}C" if cells else ""
