"""Changes of one file, one after the other, in the order of the calls; other files go on at the same time."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import field

import anyio

from ..agent.mutable import mutable
from .operations import Operations


@mutable(eq=False)
class _Turn:
    """One caller's place. `unfinished` are those before it that still run though it no longer waits for them."""

    done: anyio.Event = field(default_factory=anyio.Event)
    unfinished: list[_Turn] = field(default_factory=list)


class MutationQueue:
    """Orders changes by the file they reach, whatever it is called: ``./f``, a symlink or a hard link."""

    def __init__(self, operations: Operations) -> None:
        self._operations = operations
        self._registration = anyio.Lock(fast_acquire=True)
        self._last: dict[str, _Turn] = {}

    @asynccontextmanager
    async def turn(self, path: str) -> AsyncGenerator[str]:
        """Wait for all earlier turns of the same file; yields its real path. `OSError` if the path cannot be followed."""
        async with self._registration:
            real = await self._operations.realpath(path)
            keys = [f"path {real}"]
            # A file that is not there yet has its path alone.
            with suppress(OSError):
                keys.append(f"file {(await self._operations.stat(real)).identity}")
            turn, earlier = self._enter(keys)
        try:
            await _wait_for(earlier, turn)
            yield real
        finally:
            self._leave(turn, keys)

    def _enter(self, keys: Iterable[str]) -> tuple[_Turn, list[_Turn]]:
        turn = _Turn()
        earlier = list({id(last): last for key in keys if (last := self._last.get(key)) is not None}.values())
        for key in keys:
            self._last[key] = turn
        return turn, earlier

    def _leave(self, turn: _Turn, keys: Iterable[str]) -> None:
        turn.done.set()
        if turn.unfinished:
            # Cancelled while it waited: whoever comes next finds here whom to wait for.
            return
        for key in keys:
            if self._last.get(key) is turn:
                del self._last[key]


async def _wait_for(earlier: list[_Turn], turn: _Turn) -> None:
    turn.unfinished = list(earlier)
    while turn.unfinished:
        first = turn.unfinished[0]
        await first.done.wait()
        turn.unfinished[:1] = [before for before in first.unfinished if before not in turn.unfinished]
