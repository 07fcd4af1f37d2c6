"""A stored session in the transcript: the end of its branch first of all, and which cell shows which entry."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from ..agent.messages import Message
from ..sessions.context import entry_message
from ..sessions.entries import SessionEntry
from ..sessions.session import Session
from ..widgets.cell import Cell
from ..widgets.numbers import format_plural
from ..widgets.transcript import Transcript

MOST_ENTRIES = 5_000
MOST_BYTES = 16 * 1024 * 1024
"""What is shown of a branch at most, from its end: memory must not grow with the file."""

SLICE = 0.008
"""Seconds of work between two chances for a key to be handled."""


class Showing:
    """Fills the transcript from a session and finds its entries there."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._cells: dict[str, Cell] = {}

    async def show(self, session: Session, entry_id: str | None = None) -> None:
        """The session's branch in place of what the transcript holds, else as `add`."""
        await self._fill(session, entry_id, clears=True)

    async def add(self, session: Session, entry_id: str | None = None) -> None:
        """Everything on the session's branch, or its end where it is very long, but from `entry_id` on at least."""
        await self._fill(session, entry_id, clears=False)

    async def _fill(self, session: Session, entry_id: str | None, *, clears: bool) -> None:
        path = session.tree.path()
        first = first_shown(path, entry_id)
        shown = await asyncio.to_thread(_messages, path[first:])
        if clears:
            self._transcript.clear()
            self._cells.clear()
        hidden = sum(entry.type in ("message", "custom_message") for entry in path[:first])
        if hidden:
            hint = "They stay in the session's file; /tree leads to them."
            self._transcript.add_note("info", f"{format_plural(hidden, 'earlier message')} not shown", hint)
        until = time.monotonic() + SLICE
        for shown_id, message in shown:
            self._add(shown_id, message)
            if time.monotonic() > until:
                await asyncio.sleep(0)
                until = time.monotonic() + SLICE

    def jump(self, entry_id: str) -> bool:
        """Bring an entry to the top of the window; False if no cell is known to show it."""
        cell = self._cells.get(entry_id)
        if cell is None or cell not in self._transcript.history.cells:
            return False
        self._transcript.history.show(cell)
        self._transcript.refresh_rows()
        return True

    def _add(self, entry_id: str, message: Message) -> None:
        cells = self._transcript.history.cells
        count = len(cells)
        self._transcript.add_message(message)
        if len(cells) > count:
            self._cells[entry_id] = cells[count]
        elif cells:
            self._cells[entry_id] = cells[-1]


def first_shown(path: Sequence[SessionEntry], entry_id: str | None = None) -> int:
    """The index from which a branch is shown."""
    size, index = 0, len(path)
    while index > 0 and len(path) - index < MOST_ENTRIES and size <= MOST_BYTES:
        index -= 1
        size += path[index].line.size
    wanted = next((place for place, entry in enumerate(path) if entry.id == entry_id), index)
    return min(index, wanted)


def _messages(path: Sequence[SessionEntry]) -> list[tuple[str, Message]]:
    pairs = ((entry.id, entry_message(entry)) for entry in path)
    return [(entry_id, message) for entry_id, message in pairs if message is not None]
