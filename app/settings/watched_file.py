"""A file that is looked at from time to time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

EVERY = 0.5
"""Seconds between two looks."""


async def changes_of(file: Callable[[], Path | None]) -> AsyncGenerator[Path, None]:
    """The file each time that it was saved; `file` says which one, and may change. Never ends. No look while it is None."""
    known: tuple[Path, float] | None = None
    while True:
        path = file()
        if path is not None:
            stamp = await asyncio.to_thread(_stamp, path)
            if stamp is not None:
                if known is not None and known[0] == path and known[1] != stamp:
                    yield path
                known = path, stamp
        await asyncio.sleep(EVERY)


def _stamp(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
