"""A text field of one line, for searches and names: keys that no line needs are left to the screen around it."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType

from .keys import TEXT_BINDINGS
from .paste import clean
from .text_editor import TextEditor

LEFT_TO_SCREEN = frozenset(
    {
        "editor.newline",
        "editor.up",
        "editor.down",
        "editor.page_up",
        "editor.page_down",
        "editor.jump",
        "editor.jump_back",
    }
)
"""What a line has no use for."""


class LineField(TextEditor, inherit_bindings=False):
    """One line of text. `Enter`, `Tab`, `Escape` and the arrows up and down bubble, and so does Ctrl+D."""

    DEFAULT_CSS = """
    LineField { height: 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            ",".join(key for key in binding.key.split(",") if key != "ctrl+d"),
            binding.action,
            binding.description,
            id=binding.id,
            show=False,
        )
        for binding in TEXT_BINDINGS
        if binding.id not in LEFT_TO_SCREEN
    ]

    def __init__(self, text: str = "", *, placeholder: str = "", id: str | None = None) -> None:
        super().__init__(text, placeholder=placeholder, max_rows=1, id=id)

    def paste(self, text: str) -> None:
        """Line breaks become blanks, and nothing is folded away."""
        self.insert(" ".join(clean(text).split("\n")))

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.paste(event.text)
