"""The parts of replacements: each edit taken apart where its lines differ, and put together again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from ...agent.frozen import frozen
from ...agent.messages import JsonObject
from ..diff.hunk_patch import Line, PatchHunk, Sign, patch_hunks
from .hunk import Hunk, Hunks, split_lines
from .hunk_place import PatchPlaces

JOIN = 2
"""Unchanged lines between two changes of one edit up to which they are one hunk."""

MAX_COMPARED = 2_000
"""Lines of an edit over which it is one hunk: comparing them would hold up the keys."""


class EditHunks(Hunks):
    """The parts of replacements, in the order of the file: each edit gives one hunk for every change inside it."""

    def __init__(self, arguments: JsonObject, edits: Sequence[Mapping[str, str]], patch: str) -> None:
        self._arguments = arguments
        self._edits: list[_Edit] = []
        places = _Places(patch)
        found: list[Hunk] = []
        for edit in edits:
            parts: list[str | int] = []
            head = tail = ""
            for part in _parts(edit["oldText"], edit["newText"]):
                tail = ""
                if isinstance(part, str):
                    parts.append(part)
                else:
                    hunk, before, tail = places.placed(part, starts_line=bool(parts))
                    head = head if parts else before
                    found.append(hunk)
                    parts.append(len(found) - 1)
            self._edits.append(_Edit(edit, tuple(parts), head, tail))
        order = sorted(range(len(found)), key=lambda index: (found[index].line is None, found[index].line or 0))
        self.hunks = tuple(found[index] for index in order)
        numbers = {index: number for number, index in enumerate(order)}
        self._edits = [edit.renumbered(numbers) for edit in self._edits]

    def arguments(self, texts: Sequence[str]) -> JsonObject:
        rebuilt = [edit.with_texts(texts) for edit in self._edits]
        return {**self._arguments, "edits": [edit for edit in rebuilt if edit is not None]}


@frozen
class _Edit:
    """One replacement: unchanged texts and indexes of hunks by turns. `head` and `tail` make its lines whole."""

    fields: Mapping[str, str]
    parts: tuple[str | int, ...]
    head: str
    tail: str

    def renumbered(self, numbers: Mapping[int, int]) -> _Edit:
        """The same with other indexes: `numbers` by the ones that they had."""
        return replace(self, parts=tuple(part if isinstance(part, str) else numbers[part] for part in self.parts))

    def with_texts(self, texts: Sequence[str]) -> JsonObject | None:
        """The replacement with the hunks' texts, wider only where what is around it changes; None if nothing does."""
        new = "".join(part if isinstance(part, str) else texts[part] for part in self.parts)
        old = self.head + self.fields["oldText"] + self.tail
        if new == old:
            return None
        end = len(new) - len(self.tail)
        if new.startswith(self.head) and new.endswith(self.tail) and end >= len(self.head):
            return {**self.fields, "newText": new[len(self.head) : end]}
        return {**self.fields, "oldText": old, "newText": new}


def _parts(old: str, new: str) -> Iterator[str | Hunk]:
    """Unchanged text and hunks by turns, from the first line of an edit to its last."""
    before, after = split_lines(old), split_lines(new)
    position = 0
    for (start, end), (new_start, new_end) in _changes(before, after):
        if start > position:
            yield "".join(before[position:start])
        yield _hunk(before[start:end], after[new_start:new_end])
        position = end
    if position < len(before):
        yield "".join(before[position:])


def _changes(before: list[str], after: list[str]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Spans of lines that differ, neighbours joined."""
    if len(before) + len(after) > MAX_COMPARED:
        return [((0, len(before)), (0, len(after)))]
    found: list[tuple[tuple[int, int], tuple[int, int]]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if found and i1 - found[-1][0][1] <= JOIN:
            found[-1] = ((found[-1][0][0], i2), (found[-1][1][0], j2))
        else:
            found.append(((i1, i2), (j1, j2)))
    return found


def _hunk(before: list[str], after: list[str]) -> Hunk:
    shown: list[Line] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            shown += _signed(" ", before[i1:i2])
        else:
            shown += [*_signed("-", before[i1:i2]), *_signed("+", after[j1:j2])]
    return Hunk("".join(before), "".join(after), tuple(shown))


def _signed(sign: Sign, lines: list[str]) -> list[Line]:
    return [(sign, line.removesuffix("\n")) for line in lines]


class _Places:
    """Where changed lines stand in the new file, looked up in its patch."""

    def __init__(self, patch: str) -> None:
        self._hunks: list[PatchHunk] = list(patch_hunks(patch))
        self._places = PatchPlaces(self._hunks)

    def placed(self, hunk: Hunk, *, starts_line: bool) -> tuple[Hunk, str, str]:
        """The hunk in whole lines at its place, as exactly as it is known, and what made the first and last one whole."""
        place = self._places.find(hunk.old, hunk.new, starts_line=starts_line)
        if place is None:
            return replace(hunk, line=self._find(hunk)), "", ""
        head, tail, place = place.parted(hunk.old, hunk.new)
        old, new = head + hunk.old + tail, head + hunk.new + tail
        lines = place.lines(old, new)
        changed = next((line for line in lines if line.sign == "+"), None)
        line = place.new if changed is None else changed.new
        return Hunk(old, new, tuple((each.sign, each.text) for each in lines), line, place), head, tail

    def _find(self, hunk: Hunk) -> int | None:
        """The line number of a hunk: where the patch adds its first telling line, else where it removes it."""
        for sign in ("+", "-"):
            text = next((text.strip() for found, text in hunk.lines if found == sign and text.strip()), None)
            if text is not None and (place := self._place(sign, text)) is not None:
                return place
        return None

    def _place(self, sign: str, text: str) -> int | None:
        for hunk in self._hunks:
            number = hunk.begin + 1
            for found, line in hunk.lines:
                if found == sign and text in line:
                    return number
                number += found != "-"
        return None
