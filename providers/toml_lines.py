"""Where in a TOML text a value stands, for messages; the parser of the standard library does not say."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEADER = re.compile(r"^\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(#.*)?$")
_PART = re.compile(r"\"([^\"]*)\"|'([^']*)'|([A-Za-z0-9_-]+)")


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line (from 1) of the value at `path`, or of the nearest table around it; None if not even that is found.

    `path` is made of keys, and numbers for the tables of an array.
    """
    best, depth = None, 0
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        if header is not None:
            table = _table(_parts(header[2]), header[1] == "[[", counts)
            here = table
        else:
            here = (*table, *_parts(line.partition("=")[0])) if "=" in line else table
        if tuple(path[: len(here)]) == here and len(here) > depth:
            best, depth = number, len(here)
    return best


def _table(names: tuple[str, ...], is_array: bool, counts: dict[tuple[str, ...], int]) -> tuple[str | int, ...]:
    if is_array:
        counts[names] = counts.get(names, -1) + 1
    path: list[str | int] = []
    for size in range(1, len(names) + 1):
        path.append(names[size - 1])
        if names[:size] in counts:
            path.append(counts[names[:size]])
    return tuple(path)


def _parts(text: str) -> tuple[str, ...]:
    return tuple(match[1] or match[2] or match[3] or "" for match in _PART.finditer(text))
