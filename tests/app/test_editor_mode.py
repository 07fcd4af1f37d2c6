"""The setting `editor_mode`: Vim's keys on the real app, and which mode it is on the line above the editor."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.tests.stage_app import AppStage, open_app, say

pytestmark = pytest.mark.anyio


def rule(stage: AppStage) -> str:
    """The line above the editor."""
    return stage.text().splitlines()[stage.app.view.rule.region.y]


async def test_vim_says_which_mode_it_is_and_sending_ends_normal_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text('editor_mode = "vim"\n')
    async with open_app(tmp_path, monkeypatch, [say("Good.")]) as stage:
        await stage.until(lambda: " INSERT " in rule(stage), "insert mode")
        await stage.press(*"one two", "escape")
        await stage.until(lambda: " NORMAL ─" in rule(stage), "normal mode")
        await stage.press(*"2d")
        await stage.until(lambda: " NORMAL 2d ─" in rule(stage), "a command")
        await stage.press("escape", "0", *"dw")
        assert stage.draft == "two"
        await stage.press("enter")
        await stage.see("Good.")
        assert " INSERT " in rule(stage)


async def test_a_command_is_typed_and_help_opens_in_normal_mode_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text('editor_mode = "vim"\n')
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.until(lambda: " INSERT " in rule(stage), "insert mode")
        await stage.press("escape", "question_mark")
        await stage.until(lambda: len(stage.app.screen_stack) > 1, "the help")
        await stage.press("escape")
        await stage.until(lambda: " NORMAL " in rule(stage), "the main screen")
        await stage.press("s", "escape")
        assert stage.draft == ""
        await stage.press(*"/na")
        assert stage.draft == "/na"


async def test_without_it_escape_is_the_apps_and_no_mode_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.press(*"dd", "escape", *"dd")
        assert stage.draft == "dddd"
        assert not any(mode in rule(stage) for mode in ("INSERT", "NORMAL"))
