"""What the ways of showing sharp pictures have in common: the cells that a picture fills, and what it is known by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from textual.strip import Strip

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..text.look import Look

Colour = tuple[int, int, int]


class CellSize(NamedTuple):
    """A cell of the terminal in pixels."""

    width: int
    height: int


CELL = CellSize(10, 20)
"""Pixels of a picture that make a cell where nobody knows better."""


class Decoded(NamedTuple):
    """A picture shrunk to what can be shown of it, RGB or RGBA, and the size in pixels that it had."""

    image: Image
    size: tuple[int, int]

    @property
    def is_clear(self) -> bool:
        """Whether what is behind it shines through anywhere."""
        return self.image.mode == "RGBA"


class PictureKey(NamedTuple):
    """A picture as it is shown: its base64 data, the cells that it fills, the ground that was mixed into it."""

    data: str
    columns: int
    rows: int
    ground: Colour | None


class Graphics(Protocol):
    """A way of showing sharp pictures: prepared once, each is shown as often as wanted, until it is held no more."""

    @property
    def cell(self) -> CellSize:
        """The shape of a cell."""
        ...

    @property
    def fine(self) -> CellSize:
        """The most pixels of a picture that a cell gets to show."""
        ...

    @property
    def mixes_ground(self) -> bool:
        """Whether the ground is mixed into pictures that it shines through."""
        ...

    def holds(self, key: PictureKey) -> bool:
        """Whether it can be shown at once."""
        ...

    def prepare(self, key: PictureKey, image: Image) -> Callable[[], None]:
        """Encode it, in any thread; blocks for a while. What is returned holds it from then on, in the event loop's."""
        ...

    def strips(self, key: PictureKey, width: int, look: Look) -> Sequence[Strip]:
        """The rows of what is held, behind the thin rule."""
        ...

    def close(self) -> None:
        """The terminal is given back: it forgets every picture, and is sent none any more."""
        ...


def fitting(size: tuple[int, int], columns: int, rows: int, cell: CellSize = CELL) -> tuple[int, int]:
    """The cells that a picture of that size in pixels fills: in proportion, and not larger than it is.

    Where cells have more pixels than `CELL`, the screen's pixels are small, and as much larger it may be.
    """
    wide, high = size[0] / cell.width, size[1] / cell.height
    scale = min(max(1.0, cell.width / CELL.width), columns / wide, rows / high)
    return min(max(round(wide * scale), 1), columns), min(max(round(high * scale), 1), rows)
