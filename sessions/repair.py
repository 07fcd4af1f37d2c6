"""Makes a file that was found damaged or old safe to append to; torn bytes are kept aside, never thrown away."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import count
from pathlib import Path

from .codec import header_to_json
from .entries import VERSION
from .file import SessionFile
from .folders import make_private_folder, open_private, sync_folder
from .line import dump_line
from .lock import try_lock

TORN_SUFFIX = ".torn"
_PART_BYTES = 1 << 20


def prepare(descriptor: int, file: SessionFile | None) -> int:
    """Repair the tail of an open, locked file that was read as `file` (None: it is new), or bring it to version 3.

    Returns the descriptor to append to, which is a new one after a rewrite. Raises `OSError`, with nothing lost.
    """
    if file is None:
        return descriptor
    if file.needs_rewrite:
        return _rewrite(descriptor, file)
    size = os.fstat(descriptor).st_size
    if file.is_torn and size == file.size:
        _keep_aside(file)
        os.ftruncate(descriptor, file.end)
        size = file.end
    if file.needs_newline or (size and _last_byte(file, size) != b"\n"):
        os.write(descriptor, b"\n")
    file.size = file.end = os.fstat(descriptor).st_size
    file.needs_newline = False
    return descriptor


def is_in_place(descriptor: int, path: Path) -> bool:
    """Whether the open file still is the one that its path names: not deleted, not replaced."""
    try:
        named = path.stat()
    except OSError:
        return False
    ours = os.fstat(descriptor)
    return (named.st_ino, named.st_dev) == (ours.st_ino, ours.st_dev)


def rescue(descriptor: int, path: Path) -> tuple[int, Path]:
    """Copy an open file that was deleted back to its path, or beside it if another file is there now.

    Returns the copy, locked, and where it is; the old descriptor is closed. Raises `OSError`.
    """
    make_private_folder(path.parent)
    copy, place = _new_beside(path)
    try:
        offset = 0
        while part := os.pread(descriptor, _PART_BYTES, offset):
            _write_all(copy, part)
            offset += len(part)
        os.fsync(copy)
    except OSError:
        os.close(copy)
        place.unlink(missing_ok=True)
        raise
    try_lock(copy)
    sync_folder(place.parent)
    os.close(descriptor)
    return copy, place


def _new_beside(path: Path) -> tuple[int, Path]:
    for number in count():
        place = path if not number else path.with_name(f"{path.stem}-{number}{path.suffix}")
        try:
            return open_private(place, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL), place
        except FileExistsError:
            continue
    raise AssertionError("count() does not end")


def torn_path(path: Path) -> Path:
    """Where the torn bytes of a session file are kept."""
    return path.with_name(path.name + TORN_SUFFIX)


def _last_byte(file: SessionFile, size: int) -> bytes:
    return file.reader.read(size - 1, 1)


def _keep_aside(file: SessionFile) -> None:
    torn = file.reader.read(file.end, file.size - file.end)
    descriptor = open_private(torn_path(file.path), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        _write_all(descriptor, torn + b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _rewrite(old: int, file: SessionFile) -> int:
    """Put the migrated entries in the file's place, whole or not at all; lines then live in the file again."""
    assert file.header is not None
    header = dump_line(header_to_json(replace(file.header, version=VERSION)))
    temporary = file.path.with_name(f".{file.path.name}.{os.getpid()}")
    descriptor = open_private(temporary, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC)
    try:
        _write_all(
            descriptor, b"".join(line + b"\n" for line in (header, *(entry.line.read() for entry in file.entries)))
        )
        os.fsync(descriptor)
        try_lock(descriptor)
        os.replace(temporary, file.path)
    except OSError:
        os.close(descriptor)
        temporary.unlink(missing_ok=True)
        raise
    os.close(old)
    sync_folder(file.path.parent)
    file.reader.close()
    _settle(file, len(header) + 1)
    file.needs_rewrite = False
    return descriptor


def _settle(file: SessionFile, offset: int) -> None:
    for entry in file.entries:
        entry.line.settle(file.reader, offset)
        offset += entry.line.length + 1


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
