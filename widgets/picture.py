"""A picture as half blocks: two pixels to a cell, in the colours that the terminal has."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Sequence

from rich.color import Color
from rich.style import Style
from textual.strip import Strip

from .body import INDENT, Body, Notes, body_width, on_rule
from .lines import Line
from .look import Look
from .part import Part

MAX_COLUMNS = 60
MAX_ROWS = 24
MAX_PIXELS = 40_000_000
"""Larger pictures are not decoded here: it would hold up the keys."""


class PictureBody(Body):
    """What a picture is, in words; open, the picture itself. `data` is base64."""

    def __init__(self, words: str, data: str) -> None:
        self._words = words
        self._data = data

    @property
    def can_expand(self) -> bool:
        return bool(self._data)

    def parts(self, is_expanded: bool) -> list[Part]:
        words = Notes([self._words])
        return [words, Picture(self._data)] if is_expanded and self._data else [words]

    def text(self) -> str:
        return self._words


class Picture(Part):
    """The rows of a picture, decoded when they are seen."""

    __slots__ = ("_data",)

    indent = INDENT

    def __init__(self, data: str) -> None:
        super().__init__()
        self._data = data

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        columns = min(body_width(width), MAX_COLUMNS)
        rows = half_blocks(self._data, columns, MAX_ROWS, look) if look.has_colour else None
        if rows is None:
            rows = [[("this picture cannot be shown here", look.style("dim"))]]
        return on_rule(rows, width, look)

    def estimate(self, width: int) -> int:
        return MAX_ROWS


def half_blocks(data: str, columns: int, rows: int, look: Look) -> list[Line] | None:
    """A picture in at most `columns` × `rows` cells, as it is proportioned; None if it cannot be decoded."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(base64.b64decode(data, validate=True))) as image:
            if image.width * image.height > MAX_PIXELS:
                return None
            image.draft("RGB", (columns, rows * 2))
            image.thumbnail((columns, rows * 2))
            ground = Image.new("RGBA", image.size, _triplet(look.base.bgcolor))
            pixels = Image.alpha_composite(ground, image.convert("RGBA")).convert("RGB")
    except (OSError, ValueError, SyntaxError, binascii.Error, Image.DecompressionBombError):
        return None
    return [_row(pixels.tobytes(), pixels.width, pixels.height, y, look) for y in range(0, pixels.height, 2)]


def _row(data: bytes, width: int, height: int, y: int, look: Look) -> Line:
    """One row of cells: the upper pixel is the colour of the block, the lower one its ground."""
    row: Line = []
    for x in range(width):
        upper = _colour(data, y * width + x)
        lower = _colour(data, (y + 1) * width + x) if y + 1 < height else look.base.bgcolor
        row.append(("▀", Style(color=upper, bgcolor=lower)))
    return row


def _colour(data: bytes, pixel: int) -> Color:
    red, green, blue = data[pixel * 3 : pixel * 3 + 3]
    return Color.from_rgb(red, green, blue)


def _triplet(colour: Color | None) -> tuple[int, int, int, int]:
    if colour is None:
        return (0, 0, 0, 255)
    red, green, blue = colour.get_truecolor()
    return (red, green, blue, 255)
