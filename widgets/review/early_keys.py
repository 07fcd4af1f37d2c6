"""What becomes of keys that came too early to be an answer: a sentence goes on in the draft, a hasty answer is dropped."""

from __future__ import annotations


class EarlyKeys:
    """Letters are handed on to the draft, but where the question follows an answer: there one answer key, pressed again and
    again, is more of the same haste. It is held, and handed on only if another letter shows that a sentence begins.
    """

    def __init__(self) -> None:
        self._held = ""
        self._holds = False

    def begin(self, *, follows: bool) -> None:
        """A question appears; `follows`: right after an answer, and nothing was typed since."""
        self._held, self._holds = "", follows

    @property
    def is_holding(self) -> bool:
        """Whether an answer came too early."""
        return bool(self._held)

    def take(self, text: str, *, is_answer: bool) -> str:
        """What of the keys so far goes into the draft, now that `text` was typed."""
        if self._holds and is_answer and self._held in ("", text * len(self._held)):
            self._held += text
            return ""
        typed, self._held, self._holds = self._held + text, "", False
        return typed

    def forget(self) -> None:
        """Keys count from now on: what is held was no sentence."""
        self._held = ""
