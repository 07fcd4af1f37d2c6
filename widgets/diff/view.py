"""The diff view: hunks as rows, unified or side by side, readable without colour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from rich.style import Style

from ...agent.frozen import frozen
from ..text.lines import Line, Span, hang, line_cells, wrap
from ..text.look import Look
from ..text.outside_text import expand_tabs, outside_text
from ..text.syntax import highlight
from .blanks import shown_blanks, with_signs
from .folding import fold
from .patch import DiffLine, Hunk, changes

SIDE_BY_SIDE_WIDTH = 140
"""From this many cells of the screen on, old and new stand side by side."""

LEAST_SIDE_BY_SIDE = 60
"""Under this many cells they never do: nothing could be read."""

NO_END = "  no newline at end of file"
"""Stands behind a last line without a line break, where that is part of the change."""


@frozen
class DiffStyle:
    """How to lay out: `path` chooses the syntax, `tab_size` is the file's, `digits` the width of line numbers.

    `folds`: very long lines are shown in part, around what changed in them.
    """

    path: str
    digits: int
    tab_size: int = 4
    folds: bool = False


def digits_of(hunks: Sequence[Hunk]) -> int:
    """Cells that the largest line number takes, three at least."""
    last = [max(line.old or 0, line.new or 0) for hunk in hunks for line in hunk[-1:]]
    return max(3, len(str(max(last, default=0))))


def diff_rows(lines: Sequence[DiffLine], style: DiffStyle, width: int, look: Look, *, side_by_side: bool) -> list[Line]:
    """The rows of a stretch of diff lines, at most `width` cells wide."""
    texts = _Texts(lines, style, look)
    if side_by_side:
        return _side_by_side(lines, texts, style, width, look)
    return [row for line in lines for row in _unified(line, texts, style, width, look)]


class _Texts:
    """The styled text of each line: syntax colours first, then the marks of changed words."""

    def __init__(self, lines: Sequence[DiffLine], style: DiffStyle, look: Look) -> None:
        self._look = look
        self._tab_size = style.tab_size
        self._folds = style.folds
        self._lines: dict[int, Line] = {}
        self._colour(lines, style.path, "-")
        self._colour(lines, style.path, "+")

    def of(self, line: DiffLine, width: int) -> Line:
        """The line, to be laid in rows of `width` cells."""
        runs = self._lines.get(id(line)) or [(self._literal(line.text), _ground(line, self._look))]
        if line.sign != " ":
            column = partial(self._column, line.text)
            runs = with_signs(runs, shown_blanks(line.text, line.words, column, self._look), self._look)
        spans = [(self._column(line.text, start), self._column(line.text, end)) for start, end in line.words]
        if self._folds:
            runs, spans = fold(runs, spans, width, self._look)
        runs = self._mark_words(line, runs, spans)
        return [*runs, (NO_END, self._look.attributes("dim", _ground(line, self._look)))] if line.lacks_end else runs

    def _literal(self, text: str) -> str:
        return outside_text(expand_tabs(text, self._tab_size)).replace("\n", "␊")

    def _colour(self, lines: Sequence[DiffLine], path: str, side: str) -> None:
        """Syntax colours of one side: its own lines and, for the new side, the common ones."""
        own = [line for line in lines if line.sign == side or (side == "+" and line.sign == " ")]
        if not own:
            return
        ground = _ground(own[0], self._look) if side == "-" else self._look.base
        code = "\n".join(self._literal(line.text) for line in own)
        for line, runs in zip(own, highlight(code, path, self._look, ground) or [], strict=False):
            if line.sign == "+":
                added = self._look.style("diff-added")
                runs = [(text, _on_ground(style, added, self._look)) for text, style in runs]
            self._lines[id(line)] = runs

    def _mark_words(self, line: DiffLine, runs: Line, spans: Sequence[Span]) -> Line:
        if not spans:
            return runs
        look = self._look
        mark = look.style("diff-added-word" if line.sign == "+" else "diff-removed-word")
        ends = ("", "") if look.has_colour else (look.marks.open_word, look.marks.close_word)
        return _overlay(runs, spans, lambda under: _on_ground(under, mark, look), ends)

    def _column(self, text: str, offset: int) -> int:
        """The offset in the literal text that corresponds to `offset` in the line."""
        return len(self._literal(text[:offset]))


def _ground(line: DiffLine, look: Look) -> Style:
    return (
        look.style("diff-added") if line.sign == "+" else look.style("diff-removed") if line.sign == "-" else look.base
    )


def _on_ground(style: Style, ground: Style, look: Look) -> Style:
    """A style on the ground of a change; without colour signs and brackets say it, and nothing is reversed."""
    return look.on_ground(style, ground) if look.has_colour else style + Style(bold=ground.bold or None)


def _overlay(runs: Line, spans: Sequence[Span], over: Callable[[Style], Style], ends: tuple[str, str]) -> Line:
    """The runs with their styles changed in the spans, each of which stands between the two ends."""
    marked: Line = []
    offset = 0
    for text, under in runs:
        start, stop = offset, offset + len(text)
        edges = sorted({start, stop, *(edge for span in spans for edge in span if start < edge < stop)})
        for begin, end in pairwise(edges):
            inside = next((span for span in spans if span[0] <= begin < span[1]), None)
            piece = text[begin - offset : end - offset]
            if inside is None:
                marked.append((piece, under))
                continue
            if ends[0] and begin == inside[0]:
                piece = ends[0] + piece
            if ends[1] and end == inside[1]:
                piece += ends[1]
            marked.append((piece, over(under)))
        offset = stop
    return marked


def _unified(line: DiffLine, texts: _Texts, style: DiffStyle, width: int, look: Look) -> list[Line]:
    return _side(line, line.old if line.sign == "-" else line.new, texts, style, width, look)


def _side(line: DiffLine, number: int | None, texts: _Texts, style: DiffStyle, width: int, look: Look) -> list[Line]:
    """Number, sign and text of one line on its ground, which goes on to the edge."""
    ground = _ground(line, look)
    sign = {"-": look.marks.minus, "+": "+", " ": " "}[line.sign]
    sign_style = look.attributes({"-": "removed", "+": "added", " ": "dim"}[line.sign], ground)
    numbers: Line = [(f"{number or '':>{style.digits}} ", look.attributes("dim", ground)), (f"{sign} ", sign_style)]
    indent = line_cells(numbers)
    room = max(width - indent, 4)
    rows = hang(wrap(texts.of(line, room), room, words=False), numbers, [(" " * indent, ground)])
    return [[*row, (" " * max(width - line_cells(row), 0), ground)] for row in rows]


def _side_by_side(lines: Sequence[DiffLine], texts: _Texts, style: DiffStyle, width: int, look: Look) -> list[Line]:
    half = (width - 3) // 2
    border: Line = [(f" {look.marks.rule} ", look.style("rule"))]
    empty: Line = [(" " * half, look.base)]
    rows: list[Line] = []
    for old, new in pairs(lines):
        left = [] if old is None else _side(old, old.old, texts, style, half, look)
        right = [] if new is None else _side(new, new.new, texts, style, half, look)
        for index in range(max(len(left), len(right))):
            rows.append(
                [
                    *(left[index] if index < len(left) else empty),
                    *border,
                    *(right[index] if index < len(right) else empty),
                ]
            )
    return rows


def pairs(lines: Sequence[DiffLine]) -> list[tuple[DiffLine | None, DiffLine | None]]:
    """What stands left and right: common lines twice, changed ones beside each other."""
    groups = iter(changes(lines))
    beside: list[tuple[DiffLine | None, DiffLine | None]] = []
    rest = 0
    for line in lines:
        if line.sign == " ":
            beside.append((line, line))
        elif rest:
            rest -= 1
            continue
        else:
            removed, added = next(groups)
            rest = len(removed) + len(added) - 1
            for index in range(max(len(removed), len(added))):
                old = removed[index] if index < len(removed) else None
                beside.append((old, added[index] if index < len(added) else None))
    return beside


def stats_runs(added: int, removed: int, look: Look) -> Line:
    """``+4 −3``."""
    return [
        (f"+{added}", look.style("added")),
        (" ", look.base),
        (f"{look.marks.minus}{removed}", look.style("removed")),
    ]


def guess_tab_size(hunks: Sequence[Hunk]) -> int:
    """The width of a tab: 8 where the file mixes tabs with blanks of 8, else 4."""
    return 8 if any(line.text.startswith("        \t") for hunk in hunks for line in hunk) else 4
