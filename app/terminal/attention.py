"""Tells the person who looks elsewhere that a run has ended or needs an answer, and names the window."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

from ...agent.events import AgentEnd, AgentEvent, AgentStart, CompactionEnd, CompactionStart
from ...widgets.text.marks import marks
from ...widgets.text.numbers import format_seconds
from ..settings.model import Settings
from .notes import ProgressState, notification, progress, through_multiplexer, title_sequence, way_of

LONG = 10.0
"""Seconds of work after which an end is told where nobody knows whether the person looks."""

NAME = "pyagent-tui"

FAULTS = {"error": "ended by an error", "limit": "stopped by a limit"}


class Attention:
    """`write` sends to the terminal. `is_focused` is None until the terminal has said anything about it."""

    def __init__(
        self,
        write: Callable[[str], object],
        *,
        environ: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.is_focused: bool | None = None
        self.settings = Settings()
        self.place = ""
        self._write = write
        self._environ = environ
        self._clock = clock
        self._since = clock()
        self._going: set[str] = set()
        self._waiting: str | None = None
        self._ended = ""
        self._title = ""

    def focused(self, is_focused: bool) -> None:
        """The terminal says whether the person looks."""
        self.is_focused = is_focused
        if is_focused:
            self._ended = ""
            self.show()

    def see(self, event: AgentEvent) -> None:
        """Take in what happens."""
        match event:
            case AgentStart():
                self._begin("run")
            case AgentEnd(reason="done"):
                self._end("run", "done")
            case AgentEnd(reason="aborted"):
                self._end("run", "")
            case AgentEnd(reason=reason):
                self._end("run", FAULTS[reason])
            case CompactionStart():
                self._begin("compaction")
            case CompactionEnd():
                self._end("compaction", "" if event.aborted else event.error_message or "done")
            case _:
                pass

    def asks(self, question: str | None) -> None:
        """The person is asked something; None: no longer."""
        if question is not None and question != self._waiting:
            self._tell(f"needs you: {question}")
        if question is None:
            self._since = self._clock()
        self._waiting = question
        self.show()

    def show(self) -> None:
        """Name the window after what goes on, if that has changed."""
        if not self.settings.title:
            return
        if self._waiting is not None:
            state = f"{marks().waiting} needs you"
        else:
            state = f"{marks().still} working" if self._going else self._ended
        title = " - ".join(filter(None, (state, self.place, NAME)))
        if title != self._title:
            self._title = title
            self._write(title_sequence(title))

    def close(self) -> None:
        """The program ends: nothing goes on any more."""
        if self._going:
            self._progress("none")

    def _begin(self, work: str) -> None:
        if not self._going:
            self._ended = ""
            self._since = self._clock()
            self._progress("busy")
        self._going.add(work)
        self.show()

    def _end(self, work: str, outcome: str) -> None:
        """Something has ended, and with it everything, unless more goes on. An empty outcome is the person's own doing."""
        self._going.discard(work)
        if self._going:
            return
        is_fault = outcome not in ("", "done")
        self._progress("failed" if is_fault else "none")
        if outcome and self._tell(f"{outcome} ({format_seconds(self._clock() - self._since)})"):
            self._ended = f"{marks().failed if is_fault else marks().ok} {outcome}"
        self.show()

    def _tell(self, text: str) -> bool:
        """Tell it unless the person looks; whether it may be that they don't."""
        is_away = self._clock() - self._since >= LONG if self.is_focused is None else not self.is_focused
        way = way_of(self.settings.notify, self._environ)
        if is_away and way is not None:
            title = f"{NAME} {self.place}".strip()
            self._write(through_multiplexer(notification(way, title, text), self._environ))
        return is_away

    def _progress(self, state: ProgressState) -> None:
        if self.settings.progress:
            self._write(through_multiplexer(progress(state), self._environ))
