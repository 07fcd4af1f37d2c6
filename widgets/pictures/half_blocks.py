"""Pictures as half blocks: two pixels to a cell, in the colours that every terminal has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.color import Color
from rich.style import Style

from ..text.lines import Line
from ..text.look import Look
from .graphics import Colour

if TYPE_CHECKING:
    from PIL.Image import Image


def half_blocks(image: Image, columns: int, rows: int, look: Look) -> list[Line]:
    """A picture in at most `columns` × `rows` cells, in proportion and not larger than it is."""
    image = image.copy()
    image.thumbnail((columns, rows * 2))
    return block_rows(flattened(image, ground_of(look)), look)


def ground_of(look: Look) -> Colour:
    """The colour behind a picture; black where the terminal's own is."""
    colour = look.base.bgcolor
    if colour is None:
        return (0, 0, 0)
    red, green, blue = colour.get_truecolor()
    return (red, green, blue)


def resized(image: Image, width: int, height: int) -> Image:
    """The picture stretched to that size in pixels."""
    return image.resize((width, height))  # pyright: ignore[reportUnknownMemberType]  # it takes numpy's arrays as well


def flattened(image: Image, ground: Colour) -> Image:
    """The picture as RGB, the ground where it shines through."""
    from PIL import Image

    if image.mode != "RGBA":
        return image
    return Image.alpha_composite(Image.new("RGBA", image.size, (*ground, 255)), image).convert("RGB")


def block_rows(pixels: Image, look: Look) -> list[Line]:
    """The cells of a picture (RGB) whose pixels are half a cell each."""
    data = pixels.tobytes()
    return [_row(data, pixels.width, pixels.height, y, look) for y in range(0, pixels.height, 2)]


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
