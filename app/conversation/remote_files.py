"""What is read of a folder on another machine before the model does: instructions, and paths to complete."""

from __future__ import annotations

import posixpath
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from pathlib import Path

import anyio

from ...context.project_files import LIMIT, NAMES, ContextFile, ProjectFiles, context_file
from ...tools.operations import Command, DirectoryEntry, Operations, Process
from ...widgets.editor.completion import Completion
from ..prompt.files import decoded
from ..prompt.paths import begins, best_names, completions_of, parent_alone, split_path

LIST = "git ls-files -z -co --exclude-standard 2>/dev/null || find . -name .git -prune -o -type f -print0 2>/dev/null"
LIST_SECONDS = 5.0
PATH_SECONDS = 2.0


async def list_remote_files(operations: Operations, folder: str) -> AsyncGenerator[Sequence[str]]:
    """The files below a folder of another machine: those git knows or would add, elsewhere all.

    As far as they come within `LIST_SECONDS`; none while the machine is out of reach.
    """
    end = time.monotonic() + LIST_SECONDS
    try:
        process = await operations.spawn(Command(["sh", "-c", LIST], folder, stderr="drop"))
    except OSError:
        return
    rest = b""
    try:
        while chunk := await _read(process, end):
            *names, rest = (rest + chunk).split(b"\0")
            yield [name.removeprefix("./") for name in decoded(names)]
    finally:
        with anyio.CancelScope(shield=True), anyio.move_on_after(1):
            await process.kill(0.1)
        process.release()


async def _read(process: Process, end: float) -> bytes:
    """The next of what a process prints; nothing at its end, after that time, or when the machine is lost."""
    with anyio.move_on_after(end - time.monotonic()), suppress(OSError):
        return await process.read()
    return b""


class RemotePaths:
    """The paths of another machine, seen from a folder there; a folder is read when it is asked for."""

    def __init__(self, operations: Operations, folder: str) -> None:
        self._operations = operations
        self._folder = folder

    async def complete(self, typed: str) -> Sequence[Completion]:
        """As `LocalPaths.complete`; nothing while the machine is out of reach or slower than `PATH_SECONDS`."""
        if typed in ("~", ".."):
            return parent_alone(typed)
        place, prefix = split_path(typed)
        try:
            with anyio.fail_after(PATH_SECONDS):
                (listed,) = await self._operations.list([await self._place(place)])
        except (OSError, TimeoutError):
            return ()
        if isinstance(listed, OSError):
            return ()
        found = {entry.name: "directory" in (entry.kind, entry.target) for entry in listed}
        names = best_names((name for name in found if begins(name, prefix)), prefix)
        return completions_of(place, [(name, found[name]) for name in names])

    async def _place(self, place: str) -> str:
        if place.startswith("~/"):
            return posixpath.join(await self._operations.home(), place[2:])
        return posixpath.join(self._folder, place)


async def find_remote_files(operations: Operations, folder: str) -> ProjectFiles:
    """The instructions for work in a folder there: its own, and its parents' up to the repository's root or the home.

    Raises `OSError` if the machine is out of reach.
    """
    folders = _upwards(folder)
    listings = await operations.list(folders)
    names = [{} if isinstance(found, OSError) else {entry.name: entry for entry in found} for found in listings]
    files: list[ContextFile] = []
    notices: list[str] = []
    for place, entries in reversed(
        [*zip(folders, names, strict=True)][: _depth(folders, names, await operations.home())]
    ):
        name = next((name for name in NAMES if _is_file(entries.get(name))), None)
        if name is not None:
            await _take(operations, posixpath.join(place, name), files, notices)
    return ProjectFiles(tuple(files), tuple(notices))


def _upwards(folder: str) -> list[str]:
    folders = [folder]
    while (parent := posixpath.dirname(folders[-1])) != folders[-1]:
        folders.append(parent)
    return folders


def _depth(folders: Sequence[str], names: Sequence[dict[str, DirectoryEntry]], home: str) -> int:
    """How many of the folders, from the innermost on, may give instructions: anybody can put a file into a shared one."""
    repository = next((index for index, entries in enumerate(names) if ".git" in entries), 0)
    own = folders.index(home) if home in folders else 0
    return max(repository, own) + 1


def _is_file(entry: DirectoryEntry | None) -> bool:
    return entry is not None and "file" in (entry.kind, entry.target)


async def _take(operations: Operations, path: str, files: list[ContextFile], notices: list[str]) -> None:
    try:
        reader = await operations.open(path)
    except ConnectionError:
        raise
    except OSError as error:
        notices.append(f"{path} could not be read: {error.strerror or error}")
        return
    data = b""
    try:
        while len(data) <= LIMIT and (chunk := await reader.read(LIMIT + 1 - len(data))):
            data += chunk
    finally:
        with suppress(OSError):
            await reader.aclose()
    file = context_file(Path(path), data, reader.stat.size)
    if file.text.strip() and all(file.text != other.text for other in files):
        files.append(file)
        if file.truncated:
            notices.append(f"{path} is longer than {LIMIT // 1024} KiB: the model is given its beginning")
