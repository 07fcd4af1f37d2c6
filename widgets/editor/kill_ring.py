"""The kill ring: what was cut with the keyboard, as in readline."""

from __future__ import annotations

from collections import deque
from typing import Literal

SIZE = 60


class KillRing:
    """Cut texts, the newest first to be yanked. Cuts in a row grow one entry."""

    def __init__(self) -> None:
        self._texts: deque[str] = deque(maxlen=SIZE)

    def add(self, text: str, *, grow: Literal["no", "before", "after"] = "no") -> None:
        """Keep a cut text; `grow` joins it to the newest one, on the side on which it stood."""
        if not text:
            return
        if grow == "no" or not self._texts:
            self._texts.append(text)
        else:
            newest = self._texts.pop()
            self._texts.append(text + newest if grow == "before" else newest + text)

    @property
    def newest(self) -> str:
        """What a yank inserts; empty if nothing was cut."""
        return self._texts[-1] if self._texts else ""

    def rotate(self) -> str:
        """Make the next older text the newest, the newest the oldest, and return it."""
        self._texts.rotate(1)
        return self.newest
