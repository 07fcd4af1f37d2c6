"""The styles of the transcript in terms of theme variables.

Fifty component classes would say the same, and cost 7 ms whenever the focus changes: Textual resolves every one of them
each time the styles of their widget are updated. These are resolved when they are first drawn.
"""

from __future__ import annotations

from collections.abc import Mapping

from rich.style import Style
from textual.color import Color

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


def theme_style(name: str, variables: Mapping[str, str], base: Style, ground: Color) -> Style:
    """The style of that name on `base`, whose background is `ground`. Raises KeyError for an unknown name."""
    front, _, back = STYLES[name].partition(" on ")
    words = front.split()
    below = _mixed(back.split(), variables, ground) if back else ground
    colour = _mixed([word for word in words if word not in _ATTRIBUTES], variables, below)
    return base + Style(
        color=None if colour is below else colour.rich_color,
        bgcolor=below.rich_color if back else None,
        bold="bold" in words or None,
        italic="italic" in words or None,
        underline="underline" in words or None,
        strike="strike" in words or None,
    )


def _mixed(words: list[str], variables: Mapping[str, str], ground: Color) -> Color:
    """A theme's colour, laid over `ground` by its percentage; `ground` itself where none is named."""
    if not words:
        return ground
    colour = Color.parse(variables[words[0]])
    share = float(words[1].rstrip("%")) / 100 if len(words) > 1 else 1.0
    return ground.blend(colour, share, 1.0) if share < 1 else colour
