"""What was said: the person's messages and the model's text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from textual.strip import Strip

from .cell import Cell
from .lines import Line, hang, wrap
from .look import Look
from .markdown import MARGIN, PROSE_WIDTH, BlockPart
from .markdown_stream import AnyBlock, MarkdownStream
from .numbers import format_plural
from .outside_text import outside_line, outside_text
from .part import Part, estimate_rows

Level: TypeAlias = Literal["info", "warning", "error"]

USER_LIMIT = 12
"""Rows of a long message of the person that stay when it is folded."""


class TextRows(Part):
    """Text in one style behind a mark, wrapped by words; `limit` rows, then how many are hidden."""

    __slots__ = ("limit", "mark", "mark_style", "style", "value")

    indent = MARGIN

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
