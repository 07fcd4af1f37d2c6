"""The tree of a session: every branch that was ever taken, to go on from any place in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar, get_args

from textual.binding import BindingType

from ...agent.frozen import frozen
from ...sessions.identifiers import milliseconds_of
from ...sessions.outline import OutlineFilter, OutlineRow, TreeOutline
from ...widgets.pick_list import PickRow
from ...widgets.text.marks import marks
from ...widgets.text.numbers import format_plural
from ..ages import format_age
from ..keys.screens import TREE_KEYS
from .ask_text import AskTextScreen
from .picker import PickerScreen

FILTERS: tuple[OutlineFilter, ...] = get_args(OutlineFilter)

FILTER_WORDS: dict[OutlineFilter, str] = {
    "default": "messages and calls",
    "no-tools": "without tool results",
    "user-only": "only yours",
    "labeled-only": "only labelled",
    "all": "everything",
}

DEEPEST = 24
"""Cells of indentation at most."""


@frozen
class TreeActions:
    """What the screen asks of the program: a label for an entry (an empty one takes it away; the answer says why it
    cannot be), an entry's text as a copy (the answer says what became of it)."""

    label: Callable[[str, str], str]
    copy: Callable[[str], Awaitable[str]]


class TreeScreen(PickerScreen[OutlineRow, str | None]):
    """Returns the id of the entry to go to. Arrows left and right fold and unfold while the search is empty."""

    BINDINGS: ClassVar[list[BindingType]] = list(TREE_KEYS)

    HINTS = (
        ("picker.pick", "goes there"),
        ("picker.cancel", "back"),
        ("picker.help", "keys"),
        ("tree.filter", "shows more or less"),
        ("tree.fold,tree.unfold", "fold"),
        ("tree.label", "labels"),
        ("tree.copy", "copies"),
        ("tree.times", "times"),
    )
    WRAPS = True

    def __init__(self, outline: TreeOutline, chosen: str | None, actions: TreeActions, notice: str = "") -> None:
        super().__init__()
        self._notice = notice
        self._outline = outline
        self._actions = actions
        self._shows: OutlineFilter = "default"
        self._folded: set[str] = set()
        self._has_times = False
        self._last_query = ""
        self._wanted = chosen

    def begin(self) -> None:
        self.hints.notice = self._notice

    # What the list shows

    def find(self, query: str) -> Sequence[OutlineRow]:
        return self._outline.rows(self._shows, query, self._folded)

    def search(self, chosen: OutlineRow | None = None) -> None:
        """Find again. What was chosen stays so, or else its nearest ancestor that is seen; a new search unfolds all."""
        if self.query_text != self._last_query:
            self._last_query = self.query_text
            self._folded.clear()
        current = self.list.current
        wanted = current.entry_id if current else self._wanted
        rows = self.find(self.query_text)
        seen = {row.entry_id: index for index, row in enumerate(rows)}
        nearest = self._outline.nearest(wanted, seen)
        self._wanted = wanted
        self.list.show(rows, seen[nearest] if nearest else 0, empty=self.empty)
        self.describe()

    def describe(self) -> None:
        self.heading.title = "Tree of this session"
        self.heading.facts = (FILTER_WORDS[self._shows], f"{len(self.list.items):,}")

    def row(self, item: OutlineRow) -> PickRow:
        rule = marks().rule
        lead = f"{rule} " * min(item.depth, DEEPEST // 2)
        if lead and item.starts_branch:
            lead = lead[:-2] + ("├ " if rule == "│" else "+ ")
        columns: list[str] = []
        if item.hidden_below:
            columns.append(f"{format_plural(item.hidden_below, 'row')} folded")
        if self._has_times and item.label_time:
            columns.append(format_age(milliseconds_of(item.label_time)))
        if item.is_leaf:
            columns.append("you are here")
        label = f"[{item.label}]" if item.label else ""
        return PickRow(item.text, tuple(columns), lead, label, "" if item.is_active else "muted")

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The arrows move in the search as soon as there is one."""
        return action != "fold" or self.field.is_empty

    def picked(self, item: OutlineRow) -> None:
        self.dismiss(item.entry_id)

    def action_filter(self) -> None:
        """The next selection of entries."""
        self._shows = FILTERS[(FILTERS.index(self._shows) + 1) % len(FILTERS)]
        self._folded.clear()
        self.search()

    def action_fold(self, fold: bool) -> None:
        """Hide or show what hangs below the chosen entry."""
        row = self.list.current
        if row is None or not row.can_fold:
            return
        if fold:
            self._folded.add(row.entry_id)
        else:
            self._folded.discard(row.entry_id)
        self.search()

    def action_times(self) -> None:
        """Show when labels were given, or not."""
        self._has_times = not self._has_times
        self.list.refresh()

    def action_label(self) -> None:
        """Name the chosen entry."""
        row = self.list.current
        if row is not None:
            self.run_worker(self._label(row), group="change", exclusive=True, exit_on_error=False)

    async def _label(self, row: OutlineRow) -> None:
        label = await self.ask(AskTextScreen("Label of this entry (empty takes it away)", row.label or "", row.text))
        if label is not None:
            self.hints.notice = self._actions.label(row.entry_id, label)
            self.search()

    def action_copy(self) -> None:
        """Copy the chosen entry's text."""
        row = self.list.current
        if row is not None:
            self.run_worker(self._copy(row), group="copy", exclusive=True, exit_on_error=False)

    async def _copy(self, row: OutlineRow) -> None:
        self.hints.notice = await self._actions.copy(row.entry_id)
