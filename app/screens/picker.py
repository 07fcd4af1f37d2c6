"""A screen with a list from which one item is picked, narrowed down while one types."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Generic, TypeVar, cast

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.message_pump import _MessagePumpMeta  # pyright: ignore[reportPrivateUsage]
from textual.screen import ModalScreen, Screen
from textual.timer import Timer

from ...widgets.editor.line_field import LineField
from ...widgets.editor.text_editor import TextEditor
from ...widgets.pick_list import PickList, PickRow
from ...widgets.terminal.key_dispatch import first_key
from ..keys.screens import PICKER_KEYS
from .ask import ask
from .frame import FrameHints, FrameTitle

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")
AnswerT = TypeVar("AnswerT")

TYPING_SECONDS = 0.015
"""How long a letter waits for more before the list is searched."""


class AbstractScreen(_MessagePumpMeta, ABCMeta):
    """The metaclass of a screen with methods that a subclass must have."""


class PickerScreen(ModalScreen[ResultT], Generic[ItemT, ResultT], metaclass=AbstractScreen, inherit_bindings=False):
    """Title, search field, list, keys. A subclass says what is found, how a row looks, and what picking one gives.

    Escape gives None, as `ModalScreen.dismiss` without a result does.
    """

    DEFAULT_CSS = """
    PickerScreen {
        background: $background;
        layout: vertical;
        & > LineField { margin: 1 0; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = list(PICKER_KEYS)

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (("picker.pick", "picks"), ("picker.cancel", "back"))
    """Ids of bindings and what they do; two ids that belong together are parted by a comma."""
    PLACEHOLDER = "type to search"
    WRAPS = False

    def __init__(self, query: str = "") -> None:
        super().__init__()
        self.heading = FrameTitle()
        self.field = LineField(query, placeholder=self.PLACEHOLDER)
        self.list: PickList[ItemT] = PickList(self.row, wraps=self.WRAPS)
        self.hints = FrameHints()
        self._soon: Timer | None = None

    # What a subclass says

    @abstractmethod
    def row(self, item: ItemT) -> PickRow:
        """How an item looks."""

    @abstractmethod
    def find(self, query: str) -> Sequence[ItemT]:
        """The items for what is typed, in the order in which they stand."""

    @abstractmethod
    def picked(self, item: ItemT) -> None:
        """Enter on an item."""

    def describe(self) -> None:
        """Bring the title up to date."""

    @property
    def empty(self) -> str:
        """What stands in place of an empty list."""
        return "nothing found" if self.query_text else "nothing here"

    # What it does

    @property
    def query_text(self) -> str:
        return self.field.text

    def compose(self) -> ComposeResult:
        yield self.heading
        yield self.field
        yield self.list
        yield self.hints

    def on_mount(self) -> None:
        self.show_hints(self.HINTS)
        self.field.focus()
        self.search()
        self.begin()

    def show_hints(self, hints: Iterable[tuple[str, str]]) -> None:
        """Show what keys do: ids of bindings as in `HINTS`, and words. One that has no key is left out."""
        keys = [(_together([first_key(self, each) for each in ids.split(",")]), words) for ids, words in hints]
        self.hints.hints = [(key, words) for key, words in keys if key]

    def begin(self) -> None:
        """What is done once, when the list stands."""

    def typed(self, query: str) -> None:
        """What is done besides, when the search is another one."""

    def search(self, chosen: ItemT | None = None) -> None:
        """Find again; `chosen` (or else the first) is chosen."""
        items = self.find(self.query_text)
        index = next((index for index, item in enumerate(items) if item is chosen), 0) if chosen is not None else 0
        self.list.show(items, index, empty=self.empty)
        self.describe()

    async def ask(self, screen: Screen[AnswerT]) -> AnswerT | None:
        """Another screen over this one, and its answer; to be awaited in a worker."""
        return await ask(cast("App[Any]", self.app), screen)  # pyright: ignore[reportUnknownMemberType]

    def on_text_editor_changed(self, message: TextEditor.Changed) -> None:
        message.stop()
        self.hints.notice = ""
        self.typed(self.query_text)
        if self._soon is None:
            # Letters that arrive together are looked for together.
            self._soon = self.set_timer(TYPING_SECONDS, self._search_now)

    def _search_now(self) -> None:
        self._soon = None
        self.search()

    def on_pick_list_picked(self, message: PickList.Picked) -> None:
        message.stop()
        self.action_pick()

    def action_pick(self) -> None:
        """Enter."""
        if self._soon is not None:
            self._soon.stop()
            self._search_now()
        item = self.list.current
        if item is not None:
            self.picked(item)

    def action_help(self) -> None:
        """All keys, those of this list first."""
        from .help import HelpScreen, groups_of  # most lists are left without it

        self.app.push_screen(HelpScreen(groups_of(self.BINDINGS)))  # pyright: ignore[reportUnknownMemberType]

    def action_cancel(self) -> None:
        """Escape: back, with nothing."""
        self.dismiss(None)

    def action_move(self, rows: int) -> None:
        """Up or down."""
        self.hints.notice = ""
        self.list.move(rows)

    def action_page(self, direction: int) -> None:
        """A page up or down."""
        self.list.page(direction)

    def action_edge(self, end: bool) -> None:
        """The first or the last item."""
        self.list.to_edge(end=end)


def _together(keys: Sequence[str]) -> str:
    """Keys that belong together: signs such as arrows without a blank, names parted by one."""
    return ("" if all(len(key) < 2 for key in keys) else " ").join(filter(None, keys))
