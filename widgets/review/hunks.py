"""A waiting change in parts that can be taken or left: from the call's arguments to arguments for what was chosen.

The shape of the arguments says how: ``edits`` of ``oldText`` and ``newText``, or the whole ``content`` of a file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any, cast

from ...agent.approval import ApprovalAnswer, ApprovalRequest
from ...agent.details import DiffDetails
from ...agent.frozen import frozen
from ...agent.messages import JsonObject
from ..diff.hunk_patch import Line, PatchHunk, Sign, patch_hunks
from ..diff.patch import DiffLine
from .hunk_place import HunkPlace, PatchPlaces

JOIN = 2
"""Unchanged lines between two changes of one edit up to which they are one hunk."""

MAX_COMPARED = 2_000
"""Lines of an edit over which it is one hunk: comparing them would hold up the keys."""

MAX_NOTE = 4_000
"""Characters of what the model is told about the choice."""


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

    def answer(self, ticked: AbstractSet[int], edited: Mapping[int, str]) -> ApprovalAnswer:
        """What to answer if the hunks with these indexes are applied, some with a text of the person's own."""
        changed = {index: text for index, text in edited.items() if index in ticked and text != self.hunks[index].new}
        declined = [index for index in range(len(self.hunks)) if index not in ticked]
        if not ticked:
            return ApprovalAnswer("refuse", "Every part of this change was declined.")
        if not declined and not changed:
            return ApprovalAnswer("apply")
        texts = [changed.get(index, hunk.new) if index in ticked else hunk.old for index, hunk in enumerate(self.hunks)]
        return ApprovalAnswer("apply", arguments=self.arguments(texts), note=self._note(declined, changed))

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


def hunks_of(request: ApprovalRequest) -> Hunks | None:
    """The parts of a waiting change; None if it can't be taken apart."""
    if not isinstance(request.preview, DiffDetails) or not request.preview.patch:
        return None
    edits = _edits(request.arguments.get("edits"))
    content = request.arguments.get("content")
    if edits:
        parts = EditHunks(request.arguments, edits, request.preview.patch)
        return parts if parts.hunks else None
    if isinstance(content, str) and not request.preview.created:
        return ContentHunks.of(request.arguments, content, request.preview.patch)
    return None


class EditHunks(Hunks):
    """The parts of replacements: each edit gives one hunk for every change inside it."""

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
        self.hunks = tuple(found)

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


class ContentHunks(Hunks):
    """The parts of a rewritten file: the hunks of its patch."""

    def __init__(
        self, arguments: JsonObject, parts: list[str | int], hunks: tuple[Hunk, ...], line_end: str = "\n"
    ) -> None:
        self._arguments = arguments
        self._parts = parts
        self._line_end = line_end
        self.hunks = hunks

    @classmethod
    def of(cls, arguments: JsonObject, content: str, patch: str) -> ContentHunks | None:
        """None if the patch does not fit the content to the letter, such as with mixed line ends.

        Patches have LF; where every line of the content ends in CRLF, what is chosen gets it back.
        """
        line_end = "\r\n" if content.count("\r\n") == content.count("\n") > 0 else "\n"
        lines = _lines(content.replace("\r\n", "\n") if line_end == "\r\n" else content)
        parts: list[str | int] = []
        hunks: list[Hunk] = []
        done = 0
        for index, found in enumerate(patch_hunks(patch)):
            end = found.begin + len(found.new)
            if found.begin < done or lines[found.begin : end] != found.new:
                return None
            parts += ["".join(lines[done : found.begin]), index]
            place = HunkPlace(old=found.old_begin + 1, new=found.begin + 1)
            hunks.append(Hunk("".join(found.old), "".join(found.new), tuple(found.lines), found.line, place))
            done = end
        parts.append("".join(lines[done:]))
        return cls(arguments, parts, tuple(hunks), line_end) if hunks else None

    def arguments(self, texts: Sequence[str]) -> JsonObject:
        content = "".join(part if isinstance(part, str) else texts[part] for part in self._parts)
        content = content.replace("\n", self._line_end) if self._line_end != "\n" else content
        return {**self._arguments, "content": content}


def _parts(old: str, new: str) -> Iterator[str | Hunk]:
    """Unchanged text and hunks by turns, from the first line of an edit to its last."""
    before, after = _lines(old), _lines(new)
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


def _edits(value: Any) -> list[Mapping[str, str]]:
    """The edits, if every one of them is an old and a new text."""
    if not isinstance(value, list):
        return []
    edits = cast("list[Any]", value)
    return edits if all(_is_edit(edit) for edit in edits) else []


def _is_edit(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    edit = cast("dict[str, Any]", value)
    return isinstance(edit.get("oldText"), str) and isinstance(edit.get("newText"), str)


def _lines(text: str) -> list[str]:
    """Lines with their ends, parted at LF only."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _place(hunk: Hunk) -> str:
    return f"at line {hunk.line}" if hunk.line is not None else "in one place"


def _as_diff(hunk: Hunk, new: str | None = None) -> str:
    return "\n".join(f"{line.sign}{line.text}" for line in hunk.whole_lines(new) if line.sign != " ")
