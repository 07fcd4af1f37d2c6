"""A question with a few answers, over the main screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from ...widgets.pick_list import PickList, PickRow
from ...widgets.text.lines import cells
from ...widgets.text.outside_text import outside_content
from ..keys.screens import CHOICE_KEYS
from .key_line import key_line

MIN_WIDTH = 40
FRAME_WIDTH = 6
"""Cells of the border and the blanks beside the texts."""


class Answer(NamedTuple):
    """`key` is the letter that gives it at once, and what the screen returns."""

    key: str
    words: str


class ChoiceScreen(ModalScreen[str | None], inherit_bindings=False):
    """Returns the key of the answer, None for Escape. The first answer is highlighted: put the safe one there."""

    DEFAULT_CSS = """
    ChoiceScreen {
        background: $background 60%;
        align: center middle;
        & > Vertical {
            max-width: 100%; height: auto; max-height: 100%;
            padding: 1 2; background: $background; border: round $foreground 30%;
        }
        & Static { width: auto; max-width: 100%; height: auto; margin-bottom: 1; }
        & .choice--question { text-style: bold; margin-bottom: 0; padding-bottom: 1; }
        & .choice--keys { margin: 1 0 0 0; }
        & PickList { width: 100%; height: auto; padding: 0; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = list(CHOICE_KEYS)

    def __init__(self, question: str, answers: Sequence[Answer], about: str = "") -> None:
        super().__init__()
        self._question = question
        self._about = about
        self._answers = answers
        self._list: PickList[Answer] = PickList(_row, wraps=True)

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.styles.width = self._width
            yield Static(outside_content(self._question), classes="choice--question", markup=False)
            if self._about:
                yield Static(outside_content(self._about), markup=False)
            yield self._list
            yield Static(key_line(self, ("choice.cancel", "back")), classes="choice--keys", markup=False)

    @property
    def _width(self) -> int:
        """Cells that all of it takes in one line each, with the frame around it."""
        texts = (self._question, *self._about.splitlines(), *(f"{answer.words}      " for answer in self._answers))
        return max(MIN_WIDTH, max(map(cells, texts)) + FRAME_WIDTH)

    def on_mount(self) -> None:
        self._list.show(self._answers)

    def on_key(self, event: events.Key) -> None:
        if any(answer.key == event.character for answer in self._answers):
            event.stop()
            self.dismiss(event.character)

    def on_pick_list_picked(self) -> None:
        self.action_pick()

    def action_pick(self) -> None:
        """Enter."""
        answer = self._list.current
        self.dismiss(answer.key if answer else None)

    def action_move(self, rows: int) -> None:
        """Up or down."""
        self._list.move(rows)


def _row(answer: Answer) -> PickRow:
    return PickRow(answer.words, label=answer.key)
