"""Whether the terminal paints pictures over its cells (sixel, iTerm2), and how large its cells are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ...widgets.pictures.graphics import Graphics

ASK_NAME = "\x1b[>q\x1b[c"
"""What are you called (XTVERSION), what can you do (DA1)? Every terminal answers the second."""

ASK_SIZES = "\x1b[?1;1;0S\x1b[16t\x1b[c"
"""How many colours has a picture (XTSMGRAPHICS), how large is a cell (XTWINOPS)? And again what all answer."""

ASK_CELL = "\x1b[16t"

SIXEL = "4"
"""The extension of DA1 that says so."""

COLOURS = 256
"""Colours of a sixel picture where the terminal does not say."""

INLINE_IMAGES = ("iterm", "wezterm", "mintty")
"""How the names of terminals with iTerm2's protocol begin that paint over cells as they should."""

WITH_SIXEL = ("vscode", "xterm.js")
"""The same of those that have it only where they have sixel. Their cells end between two pixels: what is measured in cells
fits better.
"""

KEEPS_PICTURES = ("konsole",)
"""Terminals where a picture stays when its cells are written over."""

USUAL_CELL = (10, 20)

MOST_PIXELS = 200
"""Larger cells are none."""

_NAME = re.compile(r"\x1bP>\|(.*?)\x1b\\", re.DOTALL)
_ABILITIES = re.compile(r"\x1b\[\?([\d;]*)c")
_COLOURS = re.compile(r"\x1b\[\?1;0;(\d+)S")
_CELL = re.compile(r"\x1b\[6;(\d+);(\d+)t")

Size = tuple[int, int]
Stage = Literal["name", "sizes", "settled", "unable"]


class PaintingQuery:
    """Asks in two steps: most terminals paint nothing and are asked only for their name. `pixels`: see `graphics`."""

    def __init__(
        self, write: Callable[[str], None], environ: Mapping[str, str], pixels: Callable[[], Size | None]
    ) -> None:
        self._write = write
        self._pixels = pixels
        self._name = named_by(environ)
        self._colours = COLOURS
        self._said: Size | None = None  # the cell, as the terminal says
        self._used: Size | None = None
        self._has_sixel = False
        self._stage: Stage = "name"

    def ask(self) -> None:
        """Send the first questions."""
        self._write(ASK_NAME)

    def answered(self, sequence: str) -> Graphics | None:
        """What shows pictures from this answer on, if it says something new."""
        if self._stage == "unable":
            return None
        if match := _NAME.fullmatch(sequence):
            self._name = match[1].lower()
        elif match := _COLOURS.fullmatch(sequence):
            self._colours = int(match[1])
        elif match := _CELL.fullmatch(sequence):
            self._said = _checked(int(match[2]), int(match[1]))
            return self._graphics() if self._stage == "settled" else None
        elif match := _ABILITIES.fullmatch(sequence):
            return self._next(SIXEL in match[1].split(";")[1:])
        return None

    def resized(self) -> Graphics | None:
        """The same for a window of another size. What the terminal has to be asked for comes later."""
        if self._stage != "settled":
            return None
        if self._said is not None:
            self._write(ASK_CELL)
            return None
        return self._graphics()

    def _next(self, has_sixel: bool) -> Graphics | None:
        if self._stage == "name":
            self._has_sixel = has_sixel and not self._name.startswith(KEEPS_PICTURES)
            self._stage = "sizes" if self._has_sixel or self._has_inline_images else "unable"
            if self._stage == "sizes":
                self._write(ASK_SIZES)
        elif self._stage == "sizes":
            self._stage = "settled"
            return self._graphics()
        return None

    @property
    def _has_inline_images(self) -> bool:
        return self._name.startswith(INLINE_IMAGES) or (self._has_sixel and self._name.startswith(WITH_SIXEL))

    def _graphics(self) -> Graphics | None:
        """What fits the cells as they are now; None if they are unknown or as before."""
        cell = self._said or _checked(*(self._pixels() or (0, 0)))
        if cell is None and self._has_inline_images:
            cell = USUAL_CELL  # the terminal makes them fit
        if cell is None or cell == self._used:
            return None
        self._used = cell
        if self._has_inline_images:
            return _widgets("inline_image").inline_images(cell)
        return _widgets("sixel").sixel_pictures(cell, self._colours)


def named_by(environ: Mapping[str, str]) -> str:
    """The terminal's name as the environment has it, for those that do not say it: it may have come through ssh."""
    if environ.get("KONSOLE_VERSION"):
        return "konsole"
    return (environ.get("LC_TERMINAL") or environ.get("TERM_PROGRAM") or "").lower()


def _widgets(module: str) -> Any:
    return import_module(f"...widgets.pictures.{module}", __package__)


def _checked(width: int, height: int) -> Size | None:
    """A cell that can be one."""
    return (width, height) if 1 < width <= MOST_PIXELS and 1 < height <= MOST_PIXELS else None
