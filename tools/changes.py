"""From the edits of one call to the spans of the file that change."""

from __future__ import annotations

import difflib
from itertools import groupby, pairwise
from typing import Literal, TypeAlias

from ..agent.frozen import frozen
from .lookalike import describe_nearest
from .matching import LenientText, Match, lines_in_common, occurrences
from .textfile import TextFile

MAX_COMPARED = 1_000_000
"""Pairs of lines up to which old and new text are compared line by line."""


class EditFailed(Exception):
    """An edit cannot be applied; the text tells the model why and what to do."""


@frozen
class Replacement:
    """One edit as the model sent it."""

    old: str
    new: str


@frozen
class Change:
    """A span of `TextFile.text` that becomes `new` (LF line breaks). `match` is what the whole edit was found at."""

    start: int
    end: int
    new: str
    match: Match


def plan_changes(file: TextFile, replacements: list[Replacement]) -> list[Change]:
    """The changes, in order of place. All edits are matched against the file as it is; `EditFailed` if one does not fit."""
    planner = _Planner(file, len(replacements))
    planned = [planner.plan(index, edit) for index, edit in enumerate(replacements)]
    _refuse_overlap([match for match, _ in planned])
    changes = [change for _, changes in planned for change in changes]
    if all(change.new == file.text[change.start : change.end] for change in changes):
        raise EditFailed(
            "Nothing would change: the new text is the same as the old. "
            "Line endings are kept as the file has them and cannot be changed by an edit."
        )
    return sorted(changes, key=lambda change: (change.match.start, change.start, change.end))


class _Planner:
    def __init__(self, file: TextFile, count: int) -> None:
        self._file = file
        self._count = count
        self._lenient: LenientText | None = None

    def plan(self, index: int, edit: Replacement) -> tuple[Match, list[Change]]:
        name = "oldText" if self._count == 1 else f"edits[{index}].oldText"
        old, new = self._file.fold(edit.old), self._file.fold(edit.new)
        if not old:
            raise EditFailed(f"{name} is empty. Give the text to replace; to make a whole new file, use write.")
        if self._file.encoding.is_unknown and not (old.isascii() and new.isascii()):
            raise EditFailed("Its encoding is not known (it is not UTF-8), so only ASCII text in it can be changed.")
        match = self._find(name, old)
        if self._file.encoding.is_unknown:
            self._refuse_split_character(name, match)
        return match, _narrow(self._file.text, match, old, new)

    def _find(self, name: str, old: str) -> Match:
        exact = occurrences(self._file.text, old)
        if len(exact) > 1:
            raise EditFailed(self._not_unique(name, exact))
        if exact:
            return Match(exact[0], exact[0] + len(old), True)
        lenient = self._find_leniently(old)
        if len(lenient) > 1:
            places = [match.start for match in lenient]
            raise EditFailed(
                f"{self._not_unique(name, places)} (None is exact; these differ in look-alike characters.)"
            )
        if not lenient:
            raise EditFailed(f"{name} was not found in the file. {describe_nearest(self._file.text, old)}")
        return lenient[0]

    def _find_leniently(self, old: str) -> list[Match]:
        if self._file.encoding.is_unknown:
            return []
        if self._lenient is None:
            self._lenient = LenientText(self._file.text)
        return self._lenient.find(old)

    def _not_unique(self, name: str, places: list[int]) -> str:
        lines = [str(self._file.text.count("\n", 0, place) + 1) for place in places[:10]]
        more = ", …" if len(places) > 10 else ""
        count = f"{len(places)} or more" if len(places) >= 100 else str(len(places))
        return (
            f"{name} was found {count} times (at lines {', '.join(lines)}{more}), it must be unique. "
            "Add lines around it until it fits one place only."
        )

    def _refuse_split_character(self, name: str, match: Match) -> None:
        """In encodings with two-byte characters the second byte can look like ASCII."""
        text = self._file.text
        before, first = text[match.start - 1 : match.start], text[match.start]
        if before >= "\x81" and (first >= "@" or first.isdigit()):
            raise EditFailed(
                f"The file is not UTF-8 and the byte before {name} is not ASCII, so it may be half of a character. "
                "Begin the text at another place, after a blank or a line break."
            )


