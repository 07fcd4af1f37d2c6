"""Something that has to end before one can go on; Escape stops it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import Worker

from ...widgets.text.marks import marks
from ...widgets.text.numbers import format_seconds
from ...widgets.text.outside_text import outside_content
from ..keys.screens import WAIT_KEYS
from .key_line import key_line

ResultT = TypeVar("ResultT")


class WaitScreen(ModalScreen[ResultT | None], Generic[ResultT], inherit_bindings=False):
    """Returns what the work returns; None if the person stopped it, which cancels it."""

    DEFAULT_CSS = """
    WaitScreen {
        background: $background 60%;
        align: center middle;
        & > Vertical {
            width: auto; max-width: 100%; height: auto; padding: 1 2;
            background: $background; border: round $foreground 30%;
        }
        & Static { width: auto; max-width: 100%; height: auto; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = list(WAIT_KEYS)

    def __init__(self, words: str, work: Callable[[], Awaitable[ResultT]]) -> None:
        super().__init__()
        self._words = words
        self._work = work
        self._began = time.monotonic()
        self._line = Static(outside_content(words), markup=False)
        self._worker: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._line
            yield Static(key_line(self, ("wait.stop", "stops")), markup=False)

    def on_mount(self) -> None:
        self.set_interval(1, self._tick)
        self._worker = self.run_worker(self._wait(), group="wait", exit_on_error=False)

    async def _wait(self) -> None:
        self.dismiss(await self._work())

    def _tick(self) -> None:
        self._line.update(
            outside_content(f"{self._words} {marks().dot} {format_seconds(time.monotonic() - self._began)}")
        )

    def action_stop(self) -> None:
        """Escape."""
        if self._worker is not None:
            self._worker.cancel()
        self.dismiss(None)
