"""What was sent before, and the draft that one came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable

SIZE = 1_000


class EditorHistory:
    """The last `SIZE` texts, oldest first, no empty ones and no two alike in a row.

    Where one stands among them is kept with the draft that was left, so that walking back to it loses nothing.
    `on_add` is told of every text that is kept; it may write it down (this class touches no disk).
    """

    def __init__(self, entries: Iterable[str] = (), on_add: Callable[[str], None] | None = None) -> None:
        self._entries: list[str] = []
        self._position: int | None = None
        self._draft = ""
        self.on_add = on_add
        for entry in entries:
            self._keep(entry)

    @property
    def entries(self) -> tuple[str, ...]:
        """All texts, oldest first."""
        return tuple(self._entries)

    @property
    def is_browsing(self) -> bool:
        """Whether an entry is shown in place of the draft."""
        return self._position is not None

    def add(self, raw: str, text: str | None = None) -> None:
        """Keep a text (as the editor holds it; `text` is the same with markers expanded) and leave the history."""
        self.leave()
        if self._keep(raw) and self.on_add is not None:
            self.on_add(raw if text is None else text)

    def previous(self, current: str) -> str | None:
        """The next older text, or None at the oldest; `current` becomes the draft when the history is entered."""
        position = len(self._entries) if self._position is None else self._position
        if position == 0:
            return None
        if self._position is None:
            self._draft = current
        self._position = position - 1
        return self._entries[self._position]

    def next(self) -> str | None:
        """The next newer text, at last the draft; None if the history was not entered."""
        if self._position is None:
            return None
        if self._position + 1 < len(self._entries):
            self._position += 1
            return self._entries[self._position]
        return self._forget_position()

    def leave(self) -> None:
        """What is shown is a draft of its own from now on; the one that was left becomes the newest entry."""
        draft = self._forget_position()
        self._keep(draft)

    def _forget_position(self) -> str:
        draft, self._position, self._draft = self._draft, None, ""
        return draft

    @property
    def kept(self) -> list[str]:
        """Every raw text that is still held, the draft included."""
        return [*self._entries, self._draft]

    def _keep(self, raw: str) -> bool:
        if not raw.strip() or (self._entries and self._entries[-1] == raw):
            return False
        self._entries.append(raw)
        del self._entries[:-SIZE]
        return True
