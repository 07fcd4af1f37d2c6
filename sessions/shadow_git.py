"""A git store of a project's states, outside the project. The person's own repository, if there is one, is not touched."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from anyio import Lock, run_process
from anyio.to_thread import run_sync

from ..agent.frozen import frozen
from .folders import make_private_folder
from .git_objects import Blob, ObjectStore
from .progress import Tell, go_on
from .project_files import LARGE_FILE_BYTES, ProjectFiles, Seen, content_of, mode_of

MOST_FILES = 50_000
BATCH = 500
"""Files that are read in one go."""

_EXCLUDED = """node_modules/
.venv/
venv/
__pycache__/
.mypy_cache/
.pytest_cache/
.ruff_cache/
.tox/
.DS_Store
"""
_ATTRIBUTES = "* -text !eol -filter -ident -working-tree-encoding\n"
"""The bytes as they are, whatever the project's .gitattributes say (line ends, large-file filters)."""

_CONFIG = """[core]
	repositoryformatversion = 0
	bare = false
	autocrlf = false
	safecrlf = false
	quotepath = false
	longpaths = true
[gc]
	auto = 0
[maintenance]
	auto = false
"""

_RECORD = re.compile(
    rb"(\d{6}) ([0-9a-f]+) 0\t([^\0]+)\0  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n.*\n.*\n  size: (\d+)\t.*\n"
)


class SnapshotError(Exception):
    """The project's states cannot be kept or restored; `str(error)` says why, for the person."""


@frozen
class Change:
    """What happened to one path (relative, with ``/``) between two states; None: it was not there."""

    path: str
    before: Blob | None
    after: Blob | None


