"""The theme of the screen: the one that the settings name, or the terminal's own light or dark."""

from __future__ import annotations

import re
from typing import Any

from textual.app import App

from .spelling import did_you_mean

SYSTEM = "system"
DARK, LIGHT = "textual-dark", "textual-light"

ASK_BACKGROUND = "\x1b]11;?\x1b\\"
"""Ask the terminal for its background colour (xterm control sequences, OSC 11)."""

_BACKGROUND = re.compile(r"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")


class Theming:
    """Chooses the theme; for `system` it asks the terminal, and is dark until there is an answer."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._wanted = ""
        self._is_light: bool | None = None

    def choose(self, wanted: str) -> str:
        """Use the theme of the setting `theme`; what is wrong with it, empty if nothing is."""
        if wanted == self._wanted:
            return ""
        self._wanted, known = wanted, self._app.available_themes
        if wanted != SYSTEM and wanted not in known:
            self._wanted = SYSTEM
        self._show()
        if self._wanted == SYSTEM and self._is_light is None:
            self._ask()
        return "" if wanted == self._wanted else f"There is no theme {wanted!r}{_others(wanted, known)}"

    def answered(self, sequence: str) -> None:
        """What the terminal said, if it is about its background."""
        light = is_light(sequence)
        if light is not None:
            self._is_light = light
            self._show()

    def _show(self) -> None:
        self._app.theme = self._wanted if self._wanted != SYSTEM else LIGHT if self._is_light else DARK

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
