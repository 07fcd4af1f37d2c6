"""Notes what tool calls change: the project's state before and after, kept in the shadow store and named in the session."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

from anyio import Lock

from ..agent.frozen import frozen
from ..agent.json_values import object_of, text_of
from ..agent.messages import JsonObject
from .entries import CustomEntry, SessionEntry
from .shadow_git import ShadowGit
from .tree import SessionTree

SNAPSHOT_TYPE = "pyagent.snapshot"
UNUSED_DAYS = 30


@frozen
class SnapshotRecord:
    """The states (git tree ids) before and after some calls that ran together, or a restore (no call ids)."""

    before: str
    after: str
    call_ids: tuple[str, ...] = ()

    def to_json(self) -> JsonObject:
        """As `Session.append_custom(SNAPSHOT_TYPE, …)` stores it."""
        return {"before": self.before, "after": self.after, "callIds": list(self.call_ids)}


def record_of(entry: SessionEntry) -> SnapshotRecord | None:
    """The record that an entry holds, if it holds one."""
    if not isinstance(entry, CustomEntry) or entry.custom_type != SNAPSHOT_TYPE:
        return None
    data = object_of(entry.data)
    ids = cast("list[object]", data["callIds"]) if isinstance(data.get("callIds"), list) else []
    before, after = text_of(data.get("before")), text_of(data.get("after"))
    calls = tuple(id_ for id_ in ids if isinstance(id_, str))
    return SnapshotRecord(before, after, calls) if before and after else None


class Snapshots:
    """Takes a state before the first of some calls that run together and after the last of them."""

    def __init__(self, git: ShadowGit) -> None:
        self.git = git
        self._lock = Lock()
        self._running: set[str] = set()
        self._finished: list[str] = []
        self._before: str | None = None
        self._paths: set[str] = set()

    async def begin(self, call_id: str, paths: Iterable[str] = ()) -> None:
        """Call before a call that may change files runs. `paths` (absolute or relative) are kept though ignored.

        Raises `SnapshotError`; the call may run all the same.
        """
        async with self._lock:
            named = set(self._relative(paths))
            if not self._running or not named <= self._paths:
                self._paths |= named
                state = await self.git.write_tree(self._paths)
                if not self._running:
                    self._before = state
            self._running.add(call_id)

    async def end(self, call_id: str) -> SnapshotRecord | None:
        """Call when it is over. The record, if it was the last one running and something changed."""
        async with self._lock:
            if call_id not in self._running:
                return None
            self._running.remove(call_id)
            self._finished.append(call_id)
            if self._running or self._before is None:
                return None
            before, calls = self._before, tuple(self._finished)
            paths, self._before, self._finished, self._paths = self._paths, None, [], set()
            after = await self.git.write_tree(paths)
            return SnapshotRecord(before, after, calls) if after != before else None

    def _relative(self, paths: Iterable[str]) -> list[str]:
        # The folder by its real path: git keeps nothing behind a link.
        joined = (self.git.project / path for path in paths)
        full = [Path(os.path.realpath(path.parent)) / path.name for path in joined]
        return [path.relative_to(self.git.project).as_posix() for path in full if path.is_relative_to(self.git.project)]


def records_between(
    tree: SessionTree, from_id: str | None, to_id: str | None
) -> tuple[list[SnapshotRecord], list[SnapshotRecord]]:
    """The records to undo (oldest first) and those to redo when the leaf moves from one entry to another."""
    ancestor = tree.common_ancestor(from_id, to_id)
    return _records(tree, ancestor, from_id), _records(tree, ancestor, to_id)


def _records(tree: SessionTree, ancestor: str | None, leaf_id: str | None) -> list[SnapshotRecord]:
    path: Sequence[SessionEntry] = [] if leaf_id is None else tree.path(leaf_id)
    start = next((index + 1 for index, entry in enumerate(path) if entry.id == ancestor), 0)
    return [record for entry in path[start:] if (record := record_of(entry))]


def discard_unused(data_dir: Path, days: int = UNUSED_DAYS) -> int:
    """Delete the stores of projects that were not worked on for so long; how many."""
    limit = time.time() - days * 86_400
    folder = data_dir / "snapshots"
    old = [path for path in folder.iterdir() if path.stat().st_mtime < limit] if folder.is_dir() else []
    for path in old:
        shutil.rmtree(path, ignore_errors=True)
    return len(old)
