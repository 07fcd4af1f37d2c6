"""Notes what tool calls change: the project's state before and after, kept in the shadow store and named in the session."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

from anyio import Lock
from anyio.to_thread import run_sync

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
    """The states (git tree ids) before and after some calls that ran together, or a restore (no call ids).

    `after` is empty while the calls run, and stays so if the program was killed meanwhile: what they changed is unknown.
    """

    before: str
    after: str
    call_ids: tuple[str, ...] = ()

    @property
    def is_unknown(self) -> bool:
        return not self.after

    @property
    def reverse(self) -> SnapshotRecord:
        """What takes it back; what is unknown stays so."""
        return self if self.is_unknown else SnapshotRecord(self.after, self.before, self.call_ids)

    def to_json(self) -> JsonObject:
        """As `Session.append_custom(SNAPSHOT_TYPE, …)` stores it."""
        after: JsonObject = {"after": self.after} if self.after else {}
        return {"before": self.before, **after, "callIds": list(self.call_ids)}

    def to_json_closing(self, opened: Sequence[str]) -> JsonObject:
        """As it is stored when the calls are over whose records are in these entries."""
        return {**self.to_json(), "closes": list(opened)}


class SnapshotRecords:
    """The records of a session, by the entry that stands where the calls began."""

    def __init__(self, tree: SessionTree) -> None:
        self._by_entry: dict[str, SnapshotRecord] = {}
        for entry in tree:
            if isinstance(entry, CustomEntry) and entry.custom_type == SNAPSHOT_TYPE:
                self._add(entry.id, object_of(entry.data))

    def _add(self, entry_id: str, data: JsonObject) -> None:
        record = SnapshotRecord(text_of(data.get("before")), text_of(data.get("after")), _texts(data.get("callIds")))
        opened = _texts(data.get("closes"))
        for closed in opened:
            self._by_entry.pop(closed, None)
        if record.before and record.before != record.after:
            self._by_entry[opened[0] if opened else entry_id] = record

    def get(self, entry_id: str) -> SnapshotRecord | None:
        """The record of calls that may have changed something and began at an entry, or of a restore."""
        return self._by_entry.get(entry_id)


def _texts(value: object) -> tuple[str, ...]:
    return (
        tuple(each for each in cast("list[object]", value) if isinstance(each, str)) if isinstance(value, list) else ()
    )


class Snapshots:
    """Takes a state before the first of some calls that run together and after the last of them.

    A call that names all that it may change costs a look at these files; any other, a look at the project.
    """

    def __init__(self, git: ShadowGit) -> None:
        self.git = git
        self._lock = Lock()
        self._running: set[str] = set()
        self._finished: list[str] = []
        self._before = ""
        self._paths: set[str] = set()
        self._is_whole = False

    async def begin(self, call_id: str, paths: Iterable[str] = (), *, changes_only_paths: bool = False) -> str:
        """Call before a call that may change files runs; the state now. `paths` (absolute or relative) are kept though ignored.

        Call `close` before if the calls that ran are over. Raises `SnapshotError`; the call may run all the same.
        """
        async with self._lock:
            named, are_plain = await run_sync(self._named, list(paths))
            if self._is_whole or (changes_only_paths and are_plain):
                # What has begun keeps the state that it found.
                new = [name for name in named if name not in self._paths and not await self._is_seen(name)]
                self._before = await self.git.write_tree(new, only=True)
            else:
                self._before = await self.git.write_tree(named, skipped=self._paths)
                self._is_whole = True
            self._running.add(call_id)
            self._paths.update(named)
            return self._before

    def _named(self, paths: Sequence[str]) -> tuple[list[str], bool]:
        """The paths relative to the project, and whether they are files by no other name: who writes to them changes nothing else."""
        names = self._relative(paths)
        return names, bool(names) and all(_is_plain(self.git.project / name) for name in names)

    async def _is_seen(self, name: str) -> bool:
        return self._is_whole and await self.git.has(name)

    def end(self, call_id: str) -> bool:
        """Call when it is over; whether it was the last one, so that `close` is due."""
        if call_id not in self._running:
            return False
        self._running.remove(call_id)
        self._finished.append(call_id)
        return not self._running

    @property
    def is_over(self) -> bool:
        """Whether calls ran and `close` is due."""
        return bool(self._finished) and not self._running

    async def close(self) -> SnapshotRecord | None:
        """The record of the calls that are over. Raises `SnapshotError`."""
        async with self._lock:
            if not self.is_over:
                return None
            after = await self.git.write_tree(self._paths, only=not self._is_whole)
            record = SnapshotRecord(self._before, after, tuple(self._finished))
            self._finished, self._before, self._paths, self._is_whole = [], "", set(), False
            return record

    def _relative(self, paths: Sequence[str]) -> list[str]:
        # The folder by its real path: git keeps nothing behind a link.
        joined = (Path(os.path.normpath(self.git.project / path)) for path in paths)
        full = [Path(os.path.realpath(path.parent)) / path.name for path in joined]
        return [path.relative_to(self.git.project).as_posix() for path in full if path.is_relative_to(self.git.project)]


def _is_plain(path: Path) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1


def records_between(
    tree: SessionTree, from_id: str | None, to_id: str | None
) -> tuple[list[SnapshotRecord], list[SnapshotRecord]]:
    """The records to undo (oldest first) and those to redo when the leaf moves from one entry to another."""
    ancestor = tree.common_ancestor(from_id, to_id)
    records = SnapshotRecords(tree)
    return _records(tree, records, ancestor, from_id), _records(tree, records, ancestor, to_id)


def _records(
    tree: SessionTree, records: SnapshotRecords, ancestor: str | None, leaf_id: str | None
) -> list[SnapshotRecord]:
    path: Sequence[SessionEntry] = [] if leaf_id is None else tree.path(leaf_id)
    start = next((index + 1 for index, entry in enumerate(path) if entry.id == ancestor), 0)
    return [record for entry in path[start:] if (record := records.get(entry.id))]


def discard_unused(data_dir: Path, days: int = UNUSED_DAYS) -> int:
    """Delete the stores of projects that were not worked on for so long; how many."""
    limit = time.time() - days * 86_400
    folder = data_dir / "snapshots"
    old = [path for path in folder.iterdir() if path.stat().st_mtime < limit] if folder.is_dir() else []
    for path in old:
        shutil.rmtree(path, ignore_errors=True)
    return len(old)
