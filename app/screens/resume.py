"""The list of sessions: find one, name it, throw it away, go on with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from textual.binding import BindingType

from ...agent.frozen import frozen
from ...sessions.choosing import QueryError, choose_sessions
from ...sessions.listing import SessionSummary
from ...widgets.pick_list import PickRow
from ...widgets.text.marks import marks
from ...widgets.text.numbers import format_count
from ..ages import format_age
from ..keys.screens import RESUME_KEYS
from ..sessions.store import Scope
from ..start_error import StartError
from .ask_text import AskTextScreen
from .choice import Answer, ChoiceScreen
from .picker import PickerScreen

BATCH = 400
"""Sessions that are read before the list is drawn again."""

ORDERS: tuple[tuple[str, Callable[[SessionSummary], int]], ...] = (
    ("last used first", lambda session: session.modified),
    ("newest first", lambda session: session.created),
    ("largest first", lambda session: session.size),
)


@frozen
class ResumeActions:
    """What the screen asks of the program. Those that cannot be done raise `StartError`.

    `sessions` reads disk as it goes on. `said` gives the files in which some words were said.
    """

    sessions: Callable[[Scope], Iterator[SessionSummary]]
    rename: Callable[[SessionSummary, str], Awaitable[None]]
    delete: Callable[[SessionSummary], Awaitable[None]]
    said: Callable[[str], Awaitable[frozenset[Path]]]


class ResumeScreen(PickerScreen[SessionSummary, SessionSummary | None]):
    """Returns the session to go on with. The list fills while it is read; typing filters at once."""

    BINDINGS: ClassVar[list[BindingType]] = list(RESUME_KEYS)

    HINTS = (
        ("picker.pick", "opens"),
        ("picker.cancel", "back"),
        ("picker.help", "keys"),
        ("resume.scope", "all folders"),
        ("resume.rename", "renames"),
        ("resume.delete", "deletes"),
        ("resume.order", "order"),
        ("resume.named", "named only"),
    )
    PLACEHOLDER = 'type to search: words, "a phrase", re:pattern'

    def __init__(self, actions: ResumeActions, folder: str, current: Path | None) -> None:
        super().__init__()
        self._actions = actions
        self._folder = folder
        self._current = current
        self._scope: Scope = "folder"
        self._order = 0
        self._is_named_only = False
        self._sessions: list[SessionSummary] = []
        self._is_reading = False
        self._said: tuple[str, frozenset[Path]] = ("", frozenset())

    def begin(self) -> None:
        self._read()

    # Reading

    def _read(self) -> None:
        self._sessions = []
        self._is_reading = True
        self.search()
        self._start(partial(self._fill, self._actions.sessions(self._scope)), "read")

    async def _fill(self, found: Iterator[SessionSummary]) -> None:
        """Read in a thread, batch by batch."""
        while batch := await asyncio.to_thread(lambda: list(islice(found, BATCH))):
            self._sessions.extend(batch)
            self.search(self.list.current if self.list.index else None)
        self._is_reading = False
        self.search(self.list.current if self.list.index else None)

    async def _find_said(self, query: str) -> None:
        """Sessions in which the words were said, from the search index; after a moment without typing."""
        await asyncio.sleep(0.2)
        self._said = (query, await self._actions.said(query))
        self.search(self.list.current if self.list.index else None)

    def _start(self, work: Callable[[], Coroutine[Any, Any, None]], group: str) -> None:
        """Not a coroutine: one that is replaced before it began would be told in the log as never awaited."""
        self.run_worker(work, group=group, exclusive=True, exit_on_error=False)

    # What the list shows

    def find(self, query: str) -> Sequence[SessionSummary]:
        sessions = [session for session in self._sessions if session.name or not self._is_named_only]
        sessions.sort(key=ORDERS[self._order][1], reverse=True)
        said = self._said[1] if self._said[0] == query else frozenset[Path]()
        try:
            return choose_sessions(sessions, query, said)
        except QueryError as error:
            self.hints.notice = str(error)
            return []

    def typed(self, query: str) -> None:
        if len(query.strip()) >= 3 and not query.startswith("re:"):
            self._start(partial(self._find_said, query), "said")

    @property
    def empty(self) -> str:
        if self._is_reading:
            return f"reading {marks().ellipsis}"
        if self._sessions:
            return "nothing found"
        return (
            "no sessions in this folder: tab shows those of all folders" if self._scope == "folder" else "no sessions"
        )

    def describe(self) -> None:
        self.heading.title = f"Sessions of {self._folder}" if self._scope == "folder" else "Sessions of all folders"
        count, shown = len(self._sessions), len(self.list.items)
        total = f"{count:,}{f' {marks().ellipsis}' if self._is_reading else ''}"
        named = ("named only",) if self._is_named_only else ()
        self.heading.facts = (ORDERS[self._order][0], *named, total if shown == count else f"{shown:,} of {total}")
        other = "all folders" if self._scope == "folder" else "this folder"
        self.show_hints((ids, other if ids == "resume.scope" else words) for ids, words in self.HINTS)

    def row(self, item: SessionSummary) -> PickRow:
        messages = "" if item.messages is None else f"{item.messages:,} messages"
        folder = (Path(item.cwd).name,) if self._scope == "all" else ()
        columns = (*folder, f"{messages:>14}", f"{format_count(item.size):>5}B", f"{format_age(item.modified):>10}")
        label = "open" if item.path == self._current else ""
        return PickRow(item.title, columns, label=label, style="" if item.name else "muted")

    # Keys

    def picked(self, item: SessionSummary) -> None:
        self.dismiss(item)

    def action_scope(self) -> None:
        """Sessions of this folder, or of all."""
        self._scope = "all" if self._scope == "folder" else "folder"
        self._read()

    def action_order(self) -> None:
        """The next order."""
        self._order = (self._order + 1) % len(ORDERS)
        self.search()

    def action_named(self) -> None:
        """Only sessions with a name, or all."""
        self._is_named_only = not self._is_named_only
        self.search(self.list.current)

    def action_rename(self) -> None:
        """Another name for the chosen session."""
        item = self.list.current
        if item is not None:
            self._start(partial(self._rename, item), "change")

    async def _rename(self, item: SessionSummary) -> None:
        name = await self.ask(AskTextScreen("Name of this session", item.name or "", item.title))
        if name is None:
            return
        try:
            await self._actions.rename(item, name)
        except StartError as error:
            self.hints.notice = str(error)
            return
        renamed = replace(item, name=" ".join(name.split()) or None)
        self._sessions[self._sessions.index(item)] = renamed
        self.search(renamed)

    def action_delete(self) -> None:
        """The chosen session to the trash, after a question."""
        item = self.list.current
        if item is not None and item.path == self._current:
            self.hints.notice = "This session is open: it stays."
        elif item is not None:
            self._start(partial(self._delete, item), "change")

    async def _delete(self, item: SessionSummary) -> None:
        answers = (Answer("k", "keep it"), Answer("d", "move it to the trash"))
        screen = ChoiceScreen("Delete this session?", answers, item.title)
        if await self.ask(screen) != "d":
            return
        try:
            await self._actions.delete(item)
        except StartError as error:
            self.hints.notice = str(error)
            return
        index = self.list.index
        self._sessions.remove(item)
        items = self.find(self.query_text)
        self.search(items[min(index, len(items) - 1)] if items else None)
