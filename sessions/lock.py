"""One writer per session file, one maker of an index: advisory locks on open files, gone when their process is."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from .folders import open_private

POLL_SECONDS = 0.02

if sys.platform == "win32":
    import msvcrt

    # Windows locks are mandatory: take a byte far behind any text, so that others can still read the file.
    _FAR = 1 << 62

    def try_lock(descriptor: int) -> bool:
        """Lock the open file for this process; False if another one holds it."""
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, position, os.SEEK_SET)
        return True

else:
    import errno
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Lock the open file for this process; False if another one holds it.

        A file system without locks (some network mounts) counts as locked by us: refusing to work would help nobody.
        """
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
        return True


@contextmanager
def locked(path: Path, timeout: float) -> Generator[None]:
    """Hold the lock of a file that is there for this alone. Blocks; raises `TimeoutError` after so many seconds, or `OSError`."""
    descriptor = open_private(path, os.O_RDWR | os.O_CREAT)
    try:
        deadline = time.monotonic() + timeout
        while not try_lock(descriptor):
            if time.monotonic() > deadline:
                raise TimeoutError(f"another program holds {path.name}")
            time.sleep(POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)
