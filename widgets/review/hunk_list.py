"""The rows of the list of hunks: which are ticked, where they stand, what each says."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from ..editor.rows import clip
from ..text.hidden_characters import show_hidden
from ..text.marks import marks
from .hunk_choice import HunkChoice

PICK = "hunk"
"""The key of a segment's meta data: the index of the hunk below the mouse, and whether it is its box."""

WORDS = 50
"""From this many cells on, what is out of sight is said in words."""


class HunkList:
    """Draws the hunks around the current one; what each says is looked up once."""

    def __init__(self, choice: HunkChoice, style: Callable[[str], Style]) -> None:
        self._choice = choice
        self._style = style
        self._titles: dict[tuple[int, str | None], str] = {}

    def rows(self, width: int, count: int) -> list[list[Segment]]:
        """`count` hunks; at the edges stands how many more there are."""
        every = len(self._choice.hunks)
        first = max(0, min(self._choice.current - count // 2, every - count))
        above, below = first, every - first - count
        rows: list[list[Segment]] = []
        for index in range(first, first + count):
            more = f"{marks().up} {above}" if above and index == first else ""
            more += f" {marks().down} {below}" if below and index == first + count - 1 else ""
            rows.append(self._row(index, width, f"{more.strip()} more" if more and width >= WORDS else more))
        return rows

    def _row(self, index: int, width: int, more: str) -> list[Segment]:
        """Cursor, tick, place, size and the first telling line of a hunk; at the edge, `more`."""
        choice = self._choice
        hunk = choice.hunks[index]
        is_current = index == choice.current
        cursor = marks().prompt if is_current else " "
        tick = "[x]" if index in choice.ticked else "[ ]"
        place = f"line {hunk.line}" if hunk.line is not None else f"#{index + 1}"
        size = f"+{hunk.added} {marks().minus}{hunk.removed}"
        state = " (begun, not kept)" if index in choice.drafts else " (edited)" if index in choice.edited else ""
        box = clip(f"{cursor} {tick}", width)
        words = f" {place:<10} {size:<8}{state} {self._words(index)}"
        row = clip(words, max(0, width - cell_len(box) - cell_len(more) - 1))
        blank = " " * max(1, width - cell_len(box) - cell_len(row) - cell_len(more))
        style = self._style("current" if is_current else "muted")
        cells = [
            Segment(box, style + Style(meta={PICK: (index, True)})),
            Segment(row, style + Style(meta={PICK: (index, False)})),
        ]
        return [*cells, *([Segment(blank), Segment(more, self._style("more"))] if more else [])]

    def _words(self, index: int) -> str:
        """The first telling line that a hunk adds, else removes."""
        key = (index, self._choice.edited.get(index))
        if key not in self._titles:
            lines = [(line.sign, line.text.strip()) for line in self._choice.hunks[index].whole_lines(key[1])]
            found = [text for wanted in "+-" for sign, text in lines if sign == wanted and text]
            self._titles[key] = show_hidden(found[0], is_prose=True) if found else ""
        return self._titles[key]
