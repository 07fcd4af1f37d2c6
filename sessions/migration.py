"""Old versions of the format, brought to version 3 in memory."""

from __future__ import annotations

from collections.abc import Sequence

from ..agent.json_values import object_of
from ..agent.messages import JsonObject
from .identifiers import new_entry_id


def migrate(version: int, entries: Sequence[JsonObject | None]) -> None:
    """Change stored objects (in file order, the header left out; None for a damaged line) from `version` to 3, in place.

    Version 1 had no ids: every entry follows the one before it. Version 2 called the role ``custom`` ``hookMessage``.
    """
    if version < 2:
        _add_ids(entries)
    for entry in entries:
        message = object_of(entry.get("message")) if entry else {}
        if message.get("role") == "hookMessage":
            message["role"] = "custom"


def _add_ids(entries: Sequence[JsonObject | None]) -> None:
    taken: set[str] = set()
    previous: str | None = None
    for entry in entries:
        if entry is None:
            continue
        entry["id"] = new_entry_id(taken)
        entry["parentId"] = previous
        previous = entry["id"]
        taken.add(entry["id"])
        if entry.get("type") == "compaction":
            _name_first_kept(entry, entries)


def _name_first_kept(entry: JsonObject, entries: Sequence[JsonObject | None]) -> None:
    index = entry.pop("firstKeptEntryIndex", None)
    # Indexes counted the header as line 0. Everything kept comes earlier in the file, so it has its id already.
    if isinstance(index, int) and 1 <= index <= len(entries):
        target = entries[index - 1]
        if target is not None and "id" in target:
            entry["firstKeptEntryId"] = target["id"]
