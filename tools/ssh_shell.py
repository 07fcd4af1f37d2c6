"""One shell on the other machine that answers one request after the other, so that each costs a round trip only."""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import shlex
import subprocess
import sys
from collections.abc import Sequence

import anyio

from ..agent.frozen import frozen
from .children import end_child
from .remote_scripts import LIBRARY, SERVE

MAX_ANSWER = 64 * 1024 * 1024
"""Bytes of an answer."""


@frozen
class Answer:
    """What a function of the library wrote, and how it ended."""

    code: int
    output: bytes
    errors: str


class RemoteShell:
    """Started with the first request, and again after it was lost. `argv` is the `ssh` command without a remote one."""

    def __init__(self, argv: Sequence[str]) -> None:
        self._argv = list(argv)
        self._token = secrets.token_hex(16)
        self._lock = anyio.Lock()
        self._process: asyncio.subprocess.Process | None = None

    async def ask(self, function: str, arguments: Sequence[str], data: bytes | None = None) -> Answer:
        """Call a function of the library, with `data` as its input. `ConnectionError` if the machine is out of reach.

        Cancelled, the shell is given up: nobody can tell how far it is.
        """
        async with self._lock:
            try:
                process = self._process or await self._start()
                return await self._exchange(process, _request(function, arguments, data))
            except BaseException:
                await self.close()
                raise

    async def close(self) -> None:
        """End the shell; the next request starts another one."""
        process, self._process = self._process, None
        if process is not None:
            await end_child(process)

    async def _start(self) -> asyncio.subprocess.Process:
        remote = shlex.join(["exec", "sh", "-c", LIBRARY + SERVE, "sh", self._token])
        self._process = process = await asyncio.create_subprocess_exec(
            *self._argv,
            remote,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=sys.platform != "win32",
            limit=MAX_ANSWER,
        )
        assert process.stdout is not None
        try:
            # Whatever the start files of the account say comes before.
            await process.stdout.readuntil(f"\n{self._token} ready\n".encode())
        except asyncio.IncompleteReadError:
            raise await _lost(process) from None
        return process

    async def _exchange(self, process: asyncio.subprocess.Process, request: bytes) -> Answer:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        mark = f"\n{self._token}".encode()
        try:
            process.stdin.write(request)
            await process.stdin.drain()
            errors = (await process.stderr.readuntil(mark + b"\n")).removesuffix(mark + b"\n")
            output = (await process.stdout.readuntil(mark + b" ")).removesuffix(mark + b" ")
            code = int(await process.stdout.readline())
        except (OSError, asyncio.IncompleteReadError):
            raise await _lost(process) from None
        return Answer(code, output, errors.decode("utf-8", "replace").strip())


async def _lost(process: asyncio.subprocess.Process) -> ConnectionError:
    _, errors = await process.communicate()
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    return ConnectionError(errno.ENOTCONN, lines[-1] if lines else "The connection was lost")


def _request(function: str, arguments: Sequence[str], data: bytes | None) -> bytes:
    """One line of shell. Arguments with line breaks come by way of variables; a line break at their end survives."""
    before: list[bytes] = []
    words = [function.encode()]
    for index, argument in enumerate(map(os.fsencode, arguments)):
        if b"\n" in argument:
            before.append(b"v%d=$(printf '%%b_' %s); v%d=${v%d%%_}; " % (index, _escaped(argument), index, index))
            words.append(b'"$v%d"' % index)
        else:
            words.append(_quoted(argument))
    call = b" ".join(words)
    if data is not None:
        call = b"printf '%b' " + _escaped(data) + b" | " + call
    return b"".join([*before, call, b"\n"])


def _quoted(data: bytes) -> bytes:
    return b"'" + data.replace(b"'", b"'\\''") + b"'"


def _escaped(data: bytes) -> bytes:
    """Any bytes on one line, as ``printf %b`` undoes it."""
    return _quoted(data.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\0", b"\\0000"))
