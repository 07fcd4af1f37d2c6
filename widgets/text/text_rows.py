"""Plain text in one style, wrapped by words behind a mark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.strip import Strip

from ..transcript.part import Part, estimate_rows
from .lines import Line, hang, wrap
from .look import Look
from .markdown import MARGIN, PROSE_WIDTH
from .numbers import format_plural

STRETCH = 6_000
"""Characters of a long text that are rendered at once."""

COUNTED = 20_000
"""Characters up to which the hidden rows are counted wrapped; of longer texts the lines are counted."""


class TextRows(Part):
    """A text behind the mark named `mark` (in `mark_style` if it has its own); `limit` rows of it, then how many are hidden."""

    __slots__ = ("limit", "mark", "mark_style", "style", "value")

    indent = MARGIN

    def __init__(
        self, value: str, style: str, mark: str = "", *, limit: int | None = None, mark_style: str = ""
    ) -> None:
        super().__init__()
        self.value = value
        self.style = style
        self.mark = mark
        self.mark_style = mark_style or style
        self.limit = limit

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        inner = max(min(width - MARGIN - 1, PROSE_WIDTH), 8)
        rows, hidden = self._rows(inner, look)
        if hidden:
            rows.append([(f"{look.marks.ellipsis} {format_plural(hidden, 'more line')}", look.style("dim"))])
        mark: str = getattr(look.marks, self.mark) if self.mark else ""
        first: Line = [(f" {mark:<{MARGIN - 2}} ", look.style(self.mark_style))]
        return [look.strip(row, width) for row in hang(rows, first, [(" " * MARGIN, look.base)])]

    def _rows(self, inner: int, look: Look) -> tuple[list[Line], int]:
        """The rows that are shown and the number of those that are not."""
        style = look.style(self.style)
        if self.limit is None or len(self.value) <= COUNTED:
            rows = [row for line in self.value.split("\n") for row in wrap([(line, style)], inner)]
            shown = len(rows) if self.limit is None else self.limit
            return rows[:shown], len(rows) - len(rows[:shown])
        head, lines = self.value[:COUNTED], self.value.count("\n") + 1
        rows = [row for line in head.split("\n") for row in wrap([(line, style)], inner)][: self.limit]
        return rows, max(lines - self.limit, 1)

    def estimate(self, width: int) -> int:
        rows = estimate_rows(self.value, width - MARGIN - 1)
        return rows if self.limit is None else min(rows, self.limit + 1)


def text_parts(value: str, style: str, mark: str = "", mark_style: str = "") -> list[Part]:
    """A whole text, however long, as parts that are rendered one by one."""
    pieces = enumerate(_stretches(value))
    return [TextRows(piece, style, "" if index else mark, mark_style=mark_style) for index, piece in pieces]


def _stretches(value: str) -> Iterator[str]:
    """The text in pieces that end with a line or, in an endless one, with a word."""
    while len(value) > STRETCH:
        cut = value.rfind("\n", 0, STRETCH)
        cut = cut if cut > 0 else value.rfind(" ", 0, STRETCH)
        cut = cut if cut > 0 else STRETCH - 1
        yield value[:cut] if value[cut] in "\n " else value[: cut + 1]
        value = value[cut + 1 :]
    yield value
