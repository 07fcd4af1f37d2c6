"""The main screen: what the program shows while nothing stands over it."""

from __future__ import annotations

from typing import ClassVar

from textual.screen import Screen

from ...widgets.editor.editor import Editor
from ...widgets.hint_rule import HintRule


class MainScreen(Screen[None], inherit_bindings=False):
    """Has no keys of its own: all of them are the app's or a widget's."""

    VERTICAL_BREAKPOINTS: ClassVar[list[tuple[int, str]] | None] = [(0, "-low"), (10, "-high")]  # pyright: ignore[reportIncompatibleVariableOverride]

    AUTO_FOCUS: ClassVar[str | None] = "Editor"

    def on_vim_editor_mode_changed(self, message: Editor.ModeChanged) -> None:
        self.query_one(HintRule).mode = message.mode
