"""What the terminal says of its background, for whoever must know before the first frame."""

from __future__ import annotations

from threading import Event
from time import monotonic

from textual.message import Message

from .sequences import KIND, TerminalReply

_BACKGROUND = "\x1b]11;"


class BackgroundAnswer:
    """Seen in the thread that reads, awaited in the thread that draws."""

    def __init__(self) -> None:
        self._sequence = ""
        self._is_known = Event()
        self._asked = monotonic()

    def ask(self) -> None:
        """The question goes out now, and behind it the one that every terminal answers (DA1)."""
        self._sequence = ""
        self._is_known.clear()
        self._asked = monotonic()

    def see(self, message: Message) -> None:
        """Take a message of the terminal. Once it has answered DA1 it has nothing more to say of its background."""
        if isinstance(message, TerminalReply):
            if message.sequence.startswith(_BACKGROUND):
                self._sequence = message.sequence
            elif not KIND.fullmatch(message.sequence):
                return
            self._is_known.set()

    def wait(self, patience: float) -> str:
        """The answer, waited for until `patience` seconds after the question; empty if there is none. Blocks."""
        self._is_known.wait(max(0.0, self._asked + patience - monotonic()))
        return self._sequence
