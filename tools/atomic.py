"""Writing a local file: all or nothing, with everything but the content kept."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable

from .operations import StaleFileError

IsAsSeen = Callable[[os.stat_result | None], bool]
"""Whether the file (None: there is none) is still the one that the caller saw."""


def write_file(path: str, data: bytes, is_as_seen: IsAsSeen) -> os.stat_result:
    """Make `data` the content of `path`; the new status.

    A new file appears whole or not at all. An existing one is replaced by a file with the same mode, owner and
    extended attributes; where that would break a hard link or cannot be done (a mount point, a directory without write
    permission, an owner that cannot be kept) it is rewritten in place, with a backup until it is done. Raises
    `StaleFileError` if `is_as_seen` says no, `OSError` for anything that is no writable regular file.
    """
    path = os.path.realpath(path)
    status = _status(path)
    if not is_as_seen(status):
        raise StaleFileError(path)
    if status is None:
        return _create(path, data)
    _require_writable(path, status)
    if status.st_nlink > 1:
        return _rewrite(path, data)
    temporary = _write_temporary(path, data, status)
    if temporary is None:
        return _rewrite(path, data)
    return _replace(path, temporary, data, is_as_seen)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _require_writable(path: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file", path)
    # The superuser may write anything; a file without any write bit still says that it must not change.
    if not status.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "The file is read-only", path)


def _create(path: str, data: bytes) -> os.stat_result:
    temporary = temporary_beside(path)
    descriptor = os.open(temporary, _CREATE, 0o666)
    try:
        _fill(descriptor, data)
        _move_to_new(temporary, path)
    except BaseException:
        _discard(temporary)
        raise
    _sync_directory(path)
    return os.stat(path)


def _move_to_new(temporary: str, path: str) -> None:
    """Give the file its name, never in place of one that appeared meanwhile."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise StaleFileError(path) from None
    except OSError:
        if os.path.lexists(path):
            raise StaleFileError(path) from None
        os.replace(temporary, path)
    else:
        os.unlink(temporary)


def _write_temporary(path: str, data: bytes, status: os.stat_result) -> str | None:
    """A finished file beside `path` that is like it in all but content; None where that cannot be had."""
    temporary = temporary_beside(path)
    try:
        descriptor = os.open(temporary, _CREATE, 0o600)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return None
        raise
    try:
        kept = _keep_attributes(path, descriptor, status)
        _fill(descriptor, data)
    except BaseException:
        _discard(temporary)
        raise
    if not kept:
        _discard(temporary)
        return None
    return temporary


def _keep_attributes(path: str, descriptor: int, status: os.stat_result) -> bool:
    """Give the new file owner, mode and extended attributes of the old one; False if one of them cannot be given."""
    if os.name == "nt":
        return True
    try:
        new = os.fstat(descriptor)
        if (new.st_uid, new.st_gid) != (status.st_uid, status.st_gid):
            os.fchown(descriptor, status.st_uid, status.st_gid)
        _copy_extended_attributes(path, descriptor)
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
    except OSError:
        return False
    return True


def _copy_extended_attributes(path: str, descriptor: int) -> None:
    if not hasattr(os, "listxattr"):
        return
    try:
        names = os.listxattr(path)
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENOSYS):
            return
        raise
    for name in names:
        value = os.getxattr(path, name)
        try:
            os.setxattr(descriptor, name, value)
        except OSError:
            # Labels that the system gives itself need not be set if they are there already.
            if os.getxattr(descriptor, name) != value:
                raise


def _replace(path: str, temporary: str, data: bytes, is_as_seen: IsAsSeen) -> os.stat_result:
    try:
        if not is_as_seen(_status(path)):
            raise StaleFileError(path)
        os.replace(temporary, path)
    except OSError as error:
        _discard(temporary)
        if error.errno in (errno.EBUSY, errno.EXDEV):
            return _rewrite(path, data)
        raise
    _sync_directory(path)
    return os.stat(path)


def _rewrite(path: str, data: bytes) -> os.stat_result:
    """Write into the file itself; if that fails half-way its old content is put back."""
    descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(descriptor, "r+b", buffering=0) as file:
        before = file.read()
        backup = _write_backup(path, before)
        try:
            _overwrite(file.fileno(), data)
        except BaseException:
            _overwrite(file.fileno(), before)
            _discard(backup)
            raise
        _discard(backup)
        return os.fstat(file.fileno())


def _overwrite(descriptor: int, data: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    _write_all(descriptor, data)
    os.ftruncate(descriptor, len(data))
    os.fsync(descriptor)


def _write_backup(path: str, data: bytes) -> str | None:
    """The old content beside the file, for the case that the machine stops half-way; None if the folder takes none."""
    backup = temporary_beside(path, "backup")
    try:
        descriptor = os.open(backup, _CREATE, 0o600)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return None
        raise
    try:
        _fill(descriptor, data)
    except BaseException:
        _discard(backup)
        raise
    return backup


_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def temporary_beside(path: str, word: str = "tmp") -> str:
    """A hidden, unused name in the folder of `path`; short, so that long names have room."""
    return os.path.join(os.path.dirname(path), f".pyagent-{secrets.token_hex(6)}.{word}")


def _fill(descriptor: int, data: bytes) -> None:
    try:
        _write_all(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _discard(path: str | None) -> None:
    if path is not None:
        try:
            os.unlink(path)
        except FileNotFoundError:
            return


def _sync_directory(path: str) -> None:
    """Make the name as durable as the content, where directories can be synced."""
    try:
        descriptor = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        return
    finally:
        os.close(descriptor)
