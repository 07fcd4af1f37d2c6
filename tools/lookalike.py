"""Where a text that was not found nearly is: for the model to see what it got wrong."""

from __future__ import annotations

import difflib
import math
import unicodedata
from collections import defaultdict

from .matching import fold_line

MAX_COMPARED = 20_000
"""Lines of the file that are compared closely."""

MAX_SHOWN = 160
"""Characters of a line that are shown."""


def describe_nearest(text: str, wanted: str) -> str:
    """A sentence with the nearest place, its line number and the first difference made visible."""
    lines, wanted_lines = text.split("\n"), _without_blank_ends(wanted.split("\n"))
    if not wanted_lines:
        return "It holds only blanks, and those are compared exactly."
    start = _by_equal_lines(lines, wanted_lines)
    if start is None:
        start = _by_similar_line(lines, wanted_lines)
    if start is None:
        return "Nothing in the file is like it. Read the file again before the next try."
    return _first_difference(lines, wanted_lines, start)


def _without_blank_ends(lines: list[str]) -> list[str]:
    while lines and not lines[0].strip():
        lines = lines[1:]
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def _key(line: str) -> str:
    return "".join(fold_line(line).split())


def _by_equal_lines(lines: list[str], wanted: list[str]) -> int | None:
    """The start at which most lines are the same, blanks and look-alikes aside; a line that is rare counts for more."""
    places: dict[str, list[int]] = {}
    keys = {key for line in wanted if (key := _key(line))}
    for number, line in enumerate(lines):
        if (key := _key(line)) in keys:
            places.setdefault(key, []).append(number)
    votes: defaultdict[int, float] = defaultdict(float)
    for offset, line in enumerate(wanted):
        found = places.get(_key(line), [])
        for number in found[:200]:
            votes[number - offset] += math.log(1 + len(lines) / len(found))
    return max(0, max(votes, key=lambda start: (votes[start], -start))) if votes else None


def _by_similar_line(lines: list[str], wanted: list[str]) -> int | None:
    """The start at which the first wanted line is most alike."""
    target = wanted[0].strip()
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(target)
    best, best_ratio = None, 0.6
    for number, line in enumerate(lines[:MAX_COMPARED]):
        matcher.set_seq1(line.strip()[:400])
        if matcher.real_quick_ratio() > best_ratio and matcher.quick_ratio() > best_ratio:
            ratio = matcher.ratio()
            if ratio > best_ratio:
                best, best_ratio = number, ratio
    return best


def _first_difference(lines: list[str], wanted: list[str], start: int) -> str:
    for offset, line in enumerate(wanted):
        number = start + offset
        actual = lines[number] if number < len(lines) else None
        if actual == line:
            continue
        if actual is None:
            return f"The nearest place begins at line {start + 1}, but the file ends before it does."
        return (
            f"The nearest place is line {start + 1}; at line {number + 1} it differs:\n"
            f"  file:    {_visible(actual, line)}\n"
            f"  oldText: {_visible(line, actual)}"
        )
    return f"The lines are those from line {start + 1} on, but the text before or behind them differs."


def _visible(line: str, other: str) -> str:
    """The line with what is hard to see spelled out where it differs from the other."""
    out: list[str] = []
    matcher = difflib.SequenceMatcher(None, line[: MAX_SHOWN * 2], other[: MAX_SHOWN * 2], autojunk=False)
    for tag, start, end, _, _ in matcher.get_opcodes():
        piece = line[start:end]
        out.append(piece if tag == "equal" else "".join(map(_spelled, piece)))
    shown = "".join(out)
    return shown if len(shown) <= MAX_SHOWN else shown[:MAX_SHOWN] + "…"


def _spelled(character: str) -> str:
    match character:
        case " ":
            return "␠"
        case "\t":
            return "␉"
        case "\r":
            return "␍"
        case _ if character.isascii() and character.isprintable():
            return character
        case _:
            name = unicodedata.name(character, "")
            return f"{character if character.isprintable() else ''}⟨U+{ord(character):04X}{' ' + name if name else ''}⟩"
