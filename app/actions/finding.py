"""Finding a text in what is read: a field above the rule, the hits marked, the count beside them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from textual.screen import Screen

from ...widgets.terminal.key_dispatch import key_hint
from ...widgets.text.marks import marks
from ...widgets.transcript.find_bar import FindBar
from ...widgets.transcript.read_view import ReadView

if TYPE_CHECKING:
    from textual.widget import Widget

    from ..tui import PyAgentApp

KEYS = (("find.next", "next"), ("find.previous", "before"), ("find.read", "reads on"), ("find.end", "back"))
"""What the keys of the field do."""

PAUSE = 0.06
"""Seconds without a key before the text is looked for."""

SLICE = 0.008
"""Seconds of counting between two chances for a key to be handled."""


async def act(app: PyAgentApp, _: str, query: str) -> None:
    """`/find`: look for a text in the transcript; opens the field, or goes on with the one that is open."""
    view = app.view

    def tell(words: str) -> None:
        view.rule.notice = words

    def back() -> None:
        app.leave_transcript()

    finding = app.finding
    if finding is None or not finding.is_open:
        app.finding = finding = Finding(app.screen, view.transcript, view.rule, tell, back)
    await finding.open(query)


class Finding:
    """Joins the field with the view that is searched. `tell` shows how it stands, `back` gets the focus when it ends."""

    def __init__(
        self,
        screen: Screen[Any],
        view: ReadView,
        before: Widget,
        tell: Callable[[str], None],
        back: Callable[[], None],
    ) -> None:
        self._screen = screen
        self._view = view
        self._before = before
        self._tell = tell
        self._back = back
        self._bar: FindBar | None = None

    @property
    def is_open(self) -> bool:
        """Whether the field is there."""
        return self._bar is not None

    async def open(self, query: str = "") -> None:
        """Show the field, with this text or with what was looked for last."""
        if self._bar is None:
            self._bar = FindBar(self._ask, self._move, self._leave)
            await self._screen.mount(self._bar, before=self._before)
        self._bar.focus()
        if text := query or self._view.sought:
            self._bar.set_text(text)
        self._say()

    def _ask(self, query: str) -> None:
        self._view.run_worker(self._search(query), group="find", exclusive=True, exit_on_error=False)

    async def _search(self, query: str) -> None:
        """Count in slices, so that keys are heard however long the history is; then show the next hit."""
        await asyncio.sleep(PAUSE)
        if not query.strip():
            self._view.end_search()
            self._say()
            return
        until = time.monotonic() + SLICE
        for count in self._view.begin_search(query):
            if time.monotonic() > until:
                self._tell(f"{count:,} so far")
                await asyncio.sleep(0)
                until = time.monotonic() + SLICE
        self._view.find(1)
        self._say()

    def _move(self, direction: Literal[-1, 1]) -> None:
        self._view.action_find(direction)
        self._say()

    def _leave(self, keeps: bool) -> None:
        bar, self._bar = self._bar, None
        if bar is not None:
            self._view.workers.cancel_group(self._view, "find")  # pyright: ignore[reportUnknownMemberType]
            bar.remove()
        self._tell("")
        if keeps and self._view.sought:
            self._view.focus()
            self._view.tell_mode()
        else:
            self._view.end_search()
            self._back()

    def _say(self) -> None:
        """How many hits there are, and which keys lead on."""
        total, position = self._view.found
        if self._view.sought:
            words = [f"{position:,} of {total:,}" if total else "nothing found"]
            keys = KEYS
        else:
            words, keys = ["find in what is above"], KEYS[-1:]
        if self._bar is not None:
            words += [hint for ids, what in keys if (hint := key_hint(self._bar, ids, what))]
        self._tell(f" {marks().dot} ".join(words))
