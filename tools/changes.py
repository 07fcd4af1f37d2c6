"""From the edits of one call to the spans of the file that change."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from .lookalike import describe_nearest
from .matching import LenientText, Match, lines_in_common, occurrences
from .textfile import TextFile


class EditFailed(Exception):
    """An edit cannot be applied; the text tells the model why and what to do."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """One edit as the model sent it."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Change:
    """A span of `TextFile.text` that becomes `new` (LF line breaks). `match` is the whole span that was matched."""

    start: int
    end: int
    new: str
    match: Match


def plan_changes(file: TextFile, replacements: list[Replacement]) -> list[Change]:
    """The changes, in order of place. All edits are matched against the file as it is; `EditFailed` if one does not fit."""
    planner = _Planner(file, len(replacements))
    changes = [planner.plan(index, edit) for index, edit in enumerate(replacements)]
    _refuse_overlap(changes)
    if all(change.new == file.text[change.start : change.end] for change in changes):
        raise EditFailed(
            "Nothing would change: the new text is the same as the old. "
            "Line endings are kept as the file has them and cannot be changed by an edit."
        )
    return sorted(changes, key=lambda change: (change.match.start, change.match.end))


class _Planner:
    def __init__(self, file: TextFile, count: int) -> None:
        self._file = file
        self._count = count
        self._lenient: LenientText | None = None

    def plan(self, index: int, edit: Replacement) -> Change:
        name = "oldText" if self._count == 1 else f"edits[{index}].oldText"
        old, new = self._file.fold(edit.old), self._file.fold(edit.new)
        if not old:
            raise EditFailed(f"{name} is empty. Give the text to replace; to make a whole new file, use write.")
        match = self._find(name, old)
        if self._file.encoding.is_unknown:
            self._refuse_split_character(name, match)
        return self._narrow(match, old, new)

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

    def _narrow(self, match: Match, old: str, new: str) -> Change:
        """Leave out of the change what old and new text share: it keeps its bytes whatever these are."""
        if match.is_exact:
            return _narrow_exact(match, old, new)
        return _narrow_lenient(self._file.text, match, old.split("\n"), new.split("\n"))


def _narrow_lenient(text: str, match: Match, old: list[str], new: list[str]) -> Change:
    """Whole lines only, since only they are known to correspond: line for line, the match has those of the old text."""
    head, tail = lines_in_common(old, new)
    rest = new[head : len(new) - tail]
    if head + tail < min(len(old), len(new)):
        end = match.end if tail == 0 else _line_start(text, match, len(old) - tail) - 1
        return Change(_line_start(text, match, head), end, "\n".join(rest), match)
    if tail > 0:
        # Whole lines go or come before a line that stays.
        start, end = _line_start(text, match, head), _line_start(text, match, len(old) - tail)
        return Change(start, end, "".join(line + "\n" for line in rest), match)
    start = match.end if head == len(old) else _line_start(text, match, head) - 1
    return Change(start, match.end, "".join("\n" + line for line in rest), match)


def _line_start(text: str, match: Match, number: int) -> int:
    """Where the match's line of that number (from 0) begins."""
    place = match.start
    for _ in range(number):
        place = text.index("\n", place) + 1
    return place


def _narrow_exact(match: Match, old: str, new: str) -> Change:
    most = min(len(old), len(new))
    head = 0
    while head < most and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < most - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Change(match.start + head, match.end - tail, new[head : len(new) - tail], match)


def _refuse_overlap(changes: list[Change]) -> None:
    ordered = sorted(enumerate(changes), key=lambda item: (item[1].match.start, item[1].match.end))
    for (first, before), (second, after) in pairwise(ordered):
        if after.match.start < before.match.end:
            one, two = sorted((first, second))
            raise EditFailed(f"edits[{one}] and edits[{two}] overlap. Put them into one edit.")
