"""``/theme``: choose how the screen looks, from a list that shows each as one moves, or by name."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..screens.ask import ask
from ..screens.theme_picker import ThemePicker
from ..settings.file import SettingsError, save_setting
from ..spelling import choice_of, did_you_mean
from ..terminal.theming import SYSTEM

if TYPE_CHECKING:
    from ..tui import PyAgentApp


async def act(app: PyAgentApp, _: str, wanted: str) -> None:
    """Use the theme of that name, or the one that is picked; Ctrl+S there saves it."""
    theming = app.theming
    problems = await asyncio.to_thread(theming.find)
    for problem in problems:
        app.view.transcript.add_note("warning", problem)
    if wanted:
        names = [SYSTEM, *sorted(app.available_themes)]
        name = choice_of(wanted, names)
        if name is None:
            hint = did_you_mean(wanted, names) or f"; there are {', '.join(names)}"
            app.view.transcript.add_note("error", f"There is no theme {wanted!r}{hint}")
            return
        fault = theming.choose(name)
        theming.is_by_hand = not fault
        app.view.transcript.add_note("error" if fault else "info", fault or f"Theme: {name}.")
        app.watch_own_theme_file()
        return
    before = theming.wanted
    picked = await ask(app, ThemePicker([SYSTEM, *sorted(app.available_themes)], before, theming.choose))
    theming.choose(before if picked is None else picked.name)
    theming.is_by_hand = theming.is_by_hand or picked is not None
    app.watch_own_theme_file()
    if picked is not None and picked.saves:
        try:
            await asyncio.to_thread(save_setting, app.conversation.paths.config, "theme", picked.name)
        except SettingsError as error:
            app.view.transcript.add_note("error", str(error))
        else:
            app.view.transcript.add_note("info", f"{picked.name} is the theme from now on.")
