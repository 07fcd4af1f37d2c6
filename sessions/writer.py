"""Puts lines of a session on disk: at once for the system, within 50 ms for the disk, in order, and never half.

`append` writes at once, so that a kill of this process loses nothing; a thread of the writer calls `fsync`, so that a
power failure loses nothing that was acknowledged. While the disk refuses, lines wait in memory in order.
"""

from __future__ import annotations

import asyncio
import errno
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from ..agent.mutable import mutable
from .file import SessionFile
from .folders import make_private_folder, open_private, sync_folder
from .line import Line, LineReader
from .lock import try_lock
from .repair import is_in_place, prepare, rescue

BATCH_SECONDS = 0.05
RETRY_SECONDS = 2.0
CLOSE_SECONDS = 5.0

Warn = Callable[[str], None]
Durable = Callable[[tuple[str, ...]], None]


class SessionLockedError(Exception):
    """Another process writes this session: fork it, or open it for reading."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"another instance has this session open: {path.name}")
        self.path = path


@mutable
class _Pending:
    entry_id: str
    line: Line
    offset: int = 0


def _ignore(_: object) -> None:
    return None


class SessionWriter:
    """The one writer of one file. `on_warning` and `on_durable` (ids, in order) may be called from any thread."""

    def __init__(self, reader: LineReader, on_warning: Warn = _ignore, on_durable: Durable = _ignore) -> None:
        self.path = reader.path
        self.on_warning = on_warning
        self.on_durable = on_durable
        self.reader = reader
        self._existing: SessionFile | None = None
        self._descriptor: int | None = None
        self._prepared = False
        self._state = threading.Condition()
        self._backlog: list[_Pending] = []
        self._unsynced: list[_Pending] = []
        self._waiting: dict[str, list[Future[bool]]] = {}
        self._end = 0
        self._dirty_end = 0
        self._failing: OSError | None = None
        self._thread: threading.Thread | None = None
        self._closing = False

    @classmethod
    def resume(cls, path: Path, on_warning: Warn = _ignore, on_durable: Durable = _ignore) -> SessionWriter:
        """Take over an existing file. Raises `SessionLockedError`; a file that cannot be written is a warning later.

        Read the file only after this, and hand it to `adopt`.
        """
        writer = cls(LineReader(path), on_warning, on_durable)
        try:
            writer._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0))
        except OSError:
            return writer
        if not try_lock(writer._descriptor):
            os.close(writer._descriptor)
            raise SessionLockedError(path)
        return writer

    def adopt(self, file: SessionFile) -> None:
        """What was read of the file that is taken over: its tail is repaired before the first append."""
        self._existing = file
        self.reader = file.reader

    @property
    def is_failing(self) -> bool:
        """Whether lines wait in memory because the disk refuses them."""
        return self._failing is not None

    def append(self, *lines: tuple[str, Line]) -> None:
        """Write lines (each with its entry's id) now, in one go, or as soon as the disk lets it.

        Cheap; never raises for the disk's sake.
        """
        with self._state:
            self._backlog.extend(_Pending(entry_id, line) for entry_id, line in lines)
            warning = self._drain()
            self._wake()
        if warning:
            self.on_warning(warning)

    async def flushed(self, entry_id: str) -> bool:
        """Wait until the entry is on disk; False at once while the disk refuses it."""
        return await asyncio.wrap_future(self._future(entry_id))

    def wait(self, entry_id: str, timeout: float | None = None) -> bool:
        """`flushed` for code without an event loop. Raises `TimeoutError`."""
        return self._future(entry_id).result(timeout)

    def close(self) -> int:
        """Write and sync what waits, within 5 s, and release the file; the number of lines that could not be written."""
        deadline = time.monotonic() + CLOSE_SECONDS
        with self._state:
            self._closing = True
            warning = self._drain()
            self._state.notify_all()
            while self._unsynced and not self._failing and self._state.wait(max(deadline - time.monotonic(), 0)):
                pass
            lost = len(self._backlog)
            thread, self._thread = self._thread, None
        if warning:
            self.on_warning(warning)
        if thread:
            thread.join(max(deadline - time.monotonic(), 0.1))
        with self._state:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None
        return lost

    def _future(self, entry_id: str) -> Future[bool]:
        future: Future[bool] = Future()
        with self._state:
            if any(pending.entry_id == entry_id for pending in self._backlog):
                future.set_result(False)
            elif any(pending.entry_id == entry_id for pending in self._unsynced):
                self._waiting.setdefault(entry_id, []).append(future)
            else:
                future.set_result(True)
        return future

    # Everything below runs with `_state` held, except `_run` and `_sync`.

    def _drain(self) -> str | None:
        """Write the backlog. Returns a warning for the person when the disk begins or ceases to refuse."""
        if not self._backlog:
            return None
        try:
            descriptor = self._ready()
            self._write(descriptor, b"".join(pending.line.read() + b"\n" for pending in self._backlog))
        except OSError as error:
            return self._fail(error)
        self._unsynced.extend(self._backlog)
        self._backlog.clear()
        return self._recover()

    def _write(self, descriptor: int, data: bytes) -> None:
        offset = self._end
        for pending in self._backlog:
            pending.offset = offset
            offset += pending.line.size + 1
        self._dirty_end = self._end + len(data)
        if os.write(descriptor, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._dirty_end = 0
        self._end = offset

    def _ready(self) -> int:
        """The open file, its tail clean and `_end` at its end."""
        if self._descriptor is None:
            self._descriptor = self._open()
        if not self._prepared:
            self._descriptor = prepare(self._descriptor, self._existing)
            self._prepared = True
            self._end = os.fstat(self._descriptor).st_size
        if self._dirty_end:
            self._clean_tail(self._descriptor)
        return self._descriptor

    def _clean_tail(self, descriptor: int) -> None:
        """Take back what a failed write left, unless a program that knows no locks has written behind it."""
        if os.fstat(descriptor).st_size <= self._dirty_end:
            os.ftruncate(descriptor, self._end)
        else:
            os.write(descriptor, b"\n")
            self._end = os.fstat(descriptor).st_size
        self._dirty_end = 0

    def _open(self) -> int:
        if self._existing is not None:
            return os.open(self.path, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0))
        make_private_folder(self.path.parent)
        descriptor = open_private(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL)
        try_lock(descriptor)
        sync_folder(self.path.parent)
        return descriptor

    def _fail(self, error: OSError) -> str | None:
        first = self._failing is None
        self._failing = error
        for pending in self._backlog:
            self._settle_waiting(pending.entry_id, False)
        if not first:
            return None
        reason = error.strerror or str(error)
        return f"The session cannot be saved ({reason}): {self.path}. The run goes on in memory and is saved when possible."

    def _recover(self) -> str | None:
        if self._failing is None:
            return None
        self._failing = None
        return "The session is saved again; nothing was lost."

    def _settle_waiting(self, entry_id: str, is_durable: bool) -> None:
        for future in self._waiting.pop(entry_id, ()):
            if not future.done():
                future.set_result(is_durable)

    def _wake(self) -> None:
        if self._thread is None and not self._closing:
            self._thread = threading.Thread(target=self._run, name="session-writer", daemon=True)
            self._thread.start()
        self._state.notify_all()

    def _run(self) -> None:
        last_sync = 0.0
        while True:
            with self._state:
                while not self._unsynced and not self._failing and not self._closing:
                    self._state.wait()
                if self._closing and not self._unsynced:
                    return
                pause = RETRY_SECONDS if self._failing else last_sync + BATCH_SECONDS - time.monotonic()
                self._state.wait_for(lambda: self._closing, max(pause, 0))
                warning = self._drain() if self._failing else None
                batch = list(self._unsynced)
            if warning:
                self.on_warning(warning)
            if batch:
                self._sync(batch)
            last_sync = time.monotonic()

    def _sync(self, batch: list[_Pending]) -> None:
        descriptor = self._descriptor
        if descriptor is None:
            return
        try:
            os.fsync(descriptor)
            warning = self._stay_in_place(descriptor)
        except OSError as error:
            warning = self._unsync(error)
            if warning:
                self.on_warning(warning)
            return
        with self._state:
            del self._unsynced[: len(batch)]
            for pending in batch:
                pending.line.settle(self.reader, pending.offset)
                self._settle_waiting(pending.entry_id, True)
            self._state.notify_all()
        if warning:
            self.on_warning(warning)
        self.on_durable(tuple(pending.entry_id for pending in batch if pending.entry_id))

    def _stay_in_place(self, descriptor: int) -> str | None:
        """Bring the file back if someone deleted it or put another one in its place. Returns a warning; raises `OSError`."""
        if os.name == "nt" or is_in_place(descriptor, self.path):
            return None
        with self._state:
            self._descriptor, self.path = rescue(descriptor, self.path)
            self.reader.move(self.path)
        return f"The session file was deleted or replaced by another program; all of it is now in {self.path}."

    def _unsync(self, error: OSError) -> str | None:
        """After a failed fsync nobody knows what is on disk: the lines are written again, from the first doubtful one."""
        with self._state:
            self._backlog[:0] = self._unsynced
            self._dirty_end = self._end
            self._end = self._unsynced[0].offset
            self._unsynced.clear()
            self._state.notify_all()
            return self._fail(error)
