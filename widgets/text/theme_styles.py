"""The styles of the transcript in terms of theme variables.

Fifty component classes would say the same, and cost 7 ms whenever the focus changes: Textual resolves every one of them
each time the styles of their widget are updated. These are resolved when they are first drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from rich.color import Color as RichColor
from rich.color_triplet import ColorTriplet
from rich.style import Style
from textual.color import Color

from .palette import Palette, nearest, nearest_tint

if TYPE_CHECKING:
    from textual.app import App
    from textual.widget import Widget

_ATTRIBUTES = ("bold", "italic", "underline", "strike")

STYLES: dict[str, str] = {
    "text": "",
    "user": "text-accent",
    "dim": "foreground 65%",
    "rule": "foreground 30%",
    "tool": "bold",
    "argument": "",
    "output": "foreground 80%",
    "thinking": "foreground 65% italic",
    "error": "text-error",
    "warning": "text-warning",
    "ok": "text-success",
    "failed": "text-error bold",
    "refused": "text-warning",
    "aborted": "text-warning",
    "waiting": "text-accent bold",
    "running": "text-accent",
    "pending": "foreground 65%",
    "heading": "text-primary bold",
    "heading-1": "text-primary bold underline",
    "strong": "bold",
    "emphasis": "italic",
    "struck": "strike",
    "link": "underline",
    "quote": "foreground 65%",
    "bullet": "text-primary",
    "code": "foreground on surface",
    "code-inline": "text-secondary on surface",
    "code-comment": "foreground 60% italic",
    "code-keyword": "text-primary",
    "code-string": "text-success",
    "code-number": "text-warning",
    "code-function": "text-secondary",
    "code-type": "text-accent",
    "added": "text-success",
    "removed": "text-error",
    "diff-added": "foreground on success 14%",
    "diff-removed": "foreground on error 14%",
    "diff-added-word": "foreground bold on success 38%",
    "diff-removed-word": "foreground bold on error 38%",
    "cursor": "text-accent bold",
    "match": "foreground on warning 40%",
    "match-current": "background bold on warning",
    "selection": "foreground on primary 45%",
    "news": "text-accent on surface",
}
"""``colour [percent] [attributes] [on colour [percent]]``: a percentage mixes with what lies below."""


FAINT = 0.75
"""Up to this share a text is dim where it can't be mixed with its ground."""

TINT = 0.3
"""Below this share a ground is a tint, which the terminal's own colours do not know; what lies on it is more."""

ROW_TINT = 0.14
"""The share of the grounds of changed rows, from which changed words in them must differ."""

_DARK_INKS = frozenset({2, 3, 6, 7, 9, 10, 11, 13, 14, 15})
"""The terminal's own colours on which black can be read; white on the others."""


def style_resolver(widget: Widget) -> Callable[[str], Style]:
    """What gives the style of a name on a widget's ground, in its app's theme and the colours that the terminal has."""
    app = cast("App[Any]", widget.app)
    base, ground, variables = widget.rich_style, widget.background_colors[1], app.theme_variables
    palette = palette_of(app)
    return lambda name: theme_style(name, variables, base, ground, palette)


def palette_of(app: App[Any]) -> Palette:
    """The colours that the terminal of an app has: its `palette`, all where it has none."""
    return getattr(app, "palette", "full")


def theme_style(
    name: str, variables: Mapping[str, str], base: Style, ground: Color, palette: Palette = "full"
) -> Style:
    """The style of that name on `base`, whose background is `ground`. Raises KeyError for an unknown name."""
    front, _, back = STYLES[name].partition(" on ")
    words = front.split()
    attributes = Style.parse(" ".join(word for word in words if word in _ATTRIBUTES))
    colour, share = _named([word for word in words if word not in _ATTRIBUTES], variables)
    under, depth = _named(back.split(), variables)
    if ground.ansi is not None:
        return base + attributes + _own_colours(colour, share, under, depth)
    below = ground if under is None else _mixed(under, depth, ground, palette)
    return (
        base
        + attributes
        + Style(
            color=None if colour is None else _laid(colour, share, below).rich_color,
            bgcolor=None if under is None else below.rich_color,
        )
    )


def _named(words: list[str], variables: Mapping[str, str]) -> tuple[Color | None, float]:
    """A theme's colour and its share; None where none is named."""
    if not words:
        return None, 1.0
    return Color.parse(variables[words[0]]), float(words[1].rstrip("%")) / 100 if len(words) > 1 else 1.0


def _laid(colour: Color, share: float, ground: Color) -> Color:
    return ground.blend(colour, share, 1.0) if share < 1 else colour


def _mixed(colour: Color, share: float, ground: Color, palette: Palette) -> Color:
    """A ground: a colour laid over what lies below, as the terminal can show it."""
    below = _laid(colour, share, ground)
    if palette != "256" or share == 1:
        return below
    taken = {nearest(_triplet(ground))}
    if share > TINT:
        taken.add(_triplet(_mixed(colour, ROW_TINT, ground, palette)))
    return Color(*nearest_tint(_triplet(below), _triplet(colour), frozenset(taken)))


def _triplet(colour: Color) -> ColorTriplet:
    return ColorTriplet(*colour.rgb)


def _own_colours(colour: Color | None, share: float, under: Color | None, depth: float) -> Style:
    """In the terminal's own colours nothing is mixed: the faint is dim, a tint is no ground, any other is a block.

    A whole block is the one of several that matters now, and is underlined as well.
    """
    ink = None if colour is None else colour.rich_color
    if under is None or under.ansi is None or under.ansi < 0 or depth < TINT:
        return Style(color=ink, dim=share <= FAINT or None)
    is_dark_ink = under.ansi in _DARK_INKS
    return Style(
        color=RichColor.from_ansi(0 if is_dark_ink else 15), bgcolor=under.rich_color, underline=depth == 1 or None
    )
