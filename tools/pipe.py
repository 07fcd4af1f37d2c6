"""The read end of a command's output pipe, in the event loop."""

from __future__ import annotations

import asyncio
import os
import sys

CHUNK = 1 << 18
"""Bytes read at once."""

PIPE_SIZE = 1 << 20
"""Bytes the pipe holds, so that a burst passes with few wake-ups."""

DRAIN_PAUSE = 0.02
"""Seconds between two reads of an output that nobody wants any more: a chatty server goes on, and costs little."""


class OutputPipe:
    """The read end of the command's output pipe."""

    def __init__(self, descriptor: int, loop: asyncio.AbstractEventLoop) -> None:
        os.set_blocking(descriptor, False)
        _enlarge(descriptor)
        self._descriptor = descriptor
        self._loop = loop
        self._is_draining = False

    async def read(self) -> bytes:
        """The next bytes, empty at the end."""
        # A program that writes faster than we read must not keep everything else from its turn. No await between
        # the read and the return: a cancelled reader loses nothing.
        await asyncio.sleep(0)
        while self._descriptor >= 0:
            try:
                return os.read(self._descriptor, CHUNK)
            except BlockingIOError:
                await self._readable()
        return b""

    async def _readable(self) -> None:
        ready: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(self._descriptor, _wake, ready)
        try:
            await ready
        finally:
            if self._descriptor >= 0:
                self._loop.remove_reader(self._descriptor)

    def drain(self) -> None:
        """Take what comes and forget it, at a modest pace, until the end."""
        if self._descriptor < 0 or self._is_draining:
            return
        self._is_draining = True
        self._loop.add_reader(self._descriptor, self._discard)

    def _discard(self) -> None:
        if self._descriptor < 0:
            return
        self._loop.remove_reader(self._descriptor)
        try:
            if not os.read(self._descriptor, CHUNK):
                self.close()
                return
        except BlockingIOError:
            pass
        self._loop.call_later(DRAIN_PAUSE, self._watch)

    def _watch(self) -> None:
        if self._descriptor >= 0:
            self._loop.add_reader(self._descriptor, self._discard)

    def close_if_drained(self) -> None:
        """The tree is gone: an output that nobody reads needs no descriptor any more."""
        if self._is_draining:
            self.close()

    def close(self) -> None:
        """Release the descriptor; writers get SIGPIPE."""
        if self._descriptor >= 0:
            if not self._loop.is_closed():
                self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1


def _wake(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


def _enlarge(descriptor: int) -> None:
    if sys.platform != "linux":
        return
    import fcntl

    try:
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
    except OSError:
        # The user's share of pipe memory is used up: the usual 64 KiB serve as well.
        return
