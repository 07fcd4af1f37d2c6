"""The model's reasoning, folded to one row."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.strip import Strip

from ..text.look import Look
from ..text.numbers import format_plural, format_seconds
from ..text.outside_text import outside_text
from ..text.text_rows import text_parts
from .cell import Cell
from .part import Part


class ThinkingCell(Cell):
    """The model's reasoning, folded to one dim row with its duration."""

    is_row: ClassVar[bool] = True
    is_optional: ClassVar[bool] = True

    def __init__(self, text: str | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._pieces = [] if text is None else [text]
        self._clock = clock
        self._started = clock() if text is None else None
        self._seconds: float | None = None
        self.is_redacted = False
        self.frame = 0
        self._row = ThinkingRow(self)

    def build(self) -> list[Part]:
        if not self.is_expanded:
            return [self._row]
        return [self._row, *text_parts(outside_text(self.text()).strip("\n"), "thinking")]

    @property
    def is_hidden(self) -> bool:
        """Never while the model thinks: then it is the sign of life."""
        return self.is_left_out and not self.is_live

    @property
    def is_live(self) -> bool:
        return self._started is not None

    @property
    def seconds(self) -> float | None:
        """How long it took or has taken; None where nobody measured."""
        return self._seconds if self._started is None else self._clock() - self._started

    @property
    def can_expand(self) -> bool:
        return bool(self._pieces)

    def feed(self, delta: str) -> None:
        self._pieces.append(delta)

    def finish(self, text: str, *, is_redacted: bool = False) -> None:
        """The thinking is over; `text` is all of it."""
        self._seconds = self.seconds
        self._started = None
        self._pieces = [text] if text else []
        self.is_redacted = is_redacted
        self._row.invalidate()
        self.rebuild()

    def tick(self) -> None:
        self.frame += 1
        self._row.invalidate()
        if self.is_expanded:
            self.rebuild()

    def text(self) -> str:
        return "".join(self._pieces)


class ThinkingRow(Part):
    """``∴ thought for 3.2 s · 14 lines``."""

    __slots__ = ("_cell",)

    def __init__(self, cell: ThinkingCell) -> None:
        super().__init__()
        self._cell = cell

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        cell, style = self._cell, look.style("thinking")
        mark = look.marks.thinking
        if cell.is_live and look.has_motion:
            mark = look.marks.spinner[cell.frame % len(look.marks.spinner)]
        words = [_thinking_words(cell, look)]
        if not cell.is_live and (lines := cell.text().strip().count("\n") + 1) > 1:
            words.append(format_plural(lines, "line"))
        return [look.strip([(f" {mark} ", style), (f" {look.marks.dot} ".join(words), style)], width)]

    def estimate(self, width: int) -> int:
        return 1


def _thinking_words(cell: ThinkingCell, look: Look) -> str:
    if cell.is_redacted:
        return "thinking, hidden by the provider"
    seconds = cell.seconds
    if cell.is_live:
        return f"thinking{look.marks.ellipsis} {format_seconds(seconds)}"
    return "thought" if seconds is None else f"thought for {format_seconds(seconds)}"
