"""One part of a change, and a change as all of its parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

from ...agent.approval import ApprovalAnswer
from ...agent.frozen import frozen
from ...agent.messages import JsonObject
from ..diff.hunk_patch import Line
from ..diff.patch import DiffLine
from ..text.marks import marks
from .hunk_place import HunkPlace

MAX_NOTE = 4_000
"""Characters of what the model is told about the choice."""

NOTHING = "None of its parts was taken."
"""What the model is told of a change of which every part was left out."""


@frozen
class Hunk:
    """One part of a change. `line` is its place in the new file (from 1), None where it is not known.

    `old` and `new` are its text before and after in whole lines, their ends included, as far as these are known; `lines`
    are its text as a diff, and `place` is what is around it in the file.
    """

    old: str
    new: str
    lines: tuple[Line, ...]
    line: int | None = None
    place: HunkPlace = HunkPlace()

    @property
    def added(self) -> int:
        return sum(sign == "+" for sign, _ in self.lines)

    @property
    def removed(self) -> int:
        return sum(sign == "-" for sign, _ in self.lines)

    def whole_lines(self, new: str | None = None) -> list[DiffLine]:
        """The lines of the file that it changes, as they are and as they would be; with `new` as its text after, if given."""
        return self.place.lines(self.old, self.new if new is None else new)


class Hunks(ABC):
    """The parts of one change."""

    hunks: tuple[Hunk, ...]

    @abstractmethod
    def arguments(self, texts: Sequence[str]) -> JsonObject:
        """The call's arguments when each hunk's place holds this text."""

    def answer(
        self, ticked: AbstractSet[int], edited: Mapping[int, str], verdict: Literal["apply", "apply_all"] = "apply"
    ) -> ApprovalAnswer:
        """What to answer if the hunks with these indexes are applied, some with a text of the person's own."""
        changed = {index: text for index, text in edited.items() if index in ticked and text != self.hunks[index].new}
        declined = [index for index in range(len(self.hunks)) if index not in ticked]
        if not ticked:
            return ApprovalAnswer("refuse", note=NOTHING)
        if not declined and not changed:
            return ApprovalAnswer(verdict)
        texts = [changed.get(index, hunk.new) if index in ticked else hunk.old for index, hunk in enumerate(self.hunks)]
        return ApprovalAnswer(
            verdict,
            arguments=self.arguments(texts),
            note=self._note(declined, changed),
            words=self._words(declined, changed),
        )

    def _words(self, declined: Sequence[int], changed: Mapping[int, str]) -> str:
        """How much is applied: ``3 of 4 · 1 edited``."""
        count = len(self.hunks)
        taken = f"{count - len(declined)} of {count}" if declined else ""
        return f" {marks().dot} ".join(filter(None, (taken, f"{len(changed)} edited" if changed else "")))

    def _note(self, declined: Sequence[int], changed: Mapping[int, str]) -> str:
        """What was approved, declined and changed, for the model; said before the call runs, which may still fail."""
        count = len(self.hunks)
        parts = [f"Reviewed in parts: {count - len(declined)} of {count} approved."]
        for index in declined:
            parts.append(f"Declined {_place(self.hunks[index])}:\n{_as_diff(self.hunks[index])}")
        for index, text in changed.items():
            approved = _as_diff(self.hunks[index], text) or "nothing, it stays as it was"
            parts.append(f"Changed by the person {_place(self.hunks[index])}; approved there:\n{approved}")
        note = "\n".join(parts)
        return note if len(note) <= MAX_NOTE else f"{note[:MAX_NOTE]}\n… (cut; read the file)"


def split_lines(text: str) -> list[str]:
    """Lines with their ends, parted at LF only."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _place(hunk: Hunk) -> str:
    return f"at line {hunk.line}" if hunk.line is not None else "in one place"


def _as_diff(hunk: Hunk, new: str | None = None) -> str:
    return "\n".join(f"{line.sign}{line.text}" for line in hunk.whole_lines(new) if line.sign != " ")
