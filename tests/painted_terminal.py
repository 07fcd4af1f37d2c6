"""A terminal for tests that paints pictures over its cells: sixel and iTerm2's protocol.

A cell that shows a part of a picture holds `PAINTED`; whatever is written there replaces it.
"""

from __future__ import annotations

import base64
import io
import re
from itertools import product

from PIL import Image

from .terminal import Terminal

PAINTED = "\uf8ff"

_PICTURE = re.compile(rb"\x1bP[\d;]*q(?P<sixel>[^\x1b]*)\x1b\\|\x1b\]1337;File=(?P<keys>[^:]*):(?P<data>[^\x07]*)\x07")
_TOKEN = re.compile(r'"([\d;]+)|#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~])|([$-])')


class PaintedTerminal(Terminal):
    """`slices` are the pictures (RGBA) by row and column of the cell where they were painted last; `count`: how many ever."""

    slices: dict[tuple[int, int], Image.Image]
    count = 0

    def _draw(self, data: bytes) -> None:
        position = 0
        for match in _PICTURE.finditer(data):
            super()._draw(data[position : match.start()])
            position = match.end()
            self._paint(match)
        super()._draw(data[position:])

    def _paint(self, match: re.Match[bytes]) -> None:
        if match["sixel"] is not None:
            image = decoded_sixel(match["sixel"].decode())
            columns = -(-image.width // (self.cell_pixels or (10, 20))[0])
        else:
            keys = dict(pair.split("=") for pair in match["keys"].decode().split(";"))
            assert (keys["inline"], keys["height"], keys["preserveAspectRatio"]) == ("1", "1", "0")
            data = base64.b64decode(match["data"])
            assert int(keys["size"]) == len(data)
            image, columns = Image.open(io.BytesIO(data)).convert("RGBA"), int(keys["width"])
        screen = self._screen
        x, y = screen.cursor.x, screen.cursor.y
        assert y < screen.lines - 1, "a picture in the last row scrolls the screen"
        for column in range(x, x + columns):
            screen.buffer[y][column] = screen.buffer[y][column]._replace(data=PAINTED)
        vars(self).setdefault("slices", {})[y, x] = image
        self.count += 1
        screen.cursor.y, screen.cursor.x = y + 1, 0  # where terminals leave it, some of them

    def painted(self) -> dict[int, tuple[int, int]]:
        """Row by row the first cell that shows a part of a picture, and how many do."""
        rows = enumerate(self.screen())
        return {y: (row.index(PAINTED), row.count(PAINTED)) for y, row in rows if PAINTED in row}


def decoded_sixel(text: str) -> Image.Image:
    """A sixel picture (RGBA; what it leaves alone is clear), of the size that it says beforehand."""
    colours: dict[str, tuple[int, ...]] = {}
    image = Image.new("RGBA", (0, 0))
    x = top = 0
    colour: tuple[int, ...] = (0, 0, 0, 255)
    at = 0
    for token in _TOKEN.finditer(text):
        assert token.start() == at, f"not sixel: {text[at : at + 20]!r}"
        at = token.end()
        raster, number, red, green, blue, count, repeated, single, move = token.groups()
        if raster:
            _, _, width, height = map(int, raster.split(";"))
            image = Image.new("RGBA", (width, height))
        elif number:
            if red:
                colours[number] = (*(round(int(part) * 2.55) for part in (red, green, blue)), 255)
            colour = colours[number]
        elif move:
            x, top = 0, top + (6 if move == "-" else 0)
        else:
            assert int(count or 1) <= 255, "old terminals count no further"
            bits = ord(repeated or single) - 63
            end = x + int(count or 1)
            for column, y in product(range(x, end), range(6)):
                if bits >> y & 1:
                    image.putpixel((column, top + y), colour)
            x = end
    assert at == len(text), f"not sixel: {text[at : at + 20]!r}"
    return image
