"""Commands on Linux: started by the supervisor, each below a reaper of its own."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.to_thread

from .closers import Closers
from .operations import Command, Exit
from .pipe import OutputPipe
from .supervisor import DESCRIPTORS

T = TypeVar("T")


class Supervisor:
    """The connection to the supervisor process, which is started with the first command."""

    def __init__(self) -> None:
        self._channel: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def is_started(self) -> bool:
        return self._channel is not None

    def request(self, body: int, output: int, control: int) -> None:
        """Have a reaper start the command that the file `body` describes."""
        with self._lock:
            try:
                self._send(self._started(), body, output, control)
            except (BrokenPipeError, ConnectionResetError):
                # It was killed from outside: commands that ran are gone with it, new ones need a new one.
                self._drop()
                self._send(self._started(), body, output, control)

    def start(self) -> None:
        """Start the process now, so that the first command need not wait for it (some 30 ms)."""
        with self._lock:
            self._started()

    def close(self) -> None:
        """Let it go; it ends by itself."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._process is not None:
            threading.Thread(target=self._process.wait, daemon=True).start()
            self._process = None

    def _started(self) -> socket.socket:
        if self._channel is None:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            script = str(Path(__file__).with_name("supervisor.py"))
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", script, str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                    cwd="/",
                )
            self._channel = ours
        return self._channel

    @staticmethod
    def _send(channel: socket.socket, body: int, output: int, control: int) -> None:
        rights = DESCRIPTORS.pack(output, control, body)
        channel.sendmsg([b"start"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])


class SupervisedProcess:
    """One command below its reaper. All of it happens in the event loop's thread."""

    def __init__(self, control: socket.socket, output: int, closers: Closers) -> None:
        self._loop = asyncio.get_running_loop()
        self._control = control
        self._output = OutputPipe(output, self._loop)
        self._closers = closers
        self._buffer = b""
        self._spawned: asyncio.Future[None] = self._loop.create_future()
        self._exited: asyncio.Future[Exit] = self._loop.create_future()
        self._gone: asyncio.Future[None] = self._loop.create_future()
        self._counts: deque[asyncio.Future[int]] = deque()
        self._loop.add_reader(control, self._hear)
        closers.keep(self._end_with_program)

    @classmethod
    async def start(
        cls, supervisor: Supervisor, command: Command, environment: dict[str, str], closers: Closers
    ) -> SupervisedProcess:
        """Start it; `OSError` says why it did not."""
        read_end, write_end = os.pipe()
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        process = cls(ours, read_end, closers)
        try:
            try:
                await _request(supervisor, _describe(command, environment), write_end, theirs.fileno())
            finally:
                os.close(write_end)
                theirs.close()
            await process._spawned
        except BaseException as error:
            process._close_control()
            process._end()
            process.release()
            if isinstance(error, FileNotFoundError):
                raise _name_missing(error, command) from None
            raise
        return process

    async def read(self) -> bytes:
        return await self._output.read()

    async def wait(self) -> Exit:
        return await asyncio.shield(self._exited)

    async def left_running(self) -> int:
        if self._gone.done():
            return 0
        count: asyncio.Future[int] = self._loop.create_future()
        self._counts.append(count)
        self._tell("count")
        return await count

    async def kill(self, grace: float = 2.0) -> None:
        self._tell(f"kill {grace}")
        await asyncio.shield(self._gone)

    def release(self) -> None:
        if self._gone.done():
            self._output.close()
        else:
            self._output.drain()

    def _hear(self) -> None:
        try:
            data = self._control.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            self._take(line.decode().split(" ", 2))
        if not data:
            self._lost()

    def _take(self, words: list[str]) -> None:
        match words:
            case ["spawned", _]:
                _resolve(self._spawned, None)
            case ["failed", number]:
                if not self._spawned.done():
                    self._spawned.set_exception(OSError(int(number), os.strerror(int(number))))
            case ["exited", status]:
                _resolve(self._exited, _exit(int(status)))
            case ["count", number]:
                if self._counts:
                    _resolve(self._counts.popleft(), int(number))
            case ["gone"]:
                self._end()
            case _:
                pass

    def _lost(self) -> None:
        """The reaper has ended (after `gone`, unless somebody killed it)."""
        if not self._spawned.done():
            self._spawned.set_exception(OSError(errno.EIO, "The command's supervisor ended"))
        _resolve(self._exited, Exit(None, "SIGKILL"))
        self._end()
        self._close_control()

    def _end(self) -> None:
        _resolve(self._gone, None)
        while self._counts:
            _resolve(self._counts.popleft(), 0)
        self._closers.forget(self._end_with_program)
        self._output.close_if_drained()

    def _tell(self, line: str) -> None:
        try:
            self._control.send(line.encode() + b"\n")
        except OSError:
            return

    def _close_control(self) -> None:
        if self._control.fileno() >= 0:
            if not self._loop.is_closed():
                self._loop.remove_reader(self._control)
            self._control.close()

    def _end_with_program(self) -> None:
        # A shutdown, not a close: it may come from any thread, and the loop still watches the descriptor.
        try:
            self._control.shutdown(socket.SHUT_RDWR)
        except OSError:
            return


def _resolve(future: asyncio.Future[T], value: T) -> None:
    if not future.done():
        future.set_result(value)


def _exit(status: int) -> Exit:
    if os.WIFSIGNALED(status):
        return Exit(None, signal_name(os.WTERMSIG(status)))
    return Exit(os.WEXITSTATUS(status))


def signal_name(number: int) -> str:
    """The name of a signal, such as ``SIGTERM``; ``signal N`` for one without."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


async def _request(supervisor: Supervisor, body: int, output: int, control: int) -> None:
    try:
        if supervisor.is_started:
            supervisor.request(body, output, control)
        else:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(supervisor.request, body, output, control)
    finally:
        os.close(body)


def _describe(command: Command, environment: dict[str, str]) -> int:
    """A file in memory with the request's fields."""
    fields = [command.cwd, command.stderr, str(len(command.argv)), *command.argv]
    fields += [f"{name}={value}" for name, value in environment.items()]
    data = b"\0".join(_encoded(field) for field in fields)
    body = os.memfd_create("command", os.MFD_CLOEXEC)
    os.write(body, data)
    return body


def _encoded(field: str) -> bytes:
    """Bytes as the locale has them; in a locale that lacks the characters (``LC_ALL=C``) as UTF-8."""
    try:
        return os.fsencode(field)
    except UnicodeEncodeError:
        return field.encode("utf-8", "surrogateescape")


def _name_missing(error: OSError, command: Command) -> OSError:
    missing = command.argv[0] if os.path.isdir(command.cwd) else command.cwd
    return FileNotFoundError(error.errno, error.strerror, missing)
