"""Awaiting the answer of a screen."""

from __future__ import annotations

from typing import Any, TypeVar

from textual.app import App
from textual.screen import Screen

ResultT = TypeVar("ResultT")


async def ask(app: App[Any], screen: Screen[ResultT]) -> ResultT | None:
    """Show a screen and await its answer, in a worker. Cancelled, it takes the screen off the stack again."""
    try:
        return await app.push_screen_wait(screen)
    finally:
        if screen in app.screen_stack:
            screen.dismiss(None)
