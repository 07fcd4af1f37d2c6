"""Running one command to its end: output followed, time limited, the tree ended on cancel."""

from __future__ import annotations

import time
from collections.abc import Callable

import anyio

from ..agent.frozen import frozen
from .operations import Exit, Process
from .output import OutputLog

UPDATE_INTERVAL = 0.1
"""Seconds between two live updates at least."""

QUIET = 0.1
"""Seconds without output after which the pipe of a command that has ended is taken for held by something else."""

GRACE = 0.4
"""Seconds for which output is still taken after the command has ended, however much comes."""

KILL_GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL."""


@frozen
class Ending:
    """How a command ended; `left_running` counts the processes it left."""

    exit: Exit | None
    timed_out: bool = False
    left_running: int = 0


class Execution:
    """One process whose output goes to `log`; `show` is called at most every `UPDATE_INTERVAL`."""

    def __init__(self, process: Process, log: OutputLog, show: Callable[[], None]) -> None:
        self._process = process
        self._log = log
        self._show = show
        self._shown_at = 0.0
        self._at_end = anyio.Event()

    async def run(self, timeout: float | None) -> Ending:
        """Follow it to the end. Cancelled, or after `timeout` seconds, the whole tree is ended first."""
        try:
            with anyio.move_on_after(timeout):
                ending = Ending(await self._follow())
                return Ending(ending.exit, left_running=await self._process.left_running())
            with anyio.CancelScope(shield=True):
                await self.stop()
            return Ending(None, timed_out=True)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self.stop()
            raise
        finally:
            self._process.release()
            self._log.close()

    async def _follow(self) -> Exit:
        async with anyio.create_task_group() as group:
            group.start_soon(self._read)
            await self._process.wait()
            with anyio.move_on_after(GRACE):
                await self._until_quiet()
            group.cancel_scope.cancel()
        return await self._process.wait()

    async def stop(self) -> None:
        """End the tree and take its last words."""
        with anyio.move_on_after(KILL_GRACE + 1):
            async with anyio.create_task_group() as group:
                group.start_soon(self._read)
                await self._process.kill(KILL_GRACE)
                with anyio.move_on_after(QUIET):
                    await self._at_end.wait()
                group.cancel_scope.cancel()

    async def _until_quiet(self) -> None:
        while not self._at_end.is_set():
            size = self._log.size
            with anyio.move_on_after(QUIET):
                await self._at_end.wait()
            if self._log.size == size:
                return

    async def _read(self) -> None:
        is_due = False
        while not self._at_end.is_set():
            wait = self._shown_at + UPDATE_INTERVAL - time.monotonic() if is_due else None
            with anyio.move_on_after(wait if wait is None else max(0.0, wait)) as scope:
                chunk = await self._process.read()
                if not chunk:
                    self._at_end.set()
                    return
                self._log.add(chunk)
            is_due = not scope.cancelled_caught and not self._show_if_due()
            if scope.cancelled_caught:
                self._show_now()

    def _show_if_due(self) -> bool:
        if time.monotonic() - self._shown_at < UPDATE_INTERVAL:
            return False
        self._show_now()
        return True

    def _show_now(self) -> None:
        self._shown_at = time.monotonic()
        self._show()
