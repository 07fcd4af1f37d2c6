"""A stored session in the transcript: the end of its branch at once, the rest above it, and which cell shows which entry."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from ...agent.messages import Message
from ...sessions.context import entry_message
from ...sessions.entries import MessageEntry, SessionEntry
from ...sessions.session import Session
from ...widgets.text.numbers import format_plural
from ...widgets.transcript.cell import Cell
from ...widgets.transcript.feed import Feed
from ...widgets.transcript.history import History
from ...widgets.transcript.note_cells import NoteCell
from ...widgets.transcript.transcript import Transcript

MOST_ENTRIES = 8_000
MOST_BYTES = 16 * 1024 * 1024
"""What is shown of a branch at most, from its end: memory must not grow with the file."""

END_ENTRIES = 40
"""About how many entries are shown first of all: more than a screen."""

SLICE = 0.008
"""Seconds of work between two chances for a key to be handled."""


class Showing:
    """Fills the transcript from a session and finds its entries there."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._cells: dict[str, Cell] = {}
        self._rest: Sequence[SessionEntry] = ()
        self._hidden = 0
        self._above: _FeedAbove | None = None

    async def show(self, session: Session, entry_id: str | None = None) -> None:
        """The session's branch in place of what the transcript holds, or its end where it is very long; but from
        `entry_id` on at least."""
        self._transcript.clear()
        self.show_end(session, entry_id)
        await self.show_rest()

    def show_end(self, session: Session, entry_id: str | None = None) -> None:
        """The last messages of the branch, below what the transcript holds. Cheap, however long the branch is."""
        path = session.tree.path()
        first, split = first_shown(path, entry_id), first_of_end(path)
        self._cells.clear()
        self._above = None
        self._rest = path[first:split]
        self._hidden = sum(entry.type in ("message", "custom_message") for entry in path[:first])
        cells = self._transcript.history.cells
        count = len(cells)
        for entry in path[max(first, split) :]:
            message = entry_message(entry)
            if message is not None:
                self._add(entry.id, message, self._transcript.add_message)
        anchor = cells[count] if len(cells) > count else None
        self._above = _FeedAbove(self._transcript.history, anchor)

    async def show_rest(self) -> None:
        """All that comes before. Gives way to keys; ends early if something else is shown meanwhile."""
        above, rest = self._above, self._rest
        self._rest = ()
        if above is None:
            return
        if self._hidden:
            hint = "They stay in the session's file; /tree leads to them."
            above.add(NoteCell("info", f"{format_plural(self._hidden, 'earlier message')} not shown", hint))
        messages = await asyncio.to_thread(_messages, rest) if rest else []
        until = time.monotonic() + SLICE
        for shown_id, message in messages:
            if above is not self._above:
                return
            self._add(shown_id, message, above.add_message)
            if time.monotonic() > until:
                await asyncio.sleep(0)
                until = time.monotonic() + SLICE
        self._transcript.refresh_rows()

    def jump(self, entry_id: str) -> bool:
        """Bring an entry to the top of the window; False if no cell is known to show it."""
        cell = self._cells.get(entry_id)
        if cell is None or cell not in self._transcript.history.cells:
            return False
        self._transcript.history.show(cell)
        self._transcript.refresh_rows()
        return True

    def _add(self, entry_id: str, message: Message, add: Callable[[Message], None]) -> None:
        cells = self._transcript.history.cells
        anchor = None if self._above is None else self._above.anchor
        place, count = len(cells) if anchor is None else _index(cells, anchor), len(cells)
        add(message)
        if len(cells) > count:
            self._cells[entry_id] = cells[place]


class _FeedAbove(Feed):
    """Puts cells above one that stands already."""

    def __init__(self, history: History, anchor: Cell | None) -> None:
        super().__init__(history)
        self.anchor = anchor

    def _first_status(self) -> Cell | None:
        return self.anchor


def _index(cells: Sequence[Cell], cell: Cell) -> int:
    return next(index for index in range(len(cells) - 1, -1, -1) if cells[index] is cell)


def first_shown(path: Sequence[SessionEntry], entry_id: str | None = None) -> int:
    """The index from which a branch is shown."""
    size, index = 0, len(path)
    while index > 0 and len(path) - index < MOST_ENTRIES and size <= MOST_BYTES:
        index -= 1
        size += path[index].line.size
    wanted = next((place for place, entry in enumerate(path) if entry.id == entry_id), index)
    return min(index, wanted)


def first_of_end(path: Sequence[SessionEntry]) -> int:
    """The index of a message of the person some way before the end: no call is parted from its result there."""
    for index in range(max(len(path) - END_ENTRIES, 0), 0, -1):
        entry = path[index]
        if isinstance(entry, MessageEntry) and entry.role == "user":
            return index
    return 0


def _messages(path: Sequence[SessionEntry]) -> list[tuple[str, Message]]:
    pairs = ((entry.id, entry_message(entry)) for entry in path)
    return [(entry_id, message) for entry_id, message in pairs if message is not None]
