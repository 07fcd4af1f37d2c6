"""`/settings` on the real app: values and where they are from, changed in place in the person's own file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.app.screens.settings import SettingsScreen
from pyagent_tui.app.settings import SETTINGS
from pyagent_tui.tests.stage_app import AppStage, open_app, say

pytestmark = pytest.mark.anyio


async def open_settings(stage: AppStage, query: str) -> SettingsScreen:
    await stage.say("/settings")
    await stage.until(lambda: isinstance(stage.app.screen, SettingsScreen), "the settings")
    screen = stage.app.screen
    assert isinstance(screen, SettingsScreen)
    assert len(screen.list.items) == len(SETTINGS)
    screen.field.insert(query)
    await stage.until(lambda: screen.list.current is not None and screen.list.current.info.key == query, query)
    return screen


async def test_a_flag_is_turned_at_once_and_comments_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "home" / "config.toml"
    file.parent.mkdir()
    file.write_text("# mine\nunknown = 1\n")
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await open_settings(stage, "hide_thinking")
        await stage.press("enter")
        await stage.until(lambda: stage.app.view.transcript.history.leaves_out, "the setting to hold")
        assert file.read_text() == "# mine\nunknown = 1\nhide_thinking = true\n"
        await stage.see("yours")


async def test_a_word_is_chosen_and_a_number_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "home" / "config.toml"
    async with open_app(tmp_path, monkeypatch, [say("x")], size=(140, 30)) as stage:
        await open_settings(stage, "diff_view")
        await stage.press("enter")
        await stage.see("now")
        await stage.press("down", "enter")
        await stage.until(lambda: file.exists() and "diff_view" in file.read_text(), "the file")
        await stage.press("escape")
        await open_settings(stage, "retry.max_retries")
        await stage.press("enter")
        await stage.see("from 0 to 100")
        await stage.press(*"many", "enter")
        await stage.see("must be a whole number")
        await stage.press("enter")
        await stage.see("from 0 to 100")
        await stage.press("7", "enter")
        await stage.see("holds from the next session")
        assert "max_retries = 7" in file.read_text()
