"""The lines that a hunk changes, as rows: with numbers, syntax colours and changed words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.segment import Segment

from ..diff.patch import DiffLine, mark_words
from ..diff.view import DiffStyle, diff_rows, guess_tab_size
from ..text.hidden_characters import show_hidden
from ..text.look import Look
from ..text.marks import marks

INDENT = 2
"""Cells before the rule from which the lines hang."""

LEAST = 8
"""Cells of a line's text, however narrow the screen."""


def hunk_rows(lines: Sequence[DiffLine], path: str, width: int, look: Look) -> list[list[Segment]]:
    """The rows on their rule, at most `width` cells wide; the name of the file at `path` chooses the colours."""
    shown = [replace(line, text=_visible(line.text)) for line in lines]
    mark_words(shown)
    style = DiffStyle(path, _digits(shown), guess_tab_size([shown]))
    bar = Segment(f"{' ' * INDENT}{marks().rule} ", look.style("rule"))
    rows = diff_rows(shown, style, max(width - INDENT - 2, LEAST), look, side_by_side=False)
    return [[bar, *(Segment(text, style) for text, style in row)] for row in rows]


def _visible(text: str) -> str:
    """A line with everything invisible made visible; its tabs stay."""
    return "\t".join(show_hidden(part, is_prose=True) for part in text.split("\t"))


def _digits(lines: Sequence[DiffLine]) -> int:
    """Cells that the largest line number takes, three at least."""
    return max(3, *(len(str(number)) for line in lines for number in (line.old, line.new)))
