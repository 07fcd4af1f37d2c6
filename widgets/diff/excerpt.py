"""What is shown of a long diff in a few rows: the changes of all hunks, with as much around them as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...agent.frozen import frozen
from .patch import DiffLine, Hunk
from .view import pairs

CONTEXTS = (4, 2, 1, 0)
"""Unchanged lines around each change, tried one after the other."""

TOGETHER = 6
"""Changed lines that are shown together or not at all: a half of them would look like another change."""

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
    changed = sum(line.sign != " " for hunk in hunks for line in hunk)
    for context in CONTEXTS if changed <= (2 * limit if side_by_side else limit) else ():
        pieces = [piece for hunk in hunks for piece in _pieces(hunk, context)]
        found = _counted(hunks, pieces)
        if _rows(pieces, measure) + (not found.is_whole) <= limit:
            return found
    return _counted(hunks, list(_first_pieces(hunks, limit - 1, measure, side_by_side=side_by_side)))


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


def _first_pieces(hunks: Sequence[Hunk], room: int, measure: Measure, *, side_by_side: bool) -> Iterator[Hunk]:
    """Changed lines alone, from the first one on, as many as there is room for."""
    used = 0
    for hunk in hunks:
        for piece in _pieces(hunk, 0):
            used += used > 0
            taken = _beginning(piece, room - used, measure, side_by_side=side_by_side)
            if used and (not taken or len(taken) < len(piece) <= TOGETHER):
                return
            yield taken or piece[:1]
            used += measure(taken or piece[:1])
            if len(taken) < len(piece) or used >= room:
                return


def _beginning(piece: Hunk, room: int, measure: Measure, *, side_by_side: bool) -> Hunk:
    """The first lines of a piece that fit, none if none does; side by side old and new lines go together."""
    steps = [[line] for line in piece[: max(room, 0)]]
    if side_by_side:
        near = piece[: _near(piece, room)]
        steps = [list({id(line): line for line in pair if line}.values()) for pair in pairs(near)]
    low, high = 0, min(len(steps), max(room, 0))
    while low < high:
        middle = (low + high + 1) // 2
        if measure(_together(piece, steps[:middle])) <= room:
            low = middle
        else:
            high = middle - 1
    return _together(piece, steps[:low])


def _near(piece: Hunk, room: int) -> int:
    """Up to which line of a piece its first `room` pairs reach: whole runs of changed lines."""
    index = min(max(room, 0), len(piece))
    while 0 < index < len(piece) and piece[index].sign != " ":
        index += 1
    return index


def _together(piece: Hunk, steps: Sequence[Sequence[DiffLine]]) -> Hunk:
    chosen = {id(line) for step in steps for line in step}
    return [line for line in piece if id(line) in chosen] if chosen else []


def _counted(hunks: Sequence[Hunk], pieces: list[Hunk]) -> Excerpt:
    shown = {id(line) for piece in pieces for line in piece}
    hidden = [line for hunk in hunks for line in hunk if id(line) not in shown]
    changed = sum(line.sign != " " for line in hidden)
    unseen = sum(not any(id(line) in shown for line in hunk) for hunk in hunks)
    return Excerpt(pieces, changed, len(hidden) - changed, unseen)
