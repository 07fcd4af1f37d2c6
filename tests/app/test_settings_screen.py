"""`/settings` on the real app: values and where they are from, changed in place in the person's own file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.app.screens.settings import SettingRow, SettingsScreen
from pyagent_tui.app.settings.groups import GROUPS
from pyagent_tui.app.settings.model import SETTINGS
from pyagent_tui.tests.real_app import isolate, write_script
from pyagent_tui.tests.stage_app import AppStage, open_app, say
from pyagent_tui.tests.terminal import Terminal

pytestmark = pytest.mark.anyio


async def open_settings(stage: AppStage, query: str) -> SettingsScreen:
    await stage.say("/settings")
    await stage.until(lambda: isinstance(stage.app.screen, SettingsScreen), "the settings")
    screen = stage.app.screen
    assert isinstance(screen, SettingsScreen)
    assert [item.info.key for item in screen.list.items if isinstance(item, SettingRow)] == [
        key for keys in GROUPS.values() for key in keys
    ]
    screen.field.insert(query)
    await stage.until(lambda: chosen(screen).info.key == query, query)
    return screen


def chosen(screen: SettingsScreen) -> SettingRow:
    """The row that is chosen; a heading never is."""
    row = screen.list.current
    assert isinstance(row, SettingRow)
    return row


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


def test_every_setting_is_in_one_group() -> None:
    keys = [key for group in GROUPS.values() for key in group]
    assert sorted(keys) == sorted(SETTINGS)


async def test_arrows_turn_words_and_flags_and_what_can_holds_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "home" / "config.toml"
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        composition = stage.app.conversation.composition
        assert composition is not None
        screen = await open_settings(stage, "approval")
        await stage.press("right")
        await stage.until(lambda: composition.approval.mode == "edits", "the next word")
        await stage.until(lambda: chosen(screen).source == "yours", "its source")
        await stage.press("left", "left")
        await stage.until(lambda: composition.approval.mode == "read-only", "the last word")
        assert 'approval = "read-only"' in file.read_text()
        await stage.press("right")
        await stage.until(lambda: 'approval = "review"' in file.read_text(), "the default, said by the person")
        await stage.until(lambda: chosen(screen)[1:3] == ("review", "yours"), "its source")
        await stage.press("ctrl+r")
        await stage.until(lambda: "approval" not in file.read_text(), "the default again")
        await stage.until(lambda: chosen(screen).source == "default", "its source")
        await stage.press("escape")
        screen = await open_settings(stage, "editor_mode")
        await stage.press("right")
        await stage.until(lambda: stage.app.view.editor.is_vim, "Vim's keys")


async def test_the_mouse_is_given_back_and_taken_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = isolate(tmp_path, monkeypatch)
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--script", write_script(tmp_path, [say("Hi.")])]
    with Terminal(argv, cwd=project) as terminal:
        terminal.wait_for("Scripted model", 30)
        terminal.send("/settings\r")
        terminal.wait_for("default_provider", 30)
        terminal.send("mouse")
        terminal.wait_for("Take mouse clicks", 30)
        terminal.send("\r")
        terminal.wait_for("holds now", 30)
        assert b"\x1b[?1003l" in terminal.output
        before = terminal.output.count(b"\x1b[?1003h")
        terminal.send("\x1b[C")
        terminal.wait_for("true  yours", 30)
        assert terminal.output.count(b"\x1b[?1003h") == before + 1


async def test_who_gave_a_value_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "vi -u NONE")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text('diff_view = "auto"\npass_environment = []\n')
    (tmp_path / "project" / ".pyagent").mkdir(parents=True)
    (tmp_path / "project" / ".pyagent" / "config.toml").write_text('steering_mode = "all"\n')
    options: dict[str, Any] = {"approval": "edits", "max_cost": 2.5, "trust": True, "tools": ("+grep",)}
    async with open_app(tmp_path, monkeypatch, [say("x")], **options) as stage:
        screen = await open_settings(stage, "theme")
        await stage.press("ctrl+u")

        def told() -> dict[str, tuple[str, str]]:
            return {row.info.key: (row.shown, row.source) for row in screen.list.items if isinstance(row, SettingRow)}

        await stage.until(lambda: len(told()) == len(SETTINGS), "all of them")
        assert told()["external_editor"] == ('"vi -u NONE"', "env")
        assert told()["diff_view"] == ('"auto"', "yours")
        assert told()["pass_environment"] == ("none", "yours")
        assert told()["steering_mode"] == ('"all"', "project")
        assert told()["approval"] == ('"edits"', "option")
        assert told()["limits.max_cost"] == ("2.5", "option")
        assert told()["default_tools"][0].startswith('["read", "bash", "edit", "write", "grep"')
        assert told()["mouse"] == ("true", "default")
        await stage.press("escape")
        await stage.press("f2")
        await stage.press("ctrl+t")
        screen = await open_settings(stage, "approval")
        assert chosen(screen)[1:3] == ("auto", "session")
