"""On which line of a TOML text a key is set: what `tomllib` does not tell."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any, cast


def find_line(source: str, key: str) -> int | None:
    """The line (from 1) on which the statement that sets the dotted `key` begins; None if there is none.

    `source` must be valid TOML. A statement is the shortest run of lines that is TOML by itself, which holds for
    arrays and texts over several lines too.
    """
    wanted = key.split(".")
    header: list[str] = []
    start, statement = 1, ""
    for count, line in enumerate(source.split("\n"), 1):
        statement += f"{line}\n"
        parsed = _parse(statement)
        if parsed is None:
            continue
        if statement.lstrip().startswith("["):
            header = _only_keys(parsed)
        else:
            parsed = _below(header, parsed)
        if _holds(parsed, wanted):
            return start
        start, statement = count + 1, ""
    return None


def _parse(statement: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(statement)
    except tomllib.TOMLDecodeError:
        return None


def _only_keys(parsed: dict[str, Any]) -> list[str]:
    """The keys of a lone header, outermost first."""
    keys: list[str] = []
    table: object = parsed
    while isinstance(table, dict) and table:
        name, table = next(iter(cast("dict[str, object]", table).items()))
        keys.append(name)
    return keys


def _below(header: Sequence[str], parsed: dict[str, Any]) -> dict[str, Any]:
    for name in reversed(header):
        parsed = {name: parsed}
    return parsed


def _holds(parsed: dict[str, Any], path: Sequence[str]) -> bool:
    table: object = parsed
    for name in path:
        if not isinstance(table, dict) or name not in table:
            return False
        table = cast("dict[str, object]", table)[name]
    return True
