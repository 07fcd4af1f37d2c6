"""The main screen: what the program shows while nothing stands over it."""

from __future__ import annotations

from textual.screen import Screen


class MainScreen(Screen[None], inherit_bindings=False):
    """Has no keys of its own: all of them are the app's or a widget's."""
