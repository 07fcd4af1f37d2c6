"""Rows between the messages: notes, what is folded away, what is under way."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, TypeAlias

from textual.strip import Strip

from ..text.lines import Line, crop
from ..text.look import Look
from ..text.markdown import PROSE_WIDTH
from ..text.outside_text import outside_line, outside_text
from ..text.text_rows import TextRows
from .cell import Cell
from .part import Part, estimate_rows

Level: TypeAlias = Literal["info", "warning", "error"]

NOTE_LIMIT = 12
"""Rows of a long note that are shown."""


class NoteCell(Cell):
    """Something the person should know, with what to do next. `mark` names a mark."""

    is_row: ClassVar[bool] = True

    def __init__(self, level: Level, text: str, hint: str = "", *, mark: str | None = None) -> None:
        super().__init__()
        self.level: Level = level
        self.value = outside_text(text).strip("\n")
        self._mark = mark or {"info": "note", "warning": "warning", "error": "failed"}[level]
        self.set_hint(hint)

    def set_hint(self, hint: str) -> None:
        """Say something else, or nothing, about what to do next."""
        self.hint = outside_text(hint).strip("\n")
        self.rebuild()

    def build(self) -> list[Part]:
        style = {"info": "dim", "warning": "warning", "error": "error"}[self.level]
        rows = TextRows(self.value, style, self._mark, limit=None if self.is_expanded else NOTE_LIMIT)
        return [rows, TextRows(self.hint, "dim")] if self.hint else [rows]

    @property
    def can_expand(self) -> bool:
        return estimate_rows(self.value, PROSE_WIDTH // 2) > NOTE_LIMIT

    def text(self) -> str:
        return f"{self.value}\n{self.hint}" if self.hint else self.value


class FoldCell(Cell):
    """Cells that no longer count, folded to one dim row: a failed attempt, or what a summary stands for."""

    is_row: ClassVar[bool] = True

    def __init__(self, text: str, folded: Sequence[Cell], *, mark: str = "note") -> None:
        super().__init__()
        self._label = outside_line(text)
        self._mark = mark
        self._folded = folded

    def build(self) -> list[Part]:
        folded = [part for cell in self._folded for part in cell.parts] if self.is_expanded else []
        return [TextRows(self._label, "dim", self._mark), *folded]

    @property
    def can_expand(self) -> bool:
        return bool(self._folded)

    def text(self) -> str:
        return "\n\n".join([self._label, *(cell.text() for cell in self._folded)])


class StatusCell(Cell):
    """A row that tells of something under way: a spinner, words that change with time. `words` gets the seconds."""

    is_row: ClassVar[bool] = True

    def __init__(self, words: Callable[[float], str], *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.words = words
        self.frame = 0
        self._clock = clock
        self._started = clock()
        self._row = StatusRow(self)

    def build(self) -> list[Part]:
        return [self._row]

    @property
    def is_live(self) -> bool:
        return True

    @property
    def seconds(self) -> float:
        return self._clock() - self._started

    def tick(self) -> None:
        self.frame += 1
        self._row.invalidate()

    def text(self) -> str:
        return outside_line(self.words(self.seconds))


class StatusRow(Part):
    """``⠹ retrying in 3 s · attempt 1 of 3 · esc stops``."""

    __slots__ = ("_cell",)

    def __init__(self, cell: StatusCell) -> None:
        super().__init__()
        self._cell = cell

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        spinner = look.marks.spinner
        mark = spinner[self._cell.frame % len(spinner)] if look.has_motion else look.marks.still
        style = look.style("running")
        line: Line = [(f" {mark} ", style), (self._cell.text(), look.style("dim"))]
        return [look.strip(crop(line, width, look.marks.ellipsis), width)]

    def estimate(self, width: int) -> int:
        return 1
