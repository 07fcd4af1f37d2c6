"""What stands in a project: looked at anew each time, read again only where it may have changed."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..agent.mutable import mutable
from .git_objects import Blob, Folder, ObjectStore

LARGE_FILE_BYTES = 5 * 1024 * 1024
RULES = ".gitignore"
CLOCK_TICK = 20_000_000
"""Nanoseconds within which a file may change twice and show the same time (100 Hz, and some air)."""


class Seen(NamedTuple):
    """What tells whether a file changed: nobody can set the time of its last change of state (on POSIX)."""

    mode: str
    size: int
    modified: int
    changed: int

    @classmethod
    def of(cls, status: os.stat_result) -> Seen:
        return cls(mode_of(status.st_mode), status.st_size, status.st_mtime_ns, status.st_ctime_ns)

    def is_settled(self, now: int) -> bool:
        """Whether a change after `now` (ns) is bound to show. A change within the same tick of the clock is not."""
        return max(self.modified if os.name == "nt" else 0, self.changed) < now - CLOCK_TICK


@mutable
class KnownFile:
    """A file as it was last read; `seen` None: it was not yet.

    `blob` None, though it was seen: it is too large or cannot be read, so it is left out from now on.
    """

    blob: Blob | None
    seen: Seen | None = None
    is_settled: bool = False
    round: int = 0


class ProjectFiles:
    """The files of a project but for the ignored ones. Blocks: call it in a thread, one call at a time.

    `look` answers with the names on which git must give its verdict (`judge`); then look again.
    """

    def __init__(self, project: Path, store: ObjectStore) -> None:
        self._project = str(project)
        self._store = store
        self._root = Folder()
        self._files: dict[str, KnownFile] = {}
        self._ignored: set[str] = set()
        self._folders: set[str] = {""}
        self._rules: dict[str, Seen | None] = {}
        self._round = 0
        self._now = 0

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def fill(self, listed: Iterable[tuple[str, Blob, Seen]], written: int) -> None:
        """Begin with what git knows: its index, written at that time (ns)."""
        for name, blob, seen in listed:
            self._store.trust(blob.id)
            self._files[name] = KnownFile(blob, seen, seen.is_settled(written))
            self._root.set(name, blob)

    def judge(self, names: Collection[str], ignored: Collection[str]) -> None:
        """What git says of names that `look` did not know."""
        self._ignored.update(ignored)
        for name in names:
            if name in ignored:
                continue
            if os.path.isdir(self._path(name)) and not os.path.islink(self._path(name)):
                self._folders.add(name)
            else:
                self._files.setdefault(name, KnownFile(None))

    def look(self, skipped: Collection[str] = ()) -> list[str]:
        """Look at everything but `skipped`; the unknown names, if there are any, and then nothing is certain yet."""
        self._round += 1
        self._now = time.time_ns()
        try:
            unknown = list(self._walk(skipped))
        except _RulesChanged:
            self._ignored.clear()
            self._rules.clear()
            self._folders = {""}
            return self.look(skipped)
        if not unknown:
            self._look_at([name for name, file in self._files.items() if file.round != self._round], skipped)
        return unknown

    def look_at(self, names: Iterable[str]) -> None:
        """Look at these only; they are kept from now on though they be ignored."""
        self._now = time.time_ns()
        self._look_at(list(names), ())

    def write_tree(self) -> str:
        """Keep what was seen; the id of the state."""
        return self._root.write(self._store)

    def _walk(self, skipped: Collection[str]) -> Iterator[str]:
        folders = [""]
        while folders:
            folder = folders.pop()
            try:
                with os.scandir(self._path(folder)) as found:
                    entries = list(found)
            except OSError:
                continue
            # A repository in the repository is its own affair.
            if folder and any(entry.name == ".git" for entry in entries):
                continue
            self._note_rules(folder, entries)
            prefix = f"{folder}/" if folder else ""
            for entry in entries:
                name = prefix + entry.name
                if name in self._ignored or name == ".git":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if name in self._folders:
                        folders.append(name)
                    else:
                        yield name
                elif (file := self._files.get(name)) is None:
                    yield name
                else:
                    file.round = self._round
                    if name not in skipped:
                        self._compare(name, file, entry)

    def _note_rules(self, folder: str, entries: list[os.DirEntry[str]]) -> None:
        """What was ignored by rules that are not the same now must be judged again. Raises `_RulesChanged`."""
        rules = next((_seen(entry) for entry in entries if entry.name == RULES), None)
        if self._rules.setdefault(folder, rules) != rules:
            raise _RulesChanged

    def _compare(self, name: str, file: KnownFile, entry: os.DirEntry[str]) -> None:
        try:
            self._take(name, file, entry.stat(follow_symlinks=False))
        except FileNotFoundError:
            self._forget(name)
        except OSError:
            return

    def _look_at(self, names: list[str], skipped: Collection[str]) -> None:
        for name in names:
            if name in skipped:
                continue
            try:
                status = os.lstat(self._path(name))
                if not stat.S_ISDIR(status.st_mode):
                    self._take(name, self._files.setdefault(name, KnownFile(None)), status)
                    continue
            except (FileNotFoundError, NotADirectoryError):
                pass
            except OSError:
                continue
            self._forget(name)

    def _take(self, name: str, file: KnownFile, status: os.stat_result) -> None:
        seen = Seen.of(status)
        is_left_out = file.blob is None and file.seen is not None
        if is_left_out or (file.seen == seen and file.is_settled):
            return
        blob = self._read(name, seen, file.blob)
        file.seen, file.is_settled = seen, seen.is_settled(self._now)
        if blob != file.blob:
            file.blob = blob
            self._root.set(name, blob)

    def _read(self, name: str, seen: Seen, before: Blob | None) -> Blob | None:
        """What stands there now. Raises `FileNotFoundError`; what cannot be read stays as it was."""
        if not seen.mode or seen.size > LARGE_FILE_BYTES:
            return None
        try:
            content = content_of(self._path(name), seen.mode)
        except FileNotFoundError:
            raise
        except OSError:
            return before
        return Blob(seen.mode, self._store.write("blob", content))

    def _forget(self, name: str) -> None:
        if self._files.pop(name, None) is not None:
            self._root.set(name, None)

    def _path(self, name: str) -> str:
        return f"{self._project}/{name}" if name else self._project


class _RulesChanged(Exception):
    """Another .gitignore than before."""


def _seen(entry: os.DirEntry[str]) -> Seen | None:
    try:
        return Seen.of(entry.stat(follow_symlinks=False))
    except OSError:
        return None


def mode_of(mode: int) -> str:
    """The git mode of a file's mode; empty for what git does not keep."""
    if stat.S_ISLNK(mode):
        return "120000"
    if not stat.S_ISREG(mode):
        return ""
    return "100755" if mode & stat.S_IXUSR else "100644"


def content_of(path: str, mode: str) -> bytes:
    """What git keeps of a file: of a link, where it leads. Raises `OSError`."""
    if mode == "120000":
        return os.fsencode(os.readlink(path))
    with open(path, "rb") as file:
        return file.read()
