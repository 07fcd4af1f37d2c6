"""What is shown of a long diff in a few rows: the changes of all hunks, with as much around them as there is room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from ...agent.frozen import frozen
from .patch import DiffLine, Hunk
from .view import pairs

CONTEXTS = (4, 2, 1, 0)
"""Unchanged lines around each change, tried one after the other."""

Measure = Callable[[Sequence[DiffLine]], int]
"""How many rows some lines take."""


@frozen
class Excerpt:
    """Pieces of hunks in order, and how many lines and hunks of the diff are in none of them."""

    pieces: list[Hunk]
    hidden_changed: int
    hidden_common: int
    hidden_hunks: int

    @property
    def is_whole(self) -> bool:
        return not (self.hidden_changed or self.hidden_common)


def excerpt(hunks: Sequence[Hunk], limit: int, measure: Measure, *, side_by_side: bool) -> Excerpt:
    """Of a diff as much as `limit` rows hold, one row between two pieces and one last row for what is hidden included."""
    changed = sum(map(_changed, hunks))
    common = sum(map(len, hunks)) - changed
    for context in CONTEXTS if changed <= (2 * limit if side_by_side else limit) else ():
        groups = [list(_pieces(hunk, context)) for hunk in hunks]
        found = _counted(groups, changed, common)
        if _rows(found.pieces, measure) + (not found.is_whole) <= limit:
            return found
    return _counted(_first_pieces(hunks, limit - 1, measure), changed, common)


def _changed(lines: Hunk) -> int:
    return sum(line.sign != " " for line in lines)


def _rows(pieces: Sequence[Hunk], measure: Measure) -> int:
    return sum(map(measure, pieces)) + max(len(pieces) - 1, 0)


def _pieces(hunk: Hunk, context: int) -> Iterator[Hunk]:
    """The changed lines of a hunk with the lines around them; a single line is not left out."""
    kept: list[int] = []
    for index, line in enumerate(hunk):
        if line.sign != " ":
            first = max(index - context, kept[-1] + 1 if kept else 0)
            kept += range(first, index)
            kept += range(max(index, kept[-1] + 1 if kept else 0), min(index + context + 1, len(hunk)))
    start = 0
    for at, index in enumerate(kept):
        if at and index - kept[at - 1] > 2:
            yield hunk[kept[start] : kept[at - 1] + 1]
            start = at
    if kept:
        yield hunk[kept[start] : kept[-1] + 1]


def _first_pieces(hunks: Sequence[Hunk], room: int, measure: Measure) -> list[list[Hunk]]:
    """Changed lines alone, from the first one on, as many as there is room for; what is left of each hunk."""
    groups: list[list[Hunk]] = [[] for _ in hunks]
    used = 0
    for group, hunk in zip(groups, hunks, strict=True):
        for piece in _pieces(hunk[: _enough(hunk, room)], 0):
            used += used > 0
            taken = _beginning(piece, room - used, measure)
            if not taken and used:
                return groups
            taken = taken or piece[:1]
            group.append(taken)
            used += measure(taken)
            if len(taken) < len(piece) or used >= room:
                return groups
    return groups


def _enough(hunk: Hunk, room: int) -> int:
    """Up to where a hunk has more than `room` new lines, which no window shows."""
    added = 0
    for index, line in enumerate(hunk):
        added += line.sign == "+"
        if added > room:
            return index + 1
    return len(hunk)


def _beginning(piece: Hunk, room: int, measure: Measure) -> Hunk:
    """The first lines of a piece that fit, none if none does: old lines together with the new ones that replace them."""
    first = _first_of_each(piece, room)
    steps = pairs(first)
    low, high = 0, min(len(steps), max(room, 0))
    while low < high:
        middle = (low + high + 1) // 2
        if measure(_together(first, steps[:middle])) <= room:
            low = middle
        else:
            high = middle - 1
    return _together(first, steps[:low])


def _first_of_each(piece: Hunk, count: int) -> Hunk:
    """The first lines of each kind, as many at most."""
    seen: Counter[str] = Counter()
    first: Hunk = []
    for line in piece:
        seen[line.sign] += 1
        if seen[line.sign] <= count:
            first.append(line)
    return first


def _together(lines: Hunk, steps: Sequence[tuple[DiffLine | None, DiffLine | None]]) -> Hunk:
    chosen = {id(line) for step in steps for line in step if line is not None}
    return [line for line in lines if id(line) in chosen]


def _counted(groups: Sequence[Sequence[Hunk]], changed: int, common: int) -> Excerpt:
    """What is shown of each hunk, of so many lines in all."""
    pieces = [piece for group in groups for piece in group]
    seen = sum(map(_changed, pieces))
    return Excerpt(pieces, changed - seen, common - sum(map(len, pieces)) + seen, sum(not group for group in groups))
