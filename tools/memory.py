"""A machine in memory: files for tests and for programs that embed the tools."""

from __future__ import annotations

import errno
import os
import posixpath
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from itertools import count
from typing import TypeAlias

import anyio
import anyio.lowlevel

from ..agent.mutable import mutable
from .local import refuse_special
from .memory_process import MemoryProcess
from .operations import Command, DirectoryEntry, FileKind, FileReader, FileStat, Process, StaleFileError

MAX_LINKS = 40
"""Symlinks followed in one path."""

RunCommand: TypeAlias = Callable[[Command, Callable[[bytes], None]], Awaitable[int]]
"""Plays a command: takes what to start and a function for its output, returns the exit code; cancelled to end it."""

_numbers = count(1)


@mutable(eq=False)
class Node:
    """One file, folder, link or special file; `names` counts its hard links, `changes` how often it was written."""

    kind: FileKind
    data: bytes = b""
    target: str = ""
    children: dict[str, Node] = field(default_factory=dict)
    mode: int = 0o644
    names: int = 1
    number: int = field(default_factory=lambda: next(_numbers))
    changes: int = 0

    @property
    def stat(self) -> FileStat:
        version = f"{self.number}:{self.changes}"
        return FileStat(self.kind, len(self.data), self.mode, self.names, str(self.number), version)


