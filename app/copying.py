"""Copying from the transcript, with a word about what came of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .clipboard import copy_text

if TYPE_CHECKING:
    from .tui import PyAgentApp

SHOWN = 4.0
"""Seconds for which the outcome stands above the editor."""


async def act(app: PyAgentApp, what: str, text: str) -> None:
    """Copy the text; what is known of the outcome stands above the editor for a while. `what` names the text."""
    loop = asyncio.get_running_loop()

    def through_terminal(text: str) -> None:
        loop.call_soon_threadsafe(app.copy_to_clipboard, text)

    rule = app.view.rule
    rule.notice = words = await asyncio.to_thread(copy_text, text, through_terminal) if text else "Nothing to copy."
    if what and text:
        rule.notice = words = f"{what[0].upper()}{what[1:]}: {words[0].lower()}{words[1:]}"

    def forget() -> None:
        if rule.notice == words:
            rule.notice = ""

    app.set_timer(SHOWN, forget)
