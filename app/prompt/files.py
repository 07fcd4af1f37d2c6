"""The files of a folder on this machine, listed by other processes, so that this one only reads."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from pathlib import Path

from . import walk

GIT = ("git", "-c", "core.fsmonitor=false", "ls-files", "-z")
TRACKED, OTHERS = ("-c",), ("-o", "--exclude-standard")
CHUNK = 1 << 15


async def list_files(folder: Path) -> AsyncGenerator[Sequence[str]]:
    """Relative paths of the files that git tracks, then of those it would add; elsewhere of all but ``.git``.

    Names that are no text are left out. A folder that git ignores is listed whole.
    """
    is_known = False
    for which in (TRACKED, OTHERS):
        async with aclosing(_names([*GIT, *which], folder)) as found:
            async for names in found:
                is_known = True
                yield names
    if not is_known:
        async with aclosing(_names([sys.executable, "-I", "-S", walk.__file__, str(folder)], folder)) as found:
            async for names in found:
                yield names


async def _names(command: Sequence[str], folder: Path) -> AsyncGenerator[Sequence[str]]:
    """What a command prints, parted by NUL; nothing if it cannot be run. It ends with this."""
    try:
        process = await asyncio.create_subprocess_exec(*command, cwd=folder, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
    except OSError:
        return
    assert process.stdout is not None
    rest, has_ended = b"", False
    try:
        while chunk := await process.stdout.read(CHUNK):
            *names, rest = (rest + chunk).split(b"\0")
            yield decoded(names)
        has_ended = True
    finally:
        if not has_ended:
            with suppress(ProcessLookupError):
                process.kill()
        await process.wait()


def decoded(names: Sequence[bytes]) -> list[str]:
    """The names that are UTF-8."""
    try:
        return b"\0".join(names).decode().split("\0") if names else []
    except UnicodeDecodeError:
        return [text for name in names if (text := _text(name)) is not None]


def _text(name: bytes) -> str | None:
    try:
        return name.decode()
    except UnicodeDecodeError:
        return None
