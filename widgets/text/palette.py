"""How many colours the terminal has, and which of 256 comes nearest to one of 16 million."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Literal, TypeAlias

from rich.color_triplet import ColorTriplet

Palette: TypeAlias = Literal["none", "16", "256", "full"]
"""`none`: no colour is wanted. `16`: the terminal's own. `256`: xterm's cube and greys. `full`: 24 bits."""

FULL = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "foot-extra", "wezterm", "contour")
"""Values of TERM whose terminals know 24 bits, also where `COLORTERM` is lost on the way, as ssh loses it."""

_SYSTEMS: Mapping[str | None, Palette] = {"truecolor": "full", "256": "256"}
_LEVELS = (0, 95, 135, 175, 215, 255)

INDEXED: tuple[ColorTriplet, ...] = (
    *(ColorTriplet(red, green, blue) for red in _LEVELS for green in _LEVELS for blue in _LEVELS),
    *(ColorTriplet(level, level, level) for level in range(8, 248, 10)),
)
"""The colours 16 to 255 of xterm; the first 16 are the terminal's own, and nobody knows how they look."""

NUMBERS: Mapping[ColorTriplet, int] = {colour: number for number, colour in reversed([*enumerate(INDEXED, 16)])}
"""The number by which each of them is asked for."""


def is_colour_off(environ: Mapping[str, str]) -> bool:
    """Whether the person wants no colour: ``NO_COLOR`` is there and not empty (no-color.org)."""
    return bool(environ.get("NO_COLOR"))


def find_palette(environ: Mapping[str, str], system: str | None) -> Palette:
    """The palette of the terminal; `system` is Rich's guess (`Console.color_system`)."""
    if is_colour_off(environ):
        return "none"
    term = environ.get("TERM", "")
    if system == "standard" and (term in FULL or term.endswith("-direct")):
        return "full"
    return _SYSTEMS.get(system, "16")


def distance(one: ColorTriplet, other: ColorTriplet) -> float:
    """How different two colours look: the weighted distance in RGB that is known as "redmean", squared."""
    mean = (one[0] + other[0]) / 2
    red, green, blue = (here - there for here, there in zip(one, other, strict=True))
    return (2 + mean / 256) * red * red + 4 * green * green + (2 + (255 - mean) / 256) * blue * blue


@lru_cache(maxsize=4096)
def nearest(colour: ColorTriplet) -> ColorTriplet:
    """The colour of the 256 that looks most like it."""
    return min(INDEXED, key=lambda one: distance(one, colour))


@lru_cache(maxsize=256)
def nearest_tint(wanted: ColorTriplet, hue: ColorTriplet, taken: Collection[ColorTriplet]) -> ColorTriplet:
    """The colour of the 256 nearest to `wanted` that is of the hue of `hue` and none of those taken.

    The nearest of all to a slight tint is a grey, in which it would be lost.
    """
    of_hue = (one for one in INDEXED if one not in taken and _likeness(one, hue) > _SAME_HUE)
    return min(of_hue, key=lambda one: distance(one, wanted), default=nearest(wanted))


_SAME_HUE = 0.85


def _likeness(one: ColorTriplet, other: ColorTriplet) -> float:
    """How alike two hues are, from -1 to 1: the cosine between what each has beyond grey; 0 for a grey."""
    first, second = _chroma(one), _chroma(other)
    length = (sum(value * value for value in first) * sum(value * value for value in second)) ** 0.5
    return sum(a * b for a, b in zip(first, second, strict=True)) / length if length else 0.0


def _chroma(colour: ColorTriplet) -> tuple[float, ...]:
    mean = sum(colour) / 3
    return tuple(value - mean for value in colour)
