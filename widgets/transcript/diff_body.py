"""The body of a change: its diff, whole when it is short, else hunk by hunk."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from ...agent.details import DiffDetails
from ..diff.patch import DiffLine, Hunk, parse_patch
from ..diff.view import LEAST_SIDE_BY_SIDE, SIDE_BY_SIDE_WIDTH, DiffStyle, diff_rows, digits_of, guess_tab_size
from ..text.lines import Line
from ..text.look import Look
from ..text.numbers import format_plural
from ..text.outside_text import outside_copy, outside_line, outside_text
from .body import INDENT, Body, Notes, TextBody, body_width, on_rule
from .part import Part

WHOLE_LIMIT = 20
"""A diff of fewer lines is always shown whole."""

STRETCH = 60
"""Diff lines that are rendered at once."""


class DiffBody(Body):
    """The hunks of one file; the patch is parsed when the diff is first seen."""

    def __init__(self, details: DiffDetails) -> None:
        self.details = details
        self._hunks: list[Hunk] | None = None
        self._is_one_sided: bool | None = None

    @property
    def hunks(self) -> list[Hunk]:
        if self._hunks is None:
            self._hunks = parse_patch(self.details.patch) if self.details.patch else []
        return self._hunks

    @property
    def style(self) -> DiffStyle:
        return DiffStyle(self.details.path, digits_of(self.hunks), guess_tab_size(self.hunks))

    @property
    def is_one_sided(self) -> bool:
        """Whether all lines came or all went: then there is nothing to put beside them."""
        if self._is_one_sided is None:
            signs = {line.sign for hunk in self.hunks for line in hunk}
            self._is_one_sided = signs in ({"+"}, {"-"})
        return self._is_one_sided

    @property
    def can_expand(self) -> bool:
        return self.details.patch.count("\n") >= WHOLE_LIMIT

    def parts(self, is_expanded: bool) -> list[Part]:
        notes: list[Part] = [Notes([outside_line(self.details.note)])] if self.details.note else []
        if not self.hunks:
            return [*self._unparsed().parts(is_expanded), *notes]
        if not is_expanded and sum(len(hunk) for hunk in self.hunks) >= WHOLE_LIMIT:
            return [CollapsedDiff(self), *notes]
        parts: list[Part] = []
        for index, hunk in enumerate(self.hunks):
            if index:
                parts.append(HunkGap(_skipped(self.hunks[index - 1], hunk)))
            starts = range(0, len(hunk), STRETCH)
            parts += [DiffStretch(self, hunk[at : at + STRETCH], starts_hunk=at == 0) for at in starts]
        return [*parts, *notes]

    def text(self) -> str:
        return outside_text(self.details.patch)

    def copied(self) -> str:
        return outside_copy(self.details.patch)

    def _unparsed(self) -> Body:
        """The patch as it is: a change that cannot be parsed must be seen all the same."""
        text = self.text().rstrip("\n")
        return TextBody(text.split("\n") if text else [], WHOLE_LIMIT)


class DiffPart(Part):
    """Part of a diff; `starts_hunk`: its first row is that of a hunk."""

    __slots__ = ("body", "starts_hunk")

    indent = INDENT

    def __init__(self, body: DiffBody, *, starts_hunk: bool) -> None:
        super().__init__()
        self.body = body
        self.starts_hunk = starts_hunk


class DiffStretch(DiffPart):
    """Some lines of one hunk."""

    __slots__ = ("lines",)

    def __init__(self, body: DiffBody, lines: Sequence[DiffLine], *, starts_hunk: bool) -> None:
        super().__init__(body, starts_hunk=starts_hunk)
        self.lines = lines

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        return on_rule(rows_of(self.body, self.lines, width, look), width, look)

    def estimate(self, width: int) -> int:
        return len(self.lines)


class HunkGap(Part):
    """The row between two hunks: how many lines of the file it stands for."""

    __slots__ = ("count",)

    indent = INDENT

    def __init__(self, count: int | None) -> None:
        super().__init__()
        self.count = count

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        lines = "" if self.count is None else f" {format_plural(self.count, 'unchanged line')}"
        return on_rule([[(f"{look.marks.ellipsis}{lines}", look.style("dim"))]], width, look)

    def estimate(self, width: int) -> int:
        return 1


class CollapsedDiff(DiffPart):
    """The first hunk, as far as there is room, and what is hidden."""

    __slots__ = ()

    def __init__(self, body: DiffBody) -> None:
        super().__init__(body, starts_hunk=True)

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        first, *others = self.body.hunks
        shown = _around_first_change(first)
        rows = rows_of(self.body, shown, width, look)[: WHOLE_LIMIT - 1]
        hidden = len(first) - len(shown)
        words = [format_plural(hidden, "more line")] if hidden else []
        if others:
            words.append(format_plural(len(others), "more hunk"))
        marker: Line = [(f"{look.marks.ellipsis} {f' {look.marks.dot} '.join(words)}", look.style("dim"))]
        return on_rule([*rows, marker] if words else rows, width, look)

    def estimate(self, width: int) -> int:
        return min(len(self.body.hunks[0]), WHOLE_LIMIT) + 1


def rows_of(body: DiffBody, lines: Sequence[DiffLine], width: int, look: Look) -> list[Line]:
    """The rows of some lines; side by side where the screen is wide enough."""
    side_by_side = is_side_by_side(width, look) and not body.is_one_sided
    return diff_rows(lines, body.style, body_width(width), look, side_by_side=side_by_side)


def is_side_by_side(width: int, look: Look) -> bool:
    """Whether old and new stand beside each other: as the person wants it, else by the width of the screen."""
    if look.diff_view == "auto":
        return width >= SIDE_BY_SIDE_WIDTH
    return look.diff_view == "side-by-side" and width >= LEAST_SIDE_BY_SIDE


def _around_first_change(hunk: Hunk) -> Hunk:
    """The lines that are shown of a hunk: from one line before its first change on."""
    first = next((index for index, line in enumerate(hunk) if line.sign != " "), 0)
    start = max(first - 1, 0)
    return hunk[start : start + WHOLE_LIMIT - 2]


def _skipped(before: Hunk, after: Hunk) -> int | None:
    last = next((line.new for line in reversed(before) if line.new is not None), None)
    first = next((line.new for line in after if line.new is not None), None)
    return None if last is None or first is None else first - last - 1
