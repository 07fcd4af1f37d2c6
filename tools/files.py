"""What `read`, `edit` and `write` share: paths, the guard, the queue, error texts."""

from __future__ import annotations

import errno
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio.lowlevel
import anyio.to_thread

from ..agent.details import SeenContent
from ..agent.frozen import frozen
from ..agent.tool import ToolError
from .diff import diff_details
from .filestate import FileState, digest_of, keys_of
from .mutation import MutationQueue
from .operations import FileReader, FileStat, Operations, StaleFileError, read_whole
from .paths import resolve_path, shown_path
from .truncation import size_in_words

T = TypeVar("T")

MAX_CHANGED_FILE = 64 * 1024 * 1024
"""Bytes of a file up to which it can be changed."""

IN_THREAD = 128 * 1024
"""Characters above which text is worked on off the event loop."""


@frozen
class FileContent:
    """A file as it is now; `stat` is None if it does not exist, then `data` is empty."""

    path: str
    data: bytes
    stat: FileStat | None

    @property
    def version(self) -> str | None:
        return self.stat.version if self.stat is not None else None

    @property
    def keys(self) -> list[str]:
        return [self.path] if self.stat is None else keys_of(self.path, self.stat)


class Files:
    """The files of one session: one machine, one folder, what was seen of them, and the order of changes."""

    def __init__(self, operations: Operations, cwd: str, state: FileState | None = None) -> None:
        self.operations = operations
        self.cwd = cwd
        self.state = state or FileState()
        self.queue = MutationQueue(operations)

    async def resolve(self, path: str) -> str:
        """The absolute path; `ToolError` if it cannot be one."""
        try:
            return await resolve_path(self.operations, self.cwd, path)
        except ValueError as error:
            raise ToolError(str(error)) from None

    async def real_path(self, path: str) -> str:
        """The path of the file itself, links followed (also where the file is not there yet); `ToolError` as `resolve`."""
        absolute = await self.resolve(path)
        try:
            return await self.operations.realpath(absolute)
        except OSError as error:
            raise ToolError(self.explain(error, absolute)) from None

    async def search_root(self, path: str) -> tuple[str, FileStat]:
        """The absolute path of an existing file or folder with what it is; `ToolError` if it is neither."""
        absolute = await self.resolve(path)
        try:
            stat = await self.operations.stat(absolute)
        except OSError as error:
            raise ToolError(self.explain(error, absolute)) from None
        if stat.kind not in ("file", "directory"):
            raise ToolError(f"{self.shown(absolute)} is a {stat.kind}.")
        return absolute, stat

    async def open(self, path: str) -> FileReader:
        """An open regular file; `ToolError` if it cannot be had."""
        try:
            return await self.operations.open(path)
        except OSError as error:
            raise ToolError(self.explain(error, path)) from None

    def shown(self, path: str) -> str:
        """The path as it is shown."""
        return shown_path(path, self.cwd)

    @asynccontextmanager
    async def turn(self, path: str) -> AsyncGenerator[str]:
        """Wait until all earlier changes of the file are done; yields its real path."""
        async with self.queue.turn(path) as real:
            yield real

    async def content(self, path: str, real: str) -> FileContent:
        """The whole content of a regular file for a change; `ToolError` for anything else or too large a file."""
        try:
            data, stat = await read_whole(self.operations, real, MAX_CHANGED_FILE)
        except FileNotFoundError:
            return FileContent(real, b"", None)
        except OSError as error:
            raise ToolError(self.explain(error, path)) from None
        return FileContent(real, data, stat)

    async def require_changeable(self, path: str, content: FileContent) -> None:
        """`ToolError` unless the content was seen and the file may be written as far as its mode says."""
        await self.require_seen(path, content)
        if content.stat is not None and not content.stat.mode & 0o222:
            raise ToolError(f"{self.shown(path)} is read-only.")

    async def require_seen(self, path: str, content: FileContent) -> None:
        """The stale guard: `ToolError` unless the content is the one that was last read or written here."""
        if content.stat is None:
            return
        shown = self.shown(path)
        digest = await self.state.digest(content.keys)
        if digest is None:
            raise ToolError(f"{shown} exists and has not been read in this session. Read it before changing it.")
        if digest != digest_of(content.data):
            old = await self.state.content(content.keys)
            changes = await off_loop(len(content.data), lambda: _what_changed(old, content.data))
            raise ToolError(f"{shown} has changed since it was last read or written here; read it again.{changes}")

    async def write(self, path: str, content: FileContent, data: bytes) -> SeenContent:
        """Replace the content that was found by `data`; `ToolError` if it is another one by now, or on failure."""
        try:
            stat = await self.operations.write(content.path, data, version=content.version)
        except StaleFileError:
            raise ToolError(
                f"{self.shown(path)} was changed by something else at this moment; nothing was written. Read it again."
            ) from None
        except OSError as error:
            raise ToolError(self.explain(error, path)) from None
        return SeenContent(content.path, self.state.remember(keys_of(content.path, stat), data))

    def explain(self, error: OSError, path: str) -> str:
        """What went wrong with a path, for the model."""
        shown = self.shown(path)
        match error.errno:
            case errno.ENOENT:
                return f"{shown} does not exist."
            case errno.EISDIR:
                return f"{shown} is a directory, not a file."
            case errno.ENOTDIR:
                return f"{shown} cannot be reached: a part of the path is not a directory."
            case errno.EFBIG:
                return f"{shown} is too large to be changed here (more than {size_in_words(MAX_CHANGED_FILE)})."
            case _:
                return f"{shown}: {error.strerror or error}"


def _what_changed(old: bytes | None, data: bytes) -> str:
    if old is None or b"\0" in old or b"\0" in data:
        return ""
    before, after = (content.decode("utf-8", "replace").replace("\r\n", "\n") for content in (old, data))
    details = diff_details("file", before, after)
    lines = details.patch.split("\n")[2:]
    if not any(lines):
        return " Its line endings or its encoding are different now."
    shown = "\n".join(line[:200] for line in lines[:24])
    return f" What changed:\n{shown}" + ("\n…" if len(lines) > 25 else "")


class Turns:
    """Lets everything else have its turn during a long loop that rarely waits."""

    def __init__(self, every: int = 500) -> None:
        self._every = every
        self._count = 0

    async def pass_now_and_then(self) -> None:
        """Call it in each round."""
        self._count += 1
        if self._count % self._every == 0:
            await anyio.lowlevel.checkpoint()


async def off_loop(size: int, work: Callable[[], T]) -> T:
    """Do the work here if it is small, else in a thread, so that keys go on being read."""
    if size <= IN_THREAD:
        return work()
    return await anyio.to_thread.run_sync(work)


def parent_of(path: str) -> str:
    """The folder of a path."""
    return os.path.dirname(path)
