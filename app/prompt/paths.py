"""Paths before the caret, completed as a shell does: relative to the project, from ``~``, or absolute."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ...widgets.editor.completion import Completion
from ...widgets.text.outside_text import outside_name

MOST_SHOWN = 100
MOST_SECONDS = 3.0
"""A folder that takes longer to read is completed from what came until then."""

SLICE = 500
"""Entries that are read between two pauses, in which the event loop gets its turn."""

PAUSE = 0.001


class LocalPaths:
    """The paths of this machine, seen from a folder. A folder is read in a thread and not kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def complete(self, typed: str) -> Sequence[Completion]:
        """The names that go on from what is typed, folders with ``/`` behind them."""
        if typed in ("~", ".."):
            return parent_alone(typed)
        return await asyncio.to_thread(self._complete, typed)

    def _complete(self, typed: str) -> list[Completion]:
        place, prefix = split_path(typed)
        folder = os.path.join(self._folder, os.path.expanduser(place))
        try:
            with os.scandir(folder) as entries:
                found = {entry.name: entry for entry in _paced(entries) if begins(entry.name, prefix)}
        except OSError:
            return []
        return completions_of(place, [(name, _is_folder(found[name])) for name in best_names(found, prefix)])


def split_path(typed: str) -> tuple[str, str]:
    """What is typed as the folder, with its ``/``, and the beginning of a name in it."""
    head, slash, prefix = typed.rpartition("/")
    return head + slash, prefix


def parent_alone(typed: str) -> list[Completion]:
    """``~`` and ``..`` are folders as they stand."""
    return [Completion(f"{typed}/", stays_open=True)]


def begins(name: str, prefix: str) -> bool:
    """Whether a name may be meant: case aside, hidden ones only behind a dot, none that cannot be written as text."""
    is_shown = not name.startswith(".") or prefix.startswith(".")
    return is_shown and name.lower().startswith(prefix.lower()) and not _is_undecodable(name)


def best_names(names: Iterable[str], prefix: str) -> list[str]:
    """The names in order, at most `MOST_SHOWN`: those with the same capitals alone, if there are any."""
    names = sorted(names)
    return ([name for name in names if name.startswith(prefix)] or names)[:MOST_SHOWN]


def completions_of(place: str, names: Iterable[tuple[str, bool]]) -> list[Completion]:
    """Candidates for these names in a folder; with each, whether it is a folder itself."""
    ends = ((f"{name}/" if is_folder else name, is_folder) for name, is_folder in names)
    return [Completion(place + end, outside_name(end), stays_open=is_folder) for end, is_folder in ends]


def _is_undecodable(name: str) -> bool:
    return not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name)


def _paced(entries: Iterable[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    """The entries, with pauses, and no more after `MOST_SECONDS`."""
    end = time.monotonic() + MOST_SECONDS
    for count, entry in enumerate(entries, 1):
        yield entry
        if count % SLICE == 0:
            time.sleep(PAUSE)
            if time.monotonic() > end:
                return


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
