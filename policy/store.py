"""Small files that several processes may change: lock, read again, replace whole."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

LOCK_PATIENCE = 5.0
"""Seconds to wait for another process that holds the lock."""

PRIVATE = 0o600


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold the lock of the file `path` (which need not exist) against other processes and threads; makes its folder, 0700.

    Blocks for at most `LOCK_PATIENCE` seconds, then raises TimeoutError. Raises OSError if the folder cannot be
    written. Not reentrant.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(path.parent / f".{path.name}.lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), PRIVATE)
    try:
        _wait_for_lock(handle, path)
        yield
    finally:
        os.close(handle)


def replace(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Give the file `path` the content `data`, so that a reader sees all of the old or all of the new.

    A link stays a link; its target changes. `mode` None keeps the file's own (0600 for a new file). Raises OSError;
    then the file is as it was.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = target.parent / f".{target.name}.{os.getpid()}.{time.monotonic_ns()}.tmp"
    try:
        _write(temporary, data, _mode_of(target) if mode is None else mode)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


def _wait_for_lock(handle: int, path: Path) -> None:
    deadline = time.monotonic() + LOCK_PATIENCE
    while not _try_lock(handle):
        if time.monotonic() > deadline:
            raise TimeoutError(f"another process has kept {path} locked for {LOCK_PATIENCE:.0f} s")
        time.sleep(0.02)


def _try_lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _write(path: Path, data: bytes, mode: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as file:
        if sys.platform != "win32":
            os.fchmod(file.fileno(), mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _mode_of(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return PRIVATE


def _sync_folder(folder: Path) -> None:
    """Make the rename durable where the system can (not on Windows, nor on some network folders)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
