"""Text that can be read on its ground: the contrast of WCAG 2.2 (success criterion 1.4.3), kept at 4.5 to 1."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.style import Style

MIN_CONTRAST = 4.5
_STEP = 0.12


def contrast(one: ColorTriplet, other: ColorTriplet) -> float:
    """The contrast ratio of two colours, from 1 to 21."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@lru_cache(maxsize=1024)
def readable(style: Style) -> Style:
    """The style with its colour moved towards black or white until it stands out from its background.

    A colour of the terminal's own palette, whose looks nobody knows, stays as it is.
    """
    if style.color is None or style.bgcolor is None:
        return style
    colour, ground = style.color.triplet, style.bgcolor.triplet
    if colour is None or ground is None or contrast(colour, ground) >= MIN_CONTRAST:
        return style
    return style + Style(color=Color.from_triplet(moved(colour, ground)))


def _itself(colour: ColorTriplet) -> ColorTriplet:
    return colour


def moved(
    colour: ColorTriplet, ground: ColorTriplet, drawn: Callable[[ColorTriplet], ColorTriplet] = _itself
) -> ColorTriplet:
    """The colour moved towards black or white until it stands out; `drawn` says what the terminal makes of a colour."""
    white, black = ColorTriplet(255, 255, 255), ColorTriplet(0, 0, 0)
    target = white if contrast(white, ground) >= contrast(black, ground) else black
    share = 0.0
    shown = drawn(colour)
    while share < 1 and contrast(shown, ground) < MIN_CONTRAST:
        share = min(share + _STEP, 1.0)
        red, green, blue = (round(here + (there - here) * share) for here, there in zip(colour, target, strict=True))
        shown = drawn(ColorTriplet(red, green, blue))
    return shown


def _luminance(colour: ColorTriplet) -> float:
    """The relative luminance of an sRGB colour, from 0 to 1."""
    channels = [value / 255 for value in colour]
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
