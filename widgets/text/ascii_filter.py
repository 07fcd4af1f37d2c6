"""The last look at every row where the terminal shows ASCII only: signs that would be garbage there become ASCII ones."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_SIGNS = {
    "·•◦▪∙●": "*",
    "…": "~",
    "✗": "x",
    "✓": "+",
    "↑": "^",
    "↓⇣": "v",
    "←⟨": "<",
    "→⟩❯": ">",
    "─━┄┅┈┉╌╍═╴╶▔▁": "-",
    "│┃┆┇┊┋╎╏║╵╷▌▐": "|",
    "█": "#",
    "▀▂▃▄▅▆▇▉▊▋▍▎▏": " ",
    "⟦": "[",
    "⟧": "]",
    "␊␍␛": "$",
}
"""Signs of one cell, and what stands for them in one cell; all other corners and crossings of lines are a plus.

Quotes, dashes and blanks are not among them: in a text that is to be judged each must be told from its like.
"""

TO_ASCII = {
    **dict.fromkeys(range(9472, 9600), "+"),
    **{ord(sign): plain for signs, plain in _SIGNS.items() for sign in signs},
}


class AsciiFilter(LineFilter):
    """Leaves letters alone: what a person or a model writes in another alphabet is shown as the terminal can."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [segment if segment.text.isascii() else _ascii(segment) for segment in segments]


def _ascii(segment: Segment) -> Segment:
    text, style, control = segment
    return Segment(text.translate(TO_ASCII), style, control)
