"""A screen with a list from which one item is picked, narrowed down while one types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar, cast

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, Screen
from textual.timer import Timer

from ...widgets.line_field import LineField
from ...widgets.pick_list import PickList, PickRow
from ...widgets.text_editor import TextEditor
from .ask import ask
from .frame import FrameHints, FrameTitle

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")
AnswerT = TypeVar("AnswerT")

TYPING_SECONDS = 0.015
"""How long a letter waits for more before the list is searched."""


class PickerScreen(ModalScreen[ResultT], Generic[ItemT, ResultT]):
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

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "cancel", "back", id="picker.cancel", show=False),
        Binding("enter", "pick", "take it", id="picker.pick", show=False),
        Binding("up", "move(-1)", "up", id="picker.up", show=False),
        Binding("down", "move(1)", "down", id="picker.down", show=False),
        Binding("pageup", "page(-1)", "a page up", id="picker.page_up", show=False),
        Binding("pagedown", "page(1)", "a page down", id="picker.page_down", show=False),
        Binding("ctrl+home", "edge(False)", "first", id="picker.first", show=False),
        Binding("ctrl+end", "edge(True)", "last", id="picker.last", show=False),
    ]

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (("enter", "picks"), ("esc", "back"))
    PLACEHOLDER = "type to search"
    WRAPS = False

    def __init__(self) -> None:
        super().__init__()
        self.heading = FrameTitle()
        self.field = LineField(placeholder=self.PLACEHOLDER)
        self.list: PickList[ItemT] = PickList(self.row, wraps=self.WRAPS)
        self.hints = FrameHints()
        self._soon: Timer | None = None

    # What a subclass says

    def row(self, item: ItemT) -> PickRow:
        """How an item looks."""
        raise NotImplementedError

    def find(self, query: str) -> Sequence[ItemT]:
        """The items for what is typed, in the order in which they stand."""
        raise NotImplementedError

    def picked(self, item: ItemT) -> None:
        """Enter on an item."""
        raise NotImplementedError

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
        self.hints.hints = self.HINTS
        self.field.focus()
        self.search()
        self.begin()

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
