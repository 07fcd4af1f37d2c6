"""Commands where there is no supervisor (macOS, Windows, other systems): plain subprocesses and threads."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Literal

import anyio
import anyio.to_thread

from .closers import Closers
from .operations import Command, Exit

if TYPE_CHECKING:
    import psutil

MARK = "PYAGENT_TUI_COMMAND"
"""The variable by which a command's escaped descendants are known."""

CHUNK = 1 << 16
WAITING_CHUNKS = 16
"""Chunks that may wait for their reader before the command has to wait."""


class PortableProcess:
    """One command; its output comes through a pipe of our own, read by a thread.

    Made in a worker thread of the event loop that uses it. Raises `OSError` if the command cannot be started.
    """

    def __init__(self, command: Command, environment: dict[str, str], closers: Closers) -> None:
        self._loop = anyio.from_thread.run_sync(asyncio.get_running_loop)
        self._closers = closers
        self._mark = secrets.token_hex(8)
        self._room = threading.Semaphore(WAITING_CHUNKS)
        self._chunks: deque[bytes] = deque()
        self._arrived = anyio.from_thread.run_sync(asyncio.Event)
        self._exited: asyncio.Future[Exit] = anyio.from_thread.run_sync(self._loop.create_future)
        self._is_released = False
        read_end, write_end = os.pipe()
        try:
            self._process = _popen(command, environment | {MARK: self._mark}, write_end)
        except (OSError, ValueError) as error:
            os.close(read_end)
            raise error if isinstance(error, OSError) else OSError(str(error)) from error
        finally:
            os.close(write_end)
        self._closers.keep(self._end_now)
        threading.Thread(target=self._pump, args=(read_end,), daemon=True).start()
        threading.Thread(target=self._await_exit, daemon=True).start()

    async def read(self) -> bytes:
        while not self._chunks:
            self._arrived.clear()
            await self._arrived.wait()
        if not self._chunks[0]:
            return b""
        chunk = self._chunks.popleft()
        self._room.release()
        return chunk

    async def wait(self) -> Exit:
        return await asyncio.shield(self._exited)

    async def left_running(self) -> int:
        return len(await anyio.to_thread.run_sync(self._tree))

    async def kill(self, grace: float = 2.0) -> None:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._end, grace)
        self._closers.forget(self._end_now)

    def release(self) -> None:
        self._is_released = True
        for _ in range(len(self._chunks)):
            self._room.release()
        self._chunks.clear()

    def _pump(self, descriptor: int) -> None:
        """The reading thread: hand over each chunk, wait while too many wait; after release, drain."""
        with os.fdopen(descriptor, "rb", buffering=0) as pipe:
            while chunk := pipe.read(CHUNK):
                if self._is_released:
                    time.sleep(0.02)
                    continue
                self._room.acquire()
                self._post(partial(self._deliver, chunk))
        self._post(partial(self._deliver, b""))

    def _deliver(self, chunk: bytes) -> None:
        if self._is_released:
            self._room.release()
            return
        self._chunks.append(chunk)
        self._arrived.set()

    def _await_exit(self) -> None:
        code = self._process.wait()
        self._post(partial(self._settle, _exit(code)))
        while self._tree():
            time.sleep(1)
        self._closers.forget(self._end_now)

    def _settle(self, how: Exit) -> None:
        if not self._exited.done():
            self._exited.set_result(how)

    def _post(self, call: partial[None]) -> None:
        try:
            self._loop.call_soon_threadsafe(call)
        except RuntimeError:
            # The loop is closed: nobody waits any more.
            self._is_released = True

    def _tree(self) -> list[psutil.Process]:
        """Every live process of this command: descendants, its group, and what carries its mark."""
        import psutil

        found: dict[int, psutil.Process] = {}
        for process in psutil.process_iter():
            try:
                if process.pid != os.getpid() and self._is_ours(process) and process.status() != psutil.STATUS_ZOMBIE:
                    found[process.pid] = process
            except psutil.Error:
                continue
        for process in list(found.values()):
            try:
                found |= {child.pid: child for child in process.children(recursive=True)}
            except psutil.Error:
                continue
        return list(found.values())

    def _is_ours(self, process: psutil.Process) -> bool:
        import psutil

        if self._process.pid in (process.pid, _group(process.pid)):
            return True
        try:
            return process.environ().get(MARK) == self._mark
        except (psutil.Error, OSError):
            return False

    def _end(self, grace: float) -> None:
        deadline = time.monotonic() + grace
        self._signal("terminate")
        while self._tree():
            if time.monotonic() >= deadline:
                self._signal("kill")
            time.sleep(0.02)

    def _signal(self, verb: Literal["terminate", "kill"]) -> None:
        import psutil

        for process in self._tree():
            try:
                if verb == "kill":
                    process.kill()
                else:
                    process.terminate()
                    # A stopped process gets the signal only once it goes on.
                    process.resume()
            except psutil.Error:
                continue

    def _end_now(self) -> None:
        self._end(2.0)


def _popen(command: Command, environment: dict[str, str], output: int) -> subprocess.Popen[bytes]:
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    return subprocess.Popen(
        list(command.argv),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.DEVNULL if command.stderr == "drop" else output,
        cwd=command.cwd,
        env=environment,
        start_new_session=sys.platform != "win32",
        creationflags=flags,
    )


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid) if sys.platform != "win32" else 0
    except OSError:
        return 0


def _exit(code: int) -> Exit:
    if code >= 0:
        return Exit(code)
    try:
        return Exit(None, signal.Signals(-code).name)
    except ValueError:
        return Exit(None, f"signal {-code}")
