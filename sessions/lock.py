"""One writer per session file: an advisory lock on the open file itself, gone when its process is."""

from __future__ import annotations

import os
import sys

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
