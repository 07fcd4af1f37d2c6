"""Messages that wait: steering for the next turn, follow-ups for when the run would stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from .messages import UserMessage

QueueMode: TypeAlias = Literal["one-at-a-time", "all"]


class MessageQueue:
    """A first-in, first-out queue that tells its owner of every change.

    `mode` says how many one delivery takes: ``one-at-a-time`` or ``all``.
    """

    def __init__(self, changed: Callable[[], None], mode: QueueMode = "one-at-a-time") -> None:
        self.mode: QueueMode = mode
        self._changed = changed
        self._waiting: list[UserMessage] = []

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(message.text for message in self._waiting)

    def add(self, message: UserMessage) -> None:
        self._waiting.append(message)
        self._changed()

    def deliver(self) -> list[UserMessage]:
        """Take what one delivery is due, by `mode`; empty if nothing waits."""
        count = len(self._waiting) if self.mode == "all" else 1
        delivered, self._waiting = self._waiting[:count], self._waiting[count:]
        if delivered:
            self._changed()
        return delivered

    def take_last(self) -> UserMessage | None:
        """Take back the newest."""
        if not self._waiting:
            return None
        message = self._waiting.pop()
        self._changed()
        return message

    def clear(self) -> list[UserMessage]:
        """Take back all, oldest first."""
        taken, self._waiting = self._waiting, []
        if taken:
            self._changed()
        return taken
