"""How the terminal shows sharp pictures, if it does: asked where it may be so, believed when it says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ...widgets.pictures.graphics import Graphics
    from .painting import PaintingQuery

ASK = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
"""Would the terminal take a picture of one pixel? (kitty graphics protocol, "querying support")"""

YES = "\x1b_Gi=31;OK"

FIRST_KITTY = (0, 28)
"""The version of kitty that brought Unicode placeholders; older ones answer yes as well."""

MULTIPLEXERS = ("TMUX", "STY", "ZELLIJ")
"""Variables of programs between us and the terminal, which keep pictures to themselves.

tmux may be built with sixel, but holds no more than a few of them at once: fewer than a picture has rows.
"""

POOR_TERMINALS = ("", "dumb", "linux")
"""Terminals that are asked nothing."""

_PLACEHOLDERS = re.compile(r"\x1bP>\|(?:kitty\((\d+)\.(\d+)|(ghostty))", re.IGNORECASE)

Pixels: TypeAlias = Callable[[], tuple[int, int] | None]
"""A cell in pixels as the kernel knows it, None if it does not."""


def is_alone(environ: Mapping[str, str]) -> bool:
    """Whether nothing stands between us and the terminal."""
    return not any(environ.get(name) for name in MULTIPLEXERS)


def may_be_kitty(environ: Mapping[str, str]) -> bool:
    """Whether it may be kitty or Ghostty, which have Unicode placeholders. Others answer yes to `ASK` and cannot."""
    known = environ.get("TERM", "") in ("xterm-kitty", "xterm-ghostty") or environ.get("TERM_PROGRAM") == "ghostty"
    return known or bool(environ.get("KITTY_WINDOW_ID"))


def has_placeholders(sequence: str) -> bool:
    """Whether this is the name (XTVERSION) of a terminal that has them."""
    match = _PLACEHOLDERS.match(sequence)
    return match is not None and (bool(match[3]) or (int(match[1]), int(match[2])) >= FIRST_KITTY)


class GraphicsQuery:
    """Asks once; `graphics` is there when the terminal has said yes. `write` sends to the terminal."""

    def __init__(self, write: Callable[[str], None], environ: Mapping[str, str], pixels: Pixels) -> None:
        self.graphics: Graphics | None = None
        self._write = write
        self._pixels = pixels
        self._may_ask = is_alone(environ) and environ.get("TERM", "") not in POOR_TERMINALS
        self._may_be_kitty = may_be_kitty(environ)
        self._has_placeholders = False
        self._painting: PaintingQuery | None = None
        self._environ = environ

    def ask(self) -> None:
        """Ask, where it may be so."""
        if not self._may_ask or self._painting is not None:
            return
        from .painting import PaintingQuery  # not before the first frame

        self._painting = PaintingQuery(self._write, self._environ, self._pixels)
        self._painting.ask()
        if self._may_be_kitty:
            self._write(ASK)

    def answered(self, sequence: str) -> bool:
        """Whether `graphics` is another one by this answer of the terminal."""
        if self._painting is None:
            return False
        if self._may_be_kitty and has_placeholders(sequence):
            self._has_placeholders = True
        elif self._has_placeholders and self.graphics is None and sequence.startswith(YES):
            kitty = import_module("...widgets.pictures.kitty", __package__)
            return self._use(kitty.KittyGraphics(self._write, self._pixels() or kitty.CELL))
        return self._use(self._painting.answered(sequence))

    def resized(self) -> bool:
        """The window has another size, and maybe its cells: whether `graphics` is another one."""
        return self._painting is not None and self._use(self._painting.resized())

    def _use(self, graphics: Graphics | None) -> bool:
        if graphics is not None:
            self.graphics = graphics
        return graphics is not None

    def close(self) -> None:
        """Have the terminal forget what it was sent."""
        if self.graphics is not None:
            self.graphics.close()
