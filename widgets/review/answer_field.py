"""The field of the approval panel: a sentence, a command or a hunk's text of the person's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, cast

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.dom import DOMNode
from textual.message import Message

from ..editor.text_editor import TextEditor
from ..terminal.key_dispatch import first_key, run_own
from ..text.marks import marks
from .ground import FIELD_ROWS

FieldUse: TypeAlias = Literal["sentence", "command", "hunk", "text"]
"""What is written: why not, the command to run instead, the new text of a hunk, the whole text of a file."""

OF_LINES = frozenset[FieldUse]({"hunk", "text"})
"""Texts of many lines, in which Enter breaks the line and another key ends the writing."""

PROMPTS: dict[FieldUse, str] = {
    "sentence": "why not?",
    "command": "the command to run instead",
    "hunk": "nothing: these lines are removed",
    "text": "nothing: an empty file",
}

HINTS: dict[FieldUse, tuple[tuple[str, str], ...]] = {
    "sentence": (("approval.field_send", "refuses with this sentence"), ("approval.field_back", "back")),
    "command": (
        ("approval.field_send", "runs this instead"),
        ("approval.field_back", "back"),
        ("editor.newline", "new line"),
        ("app.edit_outside", "your editor"),
    ),
    "text": (
        ("approval.field_keep", "writes this instead"),
        ("app.edit_outside", "your editor"),
        ("approval.field_back", "back"),
    ),
    "hunk": (
        ("approval.field_keep", "keeps this text"),
        ("app.edit_outside", "your editor"),
        ("approval.field_back", "back"),
    ),
}
"""Ids of bindings and what they do."""


class AnswerField(Vertical):
    """A text field that is open for one use at a time. What was begun and left is there again when it is opened anew."""

    DEFAULT_CSS = """
    AnswerField { height: auto; display: none; }
    AnswerField.-open { display: block; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "in the field: send it", id="approval.field_send", show=False),
        Binding(
            "ctrl+s,alt+enter", "keep", "in a hunk's or a file's text: keep it", id="approval.field_keep", show=False
        ),
        Binding("escape", "back", "in the field: back", id="approval.field_back", show=False),
    ]

    @dataclass
    class Sent(Message):
        """The text is the answer, or for a hunk what stands there now."""

        use: FieldUse
        text: str

    @dataclass
    class Left(Message):
        """Back to where it was opened; the text is no answer yet."""

        use: FieldUse
        text: str

    def __init__(self) -> None:
        super().__init__()
        self._use: FieldUse = "sentence"
        self._drafts: dict[FieldUse, str] = {}
        self._editor = TextEditor(max_rows=FIELD_ROWS)

    def compose(self) -> ComposeResult:
        yield self._editor

    @property
    def editor(self) -> TextEditor | None:
        """Where one writes, if it is open now."""
        return self._editor if self.has_class("-open") else None

    @property
    def use(self) -> FieldUse:
        """What is written, or was last."""
        return self._use

    @property
    def hint(self) -> str:
        """The keys that work here, and what they do."""
        app = cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType]
        owners: dict[str, DOMNode] = {"editor": self._editor, "app": app}
        keys = [(first_key(owners.get(each.partition(".")[0], self), each), words) for each, words in HINTS[self._use]]
        return f" {marks().dot} ".join(f"{key} {words}" for key, words in keys if key)

    def open(self, use: FieldUse, text: str) -> None:
        """Write `text` on, or what was begun before. Takes the focus."""
        self._use = use
        self._editor.placeholder = PROMPTS[use]
        self._editor.set_text(self._drafts.pop(use, text))
        self.add_class("-open")
        self._editor.focus()

    def close(self) -> None:
        """Not shown; a sentence or a command that was begun is kept here (a hunk's text by its choice)."""
        if self.has_class("-open") and self._use != "hunk":
            self._drafts[self._use] = self._editor.text
        self.remove_class("-open")

    def forget(self) -> None:
        """Not shown, and nothing is kept: another question."""
        self.remove_class("-open")
        self._drafts.clear()

    # Keys

    def on_key(self, event: events.Key) -> None:
        if run_own(self, event.key):
            event.stop()
            event.prevent_default()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only a text of lines, in which Enter breaks the line, is kept with a key of its own."""
        return action != "keep" or self._use in OF_LINES

    def action_send(self) -> None:
        """Answer with the text; in one of lines, break the line."""
        if self._use in OF_LINES:
            self._editor.action_newline()
        else:
            self.action_keep()

    def action_keep(self) -> None:
        """Take the text as it is."""
        self.post_message(self.Sent(self._use, self._editor.text))

    def action_back(self) -> None:
        """Leave the field."""
        self.post_message(self.Left(self._use, self._editor.text))
