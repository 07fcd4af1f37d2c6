"""Search in everything that was ever said, in all sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import ClassVar

from textual.binding import BindingType

from ...agent.frozen import frozen
from ...sessions.identifiers import milliseconds_of
from ...sessions.search import SearchError, SearchHit
from ...widgets.pick_list import PickRow
from ..ages import format_age
from ..keys.screens import SEARCH_KEYS
from .picker import PickerScreen

WAIT = 0.12
"""Seconds without a key before the index is asked."""

ROLES = {"user": "you", "assistant": "model", "bashExecution": "you ran", "": "name"}
"""Who said it, in words."""


@frozen
class SearchActions:
    """What the screen asks of the program. `search` may raise `SearchError`.

    `update` brings the index up to date and tells (files done, in all) from any thread.
    """

    search: Callable[[str, bool], Awaitable[list[SearchHit]]]
    update: Callable[[Callable[[int, int], None], Callable[[], bool]], Awaitable[None]]


class SearchScreen(PickerScreen[SearchHit, SearchHit | None]):
    """Returns the hit to go to. The index is brought up to date meanwhile."""

    BINDINGS: ClassVar[list[BindingType]] = list(SEARCH_KEYS)

    PLACEHOLDER = 'words, or "a phrase"'

    def __init__(self, actions: SearchActions, query: str = "") -> None:
        super().__init__()
        self._actions = actions
        self._first = query
        self._hits: list[SearchHit] = []
        self._is_everywhere = True
        self._progress = (0, 0)
        self._is_reading = False
        self._is_leaving = False

    def begin(self) -> None:
        self.run_worker(self._update(), group="index", exit_on_error=False)
        self.field.insert(self._first)

    def on_unmount(self) -> None:
        self._is_leaving = True

    async def _update(self) -> None:
        """Bring the index up to date; every now and then look again for what is typed."""
        self._is_reading = True
        try:
            update = asyncio.ensure_future(self._actions.update(self._tell, lambda: self._is_leaving))
            while not update.done():
                await asyncio.wait({update}, timeout=0.3)
                self.describe()
            await update
        except SearchError as error:
            self.hints.notice = str(error)
        self._progress, self._is_reading = (0, 0), False
        self._ask()
        self.describe()

    def _tell(self, done: int, total: int) -> None:
        self._progress = (done, total)

    # What the list shows

    def typed(self, query: str) -> None:
        self._ask()

    def _ask(self) -> None:
        self.run_worker(self._search(self.query_text), group="search", exclusive=True, exit_on_error=False)

    async def _search(self, query: str) -> None:
        await asyncio.sleep(WAIT)
        chosen = self.list.current
        try:
            self._hits = await self._actions.search(query, self._is_everywhere)
        except SearchError as error:
            self.hints.notice = str(error)
        self.search(next((hit for hit in self._hits if chosen is not None and hit.entry_id == chosen.entry_id), None))

    def find(self, query: str) -> Sequence[SearchHit]:
        return self._hits

    @property
    def empty(self) -> str:
        if not self.query_text.strip():
            return "type what was said"
        return "nothing found yet: sessions are still being read" if self._is_reading else "nothing found"

    def describe(self) -> None:
        self.heading.title = (
            "Search in all sessions" if self._is_everywhere else "Search in the sessions of this folder"
        )
        done, total = self._progress
        reading = (f"reading {done:,} of {total:,}",) if total and done < total else ()
        self.heading.facts = (*reading, f"{len(self._hits):,}")
        other = "this folder" if self._is_everywhere else "all folders"
        hints = (
            ("picker.pick", "goes there"),
            ("picker.cancel", "back"),
            ("search.scope", other),
            ("picker.help", "keys"),
        )
        self.show_hints(hints)

    def row(self, item: SearchHit) -> PickRow:
        who = f"{ROLES.get(item.role, item.role)}: "
        place = item.name or Path(item.cwd).name
        age = f"{format_age(milliseconds_of(item.timestamp)):>10}" if item.timestamp else ""
        spans = tuple((start + len(who), end + len(who)) for start, end in item.matches)
        return PickRow(f"{who}{item.snippet}", (place[:30], age), spans=spans)

    # Keys

    def picked(self, item: SearchHit) -> None:
        self.dismiss(item)

    def action_scope(self) -> None:
        """All sessions, or those of this folder."""
        self._is_everywhere = not self._is_everywhere
        self._ask()
        self.describe()
