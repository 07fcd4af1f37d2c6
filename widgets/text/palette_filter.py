"""The last look at every row before it is drawn where the terminal has fewer colours than the theme."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.segment import ControlCode, Segment
from rich.style import Style
from textual.color import Color as TextualColor
from textual.filter import LineFilter

from .ascii_filter import AsciiFilter
from .contrast import moved
from .palette import NUMBERS, Palette, nearest
from .readable_filter import ReadableFilter, must_be_read


def last_filters(palette: Palette, *, has_unicode: bool) -> list[LineFilter]:
    """What the rows pass at last on their way to a terminal with these colours and signs."""
    colours = PlainFilter() if palette == "none" else IndexedFilter() if palette == "256" else ReadableFilter()
    return [colours] if has_unicode else [colours, AsciiFilter()]


class PlainFilter(LineFilter):
    """Takes every colour away: the terminal's own ones are left. What was a block of colour is reversed.

    A ground other than the terminal's own stands for something in the terminal's own theme: a selection, a hit.
    """

    def apply(self, segments: list[Segment], background: TextualColor) -> list[Segment]:
        return [Segment(text, style and plain(style), control) for text, style, control in segments]


class IndexedFilter(LineFilter):
    """Takes the nearest of the 256 colours, for what must be read the nearest that stands out from its ground."""

    def apply(self, segments: list[Segment], background: TextualColor) -> list[Segment]:
        return [_indexed(*segment) for segment in segments]


@lru_cache(maxsize=1024)
def plain(style: Style) -> Style:
    """The style without its colours; reversed where its ground is not the terminal's own."""
    ground = style.bgcolor
    without = style.without_color
    if ground is None or ground.is_default or style.reverse:
        return without
    return without + Style(reverse=True, dim=False)


def _indexed(text: str, style: Style | None, control: Sequence[ControlCode] | None) -> Segment:
    return Segment(text, style and indexed(style, stands_out=must_be_read(text, style)), control)


@lru_cache(maxsize=2048)
def indexed(style: Style, *, stands_out: bool) -> Style:
    """The style in colours of the 256; `stands_out`: with a contrast that can be read."""
    colour, ground = _triplet(style.color), _triplet(style.bgcolor)
    near_ground = ground and nearest(ground)
    if colour is None:
        near = None
    elif near_ground is None or not stands_out:
        near = nearest(colour)
    else:
        near = moved(colour, near_ground, nearest)
    return style + Style(color=near and _numbered(near), bgcolor=near_ground and _numbered(near_ground))


def _numbered(colour: ColorTriplet) -> Color:
    return Color.from_ansi(NUMBERS[colour])


def _triplet(colour: Color | None) -> ColorTriplet | None:
    return None if colour is None else colour.triplet
