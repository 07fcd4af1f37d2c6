"""Colours and attributes of terminal text (SGR, ECMA-48 8.3.117)."""

from __future__ import annotations

import re
from functools import lru_cache

from ..agent.frozen import frozen


@frozen
class Style:
    """Colours and attributes: parameters of SGR in force, by what they set."""

    attributes: tuple[str, ...] = ()
    foreground: str = ""
    background: str = ""

    @property
    def code(self) -> str:
        """The SGR sequence that sets it from the plain state; empty for plain."""
        parameters = ";".join(part for part in (*self.attributes, self.foreground, self.background) if part)
        return f"\x1b[{parameters}m" if parameters else ""


PLAIN = Style()
_OFF = {"22": ("1", "2"), "23": ("3",), "24": ("4", "21"), "25": ("5", "6"), "27": ("7",), "28": ("8",), "29": ("9",)}


@lru_cache(maxsize=1024)
def restyle(style: Style, parameters: str) -> Style:
    """The style after an SGR sequence with these parameters."""
    codes = re.split("[;:]", parameters) if parameters else ["0"]
    position = 0
    while position < len(codes):
        code = codes[position].lstrip("0") or "0"
        if code in ("38", "48"):
            length = {"5": 3, "2": 5}.get(codes[position + 1] if position + 1 < len(codes) else "", 2)
            colour = ";".join(codes[position : position + length])
            whole = position + length <= len(codes) and length > 2
            style = _with_colour(style, code, colour) if whole else style
            position += length
            continue
        style = _apply(style, code)
        position += 1
    return style


def _apply(style: Style, code: str) -> Style:
    if not code.isdigit():
        return style
    number = int(code)
    if number == 0:
        return PLAIN
    if code in _OFF:
        return Style(tuple(a for a in style.attributes if a not in _OFF[code]), style.foreground, style.background)
    if number <= 9 or number == 21:
        return Style(tuple(sorted({*style.attributes, code})), style.foreground, style.background)
    if 30 <= number <= 37 or 90 <= number <= 97:
        return _with_colour(style, "38", code)
    if 40 <= number <= 47 or 100 <= number <= 107:
        return _with_colour(style, "48", code)
    if number in (39, 49):
        return _with_colour(style, "38" if number == 39 else "48", "")
    return style


def _with_colour(style: Style, plane: str, colour: str) -> Style:
    if plane == "38":
        return Style(style.attributes, colour, style.background)
    return Style(style.attributes, style.foreground, colour)
