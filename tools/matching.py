"""Finding the text that an edit replaces: exact first, then lenient; each match must be the only one."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right

from ..agent.frozen import frozen

_FOLD = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
)
_CLUSTER = re.compile(
    r"[\x00-\x7f](?![\u0300-\u036f])|.[\u0300-\u036f\u3099\u309a\u1ab0-\u1aff\u20d0-\u20ff\ufe20-\ufe2f]*", re.DOTALL
)
_TRAILING = " \t\r\f\v"


@frozen
class Match:
    """A span of the searched text. `is_exact` False: it matched only after folding look-alike characters."""

    start: int
    end: int
    is_exact: bool


def occurrences(text: str, wanted: str, limit: int = 100) -> list[int]:
    """Where `wanted` begins in `text`, overlapping ones included, at most `limit` of them."""
    found: list[int] = []
    at = text.find(wanted)
    while at >= 0 and len(found) < limit:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found


def fold_line(line: str) -> str:
    """A line as the lenient match compares it: NFKC, plain quotes, dashes and blanks, nothing trailing."""
    line = line.rstrip(_TRAILING)
    if line.isascii():
        return line
    return "".join(_fold_cluster(cluster) for cluster in _CLUSTER.findall(line)).rstrip(_TRAILING)


def _fold_cluster(cluster: str) -> str:
    return unicodedata.normalize("NFKC", cluster).translate(_FOLD)


class LenientText:
    """A text with every line folded, and the way back into the original."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        folded = [fold_line(line) for line in self._lines]
        self.folded = "\n".join(folded)
        self._starts = _line_starts(self._lines)
        self._folded_starts = _line_starts(folded)

    def find(self, wanted: str) -> list[Match]:
        """Every match of `wanted` (as written, not folded)."""
        folded = "\n".join(map(fold_line, wanted.split("\n")))
        if not folded.strip():
            return []
        return [self._match(start, start + len(folded)) for start in occurrences(self.folded, folded)]

    def _match(self, start: int, end: int) -> Match:
        return Match(self._original(start, is_end=False), self._original(end, is_end=True), False)

    def _original(self, place: int, *, is_end: bool) -> int:
        index = bisect_right(self._folded_starts, place) - 1
        return self._starts[index] + _column(self._lines[index], place - self._folded_starts[index], is_end=is_end)


def _line_starts(lines: list[str]) -> list[int]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return starts[:-1]


def _column(line: str, folded_column: int, *, is_end: bool) -> int:
    """The column in `line` whose folded text has `folded_column` characters before it.

    Within a character that folds to several, a start goes before it and an end behind it: never half a character.
    """
    if line.isascii():
        return folded_column
    original = folded = 0
    for cluster in _CLUSTER.findall(line):
        if folded >= folded_column:
            break
        width = len(_fold_cluster(cluster))
        if not is_end and folded + width > folded_column:
            break
        folded += width
        original += len(cluster)
    return original


def lines_in_common(old: list[str], new: list[str]) -> tuple[int, int]:
    """How many lines both share at the start, and how many at the end behind those."""
    most = min(len(old), len(new))
    head = 0
    while head < most and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < most - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail
