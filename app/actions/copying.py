"""Copying from what is read, with a word about what came of it."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App

from ..terminal.clipboard import copy_text

if TYPE_CHECKING:
    from ...widgets.hint_rule import HintRule
    from ..screens.frame import FrameHints
    from ..tui import PyAgentApp

SHOWN = 4.0
"""Seconds for which the outcome is shown."""


async def act(app: PyAgentApp, what: str, text: str) -> None:
    """Copy the text; what is known of the outcome stands above the editor for a while. `what` names the text."""
    await copy_and_tell(app, what, text, app.view.rule)


async def copy_and_tell(app: App[Any], what: str, text: str, place: HintRule | FrameHints) -> None:
    """Copy the text and say in `place` for a while what is known of the outcome."""
    loop = asyncio.get_running_loop()

    def through_terminal(text: str) -> None:
        loop.call_soon_threadsafe(app.copy_to_clipboard, text)

    outcome = await asyncio.to_thread(copy_text, text, through_terminal) if text else ""
    words = f"{what[0].upper()}{what[1:]}: {outcome[0].lower()}{outcome[1:]}" if what and outcome else outcome
    tell(app, words or "Nothing to copy.", place)


def tell(app: App[Any], words: str, place: HintRule | FrameHints) -> None:
    """Say something in `place` for a while."""
    place.notice = words
    app.set_timer(SHOWN, partial(place.retract, words))