def _narrow(text: str, match: Match, old: str, new: str) -> list[Change]:
    """Leave out of the change what old and new text share: it keeps its bytes whatever these are.

    Only whole lines are known to correspond, since line for line the match has those of the old text; within a line
    they correspond if the match is exact.
    """
    old_lines, new_lines = old.split("\n"), new.split("\n")
    starts = _line_starts(text, match, len(old_lines))
    changes: list[Change] = []
    for tag, first, last, new_first, new_last in _line_changes(old_lines, new_lines):
        inserted = new_lines[new_first:new_last]
        if tag == "replace":
            start, end = starts[first], match.end if last == len(old_lines) else starts[last] - 1
            replaced = "\n".join(inserted)
            changes.append(
                _narrow_exact(text, match, start, end, replaced)
                if match.is_exact
                else Change(start, end, replaced, match)
            )
        elif last < len(old_lines):
            # Whole lines come or go before a line that stays.
            changes.append(Change(starts[first], starts[last], "".join(line + "\n" for line in inserted), match))
        else:
            start = match.end if first == last else starts[first] - 1
            changes.append(Change(start, match.end, "".join("\n" + line for line in inserted), match))
    return changes


def _line_starts(text: str, match: Match, count: int) -> list[int]:
    """Where each line of the match begins."""
    starts = [match.start]
    while len(starts) < count:
        starts.append(text.index("\n", starts[-1]) + 1)
    return starts


_Tag: TypeAlias = Literal["replace", "delete", "insert", "equal"]
_LineChange: TypeAlias = tuple[_Tag, int, int, int, int]


def _line_changes(old: list[str], new: list[str]) -> list[_LineChange]:
    """What differs, as `difflib` says it; of very long texts only what lies between the first and the last difference."""
    if len(old) * len(new) > MAX_COMPARED:
        return _outer_change(old, new)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    kept = len(old) - sum(last - first for _, first, last, _, _ in changes)
    if len(old) == len(new) and sum(map(str.__eq__, old, new)) >= kept:
        # Equal lines in equal places belong together, whatever other lines are the same.
        changes = _changes_in_place(old, new)
    return changes


def _changes_in_place(old: list[str], new: list[str]) -> list[_LineChange]:
    changes: list[_LineChange] = []
    for is_equal, run in groupby(range(len(old)), lambda index: old[index] == new[index]):
        if not is_equal:
            places = list(run)
            changes.append(("replace", places[0], places[-1] + 1, places[0], places[-1] + 1))
    return changes


def _outer_change(old: list[str], new: list[str]) -> list[_LineChange]:
    head, tail = lines_in_common(old, new)
    first, last, new_first, new_last = head, len(old) - tail, head, len(new) - tail
    if first == last and new_first == new_last:
        return []
    tag: _Tag = "replace" if first < last and new_first < new_last else "insert" if first == last else "delete"
    return [(tag, first, last, new_first, new_last)]


def _narrow_exact(text: str, match: Match, start: int, end: int, new: str) -> Change:
    most = min(end - start, len(new))
    head = 0
    while head < most and text[start + head] == new[head]:
        head += 1
    tail = 0
    while tail < most - head and text[end - 1 - tail] == new[-1 - tail]:
        tail += 1
    return Change(start + head, end - tail, new[head : len(new) - tail], match)


def _refuse_overlap(matches: list[Match]) -> None:
    ordered = sorted(enumerate(matches), key=lambda item: (item[1].start, item[1].end))
    for (first, before), (second, after) in pairwise(ordered):
        if after.start < before.end:
            one, two = sorted((first, second))
            raise EditFailed(f"edits[{one}] and edits[{two}] overlap. Put them into one edit.")
