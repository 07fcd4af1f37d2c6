"""What the parts of the approval panel share: how many rows they may take, and the look of a diff on its ground."""

from __future__ import annotations

from typing import cast

from textual.app import App
from textual.widget import Widget

from ..text.look import Look
from ..text.marks import marks
from ..text.theme_styles import style_resolver

SHARE = 0.6
"""How much of the screen's height the panel may take."""

LEAST_ROWS = 3
FIELD_ROWS = 4
"""Rows that the field under a sheet may grow to, where the screen has room for them."""


def panel_rows(widget: Widget) -> int:
    """Rows that the whole panel may take."""
    return max(LEAST_ROWS, int(_height(widget) * SHARE))


def field_rows(widget: Widget) -> int:
    """Rows that the field may grow to: a third of the screen at most."""
    return min(FIELD_ROWS, max(1, _height(widget) // 3))


def _height(widget: Widget) -> int:
    return widget.app.size.height  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def look_of(widget: Widget) -> Look:
    """The styles of the diff view on the ground of a widget of the panel."""
    app = cast("App[object]", widget.app)  # pyright: ignore[reportUnknownMemberType]
    return Look(style_resolver(widget), marks=marks(), has_colour=not app.no_color)
