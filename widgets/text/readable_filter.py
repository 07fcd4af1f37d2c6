"""The last look at every row before it is drawn: text that would be too faint in this theme is made readable."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from .contrast import readable


class ReadableFilter(LineFilter):
    """Moves the colour of letters and digits until they stand out from their ground; rules and dots stay faint."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [_readable(segment) for segment in segments]


def _readable(segment: Segment) -> Segment:
    text, style, control = segment
    if style is None or (better := readable(style)) is style or not any(map(str.isalnum, text)):
        return segment
    return Segment(text, better, control)
