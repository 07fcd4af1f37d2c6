"""A command that is played."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from .operations import Command, Exit


class MemoryProcess:
    """Runs a player in a task of its own; ended by cancelling it."""

    def __init__(self, run: Callable[[Command, Callable[[bytes], None]], Awaitable[int]], command: Command) -> None:
        self._output: deque[bytes] = deque()
        self._changed = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._play(run, command))
        self._task.add_done_callback(lambda _: self._changed.set())

    async def _play(self, run: Callable[[Command, Callable[[bytes], None]], Awaitable[int]], command: Command) -> Exit:
        return Exit(await run(command, self._write))

    def _write(self, data: bytes) -> None:
        if data:
            self._output.append(data)
            self._changed.set()

    async def read(self) -> bytes:
        while not self._output and not self._task.done():
            self._changed.clear()
            await self._changed.wait()
        return self._output.popleft() if self._output else b""

    async def wait(self) -> Exit:
        await asyncio.wait([self._task])
        return Exit(None, "SIGTERM") if self._task.cancelled() else self._task.result()

    async def left_running(self) -> int:
        return 0

    async def kill(self, grace: float = 2.0) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    def release(self) -> None:
        self._output.clear()
