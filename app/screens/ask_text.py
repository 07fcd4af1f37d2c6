"""Asks for one line of text, over the main screen."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from ...widgets.editor.line_field import LineField
from ...widgets.text.outside_text import outside_content
from ..keys.screens import ASK_TEXT_KEYS
from .key_line import key_line


class AskTextScreen(ModalScreen[str | None], inherit_bindings=False):
    """Returns the text, which may be empty; None for Escape."""

    DEFAULT_CSS = """
    AskTextScreen {
        background: $background 60%;
        align: center middle;
        & > Vertical {
            width: 70; max-width: 100%; height: auto; padding: 1 2;
            background: $background; border: round $foreground 30%;
        }
        & Static { width: 100%; height: auto; }
        & .ask-text--question { text-style: bold; }
        & LineField { margin: 1 0; padding: 0; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = list(ASK_TEXT_KEYS)

    def __init__(self, question: str, text: str = "", placeholder: str = "") -> None:
        super().__init__()
        self._question = question
        self._field = LineField(text, placeholder=placeholder)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(outside_content(self._question), classes="ask-text--question", markup=False)
            yield self._field
            yield Static(key_line(self, ("ask_text.take", "takes it"), ("ask_text.cancel", "back")), markup=False)

    def on_mount(self) -> None:
        self._field.action_edit("move_to_end")
        self._field.focus()

    def action_take(self) -> None:
        """Enter."""
        self.dismiss(self._field.text.strip())
