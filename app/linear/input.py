"""What the person types in the linear mode: whole lines, read in a thread, so that they can be typed while a run goes on."""

from __future__ import annotations

import asyncio
import os
import select
import sys
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable

BURST = 0.05
"""Seconds within which lines that follow each other count as pasted together."""

READ_SIZE = 1 << 16


class LinearInput:
    """Hands over blocks of lines: one line that was typed, or several that came at once. None: there will be no more.

    From a pipe each line is a block of its own.
    """

    def __init__(self, descriptor: int) -> None:
        self.is_terminal = os.isatty(descriptor)
        self._descriptor = descriptor
        self._blocks: asyncio.Queue[list[str] | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()

    def start(self) -> None:
        """Begin to read. The thread may stay in its last read until the process ends."""
        threading.Thread(target=self._read, name="input", daemon=True).start()

    async def take(self) -> list[str] | None:
        """The next block."""
        return await self._blocks.get()

    def end(self) -> None:
        """Let `take` say that there is no more, whatever was read meanwhile."""
        while not self._blocks.empty():
            self._blocks.get_nowait()
        self._blocks.put_nowait(None)

    def _read(self) -> None:
        lines = _Lines()
        while data := self._chunk():
            found = lines.feed(data)
            while self.is_terminal and found and self._has_more():
                data = self._chunk()
                found += lines.feed(data)
                if not data:
                    break
            self._hand_over(found)
        if rest := lines.rest():
            self._hand_over([rest])
        self._put(None)

    def _hand_over(self, found: list[str]) -> None:
        if self.is_terminal and found:
            self._put(found)
        elif found:
            for line in found:
                self._put([line])

    def _put(self, block: list[str] | None) -> None:
        call: Callable[..., object] = self._loop.call_soon_threadsafe
        if not self._loop.is_closed():
            call(self._blocks.put_nowait, block)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, READ_SIZE)
        except OSError:
            return b""

    def _has_more(self) -> bool:
        """Whether more comes at once. Windows cannot say it of a terminal."""
        if sys.platform == "win32":
            return False
        return bool(select.select([self._descriptor], [], [], BURST)[0])


class _Lines:
    """Bytes to lines: UTF-8 with replacement marks; CR, LF and CRLF end a line."""

    def __init__(self) -> None:
        self._decode = getincrementaldecoder("utf-8")(errors="replace").decode
        self._rest = ""

    def feed(self, data: bytes) -> list[str]:
        text = self._rest + self._decode(data)
        held = "\r" if text.endswith("\r") else ""
        *lines, self._rest = text.removesuffix(held).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._rest += held
        return lines

    def rest(self) -> str:
        return self._rest.rstrip("\r")
