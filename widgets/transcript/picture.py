"""A picture: sharp where the terminal can, else half blocks, two pixels to a cell, in the colours that the terminal has."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from rich.color import Color
from rich.style import Style
from textual.strip import Strip

from ..terminal.graphics import CELL, SHARPNESS
from ..text.lines import Line
from ..text.look import Look
from .body import Body, Notes, body_width, on_rule
from .part import Part

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_COLUMNS = 60
MAX_ROWS = 24
SMALL_ROWS = 8
"""Rows of a picture whose cell is folded."""

SMALL_PIXELS = 4_000_000
"""A picture with more pixels is decoded only when its cell is opened."""

MAX_PIXELS = 40_000_000
"""Larger pictures are not decoded here: it would take too much memory."""


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
    """The rows of a picture: sharp where the terminal can, else half blocks. Decoded when it is seen, by `look.load`
    where there is one; as long its rows are blank.

    One that is small says nothing where it cannot be shown.
    """

    __slots__ = ("_data", "_image", "_is_sent", "_is_small", "_rows", "_state")

    indent = 1 << 20
    """Nothing of it is text."""

    def __init__(self, data: str, rows: int, *, is_small: bool) -> None:
        super().__init__()
        self._data = data
        self._rows = rows
        self._is_small = is_small
        self._is_sent = False
        self._image: Image | None = None
        self._state: Literal["unseen", "loading", "loaded"] = "unseen"

    def strips(self, width: int, look: Look) -> Sequence[Strip]:
        if self._is_sent and look.graphics is not None and not look.graphics.holds(self._data):
            self.invalidate()  # the terminal has forgotten it for newer ones
        return super().strips(width, look)

    def release(self) -> None:
        super().release()
        if self._state == "loaded":
            self._state, self._image = "unseen", None

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        rows = None
        if shows_pictures(look):
            if self._state == "unseen":
                self._load(look)
            if self._state == "loading":
                return on_rule([[] for _ in range(self._rows)], width, look)
            columns = min(body_width(width), MAX_COLUMNS)
            rows = None if self._image is None else image_rows(self._data, self._image, columns, self._rows, look)
        self._is_sent = rows is not None and look.graphics is not None
        if rows is None:
            rows = [] if self._is_small else [[("this picture cannot be shown here", look.style("dim"))]]
        return on_rule(rows, width, look)

    def _load(self, look: Look) -> None:
        is_sharp = look.graphics is not None

        def work() -> None:
            self._image = decode(self._data, self._rows, is_sharp=is_sharp)

        if look.load is None:
            work()
            self._state = "loaded"
        else:
            self._state = "loading"
            look.load(work, self._loaded)

    def _loaded(self) -> None:
        self._state = "loaded"
        self.invalidate()

    def estimate(self, width: int) -> int:
        return self._rows


def shows_pictures(look: Look) -> bool:
    """Whether pictures can and may be shown."""
    return look.has_colour and bool(look.marks.half_block) and look.pictures != "off"


def decode(data: str, rows: int, *, is_sharp: bool) -> Image | None:
    """A picture no larger than `rows` of cells can show; None if it cannot be shown. Blocks for a while: no widget waits."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(base64.b64decode(data, validate=True))) as image:
            if image.width * image.height > MAX_PIXELS:
                return None
            box = (MAX_COLUMNS, rows * 2)
            if is_sharp:
                box = (MAX_COLUMNS * CELL[0] * SHARPNESS, rows * CELL[1] * SHARPNESS)
            image.draft("RGB", box)
            image.thumbnail(box)
            return image.convert("RGBA")
    except (OSError, ValueError, SyntaxError, binascii.Error, Image.DecompressionBombError):
        return None


def picture_rows(data: str, columns: int, rows: int, look: Look) -> list[Line] | None:
    """A picture in at most `columns` × `rows` cells, as it is proportioned; None if it cannot be shown. Blocks."""
    image = decode(data, rows, is_sharp=look.graphics is not None) if shows_pictures(look) else None
    return None if image is None else image_rows(data, image, columns, rows, look)


def image_rows(data: str, image: Image, columns: int, rows: int, look: Look) -> list[Line]:
    """The cells of a decoded picture (RGBA), which the terminal knows by `data` where it shows it itself."""
    if look.graphics is not None:
        return look.graphics.rows(data, image, columns, rows, look.base)
    return half_blocks(image, columns, rows, look)


def half_blocks(image: Image, columns: int, rows: int, look: Look) -> list[Line]:
    """A picture (RGBA) in at most `columns` × `rows` cells of two pixels each."""
    from PIL import Image

    image = image.copy()
    image.thumbnail((columns, rows * 2))
    ground = Image.new("RGBA", image.size, _triplet(look.base.bgcolor))
    pixels = Image.alpha_composite(ground, image).convert("RGB")
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
