"""`/settings`: what is set, by whom, and changing it in the person's own file."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ...widgets.terminal.driver import use_mouse
from ..screens.ask import ask
from ..screens.settings import SettingRow, SettingsScreen
from ..settings.file import SettingsError, save_setting
from ..settings.groups import GROUPS
from ..settings.model import SETTINGS, SettingInfo, Settings, setting_of, with_setting
from ..settings.reading import FILE, keys_set, load_settings
from ..settings.shown import show_settings
from ..settings.sources import OPTIONS, Given, held, option_value

if TYPE_CHECKING:
    from ..tui import PyAgentApp

AT_ONCE = frozenset(
    {
        "approval",
        "diff_view",
        "enabled_models",
        "editor_mode",
        "exit_output",
        "external_editor",
        "follow_up_mode",
        "hide_thinking",
        "mouse",
        "notify",
        "pictures",
        "progress",
        "reduced_motion",
        "steering_mode",
        "theme",
        "theme_dark",
        "theme_light",
        "title",
    }
)
"""What holds as soon as it is changed; the rest holds from the next session on (`/new`)."""

AT_START = frozenset({"linear"})
"""What holds from the next start on."""


async def act(app: PyAgentApp, _name: str, _argument: str) -> None:
    """Show the settings until the person has done with them."""
    await ask(app, SettingsScreen(partial(rows, app), partial(change, app)))


def rows(app: PyAgentApp) -> Sequence[SettingRow]:
    """Every setting as it holds in this session, by groups. Reads the files of settings."""
    own, project = _keys(app)
    given = Given(app.conversation.settings, own, project, app.given, _of_session(app))
    return [
        SettingRow(SETTINGS[key], *held(given, key), setting_of(app.conversation.settings, key), group)
        for group, keys in GROUPS.items()
        for key in keys
    ]


def _keys(app: PyAgentApp) -> tuple[frozenset[str], frozenset[str]]:
    """The settings that the person's file and the project's set."""
    return keys_set(app.conversation.paths.config, app.cwd if _is_trusted(app) else None)


def _is_trusted(app: PyAgentApp) -> bool:
    composition = app.conversation.composition
    return composition is not None and composition.project.trust.trusted is True and not app.arguments.demo


def _of_session(app: PyAgentApp) -> Mapping[str, Any]:
    """Values that keys and commands change for the session alone."""
    transcript, composition = app.view.transcript, app.conversation.composition
    values: dict[str, Any] = {"diff_view": transcript.diff_view, "hide_thinking": transcript.history.leaves_out}
    if app.theming.is_by_hand:
        values["theme"] = app.theming.wanted
    if composition is not None:
        values["approval"] = composition.approval.mode
    return values


async def change(app: PyAgentApp, info: SettingInfo, value: str | None) -> str:
    """Store a value, let what can hold at once, and say what came of it."""
    paths, key = app.conversation.paths, info.key
    try:
        parsed = None if value is None else tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        parsed = value
    try:
        await asyncio.to_thread(save_setting, paths.config, key, parsed)
    except SettingsError as error:
        return str(error)
    read, _ = await asyncio.to_thread(load_settings, paths.config, app.cwd, _is_trusted(app))
    app.conversation.settings = with_setting(app.conversation.settings, key, setting_of(read, key))
    if key in AT_ONCE:
        take_on(app, key)
    return f"{_since(app, info)}; kept in {paths.config / FILE}"


def _since(app: PyAgentApp, info: SettingInfo) -> str:
    """From when on a change holds."""
    _, project = _keys(app)
    if info.key in project:
        return "this project sets it for itself"
    if info.key in AT_ONCE and (info.key != "mouse" or not app.given.no_mouse):
        return "holds now"
    if option_value(app.given, info.key, ()) is not None:
        return f"{OPTIONS[info.key]} counts until the program ends"
    return f"holds from the next {'start on' if info.key in AT_START else 'session on (/new)'}"


def take_on(app: PyAgentApp, key: str) -> None:
    """Let a setting that was just changed hold."""
    conversation = app.conversation
    settings, composition = conversation.settings, conversation.composition
    show_settings(app)
    if key.startswith("theme"):
        app.theming.is_by_hand = False
        app.theming.pair = (settings.theme_dark, settings.theme_light)
        fault = app.theming.choose(settings.theme)
        if fault:
            app.view.transcript.add_note("warning", fault)
        app.watch_own_theme_file()
    elif key == "mouse":
        use_mouse(app, settings.mouse and not app.given.no_mouse)
    elif composition is not None:
        _take_on_run(settings, key, app)


def _take_on_run(settings: Settings, key: str, app: PyAgentApp) -> None:
    composition = app.conversation.composition
    assert composition is not None
    agent = composition.agent
    if key == "approval":
        composition.approval.mode = settings.approval
        app.conversation.show_standing()
    agent.steering.mode, agent.follow_ups.mode = settings.steering_mode, settings.follow_up_mode
