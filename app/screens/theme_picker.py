"""The picker of the theme."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...widgets.text.numbers import format_plural
from .model_picker import LevelPicker


class ThemePicker(LevelPicker):
    """Every theme by name; the screen takes on the chosen one while one moves. `preview` uses a theme for now."""

    HINTS = (
        ("picker.up,picker.down", "look"),
        ("picker.pick", "this session"),
        ("picker.save", "also as default"),
        ("picker.cancel", "back"),
    )
    PLACEHOLDER = "type a part of its name"

    def __init__(self, names: Sequence[str], now: str, preview: Callable[[str], object]) -> None:
        super().__init__(names, now, "")
        self._count = len(names)
        self._preview = preview

    def describe(self) -> None:
        self.heading.title = "Theme"
        self.heading.facts = (format_plural(self._count, "theme"),)

    def action_move(self, rows: int) -> None:
        super().action_move(rows)
        if self.list.current is not None:
            self._preview(self.list.current)
