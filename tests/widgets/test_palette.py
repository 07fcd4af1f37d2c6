"""Fewer colours than a theme has: 256, the terminal's own 16, none."""

from __future__ import annotations

import pytest
from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as TextualColor
from textual.theme import BUILTIN_THEMES

from pyagent_tui.app.terminal.own_colours import OWN_COLOURS
from pyagent_tui.widgets.text.contrast import MIN_CONTRAST, contrast
from pyagent_tui.widgets.text.palette import INDEXED, NUMBERS, Palette, find_palette, nearest
from pyagent_tui.widgets.text.palette_filter import IndexedFilter, PlainFilter, indexed
from pyagent_tui.widgets.text.theme_styles import STYLES, theme_style

MIXED = sorted(name for name, theme in BUILTIN_THEMES.items() if not theme.ansi)
GROUNDS = ("text", "diff-added", "diff-removed", "diff-added-word", "diff-removed-word")
BLACK = TextualColor(0, 0, 0)


@pytest.mark.parametrize(
    ("environ", "system", "palette"),
    [
        ({}, "truecolor", "full"),
        ({}, "256", "256"),
        ({}, "standard", "16"),
        ({}, None, "16"),
        ({"NO_COLOR": "1"}, "truecolor", "none"),
        ({"NO_COLOR": ""}, "truecolor", "full"),
        ({"TERM": "xterm-kitty"}, "standard", "full"),
        ({"TERM": "alacritty"}, "standard", "full"),
        ({"TERM": "xterm-direct"}, "standard", "full"),
        ({"TERM": "screen"}, "standard", "16"),
    ],
)
def test_the_palette_of_a_terminal(environ: dict[str, str], system: str | None, palette: Palette) -> None:
    assert find_palette(environ, system) == palette


def test_the_indexed_colours_are_those_of_xterm() -> None:
    for number, colour in enumerate(INDEXED, 16):
        assert Color.from_ansi(number).get_truecolor() == colour
        assert INDEXED[NUMBERS[colour] - 16] == colour


def in_256(theme: str, name: str) -> Style:
    variables = BUILTIN_THEMES[theme].to_color_system().generate()
    ground, text = TextualColor.parse(variables["background"]), TextualColor.parse(variables["foreground"])
    base = Style.from_color((ground + text).rich_color, ground.rich_color)
    return indexed(theme_style(name, variables, base, ground, "256"), stands_out=True)


@pytest.mark.parametrize("theme", MIXED)
def test_in_256_colours_added_and_removed_rows_differ_from_each_other_and_from_the_ground(theme: str) -> None:
    grounds = {name: in_256(theme, name).bgcolor for name in GROUNDS}
    assert len(set(grounds.values())) == len(GROUNDS), grounds
    for sign, channel in (("added", 1), ("removed", 0)):
        tint = grounds[f"diff-{sign}"]
        assert tint is not None
        colour = tint.get_truecolor()
        assert max(colour) == colour[channel], f"{sign} rows are not of their colour: {colour}"


@pytest.mark.parametrize("theme", MIXED)
def test_in_256_colours_every_text_can_be_read(theme: str) -> None:
    for name in STYLES:
        style = in_256(theme, name)
        assert style.color is not None
        assert style.bgcolor is not None
        colour, ground = style.color.get_truecolor(), style.bgcolor.get_truecolor()
        assert colour in INDEXED
        assert ground in INDEXED
        assert contrast(colour, ground) >= MIN_CONTRAST, name


def test_a_dark_ground_keeps_its_brightness_in_256_colours() -> None:
    assert nearest(ColorTriplet(46, 52, 64)) != ColorTriplet(0, 0, 0)


def test_rules_and_pictures_are_only_brought_near() -> None:
    grey, ground = Color.from_rgb(60, 60, 60), Color.from_rgb(40, 40, 40)
    (drawn,) = IndexedFilter().apply([Segment("▀──", Style(color=grey, bgcolor=ground))], BLACK)
    assert drawn.style is not None
    assert drawn.style.color == Color.from_ansi(NUMBERS[nearest(ColorTriplet(60, 60, 60))])


@pytest.mark.parametrize("theme", [theme.name for theme in OWN_COLOURS])
@pytest.mark.parametrize("name", sorted(STYLES))
def test_in_the_terminals_own_colours_no_other_one_is_used(theme: str, name: str) -> None:
    (own,) = (each for each in OWN_COLOURS if each.name == theme)
    variables = own.to_color_system().generate()
    ground = TextualColor.parse(variables["background"])
    style = theme_style(name, variables, Style.from_color(ground.rich_color, ground.rich_color), ground, "16")
    for colour in (style.color, style.bgcolor):
        assert colour is None or colour.is_default or (colour.number is not None and colour.number < 16), colour
    block = style.bgcolor is not None and not style.bgcolor.is_default
    assert block == (name in ("match", "match-current", "selection", "diff-added-word", "diff-removed-word"))
    assert not (block and style.dim)


VGA = {0: (0, 0, 0), 1: (170, 0, 0), 2: (0, 170, 0), 4: (0, 0, 170), 5: (170, 0, 170), 9: (255, 85, 85)} | {
    10: (85, 255, 85),
    11: (255, 255, 85),
    13: (255, 85, 255),
    14: (85, 255, 255),
    15: (255, 255, 255),
}
"""The colours of a Linux console."""


def test_on_a_linux_console_every_colour_can_be_read() -> None:
    own = OWN_COLOURS[0]
    variables = own.to_color_system().generate()
    ground = TextualColor.parse(variables["background"])
    weak: dict[str, float] = {}
    for name in STYLES:
        style = theme_style(name, variables, Style.from_color(ground.rich_color, ground.rich_color), ground, "16")
        fore, back = (
            ColorTriplet(*(VGA[colour.number] if colour is not None and colour.number is not None else default))
            for colour, default in ((style.color, (170, 170, 170)), (style.bgcolor, (0, 0, 0)))
        )
        if (ratio := contrast(fore, back)) < MIN_CONTRAST:
            weak[name] = ratio
    assert not weak


def test_without_colour_attributes_are_left_and_blocks_are_reversed() -> None:
    styles = [
        Style(color="red", bgcolor="default", bold=True, underline=True),
        Style(color="black", bgcolor="green", dim=True),
        Style(color="#112233", bgcolor="#445566", reverse=True),
        Style(dim=True),
        None,
    ]
    drawn = [each.style for each in PlainFilter().apply([Segment("x", style) for style in styles], BLACK)]
    assert drawn == [
        Style(bold=True, underline=True),
        Style(reverse=True, dim=False),
        Style(reverse=True),
        Style(dim=True),
        None,
    ]
