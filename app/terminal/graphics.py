"""Whether the terminal shows sharp pictures: asked where it may be so, believed when it says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...widgets.terminal.graphics import Graphics

ASK = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
"""Would the terminal take a picture of one pixel? (kitty graphics protocol, "querying support")"""

YES = "\x1b_Gi=31;OK"

MULTIPLEXERS = ("TMUX", "STY", "ZELLIJ")
"""Variables of programs between us and the terminal, which keep pictures to themselves."""


def may_show_pictures(environ: Mapping[str, str]) -> bool:
    """Whether it is a terminal with Unicode placeholders: kitty or Ghostty, not inside a multiplexer. Others answer yes and cannot."""
    if any(environ.get(name) for name in MULTIPLEXERS):
        return False
    known = environ.get("TERM", "") in ("xterm-kitty", "xterm-ghostty") or environ.get("TERM_PROGRAM") == "ghostty"
    return known or bool(environ.get("KITTY_WINDOW_ID"))


class GraphicsQuery:
    """Asks once; `graphics` is there when the terminal has said yes. `write` sends to the terminal."""

    def __init__(self, write: Callable[[str], None], environ: Mapping[str, str]) -> None:
        self.graphics: Graphics | None = None
        self._write = write
        self._may = may_show_pictures(environ)

    def ask(self) -> None:
        """Ask, where it may be so."""
        if self._may and self.graphics is None:
            self._write(ASK)

    def answered(self, sequence: str) -> bool:
        """Whether this is the terminal's yes."""
        if not self._may or self.graphics is not None or not sequence.startswith(YES):
            return False
        self.graphics = import_module("...widgets.terminal.graphics", __package__).Graphics(self._write)
        return True

    def close(self) -> None:
        """Have the terminal forget what it was sent."""
        if self.graphics is not None:
            self.graphics.close()
