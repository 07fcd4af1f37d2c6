"""The last look at every row before it is drawn: text that would be too faint in this theme is made readable."""

from __future__ import annotations

import re

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from .contrast import readable

_MARK = re.compile("[^\\s|+.\\-·\u2500-\u259f]")
"""A sign that says something. Rules, dots and what pictures are made of need not stand out."""

_PLACEHOLDER = "\U0010eeee"
"""A cell of a picture, whose colour is its number (kitty graphics protocol, "Unicode placeholders")."""


class ReadableFilter(LineFilter):
    """Moves the colour of letters and signs until they stand out from their ground; rules and dots stay faint."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [_readable(segment) for segment in segments]


def must_be_read(text: str, style: Style) -> bool:
    """Whether it has to stand out: letters, signs, the caret, and a rule that is bold, which marks a choice."""
    if style.reverse or (style.bold and not text.isspace()):
        return _PLACEHOLDER not in text
    return _MARK.search(text) is not None and _PLACEHOLDER not in text


def _readable(segment: Segment) -> Segment:
    text, style, control = segment
    if style is None or (better := readable(style)) is style or not must_be_read(text, style):
        return segment
    return Segment(text, better, control)
