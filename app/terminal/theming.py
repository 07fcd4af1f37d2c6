"""The theme of the screen: the one that the settings name, or the terminal's own light or dark."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from ...widgets.terminal.driver import background_answer
from ...widgets.terminal.sequences import ASK_BACKGROUND
from ...widgets.text.palette import Palette
from ..spelling import did_you_mean
from .own_colours import OWN_COLOURS

if TYPE_CHECKING:
    from .user_themes import UserThemes

SYSTEM = "system"
DARK, LIGHT = "textual-dark", "textual-light"

PATIENCE = 0.1
"""Seconds that the first frame waits for what the terminal says of its background."""

_SCHEME = "\x1b[?997;"
_BACKGROUND = re.compile(r"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")


class Theming:
    """Chooses the theme; for `system` it is that of the terminal's background, which the driver has asked for.

    Until there is an answer it is dark, or what ``COLORFGBG`` says.

    `pair` names the theme for a dark and for a light terminal. `is_by_hand`: the person chose it here, so the settings count no more. `folder` holds themes of the person's own; they are read when one is asked for. `palette`: a terminal with its own 16 colours, or none, shows no theme's.
    """

    def __init__(self, app: App[Any], folder: Path, palette: Palette = "full") -> None:
        self._app = app
        self._has_themes = palette in ("256", "full")
        if not self._has_themes:
            for theme in OWN_COLOURS:
                app.register_theme(theme)
        self._folder = folder
        self.wanted = ""
        self.pair: tuple[str, str] = (DARK, LIGHT)
        self._chosen: tuple[str, tuple[str, str]] = ("", self.pair)
        self.is_by_hand = False
        self._own: UserThemes | None = None
        self._is_light = is_light_by_number(os.environ.get("COLORFGBG", ""))

    def choose(self, wanted: str) -> str:
        """Use the theme of the setting `theme`; what is wrong with it, empty if nothing is."""
        if self._chosen == (wanted, self.pair) and wanted == self.wanted:
            return ""
        self._chosen = wanted, self.pair
        names = self.pair if wanted == SYSTEM else (wanted,)
        faults: Sequence[str] = ()
        if self._unknown(names) and self._own is None:
            faults = self.find()
        missing = self._unknown(names)
        self.wanted = SYSTEM if wanted in missing else wanted
        self._show()
        known = self._app.available_themes
        told = [f"There is no theme {name!r}{_others(name, known)}" for name in missing]
        return "; ".join([*told, *faults]) if told else ""

    def _unknown(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name not in self._app.available_themes]

    def find(self) -> Sequence[str]:
        """Read the themes of the folder; what is wrong with them. Reads disk."""
        from .user_themes import load_user_themes  # only for who has some

        self._own = load_user_themes(self._folder)
        for theme in self._own.themes.values():
            self._app.register_theme(theme)
        return self._own.problems

    @property
    def file(self) -> Path | None:
        """The file of the theme in use, if it is one of the person's own."""
        return None if self._own is None else self._own.files.get(self._shown)

    def reload(self, path: Path) -> str:
        """Take the theme in use from its file again; what is wrong with it, and then it stays as it was. Reads disk."""
        from .user_themes import ThemeFault, load_theme

        try:
            theme = load_theme(path)
        except ThemeFault as fault:
            return str(fault)
        self._app.register_theme(replace(theme, name=self._shown))
        self._app._watch_theme(self._shown)  # pyright: ignore[reportPrivateUsage]
        return ""

    def answered(self, sequence: str) -> bool:
        """Take on what the terminal said, if it is about its background; whether it is."""
        if sequence.startswith(_SCHEME):
            self._ask()
            return False
        light = is_light(sequence)
        if light is None:
            return False
        self._is_light = light
        self._show()
        return True

    def await_answer(self) -> None:
        """Wait a moment for the terminal's background where it decides, so that the first frame is in its light.

        Blocks, for `PATIENCE` at most, counted from the question: nothing could be drawn meanwhile.
        """
        if self._app.is_headless or (self.wanted != SYSTEM and self._has_themes):
            return
        if sys.platform == "win32":
            self._ask()  # the driver there is Textual's own
        self.answered(background_answer(self._app, PATIENCE))

    @property
    def _shown(self) -> str:
        """The theme in use."""
        if not self._has_themes:
            return OWN_COLOURS[1 if self._is_light else 0].name
        if self.wanted != SYSTEM:
            return self.wanted
        name = self.pair[1 if self._is_light else 0]
        return name if name in self._app.available_themes else LIGHT if self._is_light else DARK

    def _show(self) -> None:
        self._app.theme = self._shown

    def _ask(self) -> None:
        """Ask again: the terminal has turned dark or light."""
        driver = self._app._driver  # pyright: ignore[reportPrivateUsage]
        if driver is not None:
            driver.write(ASK_BACKGROUND)
            driver.flush()


def is_light(sequence: str) -> bool | None:
    """Whether the colour in the answer to `ASK_BACKGROUND` is nearer to white; None if it is another answer.

    Brightness as ITU-R BT.601 weighs the three channels.
    """
    match = _BACKGROUND.match(sequence)
    if match is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in match.groups())
    return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5


def is_light_by_number(colours: str) -> bool | None:
    """The same by ``COLORFGBG`` (rxvt, Konsole), such as ``0;15``: numbers of the 16 colours, the last the background's."""
    number = colours.rpartition(";")[2]
    return None if not number.isdecimal() else number == "7" or 9 <= int(number) <= 15


def _others(wanted: str, known: dict[str, Any]) -> str:
    return did_you_mean(wanted, known) or f"; there are {SYSTEM}, {', '.join(sorted(known))}"
