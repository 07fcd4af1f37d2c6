"""The body of a change: its diff, whole when it is short, else its changes as far as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual.strip import Strip

from ...agent.details import DiffDetails
from ..diff.excerpt import Excerpt, excerpt
from ..diff.patch import DiffLine, Hunk, parse_patch
from ..diff.view import LEAST_SIDE_BY_SIDE, SIDE_BY_SIDE_WIDTH, DiffStyle, diff_rows, digits_of, guess_tab_size
from ..text.lines import Line
from ..text.look import Look
from ..text.numbers import format_plural
from ..text.outside_text import outside_copy, outside_line, outside_text
from .body import INDENT, Body, Notes, TextBody, body_width, on_rule
from .part import Part

WHOLE_LIMIT = 20
"""Rows of a diff that is folded; one of fewer lines is shown whole."""

LONG_LINE = 150
"""Characters from which on a line may be shown in part."""

STRETCH = 60
"""Diff lines that are rendered at once."""


class DiffBody(Body):
    """The hunks of one file; the patch is parsed when the diff is first seen."""

    def __init__(self, details: DiffDetails) -> None:
        self.details = details
        self.limit = WHOLE_LIMIT
        self._hunks: list[Hunk] | None = None
        self._style: DiffStyle | None = None
        self._is_one_sided: bool | None = None

    @property
    def hunks(self) -> list[Hunk]:
        if self._hunks is None:
            self._hunks = parse_patch(self.details.patch) if self.details.patch else []
        return self._hunks

    def allow(self, rows: int) -> None:
        self.limit = rows

    def style(self, *, folds: bool) -> DiffStyle:
        """How its lines are laid out; `folds`: very long ones in part."""
        if self._style is None:
            self._style = DiffStyle(self.details.path, digits_of(self.hunks), guess_tab_size(self.hunks))
        return replace(self._style, folds=folds)

    @property
    def is_one_sided(self) -> bool:
        """Whether all lines came or all went: then there is nothing to put beside them."""
        if self._is_one_sided is None:
            signs = {line.sign for hunk in self.hunks for line in hunk}
            self._is_one_sided = signs in ({"+"}, {"-"})
        return self._is_one_sided

    @property
    def can_expand(self) -> bool:
        lines = self.details.patch.split("\n")
        return len(lines) > self.limit or any(len(line) > LONG_LINE for line in lines)

    def parts(self, is_expanded: bool) -> list[Part]:
        notes: list[Part] = [Notes([outside_line(self.details.note)])] if self.details.note else []
        if not self.hunks:
            return [*self._unparsed().parts(is_expanded), *notes]
        if not is_expanded and sum(len(hunk) for hunk in self.hunks) >= self.limit:
            return [CollapsedDiff(self), *notes]
        parts: list[Part] = []
        for index, hunk in enumerate(self.hunks):
            if index:
                parts.append(HunkGap(_skipped(self.hunks[index - 1], hunk)))
            starts = range(0, len(hunk), STRETCH)
            parts += [
                DiffStretch(self, hunk[at : at + STRETCH], starts_hunk=at == 0, folds=not is_expanded) for at in starts
            ]
        return [*parts, *notes]

    def text(self) -> str:
        return outside_text(self.details.patch)

    def copied(self) -> str:
        return outside_copy(self.details.patch)

    def _unparsed(self) -> Body:
        """The patch as it is: a change that cannot be parsed must be seen all the same."""
        text = self.text().rstrip("\n")
        return TextBody(text.split("\n") if text else [], self.limit)


class DiffPart(Part):
    """Part of a diff; `starts_hunk`: its first row is that of a hunk."""

    __slots__ = ("body", "starts_hunk")

    indent = INDENT

    def __init__(self, body: DiffBody, *, starts_hunk: bool) -> None:
        super().__init__()
        self.body = body
        self.starts_hunk = starts_hunk


class DiffStretch(DiffPart):
    """Some lines of one hunk; `folds`: very long ones in part."""

    __slots__ = ("folds", "lines")

    def __init__(self, body: DiffBody, lines: Sequence[DiffLine], *, starts_hunk: bool, folds: bool) -> None:
        super().__init__(body, starts_hunk=starts_hunk)
        self.lines = lines
        self.folds = folds

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        return on_rule(rows_of(self.body, self.lines, width, look, folds=self.folds), width, look)

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
        return on_rule([gap_row(self.count, look)], width, look)

    def estimate(self, width: int) -> int:
        return 1


class CollapsedDiff(DiffPart):
    """The changes of all hunks, as far as there is room, and what is hidden."""

    __slots__ = ()

    def __init__(self, body: DiffBody) -> None:
        super().__init__(body, starts_hunk=True)

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        body = self.body

        def rows(lines: Sequence[DiffLine]) -> list[Line]:
            return rows_of(body, lines, width, look, folds=True)

        side_by_side = is_beside(body, width, look)
        found = excerpt(body.hunks, body.limit, lambda lines: len(rows(lines)), side_by_side=side_by_side)
        shown: list[Line] = []
        for index, piece in enumerate(found.pieces):
            if index:
                shown.append(gap_row(_skipped(found.pieces[index - 1], piece), look))
            shown += rows(piece)
        return on_rule([*shown[: body.limit], *_hidden_row(found, body, look)], width, look)

    def estimate(self, width: int) -> int:
        return self.body.limit


def gap_row(count: int | None, look: Look) -> Line:
    """Stands for `count` lines of the file between two that are shown; None: it is not known how many."""
    lines = "" if count is None else f" {format_plural(count, 'unchanged line')}"
    return [(f"{look.marks.ellipsis}{lines}", look.style("dim"))]


def _hidden_row(found: Excerpt, body: DiffBody, look: Look) -> list[Line]:
    """What opening shows more: changed lines if there are any, else unchanged ones."""
    if found.is_whole:
        return []
    count = found.hidden_changed or found.hidden_common
    kind = "unchanged line" if not found.hidden_changed else "line" if body.is_one_sided else "changed line"
    words = [format_plural(count, f"more {kind}")]
    if found.hidden_hunks:
        words.append(format_plural(found.hidden_hunks, "more hunk"))
    return [[(f"{look.marks.ellipsis} {f' {look.marks.dot} '.join(words)}", look.style("dim"))]]


def rows_of(body: DiffBody, lines: Sequence[DiffLine], width: int, look: Look, *, folds: bool) -> list[Line]:
    """The rows of some lines; side by side where the screen is wide enough. `folds`: very long lines in part."""
    side_by_side = is_beside(body, width, look)
    return diff_rows(lines, body.style(folds=folds), body_width(width), look, side_by_side=side_by_side)


def is_beside(body: DiffBody, width: int, look: Look) -> bool:
    """Whether old and new lines of this diff stand beside each other."""
    return is_side_by_side(width, look) and not body.is_one_sided


def is_side_by_side(width: int, look: Look) -> bool:
    """Whether old and new stand beside each other: as the person wants it, else by the width of the screen."""
    if look.diff_view == "auto":
        return width >= SIDE_BY_SIDE_WIDTH
    return look.diff_view == "side-by-side" and width >= LEAST_SIDE_BY_SIDE


def _skipped(before: Hunk, after: Hunk) -> int | None:
    """Unchanged lines between two stretches: by the numbers in the new file, or else in the old one."""
    last = next((line.new for line in reversed(before) if line.new is not None), None)
    first = next((line.new for line in after if line.new is not None), None)
    if last is None or first is None:
        last = next((line.old for line in reversed(before) if line.old is not None), None)
        first = next((line.old for line in after if line.old is not None), None)
    return None if last is None or first is None else first - last - 1
