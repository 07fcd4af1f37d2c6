"""Output of commands: colours (SGR codes) are shown, progress lines show their last state, other codes vanish."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.color import Color
from rich.style import Style

from .lines import Line
from .look import Look
from .outside_text import outside_text
from .plain_output import ESCAPE, TAB_SIZE

_BASIC = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_ATTRIBUTES = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike"}
_RESET_ATTRIBUTES = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",), 29: ("strike",)}


def coloured(lines: Sequence[str], start: int, stop: int, look: Look) -> list[Line]:
    """The lines `start` to `stop` as runs; codes before them count."""
    pen = Pen(look)
    for line in lines[_after_reset(lines, start) : start]:
        if "\x1b" in line:
            for match in ESCAPE.finditer(line):
                pen.obey(match["sgr"])
    return [pen.write(line) for line in lines[start:stop]]


def _after_reset(lines: Sequence[str], start: int) -> int:
    """The last line before `start` that resets all colours: nothing before it matters."""
    return next(
        (index for index in range(start - 1, -1, -1) if "\x1b[0m" in lines[index] or "\x1b[m" in lines[index]), 0
    )


class Pen:
    """The state that colour codes build up."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._base = look.style("output")
        self._colour: Color | None = None
        self._ground: Color | None = None
        self._attributes: set[str] = set()
        self._known: Style | None = self._base

    @property
    def style(self) -> Style:
        """What is written now."""
        if self._known is None:
            self._known = self._look.terminal_style(self._made())
        return self._known

    def write(self, line: str) -> Line:
        """One line as runs."""
        if "\x1b" not in line and "\x9b" not in line:
            return [(outside_text(line, tab_size=TAB_SIZE), self.style)]
        runs: Line = []
        end = 0
        for match in ESCAPE.finditer(line):
            if match.start() > end:
                runs.append((outside_text(line[end : match.start()], tab_size=TAB_SIZE), self.style))
            self.obey(match["sgr"])
            end = match.end()
        if end < len(line):
            runs.append((outside_text(line[end:], tab_size=TAB_SIZE), self.style))
        return runs

    def obey(self, parameters: str | None) -> None:
        """Take the parameters of one SGR code, such as ``1;31``; None is another code, which does nothing."""
        if parameters is None:
            return
        codes = [int(code or 0) for code in re.split("[;:]", parameters) if len(code) < 6]
        while codes:
            self._take(codes.pop(0), codes)
        self._known = None

    def _made(self) -> Style:
        return self._base + Style(
            color=self._colour,
            bgcolor=self._ground,
            bold="bold" in self._attributes or None,
            dim="dim" in self._attributes or None,
            italic="italic" in self._attributes or None,
            underline="underline" in self._attributes or None,
            reverse="reverse" in self._attributes or None,
            strike="strike" in self._attributes or None,
        )

    def _take(self, code: int, rest: list[int]) -> None:
        if code == 0:
            self._colour = self._ground = None
            self._attributes.clear()
        elif code in _ATTRIBUTES:
            self._attributes.add(_ATTRIBUTES[code])
        elif code in _RESET_ATTRIBUTES:
            self._attributes.difference_update(_RESET_ATTRIBUTES[code])
        elif code in (38, 48):
            colour = _extended(rest)
            self._colour, self._ground = (colour, self._ground) if code == 38 else (self._colour, colour)
        elif code in (39, *range(30, 38), *range(90, 98)):
            self._colour = _basic(code, 30, 90)
        elif code in (49, *range(40, 48), *range(100, 108)):
            self._ground = _basic(code, 40, 100)


def _basic(code: int, normal: int, bright: int) -> Color | None:
    if code >= bright:
        return Color.parse(f"bright_{_BASIC[code - bright]}")
    return Color.parse(_BASIC[code - normal]) if code < normal + 8 else None


def _extended(rest: list[int]) -> Color | None:
    """The colour of ``38;5;N`` and ``38;2;R;G;B``."""
    kind = rest.pop(0) if rest else 0
    if kind == 5 and rest:
        return Color.from_ansi(min(rest.pop(0), 255))
    if kind == 2 and len(rest) >= 3:
        red, green, blue = (min(rest.pop(0), 255) for _ in range(3))
        return Color.from_rgb(red, green, blue)
    return None
