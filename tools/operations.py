"""The machine a tool acts on: files and processes, async, bytes in and bytes out. Every failure is an `OSError`."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal, Protocol, TypeAlias

from ..agent.frozen import frozen

FileKind: TypeAlias = Literal["file", "directory", "symlink", "fifo", "socket", "device"]


class StaleFileError(OSError):
    """The file is not the one that the caller saw: it changed, appeared or went away since."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.ESTALE, "The file changed meanwhile", path)


@frozen
class FileStat:
    """What a path is. `size` in bytes, `mode` the permission bits, `links` the number of hard links.

    `identity` is equal for two names of one file. `version` changes whenever the content may have changed; it says
    nothing else and is compared only for equality.
    """

    kind: FileKind
    size: int
    mode: int
    links: int
    identity: str
    version: str


@frozen
class DirectoryEntry:
    """One name in a directory. `kind` is that of the name itself; for a symlink `target` says what it leads to (None: nowhere)."""

    name: str
    kind: FileKind
    target: FileKind | None = None


@frozen
class Command:
    """A program to start: no shell is added, stdin is empty, there is no controlling terminal.

    `environment` is set on top of the machine's own variables, from which `withheld` names are taken away first.
    `stderr` joins the output or is dropped.
    """

    argv: Sequence[str]
    cwd: str
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    withheld: frozenset[str] = frozenset()
    stderr: Literal["merge", "drop"] = "merge"


@frozen
class Exit:
    """How a program ended: `code`, or None where the signal named `signal` (such as ``SIGTERM``) ended it."""

    code: int | None
    signal: str | None = None


class FileReader(Protocol):
    """An open regular file, read from its start. `stat` is from the moment it was opened."""

    @property
    def stat(self) -> FileStat: ...

    async def read(self, size: int) -> bytes:
        """The next bytes, at most `size`; empty at the end of the file."""
        ...

    async def aclose(self) -> None:
        """Release it; may be called twice."""
        ...


class Process(Protocol):
    """A started program with everything that descends from it."""

    async def read(self) -> bytes:
        """The next piece of output, as soon as there is one; empty at its end. A cancelled read loses nothing."""
        ...

    async def wait(self) -> Exit:
        """How the program itself ended, whatever its descendants still do. May be awaited more than once."""
        ...

    async def left_running(self) -> int:
        """How many descendants are alive now."""
        ...

    async def kill(self, grace: float = 2.0) -> None:
        """End the whole tree: SIGTERM, after `grace` seconds SIGKILL. Returns once all of it is gone."""
        ...

    def release(self) -> None:
        """Stop reading. What still runs goes on, its output is drained; it ends when the operations are closed."""
        ...


class Operations(Protocol):
    """The machine. Paths are absolute, with ``/`` between their parts (or as the machine spells them)."""

    async def home(self) -> str:
        """The folder that ``~`` stands for."""
        ...

    async def which(self, name: str) -> str | None:
        """Where the program `name` (a name or a path) is, None if it cannot be run."""
        ...

    async def stat(self, path: str, *, follow: bool = True) -> FileStat:
        """What `path` is; of a symlink itself if not `follow`."""
        ...

    async def realpath(self, path: str) -> str:
        """The path without symlinks; parts that do not exist stay as they are."""
        ...

    async def open(self, path: str) -> FileReader:
        """Open a regular file. Anything else is an `OSError` at once: a FIFO or device never blocks."""
        ...

    async def write(self, path: str, data: bytes, *, version: str | None) -> FileStat:
        """Make `data` the content of the file, all or nothing; a symlink stays and its target changes.

        `version` is the one seen before, None for a file that must not exist yet: otherwise `StaleFileError`. Mode,
        owner, extended attributes and hard links are kept. Once begun it ends, cancelled or not.
        """
        ...

    async def make_directories(self, path: str) -> None:
        """Make the directory and its missing parents; nothing if it exists."""
        ...

    async def list(self, paths: Sequence[str]) -> list[list[DirectoryEntry] | OSError]:
        """The entries of each directory, in no order, or why it could not be listed."""
        ...

    async def spawn(self, command: Command) -> Process:
        """Start a program."""
        ...

    async def keep_output(self, local_path: str) -> str:
        """Put a finished output file of this program where the machine's own `open` finds it; its path there."""
        ...

    async def aclose(self) -> None:
        """End what still runs and release everything."""
        ...


async def read_whole(operations: Operations, path: str, limit: int) -> tuple[bytes, FileStat]:
    """A file's bytes with the stat they belong to; `OSError` (EFBIG) above `limit` bytes."""
    reader = await operations.open(path)
    try:
        chunks: list[bytes] = []
        size = 0
        while chunk := await reader.read(1 << 20):
            size += len(chunk)
            if size > limit:
                raise OSError(errno.EFBIG, "File too large", path)
            chunks.append(chunk)
        return b"".join(chunks), reader.stat
    finally:
        await reader.aclose()
