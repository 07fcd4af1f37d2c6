"""Sharp pictures in terminals that paint them over their cells (sixel, iTerm2).

Each row of cells is painted by a small picture of its own, one cell high. So a picture scrolls, is cut and is painted
over by rows like text, and nothing has to be known of where it stood.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from textual.strip import Strip

from ..transcript.body import INDENT, on_rule
from .graphics import CellSize, PictureKey
from .half_blocks import block_rows, flattened, resized
from .strip import PictureStrip

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..text.look import Look

MOST_CHARACTERS = 32 << 20
"""Length of all the sequences that are kept; a screen full of pictures takes less."""

Encode: TypeAlias = "Callable[[Image, int], str]"
"""A picture (RGB) of one row of cells, and how many cells that are, as a sequence."""


class PictureSlice:
    """A row of a picture as a sequence."""

    __slots__ = ("sequence",)

    def __init__(self, sequence: str) -> None:
        self.sequence = sequence


class Sliced:
    """A picture in slices, and as half blocks (`blocks`, RGB)."""

    __slots__ = ("blocks", "length", "slices")

    def __init__(self, blocks: Image, sequences: Sequence[str]) -> None:
        self.blocks = blocks
        self.length = sum(map(len, sequences))
        self.slices = [PictureSlice(sequence) for sequence in sequences]

    def forget(self) -> None:
        """Rows that are still somewhere are half blocks from now on."""
        for each in self.slices:
            each.sequence = ""


class SlicedGraphics:
    """Cuts pictures into slices for cells of `cell` pixels, each encoded by `encode` from `fine` pixels a cell."""

    mixes_ground = True

    def __init__(
        self, encode: Encode, cell: CellSize, fine: CellSize | None = None, most: int = MOST_CHARACTERS
    ) -> None:
        self.cell = cell
        self.fine = fine or cell
        self._encode = encode
        self._most = most
        self._length = 0
        self._held: dict[PictureKey, Sliced] = {}

    @property
    def length(self) -> int:
        """Characters that are kept."""
        return self._length

    def holds(self, key: PictureKey) -> bool:
        """Whether it is there in slices."""
        return key in self._held

    def prepare(self, key: PictureKey, image: Image) -> Callable[[], None]:
        """Cut the picture into slices and encode them."""
        wide, high = key.columns * self.fine.width, self.fine.height
        ground = key.ground or (0, 0, 0)
        pixels = flattened(resized(image, wide, key.rows * high), ground)
        rows = (pixels.crop((0, row * high, wide, (row + 1) * high)) for row in range(key.rows))
        sequences = [self._encode(row, key.columns) for row in rows]
        blocks = flattened(resized(image, key.columns, key.rows * 2), ground)
        return partial(self._keep, key, Sliced(blocks, sequences))

    def _keep(self, key: PictureKey, sliced: Sliced) -> None:
        if key in self._held:
            return
        self._held[key] = sliced
        self._length += sliced.length
        while self._length > self._most and len(self._held) > 1:
            oldest = self._held.pop(next(iter(self._held)))
            self._length -= oldest.length
            oldest.forget()

    def strips(self, key: PictureKey, width: int, look: Look) -> Sequence[Strip]:
        """The rows: each paints its slice where there is room for all of it."""
        sliced = self._held[key] = self._held.pop(key)
        strips = on_rule(block_rows(sliced.blocks, look), width, look)
        end = INDENT + key.columns
        return [
            PictureStrip(strip, width, piece, INDENT, end) if end <= width else strip
            for strip, piece in zip(strips, sliced.slices, strict=True)
        ]

    def close(self) -> None:
        """Nothing of a picture is left when its row is painted over."""
        self._held.clear()
