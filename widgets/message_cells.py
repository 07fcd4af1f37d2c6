"""What was said: the person's messages, the model's text and thinking, notes in between."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, TypeAlias

from textual.strip import Strip

from .cell import Cell
from .lines import Line, crop, hang, wrap
from .look import Look
from .markdown import MARGIN, PROSE_WIDTH, BlockPart
from .markdown_stream import AnyBlock, MarkdownStream
from .numbers import format_plural, format_seconds
from .outside_text import outside_line, outside_text
from .part import Part, estimate_rows

Level: TypeAlias = Literal["info", "warning", "error"]

USER_LIMIT = 12
"""Rows of a long message of the person that stay when it is folded."""


class TextRows(Part):
    """Text in one style behind a mark, wrapped by words; `limit` rows, then how many are hidden."""

    __slots__ = ("limit", "mark", "mark_style", "style", "value")

    def __init__(self, value: str, style: str, mark: str = "", mark_style: str = "", limit: int | None = None) -> None:
        super().__init__()
        self.value = value
        self.style = style
        self.mark = mark
        self.mark_style = mark_style or style
        self.limit = limit

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        style = look.style(self.style)
        inner = max(min(width - MARGIN - 1, PROSE_WIDTH), 8)
        rows = [row for line in self.value.split("\n") for row in wrap([(line, style)], inner)]
        if self.limit is not None and len(rows) > self.limit:
            hidden = format_plural(len(rows) - self.limit, "more line")
            rows = [*rows[: self.limit], [(f"{look.marks.ellipsis} {hidden}", look.style("dim"))]]
        mark: str = getattr(look.marks, self.mark) if self.mark else ""
        first: Line = [(f" {mark:<{MARGIN - 2}} ", look.style(self.mark_style))]
        return [look.strip(row, width) for row in hang(rows, first, [(" " * MARGIN, look.base)])]

    def estimate(self, width: int) -> int:
        rows = estimate_rows(self.value, width - MARGIN - 1)
        return rows if self.limit is None else min(rows, self.limit + 1)


class UserCell(Cell):
    """What the person said, with the names of the pictures sent along."""

    def __init__(self, text: str, images: Sequence[str] = ()) -> None:
        super().__init__()
        self.value = outside_text(text).strip("\n")
        self.images = images
        self._show()

    @property
    def can_expand(self) -> bool:
        return estimate_rows(self.value, PROSE_WIDTH) > USER_LIMIT or self.is_expanded

    def expand(self, is_expanded: bool) -> bool:
        if not super().expand(is_expanded):
            return False
        self._show()
        return True

    def text(self) -> str:
        return self.value

    def _show(self) -> None:
        limit = None if self.is_expanded else USER_LIMIT
        parts: list[Part] = [TextRows(self.value, "user", "prompt", "user", limit)]
        parts += [TextRows(f"[{outside_line(image)}]", "dim") for image in self.images]
        self.replace_parts(parts)


class ReplyCell(Cell):
    """A text of the model: finished blocks are parts of their own, what may still change comes after them."""

    def __init__(self) -> None:
        super().__init__()
        self._stream: MarkdownStream | None = MarkdownStream()
        self._pieces: list[str] = []
        self._open_count = 0  # parts at the end that may still change
        self._is_unseen = False  # whole, and not parsed before it is seen

    @classmethod
    def of(cls, text: str) -> ReplyCell:
        """A text that is whole. It is parsed when it is first seen."""
        cell = cls()
        cell._pieces, cell._stream, cell._is_unseen = [text], None, True
        return cell

    @property
    def is_whole(self) -> bool:
        return self._stream is None

    @property
    def parts(self) -> list[Part]:
        if self._is_unseen:
            self._is_unseen = False
            self._replace(MarkdownStream(), self.text())
        return self._parts

    def feed(self, delta: str) -> None:
        """Text came in: constant time."""
        if self._stream is not None and delta:
            self._pieces.append(delta)
            self._stream.feed(delta)

    def finish(self, text: str) -> bool:
        """The text is whole; `text` counts where it differs from what was streamed. Whether anything changed."""
        if text != self.text():
            self._pieces = [text]
            self._replace(MarkdownStream(), text)
        elif self._stream is None:
            return False
        else:
            self._set_open(self._stream.finish(), [])
        self._stream = None
        return True

    def advance(self) -> bool:
        """Make parts of what came in since the last call; whether anything did."""
        if self._stream is None or not self._stream.has_news:
            return False
        self._set_open(self._stream.take(), self._stream.open_blocks())
        return True

    def text(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    def height(self, width: int) -> int:
        return estimate_rows(self.text(), width) if self._is_unseen else super().height(width)

    def _replace(self, stream: MarkdownStream, text: str) -> None:
        stream.feed(text)
        self.replace_parts([])
        self._open_count = 0
        self._set_open(stream.finish(), [])

    def _set_open(self, finished: Sequence[AnyBlock], opened: Sequence[AnyBlock]) -> None:
        """Put finished blocks and then the open ones in place of those that were open."""
        del self._parts[len(self._parts) - self._open_count :]
        self._parts += [BlockPart(block) for block in (*finished, *opened)]
        self._open_count = len(opened)


class ThinkingCell(Cell):
    """The model's reasoning, folded to one dim row with its duration."""

    is_row: ClassVar[bool] = True

    def __init__(self, text: str | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._pieces = [] if text is None else [text]
        self._clock = clock
        self._started = clock() if text is None else None
        self._seconds: float | None = None
        self.is_redacted = False
        self.frame = 0
        self._row = ThinkingRow(self)
        self.replace_parts([self._row])

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
        self._show()

    def expand(self, is_expanded: bool) -> bool:
        if not super().expand(is_expanded):
            return False
        self._show()
        return True

    def tick(self) -> None:
        self.frame += 1
        self._row.invalidate()
        if self.is_expanded:
            self._show()

    def text(self) -> str:
        return "".join(self._pieces)

    def _show(self) -> None:
        self._row.invalidate()
        body: list[Part] = [TextRows(outside_text(self.text()).strip("\n"), "thinking")] if self.is_expanded else []
        self.replace_parts([self._row, *body])


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


class NoteCell(Cell):
    """Something the person should know, with what to do next. `mark` names a mark."""

    is_row: ClassVar[bool] = True

    def __init__(self, level: Level, text: str, hint: str = "", *, mark: str | None = None) -> None:
        super().__init__()
        self.level: Level = level
        self.value = outside_text(text).strip("\n")
        self.hint = outside_text(hint).strip("\n")
        name = mark or {"info": "note", "warning": "warning", "error": "failed"}[level]
        style = {"info": "dim", "warning": "warning", "error": "error"}[level]
        parts: list[Part] = [TextRows(self.value, style, name, limit=USER_LIMIT)]
        if self.hint:
            parts.append(TextRows(self.hint, "dim"))
        self.replace_parts(parts)

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
        self._show()

    @property
    def can_expand(self) -> bool:
        return bool(self._folded)

    def expand(self, is_expanded: bool) -> bool:
        if not super().expand(is_expanded):
            return False
        self._show()
        return True

    def text(self) -> str:
        return "\n\n".join([self._label, *(cell.text() for cell in self._folded)])

    def _show(self) -> None:
        folded = [part for cell in self._folded for part in cell.parts] if self.is_expanded else []
        self.replace_parts([TextRows(self._label, "dim", self._mark), *folded])


class StatusCell(Cell):
    """A row that tells of something under way: a spinner, words that change with time. `words` gets the seconds."""

    is_row: ClassVar[bool] = True

    def __init__(self, words: Callable[[float], str], *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.words = words
        self.frame = 0
        self._clock = clock
        self._started = clock()
        self.replace_parts([StatusRow(self)])

    @property
    def is_live(self) -> bool:
        return True

    @property
    def seconds(self) -> float:
        return self._clock() - self._started

    def tick(self) -> None:
        self.frame += 1
        self.invalidate()

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
