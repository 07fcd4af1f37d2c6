"""What was said: the person's messages and the model's text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from ..text.markdown import PROSE_WIDTH, BlockPart
from ..text.markdown_stream import AnyBlock, Block, CodeBlock, MarkdownStream
from ..text.outside_text import outside_copy, outside_line, outside_text
from ..text.text_rows import TextRows, text_parts
from .cell import Cell
from .part import Part, estimate_rows
from .picture import SMALL_ROWS, PictureSizes

USER_LIMIT = 12
"""Rows of a long message of the person that stay when it is folded."""

Saving: TypeAlias = Literal["saved", "saving", "late"]
"""Safe on disk (or where nothing is kept); on the way; not there after a while."""

NOT_SAVED = "not on disk yet"


class UserCell(Cell):
    """What the person said, with the pictures sent along: what each is, in words, and its base64 data."""

    def __init__(self, text: str, images: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        self.value = outside_text(text).strip("\n")
        self._source = text if "\t" in text else None
        self._images = [(words, PictureSizes(data, is_silent=True)) for words, data in images]
        self.saving: Saving = "saved"

    def build(self) -> list[Part]:
        """Its mark is dim until the message is safe on disk."""
        below: list[Part] = []
        for words, picture in self._images:
            below += [TextRows(f"[{outside_line(words)}]", "dim"), picture.part(self.is_expanded)]
        below += [TextRows(NOT_SAVED, "dim")] if self.saving == "late" else []
        mark_style = "user" if self.saving == "saved" else "dim"
        if self.is_expanded:
            return [*text_parts(self.value, "user", "prompt", mark_style), *below]
        return [TextRows(self.value, "user", "prompt", limit=USER_LIMIT, mark_style=mark_style), *below]

    def save(self, saving: Saving) -> None:
        """How far it is on its way to the disk."""
        if saving != self.saving:
            self.saving = saving
            self.rebuild()

    @property
    def can_expand(self) -> bool:
        return bool(self._images) or estimate_rows(self.value, PROSE_WIDTH // 2) > USER_LIMIT

    def estimate(self, width: int) -> int:
        return min(estimate_rows(self.value, width), USER_LIMIT + 1) + len(self._images) * (1 + SMALL_ROWS)

    def text(self) -> str:
        return self.value

    def copied(self) -> str:
        return self.value if self._source is None else outside_copy(self._source).strip("\n")


class ReplyCell(Cell):
    """A text of the model: finished blocks are parts of their own, what may still change comes after them."""

    def __init__(self) -> None:
        super().__init__()
        self._stream: MarkdownStream | None = MarkdownStream()
        self._pieces: list[str] = []
        self._open_count = 0  # parts at the end that may still change

    @classmethod
    def of(cls, text: str) -> ReplyCell:
        """A text that is whole. It is parsed when it is first seen."""
        cell = cls()
        cell._pieces, cell._stream = [text], None
        return cell

    @property
    def is_whole(self) -> bool:
        return self._stream is None

    def build(self) -> list[Part]:
        if self._stream is None:
            stream = MarkdownStream()
            stream.feed(self.text())
            blocks, opened = stream.finish(), []
        else:
            blocks, opened = self._stream.take(), self._stream.open_blocks()
        self._open_count = len(opened)
        return [BlockPart(block) for block in (*blocks, *opened)]

    def estimate(self, width: int) -> int:
        return estimate_rows(self.text(), width)

    def feed(self, delta: str) -> None:
        """Text came in: constant time."""
        if self._stream is not None and delta:
            self._pieces.append(delta)
            self._stream.feed(delta)

    def finish(self, text: str) -> bool:
        """The text is whole; `text` counts where it differs from what was streamed. Whether anything changed."""
        if text != self.text():
            self._pieces = [text]
            self.rebuild()
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

    def pieces(self) -> list[str]:
        """Its fenced blocks, without the fences."""
        pieces: list[str] = []
        for part in self.parts:
            if isinstance(part, BlockPart) and isinstance(part.block, CodeBlock):
                code = "\n".join(part.block.code)
                if part.block.is_first or not pieces:
                    pieces.append(code)
                else:
                    pieces[-1] += f"\n{code}"
        return pieces

    def _set_open(self, finished: Sequence[AnyBlock], opened: Sequence[AnyBlock]) -> None:
        """Put finished blocks and then the open ones in place of those that were open."""
        parts = self.parts
        known = [part for part in parts[len(parts) - self._open_count :] if isinstance(part, BlockPart)]
        del parts[len(parts) - self._open_count :]
        parts += [_part_of(block, known) for block in (*finished, *opened)]
        self._open_count = len(opened)


def _part_of(block: AnyBlock, known: list[BlockPart]) -> BlockPart:
    """The part of a block: one of `known` that shows it already, rendered again only if it grew, else a new one."""
    for index, part in enumerate(known):
        is_like = isinstance(block, Block) and isinstance(part.block, Block) and block.is_like(part.block)
        if part.block is block:
            part.invalidate()
        if is_like or part.block is block:
            return known.pop(index)
    return BlockPart(block)
