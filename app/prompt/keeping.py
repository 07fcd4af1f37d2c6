"""What is written in the editor outlives the program: what was sent in the history, what was not in a draft."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ...widgets.editor.editor import Editor, names_image
from ...widgets.editor.history import EditorHistory
from ...widgets.editor.paste import clean
from ..paths import Paths
from .drafts import Drafts
from .history import PromptHistory

DELAY = 0.3
"""Seconds after which what is being written is on disk."""

PICTURES_GONE = "Its pictures are gone: drop them again"


class PromptKeeping:
    """Joins the editor with the two files. The event loop never waits for the disk; `note` tells the person."""

    def __init__(self, editor: Editor, paths: Paths, project: Path, note: Callable[[str], None]) -> None:
        self._editor = editor
        self._note = note
        self._history = PromptHistory(paths.history_file)
        self._drafts = Drafts(paths.drafts, project)
        self._pool = ThreadPoolExecutor(1, "prompts")
        self._last: asyncio.Future[object] | None = None
        self._due: asyncio.TimerHandle | None = None
        self._has_failed = False
        self._is_loaded = False
        editor.history.on_add = self._add

    async def load(self) -> str:
        """Bring back what earlier programs kept: prompts into the history, an unsent draft into the empty editor.

        What the person should know of it; nothing if it was done before.
        """
        if self._is_loaded:
            return ""
        self._is_loaded = True
        loop = asyncio.get_running_loop()
        try:
            prompts = await loop.run_in_executor(self._pool, self._history.load)
            left = await loop.run_in_executor(self._pool, self._drafts.take_left)
        except OSError as error:
            self._has_failed = True
            return failure(error)
        self._editor.history = EditorHistory([*map(clean, prompts), *self._editor.history.entries], self._add)
        return self._bring_back(left)

    def changed(self) -> None:
        """The editor's text is another one."""
        if self._due is None:
            delay = 0 if self._editor.is_empty else DELAY
            self._due = asyncio.get_running_loop().call_later(delay, self._write)
        elif self._editor.is_empty:
            self._due.cancel()
            self._write()

    async def aclose(self) -> None:
        """Have everything on disk."""
        if self._due is not None:
            self._due.cancel()
            self._write()
        if self._last is not None:
            await asyncio.wait({self._last})
        self._pool.shutdown(wait=False)

    def _bring_back(self, left: Sequence[str]) -> str:
        """The newest draft into the editor if nothing is written there, all others where Up finds them."""
        goes_in = bool(left) and self._editor.is_empty
        for text in left[:-1] if goes_in else left:
            self._editor.history.add(text)
        if goes_in:
            self._editor.set_text(left[-1])
            gone = f" {PICTURES_GONE}." if names_image(left[-1]) else ""
            return f"What you had written when the program ended is back in the editor.{gone}"
        return "What you had written when the program ended is in the history: up brings it back." if left else ""

    def _write(self) -> None:
        self._due = None
        text = self._editor.text
        self._put(lambda: self._drafts.write(text))

    def _add(self, text: str) -> None:
        self._put(lambda: self._history.add(text))

    def _put(self, work: Callable[[], None]) -> None:
        """Do it after everything that was put before."""
        self._last = asyncio.get_running_loop().run_in_executor(self._pool, work)
        self._last.add_done_callback(self._done)

    def _done(self, future: asyncio.Future[object]) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, OSError) and not self._has_failed:
            self._has_failed = True  # it would be the same at every key
            self._note(failure(error))


def failure(error: OSError) -> str:
    """What the person must know of it."""
    where = f"{error.filename}: " if error.filename else ""
    return f"Prompts and drafts are not kept: {where}{error.strerror or error}"
