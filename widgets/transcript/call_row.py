"""The one row that says a call: mark, tool, its telling argument, outcome, time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.strip import Strip

from ...agent.details import DiffDetails
from ..diff.view import stats_runs
from ..text.lines import Line, cells, crop, line_cells
from ..text.look import Look
from ..text.look_alikes import mark_look_alikes
from ..text.numbers import format_seconds
from ..text.outside_text import outside_line
from .part import Part

if TYPE_CHECKING:
    from .tool_cell import ToolCell

NARROW = 80
"""Under this many cells a row keeps the outcome and drops the time."""

CHANGED = "changed by you"
"""Said behind a command that the person put in place of the proposed one."""

MEASURE = 120
"""Cells within which the outcome stands, however wide the screen, unless the argument needs more: else nobody would see
that they belong together."""

STATS_WIDTH = 16
"""Cells kept for ``+4 −3`` behind an argument."""

NAME_WIDTH = 6
OUTCOME_WIDTH = 16
TIME_WIDTH = 7


class CallRow(Part):
    """The one line that says a call: mark, tool, its telling argument, outcome, time."""

    __slots__ = ("_cell",)

    def __init__(self, cell: ToolCell) -> None:
        super().__init__()
        self._cell = cell

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        cell = self._cell
        sign = f" {call_mark(cell, look)} "
        left: Line = [(sign, look.style(cell.state)), (f"{cell.name:<{NAME_WIDTH}} ", look.style("tool"))]
        right = self._right(width, look)
        full, width = width, min(width, max(MEASURE, self._needed(left, right, look)))
        room = width - line_cells(left) - line_cells(right) - 1
        middle: Line = [(mark_look_alikes(cell.argument(look.folder)), look.style("argument"))]
        if isinstance(cell.details, DiffDetails) and cell.state != "failed":
            stats: Line = [("  ", look.base), *stats_runs(cell.details.added, cell.details.removed, look)]
            middle = [*crop(middle, max(room - line_cells(stats), 1), look.marks.ellipsis), *stats]
        elif cell.command:
            mark: Line = [(f"  {CHANGED}", look.style("dim"))]
            middle = [*crop(middle, max(room - line_cells(mark), 1), look.marks.ellipsis), *mark]
        middle = crop(middle, max(room, 0), look.marks.ellipsis)
        blank = max(width - line_cells(left) - line_cells(middle) - line_cells(right), 0)
        return [look.strip([*left, *middle, (" " * blank, look.base), *right], full)]

    def _needed(self, left: Line, right: Line, look: Look) -> int:
        """Cells of the row with its whole argument."""
        return line_cells(left) + cells(self._cell.argument(look.folder)) + STATS_WIDTH + line_cells(right)

    def _right(self, width: int, look: Look) -> Line:
        cell = self._cell
        words = outside_line(cell.outcome_words(look))
        style = look.style(cell.state)
        seconds = "" if cell.elapsed is None else format_seconds(cell.elapsed)
        if width < NARROW:
            return [(f"{words} {seconds} " if cell.state == "running" else f"{words} ", style)]
        return [(f" {words:<{OUTCOME_WIDTH}}", style), (f"{seconds:>{TIME_WIDTH}} ", look.style("dim"))]

    def estimate(self, width: int) -> int:
        return 1


def call_mark(cell: ToolCell, look: Look) -> str:
    """The sign of a call's state, two cells wide where the signs are ASCII."""
    marks = look.marks
    if cell.state == "running":
        mark = marks.spinner[cell.frame % len(marks.spinner)] if look.has_motion else marks.still
    else:
        mark = {
            "pending": marks.pending,
            "waiting": marks.waiting,
            "ok": marks.ok,
            "failed": marks.failed,
            "refused": marks.refused,
            "aborted": marks.aborted,
        }[cell.state]
    width = cells(marks.ok)
    return mark[:width] + " " * (width - cells(mark))
