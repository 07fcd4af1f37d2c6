"""Keys that come as a screen opens were typed for what was there before."""

from __future__ import annotations

import time
from typing import Any

from textual.screen import Screen

from ...widgets.review.consent import GUARD, PAUSE


class KeyGuard:
    """Made when a screen is mounted; asked at every key. As long as for a change or a command that waits for consent."""

    def __init__(self, screen: Screen[Any]) -> None:
        self._ends = float("inf")
        screen.call_after_refresh(self._begin)

    def refuses(self) -> bool:
        """Whether the key that came now is no answer yet."""
        now = time.monotonic()
        if now >= self._ends:
            return False
        self._ends = max(self._ends, now + PAUSE)
        return True

    def _begin(self) -> None:
        self._ends = time.monotonic() + GUARD
