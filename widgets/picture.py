"""A picture: sharp where the terminal can, else half blocks, two pixels to a cell, in the colours that the terminal has."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.color import Color
from rich.style import Style
from textual.strip import Strip

from .body import Body, Notes, body_width, on_rule
from .lines import Line
from .look import Look
from .part import Part

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

MAX_COLUMNS = 60
MAX_ROWS = 24
SMALL_ROWS = 8
"""Rows of a picture whose cell is folded."""

SMALL_PIXELS = 4_000_000
"""A picture with more pixels is decoded only when its cell is opened."""

MAX_PIXELS = 40_000_000
"""Larger pictures are not decoded here: it would hold up the keys."""


class PictureBody(Body):
    """What a picture is, in words, and the picture: small when folded, unless it is a huge one. `data` is base64."""

    def __init__(self, words: str, data: str, pixels: int = 0) -> None:
        self._words = words
        self._data = data
        self._has_small = pixels <= SMALL_PIXELS

    @property
    def can_expand(self) -> bool:
        return bool(self._data)

    def parts(self, is_expanded: bool) -> list[Part]:
        words = Notes([self._words])
        if not self._data or not (is_expanded or self._has_small):
            return [words]
        return [words, Picture(self._data, MAX_ROWS if is_expanded else SMALL_ROWS, is_small=not is_expanded)]

    def text(self) -> str:
        return self._words


class Picture(Part):
    """The rows of a picture, decoded when they are seen: sharp where the terminal can, else half blocks.

    One that is small says nothing where it cannot be shown.
    """

    __slots__ = ("_data", "_is_sent", "_is_small", "_rows")

    indent = 1 << 20
    """Nothing of it is text."""

    def __init__(self, data: str, rows: int, *, is_small: bool) -> None:
        super().__init__()
        self._data = data
        self._rows = rows
        self._is_small = is_small
        self._is_sent = False

    def strips(self, width: int, look: Look) -> Sequence[Strip]:
        if self._is_sent and look.graphics is not None and not look.graphics.holds(self._data):
            self.invalidate()  # the terminal has forgotten it for newer ones
        return super().strips(width, look)

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        columns = min(body_width(width), MAX_COLUMNS)
        rows = picture_rows(self._data, columns, self._rows, look)
        self._is_sent = rows is not None and look.graphics is not None
        if rows is None:
            rows = [] if self._is_small else [[("this picture cannot be shown here", look.style("dim"))]]
        return on_rule(rows, width, look)

    def estimate(self, width: int) -> int:
        return self._rows


def picture_rows(data: str, columns: int, rows: int, look: Look) -> list[Line] | None:
    """A picture in at most `columns` × `rows` cells, as it is proportioned; None if it cannot be shown."""
    from PIL import Image

    if not look.has_colour or not look.marks.half_block or look.pictures == "off":
        return None
    try:
        with Image.open(io.BytesIO(base64.b64decode(data, validate=True))) as image:
            if image.width * image.height > MAX_PIXELS:
                return None
            if look.graphics is not None:
                return look.graphics.rows(data, image.convert("RGBA"), columns, rows, look.base)
            return half_blocks(image, columns, rows, look)
    except (OSError, ValueError, SyntaxError, binascii.Error, Image.DecompressionBombError):
        return None


def half_blocks(image: ImageFile, columns: int, rows: int, look: Look) -> list[Line]:
    """A picture in at most `columns` × `rows` cells of two pixels each. Raises what Pillow does for a broken one."""
    from PIL import Image

    image.draft("RGB", (columns, rows * 2))
    image.thumbnail((columns, rows * 2))
    ground = Image.new("RGBA", image.size, _triplet(look.base.bgcolor))
    pixels = Image.alpha_composite(ground, image.convert("RGBA")).convert("RGB")
    return [_row(pixels.tobytes(), pixels.width, pixels.height, y, look) for y in range(0, pixels.height, 2)]


def _row(data: bytes, width: int, height: int, y: int, look: Look) -> Line:
    """One row of cells: the upper pixel is the colour of the block, the lower one its ground."""
    row: Line = []
    for x in range(width):
        upper = _colour(data, y * width + x)
        lower = _colour(data, (y + 1) * width + x) if y + 1 < height else look.base.bgcolor
        row.append((look.marks.half_block, Style(color=upper, bgcolor=lower)))
    return row


def _colour(data: bytes, pixel: int) -> Color:
    red, green, blue = data[pixel * 3 : pixel * 3 + 3]
    return Color.from_rgb(red, green, blue)


def _triplet(colour: Color | None) -> tuple[int, int, int, int]:
    if colour is None:
        return (0, 0, 0, 255)
    red, green, blue = colour.get_truecolor()
    return (red, green, blue, 255)
