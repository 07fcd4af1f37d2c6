"""What there is to read before deciding: texts in whole, and the change itself where the transcript has no room for it."""

from __future__ import annotations

from collections.abc import Callable

from rich.segment import Segment
from rich.style import Style

from ...agent.details import DiffDetails
from ..diff.patch import Hunk, parse_patch
from ..editor.rows import clip
from ..editor.soft_wrap import SoftWrap
from ..text.look import Look
from ..text.marks import marks
from ..text.numbers import format_plural
from .hunk_lines import INDENT, LEAST, hunk_rows
from .hunk_place import around_change

MAX_LINES = 400
"""Lines of a change that are shown here; the transcript has them all."""


class QuestionBody:
    """Rows behind a thin rule, made once for a width."""

    def __init__(self) -> None:
        self._lines: tuple[str, ...] = ()
        self.change: DiffDetails | None = None
        self._hunks: list[Hunk] = []
        self._made: tuple[tuple[object, ...], list[list[Segment]]] | None = None
        self._fold = SoftWrap(lambda _: marks().bad)

    def show(self, lines: tuple[str, ...], change: DiffDetails | None = None) -> None:
        """Show these texts, and below them this change."""
        if change is not self.change:
            self._hunks = [around_change(hunk) for hunk in parse_patch(change.patch)] if change is not None else []
        self._lines, self.change = lines, change
        self._made = None

    def forget_styles(self) -> None:
        """Draw anew: colours have changed."""
        self._made = None

    def rows(self, width: int, look: Callable[[], Look], title: str = "", title_at: int = 0) -> list[list[Segment]]:
        """All rows; `title` stands before the texts, or with `title_at` -1 behind everything."""
        state = (width, title, title_at)
        if self._made is None or self._made[0] != state:
            lines = (title, *self._lines) if title and title_at == 0 else self._lines
            rows = self._texts(lines, width, look)
            rows += self._changed(self.change.path, width, look()) if self.change is not None else []
            rows += self._texts((title,), width, look) if title and title_at else []
            self._made = (state, rows)
        return self._made[1]

    def _texts(self, lines: tuple[str, ...], width: int, look: Callable[[], Look]) -> list[list[Segment]]:
        if not lines:
            return []
        self._fold.width = max(LEAST, width - INDENT - 2)
        bar = _bar(look().style("rule"))
        return [[bar, Segment(row.text)] for line in lines for row in self._fold.rows(line)]

    def _changed(self, path: str, width: int, look: Look) -> list[list[Segment]]:
        rows: list[list[Segment]] = []
        left = MAX_LINES
        for hunk in self._hunks:
            if left <= 0:
                break
            if rows:
                rows.append([_bar(look.style("rule")), Segment(marks().ellipsis, look.style("dim"))])
            rows += hunk_rows(hunk[:left], path, width, look)
            left -= len(hunk)
        hidden = sum(map(len, self._hunks)) - MAX_LINES
        if hidden > 0:
            words = f"{marks().ellipsis} {format_plural(hidden, 'more line')} in the transcript"
            rows.append([_bar(look.style("rule")), Segment(clip(words, width - INDENT - 2), look.style("dim"))])
        return rows


def _bar(style: Style) -> Segment:
    return Segment(f"{' ' * INDENT}{marks().rule} ", style)
