"""The local machine."""

from __future__ import annotations

import errno
import os
import shutil
import stat as stat_module
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import anyio.to_thread

from .atomic import write_file
from .keeper import ProcessKeeper
from .operations import Command, DirectoryEntry, FileKind, FileReader, FileStat, Process

T = TypeVar("T")

_SCRIPTS = os.path.dirname(sys.executable)
"""Where programs are that were installed with this one (ripgrep as an extra)."""


class LocalOperations:
    """Files and processes of the machine that this program runs on."""

    def __init__(self, keeper: ProcessKeeper | None = None) -> None:
        self.keeper = keeper or ProcessKeeper()

    async def home(self) -> str:
        return os.path.expanduser("~")

    async def which(self, name: str) -> str | None:
        return await _in_thread(lambda: shutil.which(name) or shutil.which(name, path=_SCRIPTS))

    async def stat(self, path: str, *, follow: bool = True) -> FileStat:
        return await _in_thread(lambda: describe(os.stat(path, follow_symlinks=follow)))

    async def realpath(self, path: str) -> str:
        return await _in_thread(lambda: os.path.realpath(path))

    async def open(self, path: str) -> FileReader:
        return await _in_thread(lambda: LocalReader(path))

    async def write(self, path: str, data: bytes, *, version: str | None) -> FileStat:
        # Not left behind when cancelled (the default of `run_sync`): the next writer must find it finished.
        return describe(await anyio.to_thread.run_sync(partial(write_file, path, data, _version_check(version))))

    async def make_directories(self, path: str) -> None:
        await _in_thread(lambda: os.makedirs(path, exist_ok=True))

    async def list(self, paths: Sequence[str]) -> list[list[DirectoryEntry] | OSError]:
        return await _in_thread(lambda: [_list_directory(path) for path in paths])

    async def spawn(self, command: Command) -> Process:
        return await self.keeper.spawn(command)

    async def keep_output(self, local_path: str) -> str:
        return local_path

    async def aclose(self) -> None:
        self.keeper.close()


HEAD = 64 * 1024
"""Bytes that are read as a file is opened: most files are no longer, and wait for a thread once."""


class LocalReader:
    """A regular file of the local machine."""

    def __init__(self, path: str) -> None:
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
        if os.name == "nt" and os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        self._descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
        try:
            self.stat = describe(os.fstat(self._descriptor))
            refuse_special(self.stat.kind, path)
            self._head = os.read(self._descriptor, HEAD)
        except OSError:
            os.close(self._descriptor)
            raise

        # A file of the system's own (/proc) says that it is empty, and is not.
        self._is_at_end = len(self._head) in (0, self.stat.size) and len(self._head) < HEAD

    async def read(self, size: int) -> bytes:
        if self._head or self._is_at_end:
            piece, self._head = self._head[:size], self._head[size:]
            return piece
        return await anyio.to_thread.run_sync(os.read, self._descriptor, size)

    async def aclose(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def refuse_special(kind: FileKind, path: str) -> None:
    """Raise the `OSError` that says why what is at `path` is no regular file."""
    if kind == "directory":
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if kind != "file":
        raise OSError(errno.EINVAL, f"Is a {kind}, not a regular file", path)


def describe(status: os.stat_result) -> FileStat:
    """An `os.stat_result` as a `FileStat`."""
    return FileStat(
        kind_of_mode(status.st_mode),
        status.st_size,
        stat_module.S_IMODE(status.st_mode),
        status.st_nlink,
        f"{status.st_dev}:{status.st_ino}",
        version_of(status),
    )


def version_of(status: os.stat_result) -> str:
    """The version token of a file: device, inode, size, and the times of change of content and of status."""
    return f"{status.st_dev}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"


_KINDS: tuple[tuple[Callable[[int], bool], FileKind], ...] = (
    (stat_module.S_ISREG, "file"),
    (stat_module.S_ISDIR, "directory"),
    (stat_module.S_ISLNK, "symlink"),
    (stat_module.S_ISFIFO, "fifo"),
    (stat_module.S_ISSOCK, "socket"),
)


def kind_of_mode(mode: int) -> FileKind:
    """The kind that a ``st_mode`` says."""
    for test, kind in _KINDS:
        if test(mode):
            return kind
    return "device"


def _version_check(version: str | None) -> Callable[[os.stat_result | None], bool]:
    def is_as_seen(status: os.stat_result | None) -> bool:
        return (None if status is None else version_of(status)) == version

    return is_as_seen


def _list_directory(path: str) -> list[DirectoryEntry] | OSError:
    try:
        with os.scandir(path) as entries:
            return [_entry(entry) for entry in entries]
    except OSError as error:
        return error


def _entry(entry: os.DirEntry[str]) -> DirectoryEntry:
    if entry.is_file(follow_symlinks=False):
        return DirectoryEntry(entry.name, "file")
    if entry.is_dir(follow_symlinks=False):
        return DirectoryEntry(entry.name, "directory")
    try:
        kind = kind_of_mode(entry.stat(follow_symlinks=False).st_mode)
        target = kind_of_mode(os.stat(entry.path).st_mode) if kind == "symlink" else None
    except OSError:
        return DirectoryEntry(entry.name, "symlink" if entry.is_symlink() else "device")
    return DirectoryEntry(entry.name, kind, target)


async def _in_thread(work: Callable[[], T]) -> T:
    # A file system that hangs must not hang an abort: reading work is left behind, never a write.
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
