"""Whether a key can mean consent yet: not before anybody could have read the question."""

from __future__ import annotations

from textual import events
from textual.message import Message

GUARD = 0.4
"""Seconds after a question appears in which no key counts as consent."""

PAUSE = 1.0
"""Seconds without a key that end the typing which went on when the question appeared: slow typists pause between words."""


class Consent:
    """The moment from which keys count; it moves on while somebody goes on typing. Times as Textual's events have them."""

    def __init__(self) -> None:
        self._from = 0.0

    @property
    def wait(self) -> float:
        """Seconds until keys count; none or less if they do."""
        return self._from - Message().time

    def restart(self) -> None:
        """The question has just appeared, or is on the screen only now."""
        self._from = max(self._from, Message().time + GUARD)

    def is_early(self, time: float) -> bool:
        """Whether what happened then is no answer."""
        return time < self._from

    def refuses(self, event: events.Key) -> bool:
        """Whether this key came too early to be an answer. Escape stops the run at any time."""
        if not self.is_early(event.time):
            return False
        self._from = max(self._from, event.time + PAUSE)
        return event.key != "escape"
