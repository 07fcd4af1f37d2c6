"""`/settings`: what is set, by whom, and changing it in the person's own file."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from .screens.ask import ask
from .screens.settings import SettingRow, SettingsScreen
from .settings import FILE, SETTINGS, SettingInfo, Settings, load_settings, setting_of, shown_value, with_setting
from .settings_file import SettingsError, save_setting
from .shown_settings import show_settings

if TYPE_CHECKING:
    from .tui import PyAgentApp

AT_ONCE = frozenset({"theme", "diff_view", "hide_thinking", "reduced_motion", "external_editor", "notify", "title"})
"""What holds as soon as it is changed; the rest holds from the next session on (`/new`), the mouse from the next start."""


async def act(app: PyAgentApp, _name: str, _argument: str) -> None:
    """Show the settings until the person has done with them."""
    await ask(app, SettingsScreen(partial(rows, app), partial(change, app)))


def rows(app: PyAgentApp) -> Sequence[SettingRow]:
    """Every setting as it holds in this session. Reads the person's file."""
    own, _ = load_settings(app.conversation.paths.config)
    return [_row(app, info, own) for info in SETTINGS.values()]


def _row(app: PyAgentApp, info: SettingInfo, own: Settings) -> SettingRow:
    mine, holds = setting_of(own, info.key), setting_of(app.conversation.settings, info.key)
    source = "project" if holds != mine else "default" if mine == info.default else "yours"
    return SettingRow(info, "–" if holds is None else shown_value(holds), source)


async def change(app: PyAgentApp, info: SettingInfo, value: str | None) -> str:
    """Store a value, let what can hold at once, and say what came of it."""
    paths = app.conversation.paths
    try:
        parsed = None if value is None else tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        parsed = value
    try:
        await asyncio.to_thread(save_setting, paths.config, info.key, parsed)
    except SettingsError as error:
        return str(error)
    held = setting_of(load_settings(paths.config)[0], info.key)
    app.conversation.settings = with_setting(app.conversation.settings, info.key, held)
    if info.key not in AT_ONCE:
        return f"kept in {paths.config / FILE}; it holds from the next session on (/new)"
    show_settings(app)
    app.theming.choose(app.conversation.settings.theme)
    return f"kept in {paths.config / FILE}"
