"""Unsent text that outlives a crash: one small file per program that runs, told apart by project folder."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import cast

from ...policy.store import PRIVATE, replace


class Drafts:
    """The drafts of one project folder. Every method blocks for the disk and may raise OSError.

    A file names the process that writes it, so that a program never takes the draft of another that still runs.
    """

    def __init__(self, folder: Path, project: Path) -> None:
        self._project = str(project)
        key = hashlib.sha256(os.fsencode(project)).hexdigest()[:16]
        self._folder = folder / key
        self._own = self._folder / f"{os.getpid()}.json"
        self._is_written = False

    def write(self, text: str) -> None:
        """Keep this draft in place of the one before; an empty one is none."""
        if text.strip():
            value = {"project": self._project, "started": _start_time(os.getpid()), "text": text}
            replace(self._own, json.dumps(value).encode(), mode=PRIVATE)
            self._is_written = True
        elif self._is_written:
            self._own.unlink(missing_ok=True)
            self._is_written = False

    def take_left(self) -> list[str]:
        """The drafts that programs left here when they ended, oldest first; the newest is ours from now on."""
        left = [(path.stat().st_mtime, path, text) for path in self._folder.glob("*.json") if (text := _left(path))]
        left.sort()
        if left:
            self.write(left[-1][2])
        for _, path, _ in left:
            if path != self._own:
                path.unlink(missing_ok=True)
        return [text for _, _, text in left]


def _left(path: Path) -> str | None:
    """The draft in a file whose program has ended, if it is one."""
    if not path.stem.isdecimal():
        return None
    try:
        value: object = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    entry = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    started, text = entry.get("started"), entry.get("text")
    if started is not None and started == _start_time(int(path.stem)):
        return None
    return text if isinstance(text, str) and text.strip() else None


def _start_time(pid: int) -> float | None:
    """When a process began, in s since the epoch; None if there is no such process."""
    import psutil

    with suppress(psutil.Error):
        return round(psutil.Process(pid).create_time(), 1)
    return None
