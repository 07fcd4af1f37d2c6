"""Bodies of tool cells: rows on a thin left rule, collapsed to a few with the exact count of what is hidden."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from textual.strip import Strip

from ..text.lines import Line, cells, hang, wrap, wrapped_height
from ..text.look import Look
from ..text.numbers import format_plural
from ..text.outside_text import outside_copy
from .part import Part

MARGIN = 3
"""Cells left of the rule."""

INDENT = MARGIN + 2
"""Characters left of the text."""

STRETCH = 80
"""Lines of an open body that are rendered at once."""


class Body(ABC):
    """What hangs below the first row of a cell."""

    @property
    @abstractmethod
    def can_expand(self) -> bool:
        """Whether opening it shows more. Measured without a width: lines that only wrap may hide rows all the same."""
        ...

    def allow(self, rows: int) -> None:  # noqa: B027
        """It may take so many rows collapsed, be it more or fewer than it takes of itself."""

    @abstractmethod
    def parts(self, is_expanded: bool) -> list[Part]:
        """Its parts, collapsed or open."""
        ...

    @abstractmethod
    def text(self) -> str:
        """The whole text, literal, as it is shown and searched."""
        ...

    def copied(self) -> str:
        """The same to be copied: tabs are tabs."""
        return self.text()


def on_rule(rows: Sequence[Line], width: int, look: Look) -> list[Strip]:
    """The rows behind the thin left rule."""
    prefix: Line = [(" " * MARGIN, look.base), (f"{look.marks.rule} ", look.style("rule"))]
    return [look.strip([*prefix, *row], width) for row in rows]


def body_width(width: int) -> int:
    """Cells right of the rule."""
    return max(width - MARGIN - 3, 8)


class TextBody(Body):
    """Lines of text. `limit` rows stay when collapsed: the first, or with `keeps_end` the last.

    `hidden_before` counts lines that came before and are not held here; `notes` are rows below, shown in any case.
    `words`: it is prose, broken between words; else each row is full, as in a terminal. `source` is what is copied.
    """

    def __init__(
        self,
        lines: Sequence[str],
        limit: int,
        *,
        keeps_end: bool = False,
        style: str = "output",
        hidden_before: int = 0,
        notes: Sequence[str] = (),
        words: bool = False,
        source: str | None = None,
    ) -> None:
        self.lines = lines
        self.limit = limit
        self.keeps_end = keeps_end
        self.style = style
        self.hidden_before = hidden_before
        self.notes = notes
        self.words = words
        self.source = source

    def copied(self) -> str:
        return self.text() if self.source is None else outside_copy(self.source).rstrip("\n")

    def rows(self, start: int, stop: int, width: int, look: Look) -> list[Line]:
        """The lines from `start` to `stop` in rows of at most `width` cells."""
        return [row for line in self.styled(start, stop, look) for row in wrap(line, width, words=self.words)]

    def plain(self, index: int) -> str:
        """A line as literal text."""
        return self.lines[index]

    def styled(self, start: int, stop: int, look: Look) -> Sequence[Line]:
        """The lines from `start` to `stop` as runs."""
        style = look.style(self.style)
        return [[(self.plain(index), style)] for index in range(start, stop)]

    def allow(self, rows: int) -> None:
        self.limit = rows

    @property
    def can_expand(self) -> bool:
        return len(self.lines) > self.limit or any(len(line) > 60 for line in self.lines)

    def parts(self, is_expanded: bool) -> list[Part]:
        parts: list[Part] = []
        if not is_expanded:
            parts = [CollapsedText(self)] if self.lines else []
        else:
            starts = range(0, len(self.lines), STRETCH)
            parts = [TextStretch(self, start, min(start + STRETCH, len(self.lines))) for start in starts]
            if self.hidden_before:
                parts.insert(
                    0, Notes([f"{format_plural(self.hidden_before, 'earlier line')}, not shown while it runs"])
                )
        return [*parts, Notes(self.notes)] if self.notes else parts

    def text(self) -> str:
        return "\n".join(self.plain(index) for index in range(len(self.lines)))


class CollapsedText(Part):
    """The first or last rows of a text, and how many are hidden."""

    __slots__ = ("body",)

    indent = INDENT

    def __init__(self, body: TextBody) -> None:
        super().__init__()
        self.body = body

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        body, inner = self.body, body_width(width)
        count = len(body.lines)
        shown, height = self._shown(inner)
        start = count - shown if body.keeps_end else 0
        rows = body.rows(start, start + shown, inner, look)
        hidden = count - shown + body.hidden_before
        cut = height - body.limit if height > body.limit else 0
        if not hidden and not cut:
            return on_rule(rows, width, look)
        rows = rows[-body.limit :] if body.keeps_end else rows[: body.limit]
        marker: Line = [(f"{look.marks.ellipsis} {self._marker(hidden, cut, inner, look)}", look.style("dim"))]
        return on_rule([marker, *rows] if body.keeps_end else [*rows, marker], width, look)

    def _shown(self, width: int) -> tuple[int, int]:
        """How many lines are shown, the last one perhaps in part, and the rows that these take."""
        body, height = self.body, 0
        order = range(len(body.lines) - 1, -1, -1) if body.keeps_end else range(len(body.lines))
        for shown, index in enumerate(order):
            if height >= body.limit:
                return shown, height
            height += wrapped_height(body.plain(index), width, words=body.words)
        return len(body.lines), height

    def _marker(self, lines: int, rows: int, width: int, look: Look) -> str:
        """What is hidden: whole lines, and rows of a line that is shown in part."""
        which = "earlier" if self.body.keeps_end else "more"
        words = [format_plural(count, f"{which} {unit}") for count, unit in ((lines, "line"), (rows, "row")) if count]
        marker = f" {look.marks.dot} ".join(words)
        whole = f"{marker} of this line"
        return whole if rows and cells(whole) + 2 <= width else marker

    def estimate(self, width: int) -> int:
        return min(len(self.body.lines), self.body.limit + 1)


class TextStretch(Part):
    """Some lines of an open text."""

    __slots__ = ("body", "start", "stop")

    indent = INDENT

    def __init__(self, body: TextBody, start: int, stop: int) -> None:
        super().__init__()
        self.body, self.start, self.stop = body, start, stop

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        return on_rule(self.body.rows(self.start, self.stop, body_width(width), look), width, look)

    def estimate(self, width: int) -> int:
        return self.stop - self.start


class Notes(Part):
    """Dim rows: what is to be known about the body."""

    __slots__ = ("notes",)

    indent = INDENT

    def __init__(self, notes: Sequence[str]) -> None:
        super().__init__()
        self.notes = notes

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        dim = look.style("dim")
        rows = [
            row
            for note in self.notes
            for row in hang(wrap([(note, dim)], body_width(width) - 2), [], [("  ", look.base)])
        ]
        return on_rule(rows, width, look)

    def estimate(self, width: int) -> int:
        return len(self.notes)
