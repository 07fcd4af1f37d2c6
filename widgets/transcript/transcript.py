"""The transcript: the one widget that takes every event of a run and every verb about it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial
from typing import ClassVar, Literal

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message as TextualMessage
from textual.timer import Timer

from ...agent.details import Details
from ...agent.events import AgentEnd, AgentEvent
from ...agent.messages import Message
from ..terminal.key_dispatch import own_bindings
from ..terminal.key_names import typed_text
from ..terminal.repaint import repaint_now
from .cell import Cell
from .feed import Feed
from .note_cells import Level, NoteCell
from .read_view import ReadView
from .tool_cell import ToolCell

FRAME_SECONDS = 1 / 30
"""The shortest time between two frames; a frame that costs more makes the next one wait longer."""

TICK_SECONDS = 1 / 8

STILL_TICKS = 8
"""Without motion only each of so many ticks is shown: the seconds, no tenths that run."""
"""How often spinners and seconds move while something runs. Nothing ticks while nothing runs."""

PANEL_ROWS = 5
"""Rows of the window that a change which waits leaves to its first row and to the question."""

LEAST_ROWS = 4
"""Rows that it takes in any case."""

LATE_SECONDS = 1.0
"""After this time a message that is not on disk says so."""


LEAST_OF_CHANGE = 5
"""Rows of a waiting change that must be in sight, if it has as many."""


class Transcript(ReadView, inherit_bindings=False):
    """Shows a run as it happens. Feed it with `handle`; everything else is for the person's keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *ReadView.BINDINGS,
        Binding("x", "abort_call", "stop the chosen call alone", show=False, id="transcript.abort_call"),
        Binding("tab,i", "leave", "back to the editor", show=False, id="transcript.leave"),
    ]

    class Left(TextualMessage):
        """The person wants to write again."""

    class Typed(TextualMessage):
        """Text that is no key of the view: it was meant for the editor."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class CallAbortRequested(TextualMessage):
        """The person wants this one call stopped; the others go on."""

        def __init__(self, call_id: str) -> None:
            super().__init__()
            self.call_id = call_id

    def __init__(self, *, folder: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(folder=folder, id=id, classes=classes)
        self._feed = Feed(self.history)
        self._frame_timer: Timer | None = None
        self._tick_timer: Timer | None = None
        self._is_ticking = False
        self._ticks = 0
        self._frame_end = 0.0
        self._frame_cost = 0.0
        self._follows_again = False  # the end was left only to show what waits

    def on_mount(self) -> None:
        self._tick_timer = self.set_interval(TICK_SECONDS, self._tick, name="tick", pause=True)

    # ---- what the app tells it

    def handle(self, event: AgentEvent) -> None:
        """Take one event of the run: synchronous, cheap, drawn with the next frame."""
        self._feed.handle(event)
        self._changed(is_urgent=isinstance(event, AgentEnd))

    def add_message(self, message: Message) -> None:
        """Show a stored message."""
        self._feed.add_message(message)
        self._changed()

    def save(self, entry_id: str) -> None:
        """The person's last message is the entry of this id; it is shown as on its way until `saved`."""
        self._feed.save(entry_id)
        self.set_timer(LATE_SECONDS, partial(self._late, entry_id))

    def saved(self, entry_ids: Iterable[str]) -> None:
        """These entries are on disk."""
        if self._feed.saved(entry_ids):
            self._repaint_saving()

    def _late(self, entry_id: str) -> None:
        if self._feed.is_late(entry_id):
            self._repaint_saving()

    def _repaint_saving(self) -> None:
        self.refresh_rows()
        self._changed()

    def add_note(self, level: Level, text: str, hint: str = "") -> None:
        """Show something that is no message, with what to do next."""
        self._feed.add(NoteCell(level, text, hint))
        self._changed()

    def waiting(self, call_id: str, preview: Details | None) -> None:
        """A call waits for the person's approval; its cell shows `preview`, as far as the window has room for it."""
        self._feed.wait(call_id, preview, rows=max(self.size.height - PANEL_ROWS, LEAST_ROWS))
        self.refresh_rows()
        cell = self._feed.calls.get(call_id)
        self._cursor, self._hunk = cell or self._cursor, None
        if cell is not None and self.history.is_following and self.history.row_of(cell) is None:
            self._follows_again = True
            self.history.show(cell)
        self._changed()

    def shows_waiting(self, call_id: str) -> bool:
        """Whether what a waiting call would do can be read: a few rows of it are in sight, or its end is."""
        self.refresh_rows()
        cell = self._feed.calls.get(call_id)
        if cell is None:
            return True
        rows = [row for row in self.history.rows if row.cell is cell and row.part is not cell.parts[cell.has_gap]]
        end = cell.parts[-1].height(self.history.width) - 1
        return len(rows) >= LEAST_OF_CHANGE or any(row.part is cell.parts[-1] and row.line == end for row in rows)

    def resumed(self, call_id: str, command: str = "") -> None:
        """The person has answered for a call that waited; `command` is what runs in place of the proposed one.

        It is no longer the chosen cell, unless they chose it.
        """
        if self._cursor is self._feed.calls.get(call_id) and not self.has_focus:
            self._cursor = None
        self._feed.resume(call_id, command)
        self._hunk = None
        if self._follows_again:
            self.history.follow()
        self._changed()

    def clear(self) -> None:
        super().clear()
        self._feed = Feed(self.history, stop_hint=self._feed.stop_hint)

    def show_stop_key(self, hint: str) -> None:
        """How to stop what goes on, such as ``esc stops``; empty if no key does."""
        self._feed.stop_hint = hint

    # ---- frames

    def _changed(self, *, is_urgent: bool = False) -> None:
        """Draw now if the person waits for it, soon if the last frame is long ago, else when its time has come."""
        if not self.is_attached or (self._frame_timer is not None and not is_urgent):
            return
        self._set_ticking(True)
        if is_urgent:
            if self._frame_timer is not None:
                self._frame_timer.stop()
            self._frame()
            repaint_now(self)
            return
        delay = self._frame_end + max(FRAME_SECONDS, 4 * self._frame_cost) - time.monotonic()
        self._frame_timer = self.set_timer(max(delay, 0.001), self._frame, name="frame")

    def flush(self) -> None:
        """Draw what is new now, not with the next frame."""
        self._feed.advance()
        self.refresh_rows()

    def _frame(self) -> None:
        self._frame_timer = None
        begin = time.monotonic()
        self.flush()
        self._frame_end = time.monotonic()
        self._frame_cost = self._frame_end - begin

    @property
    def is_ticking(self) -> bool:
        """Whether a timer runs, which it does only while something moves."""
        return self._is_ticking

    def _set_ticking(self, is_ticking: bool) -> None:
        if self._tick_timer is not None and is_ticking != self._is_ticking:
            self._is_ticking = is_ticking
            if is_ticking:
                self._tick_timer.resume()
            else:
                self._tick_timer.pause()

    def _tick(self) -> None:
        self._ticks += 1
        if not self.history.look.has_motion and self._ticks % STILL_TICKS:
            return
        self._set_ticking(self._feed.tick())
        self.refresh_rows()

    # ---- keys

    def on_key(self, event: events.Key) -> None:
        """A letter that is no key of the view is handed on."""
        text = typed_text(event)
        if text and not own_bindings(self, event.key):
            event.stop()
            event.prevent_default()
            self.post_message(self.Typed(text))

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self.post_message(self.Typed(event.text))

    def scroll_lines(self, lines: int) -> None:
        self._follows_again = False
        super().scroll_lines(lines)

    def action_follow(self) -> None:
        self._follows_again = False
        super().action_follow()

    def _waiting(self) -> ToolCell | None:
        """The call that waits for the person, if there is one."""
        return next((cell for cell in self._feed.calls.values() if cell.state == "waiting"), None)

    def _kept_cell(self) -> Cell | None:
        waiting = self._waiting()
        is_seen = waiting is not None and self.history.row_of(waiting) is not None
        return waiting if is_seen else super()._kept_cell()

    def action_hunk(self, direction: Literal[-1, 1]) -> None:
        """The next or previous hunk; the change that waits, if that is out of sight."""
        waiting = self._waiting()
        if waiting is not None and waiting is self.cursor and not self.history.is_seen(waiting):
            self._show_cursor(waiting)
        else:
            super().action_hunk(direction)

    def action_abort_call(self) -> None:
        """Ask for the chosen call to be stopped, or the last one if none is chosen; else choose one that can be."""
        last = next((cell for cell in reversed(self._feed.calls.values()) if cell.can_abort), None)
        chosen = last if self.cursor is None else self.cursor
        if isinstance(chosen, ToolCell) and chosen.can_abort:
            self.post_message(self.CallAbortRequested(chosen.call_id))
        elif last is not None:
            self._show_cursor(last)

    def action_leave(self) -> None:
        """Back to the editor."""
        self.post_message(self.Left())
