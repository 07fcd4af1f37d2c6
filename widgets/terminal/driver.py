"""Which terminal driver the app runs on, and what the editor tells it."""

from __future__ import annotations

import sys
from typing import Any

from textual.app import App
from textual.driver import Driver

from .keyboard import KeyParser
from .output_guard import OutputGuard

if sys.platform == "win32":

    def driver_class(guard: OutputGuard | None = None) -> type[Driver] | None:
        """What to give to ``App(driver_class=…)``; None stands for Textual's own choice. `guard` has no effect here."""
        return None

else:
    from .posix_driver import PosixDriver

    def driver_class(guard: OutputGuard | None = None) -> type[Driver] | None:
        """What to give to ``App(driver_class=…)``. `guard` keeps other output off the terminal while the app has it."""
        return type("GuardedDriver", (PosixDriver,), {"guard": guard})


def use_mouse(app: App[Any], is_on: bool) -> None:
    """Take the mouse from now on, or leave it to the terminal."""
    driver: Any = app._driver  # pyright: ignore[reportPrivateUsage]
    if not hasattr(driver, "_enable_mouse_support"):
        return
    if is_on:
        driver._mouse = True
        driver._enable_mouse_support()
        if getattr(driver, "_mouse_pixels", False):
            driver._enable_mouse_pixels()
    else:
        driver._disable_mouse_support()
        driver._mouse = False


def cell_pixels(app: App[Any]) -> tuple[int, int] | None:
    """Width and height of a cell of the terminal in pixels, None if nobody here knows."""
    driver: Any = app._driver  # pyright: ignore[reportPrivateUsage]
    return driver.cell_pixels() if hasattr(driver, "cell_pixels") else None


def background_answer(app: App[Any], patience: float) -> str:
    """What the terminal answers to `ASK_BACKGROUND` until `patience` seconds after it was asked; empty for nothing. Blocks."""
    driver: Any = app._driver  # pyright: ignore[reportPrivateUsage]
    return driver.background.wait(patience) if hasattr(driver, "background") else ""


def hold_escape(app: App[Any], is_on: bool) -> None:
    """While there is a draft, wait a little longer for an Enter behind an escape byte (`keyboard`)."""
    parser = getattr(app._driver, "parser", None)  # pyright: ignore[reportPrivateUsage]
    if isinstance(parser, KeyParser):
        parser.holds_escape = is_on
