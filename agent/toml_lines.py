"""On which line of a TOML text a value is set, for messages: what `tomllib` does not tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, cast

Path: TypeAlias = Sequence[str | int]
"""Keys from the outermost on, and numbers (from 0) for the tables of an array."""


def find_line(source: str, path: Path) -> int | None:
    """The line (from 1) on which the statement that sets the value at `path` begins; None if there is none.

    `source` must be valid TOML.
    """
    line, depth = _nearest(source, path)
    return line if depth == len(path) else None


def nearest_line(source: str, path: Path) -> int | None:
    """As `find_line`, or else the line of the nearest table around the value; None if not even that is there."""
    return _nearest(source, path)[0]


def _nearest(source: str, path: Path) -> tuple[int | None, int]:
    """The first line of those that agree with `path` furthest, and how many steps of it they agree with."""
    best, depth = None, 0
    for line, table in _statements(source):
        if (agreed := _agreement(table, path)) > depth:
            best, depth = line, agreed
    return best, depth


def _statements(source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each statement: its first line, and the whole document as if nothing else stood in it.

    A statement is the shortest run of lines that is TOML by itself, which holds for arrays and texts over several lines
    too. An array of tables is given as a table of numbers.
    """
    header: list[str | int] = []
    counts: dict[tuple[str, ...], int] = {}
    start, statement = 1, ""
    for count, line in enumerate(source.split("\n"), 1):
        statement += f"{line}\n"
        parsed = _parse(statement)
        if parsed is None:
            continue
        if statement.lstrip().startswith("["):
            header = _numbered(_only_keys(parsed), statement.lstrip().startswith("[["), counts)
            parsed = {}
        yield start, _below(header, parsed)
        start, statement = count + 1, ""


def _parse(statement: str) -> dict[str, Any] | None:
    import tomllib

    try:
        return tomllib.loads(statement)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _only_keys(parsed: object) -> list[str]:
    """The keys of a lone header, outermost first."""
    keys: list[str] = []
    while isinstance(parsed, dict) and parsed:
        name, parsed = next(iter(cast("dict[str, object]", parsed).items()))
        keys.append(name)
    return keys


def _numbered(names: list[str], is_array: bool, counts: dict[tuple[str, ...], int]) -> list[str | int]:
    """The keys of a header with the number of each table that is one of an array; `counts` has the numbers so far."""
    whole = tuple(names)
    if is_array:
        counts[whole] = counts.get(whole, -1) + 1
        # The arrays inside begin anew with each table.
        for inner in [known for known in counts if len(known) > len(whole) and known[: len(whole)] == whole]:
            del counts[inner]
    path: list[str | int] = []
    for size, name in enumerate(names, 1):
        path.append(name)
        if whole[:size] in counts:
            path.append(counts[whole[:size]])
    return path


def _below(header: Path, parsed: dict[str, Any]) -> dict[Any, Any]:
    for step in reversed(header):
        parsed = cast("dict[Any, Any]", {step: parsed})
    return parsed


def _agreement(table: object, path: Path) -> int:
    """How many steps of `path` lead somewhere in `table`."""
    for depth, step in enumerate(path):
        if isinstance(table, dict) and step in table:
            table = cast("dict[Any, object]", table)[step]
        elif isinstance(table, list) and isinstance(step, int) and step < len(cast("list[object]", table)):
            table = cast("list[object]", table)[step]
        else:
            return depth
    return len(path)
