"""The app as far as its terminal goes: colours, themes, pictures, focus, clipboard, and what must not reach the screen."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.color import ColorSystem
from textual import events, work
from textual.app import App
from textual.filter import LineFilter, Monochrome

from ...widgets.terminal.driver import cell_pixels, driver_class
from ...widgets.terminal.sequences import TerminalReply
from ...widgets.text.marks import ASCII_MARKS, marks
from ...widgets.text.palette import find_palette, is_colour_off
from ...widgets.text.palette_filter import last_filters
from ..settings.model import Settings
from ..settings.watched_file import changes_of
from .attention import Attention
from .clipboard import through_tmux
from .graphics import GraphicsQuery
from .log_file import LogFile, StrayOutput
from .theming import Theming


class TerminalApp(App[int], inherit_bindings=False):
    """Knows its terminal. A subclass says how to show pictures and how to warn the person."""

    def __init__(self, stray: LogFile, themes: Path) -> None:
        """`stray` takes what libraries write; `themes` is the folder of the person's own themes."""
        super().__init__(driver_class=driver_class(StrayOutput(stray)))
        self.stray = stray
        self.no_color = is_colour_off(os.environ)
        self.palette = find_palette(os.environ, self.console.color_system)
        self._last_filters = last_filters(self.palette, has_unicode=marks() is not ASCII_MARKS)
        if self.palette == "full":
            self.console._color_system = ColorSystem.TRUECOLOR  # pyright: ignore[reportPrivateUsage]
        self.theming = Theming(self, themes, self.palette)
        self.attention = Attention(self.write_to_terminal)
        self.graphics = GraphicsQuery(self.write_to_terminal, os.environ, lambda: cell_pixels(self))

    def show_pictures(self) -> None:
        """Show them as the terminal can now."""

    def warn(self, text: str) -> None:
        """Tell the person what is wrong."""

    # Colours

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own but its greys, and at last one that leaves nothing too faint, or nothing that the terminal lacks."""
        own = (each for each in super().get_line_filters() if not isinstance(each, Monochrome))
        return [*own, *self._last_filters]

    def choose_theme(self, settings: Settings) -> None:
        """Take on the theme of the settings, unless the person has chosen one by hand."""
        self.theming.pair = (settings.theme_dark, settings.theme_light)
        if not self.theming.is_by_hand and (fault := self.theming.choose(settings.theme)):
            self.warn(fault)
        self.watch_own_theme_file()

    def watch_own_theme_file(self) -> None:
        """Begin to look at the file of the theme in use, if it has one."""
        if self.theming.file is not None:
            self.watch_own_theme()

    @work(group="theme", exclusive=True, exit_on_error=False)
    async def watch_own_theme(self) -> None:
        """Take on a theme of the person's own again whenever its file is saved."""
        async for path in changes_of(lambda: self.theming.file):
            if fault := self.theming.reload(path):
                self.warn(fault)

    # What the terminal says

    def on_terminal_reply(self, message: TerminalReply) -> None:
        if self.theming.answered(message.sequence):
            self.watch_own_theme_file()
        if self.graphics.answered(message.sequence):
            self.show_pictures()

    def on_resize(self) -> None:
        if self.graphics.resized():
            self.show_pictures()

    def on_app_focus(self) -> None:
        self.attention.focused(True)

    def on_app_blur(self) -> None:
        self.attention.focused(False)

    # What it is told

    def write_to_terminal(self, text: str) -> None:
        """Send a sequence as it is."""
        if self._driver is not None:
            self._driver.write(text)

    def copy_to_clipboard(self, text: str) -> None:
        """Also through tmux, which keeps what it does not understand to itself."""
        super().copy_to_clipboard(text)
        if "TMUX" in os.environ:
            self.write_to_terminal(through_tmux(text))

    def on_print(self, event: events.Print) -> None:
        """What a library prints is kept off the screen."""
        self.stray.write(event.text)

    def exit(self, result: int | None = None, return_code: int = 0, message: Any | None = None) -> None:
        """End the program; the terminal keeps no pictures."""
        self.graphics.close()
        super().exit(result, return_code, message)
