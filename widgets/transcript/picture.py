"""A picture: sharp where the terminal can, else half blocks, two pixels to a cell, in the colours that the terminal has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from textual.strip import Strip

from ..pictures.graphics import Decoded, Graphics, PictureKey, fitting
from ..pictures.half_blocks import block_rows, flattened, ground_of, half_blocks, resized
from ..text.look import Look
from .body import Body, Notes, body_width, on_rule
from .part import Part

MAX_COLUMNS = 60
MAX_ROWS = 24
SMALL_ROWS = 8
"""Rows of a picture whose cell is folded."""

SMALL_PIXELS = 4_000_000
"""A picture with more pixels is decoded only when its cell is opened."""


class PictureBody(Body):
    """What a picture is, in words, and the picture: small when folded, unless it is a huge one. `data` is base64."""

    def __init__(self, words: str, data: str, pixels: int = 0) -> None:
        self._words = words
        self._data = data
        self._has_small = pixels <= SMALL_PIXELS
        self._pictures = PictureSizes(data)

    @property
    def can_expand(self) -> bool:
        return bool(self._data)

    def parts(self, is_expanded: bool) -> list[Part]:
        words = Notes([self._words])
        if not self._data or not (is_expanded or self._has_small):
            return [words]
        return [words, self._pictures.part(is_expanded)]

    def text(self) -> str:
        return self._words


class PictureSizes:
    """A picture (base64 `data`) folded and open, each made once: it remembers what it has learnt of itself.

    With `is_silent` the open one says nothing either where it cannot be shown.
    """

    def __init__(self, data: str, *, is_silent: bool = False) -> None:
        self._data = data
        self._is_silent = is_silent
        self._made: dict[bool, Picture] = {}

    def part(self, is_expanded: bool) -> Picture:
        """The picture, small or as large as it gets."""
        if (picture := self._made.get(is_expanded)) is None:
            rows = MAX_ROWS if is_expanded else SMALL_ROWS
            picture = Picture(self._data, rows, is_small=self._is_silent or not is_expanded)
            self._made[is_expanded] = picture
        return picture


class Shape(NamedTuple):
    """What is known of a picture once it was decoded: its size in pixels, whether its ground shines through."""

    size: tuple[int, int]
    is_clear: bool


class Picture(Part):
    """The rows of a picture: sharp where the terminal can, else half blocks.

    It is decoded when it is seen, by `look.load` where there is one; as long its rows are blank. A sharp one is half
    blocks until it is encoded, by `look.load` too. One that is small says nothing where it cannot be shown.
    """

    __slots__ = ("_box", "_data", "_drawn", "_image", "_is_preparing", "_is_small", "_rows", "_shape", "_state")

    indent = 1 << 20
    """Nothing of it is text."""

    def __init__(self, data: str, rows: int, *, is_small: bool) -> None:
        super().__init__()
        self._data = data
        self._rows = rows
        self._is_small = is_small
        self._is_preparing = False
        self._box = (0, 0)
        self._image: Decoded | None = None
        self._shape: Shape | None = None
        self._drawn: PictureKey | None = None  # what the graphics were asked to show
        self._state: Literal["unseen", "loading", "loaded"] = "unseen"

    def strips(self, width: int, look: Look) -> Sequence[Strip]:
        if self._drawn is not None and look.graphics is not None and not look.graphics.holds(self._drawn):
            self.invalidate()  # it was forgotten for newer ones
        return super().strips(width, look)

    def release(self) -> None:
        super().release()
        if self._state == "loaded":
            self._state, self._image = "unseen", None

    def estimate(self, width: int) -> int:
        return self._rows

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        self._drawn = None
        if not shows_pictures(look):
            return self._nothing(width, look)
        columns = min(body_width(width), MAX_COLUMNS)
        if look.graphics is None:
            return self._coarse(columns, width, look)
        return self._held(columns, width, look) or self._sharp(look.graphics, columns, width, look)

    def _nothing(self, width: int, look: Look) -> Sequence[Strip]:
        words = "" if self._is_small else "this picture cannot be shown here"
        return on_rule([[(words, look.style("dim"))]] if words else [], width, look)

    def _blank(self, width: int, look: Look) -> Sequence[Strip]:
        return on_rule([[] for _ in range(self._rows)], width, look)

    def _coarse(self, columns: int, width: int, look: Look) -> Sequence[Strip]:
        """The rows where the terminal shows no sharp pictures."""
        image = self._decoded((MAX_COLUMNS, self._rows * 2), look)
        if image is None:
            return self._blank(width, look) if self._state == "loading" else self._nothing(width, look)
        return on_rule(half_blocks(image.image, columns, self._rows, look), width, look)

    def _held(self, columns: int, width: int, look: Look) -> Sequence[Strip] | None:
        """The rows of what is sharp already; None if it is not."""
        graphics = look.graphics
        if graphics is None or self._shape is None:
            return None
        key = self._key(self._shape, graphics, columns, look)
        if not graphics.holds(key):
            return None
        self._drawn = key
        return graphics.strips(key, width, look)

    def _sharp(self, graphics: Graphics, columns: int, width: int, look: Look) -> Sequence[Strip]:
        """The rows where it must be made sharp first."""
        box = (MAX_COLUMNS * graphics.fine.width, self._rows * graphics.fine.height)
        image = self._decoded(box, look)
        if image is None:
            return self._blank(width, look) if self._state == "loading" else self._nothing(width, look)
        key = self._key(Shape(image.size, image.is_clear), graphics, columns, look)
        if self._state == "loaded" and not graphics.holds(key):
            self._prepare(graphics, key, image, look)
        if (strips := self._held(columns, width, look)) is not None:
            return strips
        pixels = flattened(resized(image.image, key.columns, key.rows * 2), ground_of(look))
        return on_rule(block_rows(pixels, look), width, look)

    def _key(self, shape: Shape, graphics: Graphics, columns: int, look: Look) -> PictureKey:
        ground = ground_of(look) if shape.is_clear and graphics.mixes_ground else None
        return PictureKey(self._data, *fitting(shape.size, columns, self._rows, graphics.cell), ground)

    def _decoded(self, box: tuple[int, int], look: Look) -> Decoded | None:
        """The picture in at least the pixels of `box`, as far as it has them; a coarser one, or none, until it is loaded."""
        if self._state == "loaded" and (box[0] > self._box[0] or box[1] > self._box[1]):
            self._state = "unseen"
        if self._state == "unseen":
            self._load(box, look)
        return self._image

    def _load(self, box: tuple[int, int], look: Look) -> None:
        def work() -> Callable[[], None]:
            from ..pictures.decoding import decode  # and with it what decodes

            image = decode(self._data, box)
            return lambda: self._loaded(image)

        self._state, self._box = "loading", box
        self._do(work, look)

    def _loaded(self, image: Decoded | None) -> None:
        self._state, self._image = "loaded", image
        self._shape = None if image is None else Shape(image.size, image.is_clear)

    def _prepare(self, graphics: Graphics, key: PictureKey, image: Decoded, look: Look) -> None:
        """Have it made sharp, one size at a time."""
        if self._is_preparing:
            return

        def work() -> Callable[[], None]:
            keep = graphics.prepare(key, image.image)
            return lambda: self._prepared(keep)

        self._is_preparing = True
        self._do(work, look)

    def _prepared(self, keep: Callable[[], None]) -> None:
        self._is_preparing = False
        keep()

    def _do(self, work: Callable[[], Callable[[], None]], look: Look) -> None:
        """Do the work elsewhere, then what it returns here, and draw again; at once where there is no elsewhere."""
        if look.load is None:
            work()()
            return
        results: list[Callable[[], None]] = []

        def done() -> None:
            for result in results:
                result()
            self.invalidate()

        look.load(lambda: results.append(work()), done)


def shows_pictures(look: Look) -> bool:
    """Whether pictures can and may be shown."""
    return look.has_colour and bool(look.marks.half_block) and look.pictures != "off"