class MemoryOperations:
    """A file tree with POSIX paths. Commands are played by `run`; without it none can be started."""

    def __init__(
        self, files: Mapping[str, bytes] | None = None, *, home: str = "/home", run: RunCommand | None = None
    ) -> None:
        self._root = Node("directory", mode=0o755)
        self._home = home
        self._run = run
        self._processes: set[MemoryProcess] = set()
        for path, data in (files or {}).items():
            self.add_file(path, data)

    def add_file(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Put a file there, with its folders."""
        self._place(path, Node("file", data, mode=mode))

    def add_folder(self, path: str) -> None:
        """Put a folder there, with those above."""
        self._make_folder(posixpath.normpath(path))

    def add_link(self, path: str, target: str) -> None:
        """Put a symlink there."""
        self._place(path, Node("symlink", target=target))

    def add_hard_link(self, path: str, existing: str) -> None:
        """Give an existing file one more name."""
        node = self._find(existing)
        node.names += 1
        self._place(path, node)

    def add_special(self, path: str, kind: FileKind) -> None:
        """Put a FIFO, socket or device there."""
        self._place(path, Node(kind))

    def content(self, path: str) -> bytes:
        """The bytes of a file; `OSError`."""
        return self._find(path).data

    async def home(self) -> str:
        return self._home

    async def which(self, name: str) -> str | None:
        await anyio.lowlevel.checkpoint()
        return name if self._run is not None and name != "rg" else None

    async def stat(self, path: str, *, follow: bool = True) -> FileStat:
        await anyio.lowlevel.checkpoint()
        return self._find(path, follow=follow).stat

    async def realpath(self, path: str) -> str:
        await anyio.lowlevel.checkpoint()
        return self._resolve(path, follow=True)[0]

    async def open(self, path: str) -> FileReader:
        await anyio.lowlevel.checkpoint()
        node = self._find(path)
        refuse_special(node.kind, path)
        return MemoryReader(node.data, node.stat)

    async def write(self, path: str, data: bytes, *, version: str | None) -> FileStat:
        await anyio.lowlevel.checkpoint()
        real, node = self._resolve(path, follow=True)
        if (None if node is None else node.stat.version) != version:
            raise StaleFileError(path)
        if node is None:
            node = Node("file", data)
            self._parent(real).children[posixpath.basename(real)] = node
            return node.stat
        refuse_special(node.kind, path)
        if not node.mode & 0o222:
            raise PermissionError(errno.EACCES, "The file is read-only", path)
        node.data = data
        node.changes += 1
        return node.stat

    async def make_directories(self, path: str) -> None:
        await anyio.lowlevel.checkpoint()
        self._make_folder(self._resolve(path, follow=True)[0])

    async def list(self, paths: Sequence[str]) -> list[list[DirectoryEntry] | OSError]:
        await anyio.lowlevel.checkpoint()
        return [self._list_one(path) for path in paths]

    async def spawn(self, command: Command) -> Process:
        await anyio.lowlevel.checkpoint()
        if self._run is None:
            raise OSError(errno.ENOSYS, "No commands can be run here")
        if any("\0" in part for part in command.argv):
            raise OSError("A command cannot contain a NUL character")
        if self._find(command.cwd).kind != "directory":
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), command.cwd)
        process = MemoryProcess(self._run, command)
        self._processes.add(process)
        return process

    async def keep_output(self, local_path: str) -> str:
        async with await anyio.open_file(local_path, "rb") as file:
            data = await file.read()
        os.unlink(local_path)
        path = f"/tmp/{posixpath.basename(local_path)}"
        self.add_file(path, data, 0o600)
        return path

    async def aclose(self) -> None:
        for process in self._processes:
            await process.kill()
        self._processes.clear()

    def _list_one(self, path: str) -> list[DirectoryEntry] | OSError:
        try:
            node = self._find(path)
        except OSError as error:
            return error
        if node.kind != "directory":
            return NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return [self._entry(path, name, child) for name, child in node.children.items()]

    def _entry(self, folder: str, name: str, node: Node) -> DirectoryEntry:
        if node.kind != "symlink":
            return DirectoryEntry(name, node.kind)
        try:
            target = self._find(posixpath.join(folder, name)).kind
        except OSError:
            target = None
        return DirectoryEntry(name, "symlink", target)

    def _find(self, path: str, *, follow: bool = True) -> Node:
        node = self._resolve(path, follow=follow)[1]
        if node is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return node

    def _resolve(self, path: str, *, follow: bool) -> tuple[str, Node | None]:
        """The path without symlinks, and what is there; below something that is missing there is nothing."""
        parts = [part for part in reversed(path.split("/")) if part]
        real: list[str] = []
        trail: list[Node | None] = [self._root]
        links = 0
        while parts:
            part = parts.pop()
            if part == "..":
                real, trail = real[:-1], trail[:-1] or [self._root]
            elif part != ".":
                node = self._child(trail[-1], part, path)
                if node is not None and node.kind == "symlink" and (follow or parts):
                    links += 1
                    if links > MAX_LINKS:
                        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
                    if node.target.startswith("/"):
                        real, trail = [], [self._root]
                    parts += [step for step in reversed(node.target.split("/")) if step]
                else:
                    real.append(part)
                    trail.append(node)
        return "/" + "/".join(real), trail[-1]

    @staticmethod
    def _child(node: Node | None, name: str, path: str) -> Node | None:
        if node is None:
            return None
        if node.kind != "directory":
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return node.children.get(name)

    def _parent(self, path: str) -> Node:
        return self._find(posixpath.dirname(path))

    def _place(self, path: str, node: Node) -> None:
        path = posixpath.normpath(path)
        self._make_folder(posixpath.dirname(path))
        self._parent(path).children[posixpath.basename(path)] = node

    def _make_folder(self, path: str) -> None:
        node = self._root
        for part in path.split("/"):
            if part:
                if node.kind != "directory":
                    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
                node = node.children.setdefault(part, Node("directory", mode=0o755))
        if node.kind != "directory":
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)


class MemoryReader:
    """A file of the machine in memory, as it was when it was opened."""

    def __init__(self, data: bytes, stat: FileStat) -> None:
        self.stat = stat
        self._data = data
        self._at = 0

    async def read(self, size: int) -> bytes:
        await anyio.lowlevel.checkpoint()
        piece = self._data[self._at : self._at + size]
        self._at += len(piece)
        return piece

    async def aclose(self) -> None:
        self._data = b""
