"""The files of a project for ``@``: listed once, kept, looked at again, and searched while the keys go on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any, TypeAlias

from ...widgets.editor.completion import Completion
from .path_store import PathStore, Ranking

ListFiles: TypeAlias = Callable[[], AsyncGenerator[Sequence[str]]]
"""Gives relative paths of files, some at a time."""

Host: TypeAlias = Callable[[Coroutine[Any, Any, None]], object]
"""Runs work in the background of the app."""

FRESH = 10.0
"""Seconds for which a listing is good enough."""

PATIENCE = 10
"""The same in times of what the listing took: a folder that is slow to list is listed less often."""

SLICE = 0.002
"""Seconds of work in one go: no key waits for longer."""

PAUSE = 0.004
"""Seconds between two slices, for everything else."""

ANSWER_EVERY = 0.1
"""Seconds between two answers to one question."""


class FileIndex:
    """The paths below a folder. There is one listing at a time, whatever is typed meanwhile, and it goes on to its end.

    While the first one goes on its paths are found as they come; later ones take its place when they are whole.
    """

    def __init__(self, list_files: ListFiles, host: Host) -> None:
        self._list_files = list_files
        self._host = host
        self._store = PathStore()
        self._is_whole = False
        self._is_stale = False
        self._listing: asyncio.Event | None = None
        self._good_until = float("-inf")

    def files_changed(self) -> None:
        """Look at the folder again when it is next asked for."""
        self._is_stale = True

    async def complete(self, typed: str) -> AsyncGenerator[Sequence[Completion]]:
        """Files and folders that fit what is typed after ``@``, folders first: better answers one after the other."""
        self._look_again()
        while True:
            store = self._store
            async with aclosing(self._answers(store, typed)) as answers:
                async for answer in answers:
                    yield answer
            if self._listing is not None:
                await self._listing.wait()
            if store is self._store:
                return

    async def _answers(self, store: PathStore, typed: str) -> AsyncGenerator[Sequence[Completion]]:
        """The best of a store as far as it is there, until it is whole; at last all of them, also if there are none."""
        ranking = Ranking(store, typed)
        answered = float("-inf")
        while True:
            is_growing = not self._is_whole and self._listing is not None and store is self._store
            self._rank(ranking)
            is_last = ranking.is_through and not is_growing
            is_due = time.monotonic() - answered > ANSWER_EVERY
            if is_last or (is_due and ranking.has_found):
                yield ranking.completions()
                answered = time.monotonic()
            if is_last:
                return
            await asyncio.sleep(PAUSE if not ranking.is_through else ANSWER_EVERY / 2)

    def _rank(self, ranking: Ranking) -> None:
        end = time.perf_counter() + SLICE
        while not ranking.is_through and time.perf_counter() < end:
            ranking.step()

    def _look_again(self) -> None:
        if self._listing is None and (self._is_stale or time.monotonic() > self._good_until):
            self._listing = asyncio.Event()
            self._is_stale = False
            store = PathStore()
            if not self._is_whole:
                self._store = store
            self._host(self._list(store, self._listing))

    async def _list(self, store: PathStore, listing: asyncio.Event) -> None:
        began = time.monotonic()
        try:
            async with aclosing(self._list_files()) as listed:
                async for files in listed:
                    store.add(files)
                    if store.is_full:
                        break
                    await asyncio.sleep(PAUSE)
            self._store, self._is_whole = store, True
        finally:
            now = time.monotonic()
            self._good_until = now + max(FRESH, PATIENCE * (now - began))
            self._listing = None
            listing.set()
