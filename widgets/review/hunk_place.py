"""Where a part of an edit stands in the file: its lines whole, with their numbers, found in the change's patch.

An edit may begin and end in the middle of a line; what is around it on its first and last line is known from the patch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from ...agent.frozen import frozen
from ..diff.hunk_patch import Line, PatchHunk, Sign
from ..diff.patch import DiffLine

MAX_LINES = 2_000
"""Lines of a hunk over which old and new are not compared line by line: it would hold up the keys."""


@frozen
class HunkPlace:
    """What is around a hunk's text: the rest of its first and last line, and the line before and after those.

    `tail` is None where the text ends with its last line. `old` and `new` are the numbers (from 1) of its first line in
    either file, None where they are not known.
    """

    head: str = ""
    tail: str | None = None
    before: str | None = None
    after: str | None = None
    old: int | None = None
    new: int | None = None

    def lines(self, old: str, new: str) -> list[DiffLine]:
        """The whole lines of the change from `old` to `new`, one unchanged line around them."""
        found = _compared(self._whole(old), self._whole(new))
        above = self.before is not None
        if self.before is not None:
            found.insert(0, (" ", self.before))
        if self.after is not None and found[-1][0] != " ":
            found.append((" ", self.after))
        return around_change(_numbered(found, self.old and self.old - above, self.new and self.new - above))

    def parted(self, old: str, new: str) -> tuple[str, str, HunkPlace]:
        """What belongs to the first and the last line of these texts, and the place of the texts with that.

        Texts that end with a line have nothing of the next one.
        """
        if self.tail is None or all(not text or text.endswith("\n") for text in (old, new)):
            return self.head, "", replace(self, head="")
        return self.head, self.tail, replace(self, head="", tail="")

    def _whole(self, text: str) -> list[str]:
        *lines, last = (self.head + text.replace("\r\n", "\n")).split("\n")
        return lines if self.tail is None and not last else [*lines, last + (self.tail or "")]


class PatchPlaces:
    """The places in a patch. Each is given once, so that like changes have places of their own."""

    def __init__(self, hunks: Sequence[PatchHunk]) -> None:
        self._sides = [_Sides(hunk) for hunk in hunks]
        self._given: set[int] = set()

    def find(self, old: str, new: str, *, starts_line: bool) -> HunkPlace | None:
        """The first place where `old` becomes `new`; None if there is none, as for text that was matched inexactly.

        `starts_line`: the text is known to begin at the beginning of a line.
        """
        before, after = old.replace("\r\n", "\n").split("\n"), new.replace("\r\n", "\n").split("\n")
        for sides in self._sides:
            for start in sides.starts:
                for head in sides.heads(before, after, start):
                    place = None if starts_line and head else sides.fit(before, after, head, start)
                    if place is not None and place.new is not None and place.new not in self._given:
                        self._given.add(place.new)
                        return place
        return None


class _Sides:
    """The lines of one hunk of a patch on either side, and the places in both that correspond to each other."""

    def __init__(self, hunk: PatchHunk) -> None:
        self._old = [line.removesuffix("\n") for line in hunk.old]
        self._new = [line.removesuffix("\n") for line in hunk.new]
        self._first = (hunk.old_begin + 1, hunk.begin + 1)
        self.starts = list(_starts(hunk.lines))

    def heads(self, before: list[str], after: list[str], start: tuple[int, int]) -> Iterator[str]:
        """What may come before the text on its first line."""
        is_old = len(before) > 1 or len(after) == 1
        lines, index, text = (self._old, start[0], before) if is_old else (self._new, start[1], after)
        line = lines[index] if index < len(lines) else ""
        if len(text) == 1:
            yield from (line[: match.start()] for match in re.finditer(re.escape(text[0]), line))
        elif line.endswith(text[0]):
            yield line.removesuffix(text[0])

    def fit(self, before: list[str], after: list[str], head: str, start: tuple[int, int]) -> HunkPlace | None:
        """The place at `start`, if both sides say there what the hunk says."""
        (old_at, new_at), (old_end, new_end) = start, (start[0] + len(before), start[1] + len(after))
        old = [*self._old[old_at:old_end], *([""] if old_end > len(self._old) else [])]
        new = [*self._new[new_at:new_end], *([""] if new_end > len(self._new) else [])]
        if len(old) != len(before):
            return None
        tail = old[-1].removeprefix(_joined(head, before, "")[-1])
        if old != _joined(head, before, tail) or new != _joined(head, after, tail):
            return None
        is_end = old_end > len(self._old) and new_end > len(self._new)
        return HunkPlace(
            head,
            None if is_end else tail,
            before=_common(self._old, self._new, old_at - 1, new_at - 1),
            after=_common(self._old, self._new, old_end, new_end),
            old=self._first[0] + old_at,
            new=self._first[1] + new_at,
        )


def _starts(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    old = new = 0
    for sign, _ in lines:
        yield old, new
        old += sign != "+"
        new += sign != "-"


def _joined(head: str, lines: Sequence[str], tail: str) -> list[str]:
    whole = [*lines]
    whole[0] = head + whole[0]
    whole[-1] += tail
    return whole


def _common(old: Sequence[str], new: Sequence[str], old_at: int, new_at: int) -> str | None:
    """The line at these indexes if it is there and the same on both sides."""
    if not (0 <= old_at < len(old) and 0 <= new_at < len(new)):
        return None
    return old[old_at] if old[old_at] == new[new_at] else None


def _compared(removed: list[str], added: list[str]) -> list[Line]:
    if len(removed) + len(added) > MAX_LINES:
        return _signed("-", removed) + _signed("+", added)
    found: list[Line] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, removed, added, autojunk=False).get_opcodes():
        if tag == "equal":
            found += _signed(" ", removed[i1:i2])
        else:
            found += _signed("-", removed[i1:i2]) + _signed("+", added[j1:j2])
    return found


def _signed(sign: Sign, lines: Sequence[str]) -> list[Line]:
    return [(sign, line) for line in lines]


def _numbered(lines: Sequence[Line], old: int | None, new: int | None) -> list[DiffLine]:
    """The lines with their numbers, the first ones given; without any where those are not known."""
    found: list[DiffLine] = []
    for sign, text in lines:
        found.append(DiffLine(sign, text, None if sign == "+" else old, None if sign == "-" else new))
        old = old and old + (sign != "+")
        new = new and new + (sign != "-")
    return found


def around_change(lines: list[DiffLine]) -> list[DiffLine]:
    """The lines from one before the first change to one after the last; all if there is none."""
    changed = [index for index, line in enumerate(lines) if line.sign != " "]
    return lines[max(changed[0] - 1, 0) : changed[-1] + 2] if changed else lines
