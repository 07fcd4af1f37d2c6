"""What must still end when the program does: process trees that go on."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Closers:
    """Functions that each end one tree. From any thread."""

    def __init__(self) -> None:
        self._closers: set[Callable[[], None]] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def __len__(self) -> int:
        """How many trees go on."""
        return len(self._closers)

    @property
    def is_closed(self) -> bool:
        """Whether the program is ending."""
        return self._is_closed

    def keep(self, closer: Callable[[], None]) -> None:
        """Remember what ends a tree that goes on after its command; called at once if the program is ending."""
        with self._lock:
            self._closers.add(closer)
            late = self._is_closed
        if late:
            closer()

    def forget(self, closer: Callable[[], None]) -> None:
        """The tree has ended."""
        with self._lock:
            self._closers.discard(closer)

    def close(self) -> None:
        """End everything that is kept, and from now on whatever comes."""
        with self._lock:
            self._is_closed = True
            closers = list(self._closers)
            self._closers.clear()
        for closer in closers:
            closer()
