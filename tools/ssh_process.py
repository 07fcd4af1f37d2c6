"""A command on the other machine. Its output is the ssh channel's; how it goes comes on the channel's error stream."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress

from .children import end_child
from .operations import Command, Exit

AskShell = Callable[[str, list[str]], Awaitable[bytes]]

NO_FOLDER, NO_PROGRAM = 120, 119
"""Exit codes of `remote_scripts.RUN` when it cannot enter the folder, and when there is no such program."""

CHUNK = 1 << 16

LOST = "a lost connection"
"""What ended a command of which nothing more is heard, in place of a signal."""


class SshProcess:
    """Descendants are known by a mark in their environment, or by their session, where the machine has ``/proc``."""

    def __init__(self, process: asyncio.subprocess.Process, mark: str, ask: AskShell) -> None:
        self._process = process
        self._mark = mark
        self._ask = ask
        self._session = ""
        self._draining: asyncio.Task[None] | None = None
        self._exit: asyncio.Task[Exit]

    @classmethod
    async def start(cls, process: asyncio.subprocess.Process, mark: str, command: Command, ask: AskShell) -> SshProcess:
        """Wait until it runs; `OSError` says why it does not."""
        started = cls(process, mark, ask)
        try:
            await started._await_start(command)
        except BaseException:
            await end_child(process)
            raise
        started._exit = asyncio.get_running_loop().create_task(started._await_exit())
        return started

    async def _await_start(self, command: Command) -> None:
        assert self._process.stderr is not None
        errors: list[str] = []
        while line := await self._process.stderr.readline():
            word, _, value = line.decode("utf-8", "replace").strip().partition(" ")
            if word == "started" and value.isdigit():
                self._session = value
                return
            errors.append(line.decode("utf-8", "replace").strip())
        code = await self._process.wait()
        if code in (NO_FOLDER, NO_PROGRAM):
            missing = command.cwd if code == NO_FOLDER else command.argv[0]
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), missing)
        raise ConnectionError(errno.ENOTCONN, errors[-1] if errors else "ssh ended")

    async def _await_exit(self) -> Exit:
        assert self._process.stderr is not None
        while line := await self._process.stderr.readline():
            word, _, value = line.decode("utf-8", "replace").strip().partition(" ")
            if word == "ended" and value.isdigit():
                return Exit(int(value))
        return Exit(None, LOST)

    async def read(self) -> bytes:
        assert self._process.stdout is not None
        return await self._process.stdout.read(CHUNK)

    async def wait(self) -> Exit:
        return await asyncio.shield(self._exit)

    async def left_running(self) -> int:
        # A machine out of reach cannot be asked, and what runs there not be ended.
        with suppress(ConnectionError):
            return int(await self._ask("count_tree", [self._mark, self._session]) or b"0")
        return 0

    async def kill(self, grace: float = 2.0) -> None:
        with suppress(ConnectionError):
            await self._ask("end_tree", [self._mark, self._session, str(round(grace * 1000))])

    def release(self) -> None:
        if self._draining is None:
            self._draining = asyncio.get_running_loop().create_task(self._drain())

    async def _drain(self) -> None:
        """Take and forget what is still written; the channel stays open until its last writer is gone."""
        while await self.read():
            await asyncio.sleep(0.02)
        await self._process.wait()
