"""What the editor may complete: commands with their arguments, and the project's files."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ...widgets.editor.completion import Completion
from ...widgets.text.fuzzy import fuzzy_filter
from ..commands import BY_NAME, COMMANDS, Command

MOST_FILES = 200_000
"""Paths that an index holds at most."""

FRESH = 10.0
"""Seconds for which an index of the files is good enough."""

MOST_SHOWN = 20


def complete_command(typed: str, more: Sequence[Command] = ()) -> Sequence[Completion]:
    """Candidates for ``/…``: the command's name; its arguments are the command's own business.

    `more` are the commands of templates and skills; one with the name of a built-in command is hidden by it.
    """
    if " " in typed:
        return ()
    commands = (*COMMANDS, *(command for command in more if command.name not in BY_NAME))
    found = fuzzy_filter(typed[1:], commands, lambda command: command.name) if typed[1:] else commands
    return [
        Completion(
            f"/{command.name}",
            f"/{command.name} {command.argument}".rstrip(),
            command.about,
            sends=not command.argument,
        )
        for command in found
    ]


class FileIndex:
    """The paths below a folder, listed off the event loop and kept for a few seconds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: list[str] = []
        self._listed = float("-inf")

    async def complete(self, typed: str) -> Sequence[Completion]:
        """Files and folders that fit what is typed after ``@``, folders first."""
        if time.monotonic() - self._listed > FRESH:
            self._paths = await self.list()
            self._listed = time.monotonic()
        return await asyncio.to_thread(self._pick, typed)

    async def list(self) -> list[str]:
        """All paths, as `list_paths` gives them."""
        return await asyncio.to_thread(list_paths, self._folder)

    def _pick(self, typed: str) -> list[Completion]:
        if typed:
            found = fuzzy_filter(typed, self._paths, str)[: MOST_SHOWN * 5]
        else:
            found = [path for path in self._paths if "/" not in path.rstrip("/")]
        found.sort(key=lambda path: not path.endswith("/"))
        return [Completion(path, stays_open=path.endswith("/")) for path in found[:MOST_SHOWN]]


def list_paths(folder: Path) -> list[str]:
    """Relative paths of the files git knows or would add (elsewhere: all but ``.git``) and of their folders."""
    files = _git_files(folder)
    if files is None:
        files = list(_walk(folder))
    return with_folders(files)


def with_folders(files: Iterable[str]) -> list[str]:
    """The folders of these files, then the files, sorted."""
    folders = {f"{parent}/" for file in files for parent in _parents(file)}
    return [*sorted(folders), *sorted(files)]


def _git_files(folder: Path) -> list[str] | None:
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(folder), "ls-files", "-z", "-co", "--exclude-standard"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=5, stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    names = done.stdout.decode("utf-8", "replace").split("\0")
    return [name for name in names if name][:MOST_FILES]


def _walk(folder: Path) -> Iterator[str]:
    count = 0
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in files:
            yield os.path.relpath(os.path.join(root, name), folder).replace(os.sep, "/")
            count += 1
            if count >= MOST_FILES:
                return


def _parents(file: str) -> Iterator[str]:
    while "/" in file:
        file = file.rpartition("/")[0]
        yield file
