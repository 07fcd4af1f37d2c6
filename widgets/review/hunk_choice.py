"""Which parts of a waiting change are taken, and with which texts; kept as long as the question."""

from __future__ import annotations

from typing import Literal

from ...agent.approval import ApprovalAnswer
from ..text.marks import marks
from ..text.numbers import format_plural
from .hunk import Hunk, Hunks


class HunkChoice:
    """All hunks ticked at first. `current` is the index of the one under the cursor.

    `edited` are the person's own texts, `drafts` those that were begun and left: they count for nothing yet.
    """

    def __init__(self, hunks: Hunks) -> None:
        self._hunks = hunks
        self.hunks: tuple[Hunk, ...] = hunks.hunks
        self.ticked: set[int] = set(range(len(self.hunks)))
        self.edited: dict[int, str] = {}
        self.drafts: dict[int, str] = {}
        self.current = 0

    @property
    def hunk(self) -> Hunk:
        """The one under the cursor."""
        return self.hunks[self.current]

    @property
    def is_whole(self) -> bool:
        """Whether the change would be applied as it was proposed."""
        return len(self.ticked) == len(self.hunks) and not self.edited

    @property
    def amount(self) -> str:
        """What would be applied, if it is not all as proposed: ``3 of 4 hunks, 1 edited``."""
        edited = len(self.ticked & self.edited.keys())
        count = f"{len(self.ticked)} of {format_plural(len(self.hunks), 'hunk')}"
        return "" if self.is_whole else f"{count}, {edited} edited" if edited else count

    @property
    def measure(self) -> str:
        """``3 of 4 hunks · +4 −3``, counted over what is ticked."""
        taken = [hunk for index, hunk in enumerate(self.hunks) if index in self.ticked]
        sizes = f"+{sum(hunk.added for hunk in taken)} {marks().minus}{sum(hunk.removed for hunk in taken)}"
        return f"{len(taken)} of {format_plural(len(self.hunks), 'hunk')} {marks().dot} {sizes}"

    @property
    def text(self) -> str:
        """The new text of the current hunk to go on writing, without its last line end."""
        own = self.edited.get(self.current, self.hunk.new).removesuffix("\n")
        return self.drafts.get(self.current, own)

    def move(self, step: int) -> None:
        """Go to another hunk, from the last on to the first."""
        self.current = (self.current + step) % len(self.hunks)

    def tick(self) -> None:
        """Tick the current hunk, or untick it."""
        self.ticked ^= {self.current}

    def tick_all(self) -> None:
        """Tick every hunk; if all are ticked, none."""
        everything = set(range(len(self.hunks)))
        self.ticked = set[int]() if self.ticked == everything else everything

    def keep(self, text: str) -> None:
        """The person's own text for the current hunk; it is ticked with it. The hunk's last line end is kept."""
        self.drafts.pop(self.current, None)
        end = "\n" if self.hunk.new.endswith("\n") and text and not text.endswith("\n") else ""
        if text + end == self.hunk.new:
            self.edited.pop(self.current, None)
        else:
            self.edited[self.current] = text + end
        self.ticked.add(self.current)

    def put_aside(self, text: str) -> None:
        """A text that was begun and left; it is there when one goes on."""
        self.drafts.pop(self.current, None)
        if text != self.text:
            self.drafts[self.current] = text

    def answer(self, verdict: Literal["apply", "apply_all"] = "apply") -> ApprovalAnswer:
        """Apply what is ticked; refuse if nothing is."""
        return self._hunks.answer(self.ticked, self.edited, verdict)
