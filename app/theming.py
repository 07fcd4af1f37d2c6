"""The theme of the screen: the one that the settings name, or the terminal's own light or dark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from .spelling import did_you_mean

if TYPE_CHECKING:
    from .user_themes import UserThemes

SYSTEM = "system"
DARK, LIGHT = "textual-dark", "textual-light"

ASK_BACKGROUND = "\x1b]11;?\x1b\\"
"""Ask the terminal for its background colour (xterm control sequences, OSC 11)."""

_BACKGROUND = re.compile(r"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")


class Theming:
    """Chooses the theme; for `system` it asks the terminal, and is dark until there is an answer.

    `is_by_hand`: the person chose it here, so the settings count no more. `folder` holds themes of the person's own; they are read when one is asked for.
    """

    def __init__(self, app: App[Any], folder: Path) -> None:
        self._app = app
        self._folder = folder
        self.wanted = ""
        self.is_by_hand = False
        self._own: UserThemes | None = None
        self._is_light: bool | None = None

    def choose(self, wanted: str) -> str:
        """Use the theme of the setting `theme`; what is wrong with it, empty if nothing is."""
        if wanted == self.wanted:
            return ""
        faults: Sequence[str] = ()
        if wanted != SYSTEM and wanted not in self._app.available_themes and self._own is None:
            faults = self.find()
        self.wanted, known = wanted, self._app.available_themes
        if wanted != SYSTEM and wanted not in known:
            self.wanted = SYSTEM
        self._show()
        if self.wanted == SYSTEM and self._is_light is None:
            self._ask()
        return (
            ""
            if wanted == self.wanted
            else "; ".join([f"There is no theme {wanted!r}{_others(wanted, known)}", *faults])
        )

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
        return None if self._own is None else self._own.files.get(self.wanted)

    def reload(self, path: Path) -> str:
        """Take the theme in use from its file again; what is wrong with it, and then it stays as it was. Reads disk."""
        from .user_themes import ThemeFault, load_theme

        try:
            theme = load_theme(path)
        except ThemeFault as fault:
            return str(fault)
        self._app.register_theme(replace(theme, name=self.wanted))
        self._app._watch_theme(self.wanted)  # pyright: ignore[reportPrivateUsage]
        return ""

    def answered(self, sequence: str) -> None:
        """What the terminal said, if it is about its background."""
        light = is_light(sequence)
        if light is not None:
            self._is_light = light
            self._show()

    def _show(self) -> None:
        self._app.theme = self.wanted if self.wanted != SYSTEM else LIGHT if self._is_light else DARK

    def _ask(self) -> None:
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


def _others(wanted: str, known: dict[str, Any]) -> str:
    return did_you_mean(wanted, known) or f"; there are {SYSTEM}, {', '.join(sorted(known))}"
