"""Pictures as sixels: six rows of pixels at a time, one colour after the other.

Source: DEC, VT330/VT340 Programmer Reference Manual, volume 2, chapter 14 ("Graphics programming": sixel graphics).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .graphics import CellSize
from .sliced import SlicedGraphics

if TYPE_CHECKING:
    from PIL.Image import Image

BAND = 6
"""Rows of pixels in a row of sixels."""

MOST_COLOURS = 256

_NOTHING = 0x3F
"""The character for six pixels that are left alone; the lowest bit is the uppermost pixel."""

_RUN = re.compile(rb"([?-~])\1{3,254}")


def sixel_pictures(cell: tuple[int, int], colours: int) -> SlicedGraphics:
    """Pictures for cells of that size in pixels, on a terminal with so many colours for each."""
    return SlicedGraphics(lambda image, _: sixels(image, colours), CellSize(*cell))


def sixels(image: Image, colours: int = MOST_COLOURS) -> str:
    """A picture (RGB) as one sixel sequence in at most `colours` colours of its own, those that suit it best.

    All its pixels are drawn, but not what only fills up its last row of sixels. The size in pixels is said beforehand,
    and the aspect of a pixel is 1:1. Blocks for a while.
    """
    indexed = image.quantize(min(colours, MOST_COLOURS))
    width, height, pixels = indexed.width, indexed.height, indexed.tobytes()
    palette = indexed.getpalette() or []
    used = sorted({*pixels})
    defined = "".join(_definition(number, *palette[number * 3 : number * 3 + 3]) for number in used)
    size = BAND * width
    bands = b"-".join(_band(pixels[at : at + size], width) for at in range(0, len(pixels), size))
    return f'\x1bP0;1;0q"1;1;{width};{height}{defined}{bands.decode("ascii")}\x1b\\'


def _definition(number: int, red: int, green: int, blue: int) -> str:
    """A colour of the palette; its parts are percentages."""
    return f"#{number};2;{round(red / 2.55)};{round(green / 2.55)};{round(blue / 2.55)}"


def _band(pixels: bytes, width: int) -> bytes:
    """Up to six rows of pixels: for each colour in them the row of sixels that it takes."""
    rows: dict[int, bytearray] = {}
    for y in range(len(pixels) // width):
        bit = 1 << y
        for x, colour in enumerate(pixels[y * width : (y + 1) * width]):
            try:
                rows[colour][x] += bit
            except KeyError:
                rows[colour] = row = bytearray([_NOTHING]) * width
                row[x] += bit
    return b"$".join(b"#%d%b" % (colour, _packed(row)) for colour, row in rows.items())


def _packed(row: bytearray) -> bytes:
    """A row of sixels with its runs counted and without what is left alone at its end."""
    return _RUN.sub(_counted, row.rstrip(b"?"))


def _counted(match: re.Match[bytes]) -> bytes:
    return b"!%d%b" % (len(match[0]), match[1])
