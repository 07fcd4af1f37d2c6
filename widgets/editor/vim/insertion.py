"""What was typed in insert mode, to be typed again."""

from __future__ import annotations

from .offset_text import OffsetText


class Insertion:
    """Begins where a command led to insert mode."""

    def __init__(self, text: OffsetText) -> None:
        self._text = text
        self._before, self._start = text.text, text.offset

    def typed(self) -> str:
        """The text that came to stand where insert mode began; empty if something else was changed too."""
        head, tail = self._before[: self._start], self._before[self._start :]
        now = self._text.text
        is_alone = now.startswith(head) and now.endswith(tail) and len(now) >= len(self._before)
        return now[len(head) : len(now) - len(tail)] if is_alone else ""
