"""The field in which one types what is to be found in what is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

from textual import events
from textual.binding import Binding, BindingType

from ..editor.line_field import LineField
from ..editor.text_editor import TextEditor
from ..terminal.key_dispatch import run_own


class FindBar(LineField, inherit_bindings=False):
    """A line with a slash before it. What is typed and the keys that lead on go to the functions it was given.

    `ask` gets the text whenever it changes, `move` the direction, `leave` whether what was found stays marked.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *LineField.BINDINGS,
        Binding("enter,down,f3,ctrl+g", "move(1)", "next hit", show=False, id="find.next"),
        Binding("up,shift+enter,shift+f3,ctrl+shift+g", "move(-1)", "hit before", show=False, id="find.previous"),
        Binding("tab", "leave(True)", "to the hit, where n and N lead on", show=False, id="find.read"),
        Binding("escape,ctrl+c", "leave(False)", "end finding", show=False, id="find.end"),
    ]

    def __init__(
        self,
        ask: Callable[[str], None],
        move: Callable[[Literal[-1, 1]], None],
        leave: Callable[[bool], None],
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(placeholder="find here", id=id)
        self._ask = ask
        self._move = move
        self._leave = leave

    def on_key(self, event: events.Key) -> None:
        if run_own(self, event.key):
            event.stop()
            event.prevent_default()
        else:
            super().on_key(event)

    def on_text_editor_changed(self, message: TextEditor.Changed) -> None:
        message.stop()

    def _after_edit(self) -> None:
        super()._after_edit()
        self._ask(self.text)

    def _gutter(self, y: int) -> str:
        return "/"

    def action_move(self, direction: Literal[-1, 1]) -> None:
        """The next or previous hit."""
        self._move(direction)

    def action_leave(self, keeps: bool) -> None:
        """Close the field."""
        self._leave(keeps)