class ShadowGit:
    """The store of one project. Sessions of one project share its objects and have an index each."""

    def __init__(self, project: Path, data_dir: Path, session_id: str) -> None:
        self.project = Path(os.path.realpath(project))
        name = hashlib.sha256(os.fsencode(self.project)).hexdigest()[:16]
        self.folder = data_dir / "snapshots" / name
        self._index = self.folder / f"index-{session_id}"
        self._writing = Lock()
        self._files: ProjectFiles | None = None

    async def prepare(self) -> None:
        """Make the store if it is not there. Raises `SnapshotError`."""
        if shutil.which("git") is None:
            raise SnapshotError("git is not installed, so files cannot be rewound.")
        if self.project in (Path.home(), Path(self.project.anchor)):
            raise SnapshotError("Files are not rewound in a home folder or at the root of a disk.")
        try:
            await run_sync(self._make)
        except OSError as error:
            raise SnapshotError(f"the snapshot store cannot be made: {error}") from error

    def _make(self) -> None:
        for folder in ("objects", "refs", "info"):
            make_private_folder(self.folder / folder)
        (self.folder / "HEAD").write_text("ref: refs/heads/main\n")
        (self.folder / "config").write_text(_CONFIG)
        (self.folder / "info" / "attributes").write_text(_ATTRIBUTES)
        (self.folder / "info" / "exclude").write_text(self._excluded())
        self._borrow_index()
        os.utime(self.folder)

    @property
    def _index_lock(self) -> Path:
        return self._index.with_name(self._index.name + ".lock")

    def _excluded(self) -> str:
        own = self.project / ".git" / "info" / "exclude"
        more = own.read_text(errors="replace") if own.is_file() else ""
        store = self.folder.parent
        itself = f"/{store.relative_to(self.project).as_posix()}/\n" if store.is_relative_to(self.project) else ""
        return _EXCLUDED + itself + more

    def _borrow_index(self) -> None:
        """Begin with the newest index of another session: what it knows need not be read again."""
        found = (path for path in self.folder.glob("index-*") if path.suffix != ".lock")
        others = sorted(found, key=lambda path: path.stat().st_mtime)
        if not self._index.exists() and others:
            shutil.copy2(others[-1], self._index)

    async def write_tree(
        self, paths: Iterable[str] = (), *, only: bool = False, skipped: Collection[str] = (), tell: Tell = go_on
    ) -> str:
        """Keep the project as it is now; the id of its state. Raises `SnapshotError`.

        Ignored files are left out unless named in `paths` (relative) now or before, files above 5 MB always. `only`:
        nothing but `paths` is looked at, the rest is as it was seen last; so are those that are `skipped`. The first time all is read, and
        `tell` hears how far that is. Safe to cancel.
        """
        async with self._writing:
            if self._files is None:
                self._files = await self._read_project(tell)
            files, named = self._files, list(paths)
            try:
                return await run_sync(_look, files, named) if only else await self._look(files, named, skipped)
            except OSError as error:
                raise SnapshotError(f"the project's state cannot be kept: {error}") from error

    async def has(self, name: str) -> bool:
        """Whether a file (relative) is among those that are kept."""
        async with self._writing:
            return self._files is not None and name in self._files

    async def _look(self, files: ProjectFiles, named: list[str], skipped: Collection[str]) -> str:
        while True:
            found = await run_sync(_look_everywhere, files, named, skipped)
            if isinstance(found, str):
                return found
            files.judge(found, await self._ignored(found))
            if len(files) > MOST_FILES:
                raise SnapshotError(f"The project has more than {MOST_FILES:,} files, so files cannot be rewound.")

    async def _ignored(self, names: Sequence[str]) -> set[str]:
        """Those that git ignores."""
        data = b"".join(os.fsencode(name) + b"\0" for name in names)
        found = await self._git("check-ignore", "--no-index", "-z", "--stdin", data=data, none_is=1)
        return {os.fsdecode(name) for name in found.split(b"\0") if name}

    async def _read_project(self, tell: Tell) -> ProjectFiles:
        """Bring the index up to date, so that this and the next session know what need not be read."""
        # Nobody else writes this index: a lock on it was left by a git that was cancelled or killed.
        self._index_lock.unlink(missing_ok=True)
        listed = await self._git("ls-files", "-z", "-m", "-o", "-d", "--exclude-standard", "--deduplicate")
        names = {os.fsdecode(name) for name in listed.split(b"\0") if name}
        if len(names) > MOST_FILES:
            raise SnapshotError(f"The project has more than {MOST_FILES:,} files, so files cannot be rewound.")
        chosen = await run_sync(self._small_files, list(names))
        for start in range(0, len(chosen), BATCH):
            if not tell(start, len(chosen)):
                raise SnapshotError("reading the project was stopped.")
            data = b"".join(os.fsencode(name) + b"\0" for name in chosen[start : start + BATCH])
            await self._git("update-index", "--add", "--remove", "--replace", "-z", "--stdin", data=data)
        index = await self._git("ls-files", "-s", "-z", "--debug")
        files = ProjectFiles(self.project, ObjectStore(self.folder / "objects"))
        await run_sync(lambda: files.fill(_records(index), self._index_time()))
        return files

    def _index_time(self) -> int:
        try:
            return self._index.stat().st_mtime_ns
        except OSError:
            return 0

    def _small_files(self, names: Sequence[str]) -> list[str]:
        """What git can keep: regular files of a sane size, links, and what is gone (git then forgets it)."""
        return [name for name in dict.fromkeys(names) if self._is_kept(name)]

    def _is_kept(self, name: str) -> bool:
        path = self.project / name
        try:
            status = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        if stat.S_ISLNK(status.st_mode):
            return True
        return stat.S_ISREG(status.st_mode) and status.st_size <= LARGE_FILE_BYTES and os.access(path, os.R_OK)

    async def changes(self, before: str, after: str) -> list[Change]:
        """What differs between two states. Raises `SnapshotError` if the store does not have them."""
        if before == after:
            return []
        fields = (await self._git("diff-tree", "-r", "-z", "--no-renames", before, after)).split(b"\0")
        return [
            _change(head.decode(), os.fsdecode(path)) for head, path in zip(fields[::2], fields[1::2], strict=False)
        ]

    async def hash_files(self, names: Sequence[str]) -> dict[str, Blob | None]:
        """What stands in the project now under these names; the content is kept, so that it can come back."""
        modes = await run_sync(lambda: {name: _mode(self.project / name) for name in names})
        found: dict[str, Blob | None] = dict.fromkeys(names)
        # Git reads one path a line, so the rare name with a line break goes another way.
        regular = [name for name, mode in modes.items() if mode in ("100644", "100755") and "\n" not in name]
        if regular:
            data = b"".join(os.fsencode(str(self.project / name)) + b"\n" for name in regular)
            ids = (await self._git("hash-object", "-w", "--no-filters", "--stdin-paths", data=data)).decode().split()
            found.update((name, Blob(str(modes[name]), id_)) for name, id_ in zip(regular, ids, strict=True))
        for name, mode in modes.items():
            if mode is not None and name not in regular:
                content = await run_sync(content_of, str(self.project / name), mode) if mode else b""
                id_ = await self._git("hash-object", "-w", "--no-filters", "--stdin", data=content)
                found[name] = Blob(mode, id_.decode().strip())
        return found

    async def read(self, blobs: Sequence[Blob]) -> dict[str, bytes]:
        """The contents of blobs by their id. Raises `SnapshotError` if the store does not have one."""
        ids = sorted({blob.id for blob in blobs})
        output = (
            await self._git("cat-file", "--batch", data="".join(f"{id_}\n" for id_ in ids).encode()) if ids else b""
        )
        contents: dict[str, bytes] = {}
        position = 0
        for id_ in ids:
            end = output.index(b"\n", position)
            kind = output[position:end].split(b" ")
            if len(kind) != 3:
                raise SnapshotError("the snapshot store has lost a file's content")
            size = int(kind[2])
            contents[id_] = output[end + 1 : end + 1 + size]
            position = end + 2 + size
        return contents

    async def _git(self, *arguments: str, data: bytes = b"", none_is: int = 0) -> bytes:
        """What git says. `none_is` is the status with which the command tells that it found nothing."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        environment |= {
            "GIT_DIR": str(self.folder),
            "GIT_WORK_TREE": str(self.project),
            "GIT_INDEX_FILE": str(self._index),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_OPTIONAL_LOCKS": "0",
            "LC_ALL": "C",
        }
        try:
            done = await run_process(
                ["git", *arguments],
                input=data,
                cwd=self.project,
                env=environment,
                check=False,
                start_new_session=True,
            )
        except OSError as error:
            raise SnapshotError(f"git cannot be run: {error}") from error
        if done.returncode not in (0, none_is):
            reason = done.stderr.decode(errors="replace").strip().splitlines()
            raise SnapshotError(f"git {arguments[0]} failed: {reason[-1] if reason else done.returncode}")
        return done.stdout


def _change(head: str, path: str) -> Change:
    """One record of git's raw diff format: ``:mode mode id id status``."""
    before_mode, after_mode, before_id, after_id = head.removeprefix(":").split(" ")[:4]
    return Change(path, _blob(before_mode, before_id), _blob(after_mode, after_id))


def _blob(mode: str, id_: str) -> Blob | None:
    return None if mode == "000000" else Blob(mode, id_)


def _mode(path: Path) -> str | None:
    """The git mode of what stands there; None if nothing does, empty for what git does not keep."""
    try:
        return mode_of(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _look(files: ProjectFiles, named: Sequence[str]) -> str:
    files.look_at(named)
    return files.write_tree()


def _look_everywhere(files: ProjectFiles, named: Sequence[str], skipped: Collection[str]) -> str | list[str]:
    """The id of the state, or the names that git must judge first."""
    files.look_at(name for name in named if name not in skipped)
    return files.look(skipped) or files.write_tree()


def _records(listed: bytes) -> Iterator[tuple[str, Blob, Seen]]:
    """The records of ``git ls-files -s -z --debug``: a head and a name, then lines with what the index saw of the file."""
    for found in _RECORD.finditer(listed):
        mode, id_, name, *numbers = found.groups()
        seconds, part, modified, modified_part, size = map(int, numbers)
        seen = Seen(mode.decode(), size, modified * 10**9 + modified_part, seconds * 10**9 + part)
        yield os.fsdecode(name), Blob(seen.mode, id_.decode()), seen
