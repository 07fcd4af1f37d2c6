"""The palette, the model's thinking and the next model, on the real app."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.app.arguments import Arguments
from pyagent_tui.app.commands import COMMANDS
from pyagent_tui.app.screens.help import HelpScreen
from pyagent_tui.app.screens.palette import Palette
from pyagent_tui.tests.real_app import isolate, open_real_app
from pyagent_tui.tests.stage_app import AppStage, call, open_app, say

pytestmark = pytest.mark.anyio


async def open_palette(stage: AppStage, query: str = "") -> Palette:
    await stage.press("ctrl+p")
    await stage.until(lambda: isinstance(stage.app.screen, Palette), "the palette")
    palette = stage.app.screen
    assert isinstance(palette, Palette)
    palette.field.insert(query)
    await stage.until(lambda: palette.query_text == query)
    await stage.pilot.pause(0.1)
    return palette


async def test_the_palette_offers_every_command_with_its_key_and_escape_leaves_the_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")], size=(120, 80)) as stage:
        await stage.type("a draft")
        palette = await open_palette(stage)
        assert {f"/{command.name}" for command in COMMANDS} <= {item.name for item in palette.list.items}
        keys = {item.name or item.action: item.keys for item in palette.list.items}
        assert (keys["/model"], keys["/help"], keys["take_back"]) == ("ctrl+l", "f1", "alt+up")
        assert len(set(palette.list.items)) == len(palette.list.items)
        await stage.press("escape")
        await stage.until(lambda: stage.app.screen is not palette, "the main screen")
        assert stage.draft == "a draft"


async def test_a_few_letters_find_a_command_by_name_or_by_what_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        palette = await open_palette(stage, "usage")
        assert palette.list.current is not None
        assert palette.list.current.name == "/usage"
        await stage.press("escape")
        palette = await open_palette(stage, "all keys")
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, HelpScreen), "the help")


async def test_an_action_is_done_and_what_a_command_wants_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(
        tmp_path, monkeypatch, [call("bash", command="seq 1 12"), say("done")], approval="auto"
    ) as stage:
        await stage.say("go")
        await stage.see("… 7 earlier lines")
        await open_palette(stage, "open or fold")
        await stage.press("enter")
        await stage.until(lambda: "│ 3\n" in stage.text(), "the output")
        await open_palette(stage, "/import")
        await stage.press("enter")
        await stage.see("/import path")
        await stage.press(*"nowhere", "enter")
        await stage.see("nowhere")


async def test_modes_are_a_second_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await open_palette(stage, "/approval")
        await stage.press("enter")
        await stage.see("changes and commands are refused")
        await stage.press(*"edits", "enter")
        await stage.until(lambda: stage.app.view.status.approval == "edits", "the mode")
        palette = await open_palette(stage, "/theme")
        assert palette.list.current is not None
        assert palette.list.current.name == "/theme"


async def test_shift_tab_is_the_next_thinking_level_and_f2_the_next_approval_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = isolate(tmp_path, monkeypatch)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-none")
    async with open_real_app(project, Arguments(model="anthropic/claude-sonnet-4-5", thinking="low")) as stage:
        await stage.until(lambda: stage.app.view.title.thinking == "low", "the level")
        await stage.type("draft")
        await stage.press("shift+tab")
        await stage.until(lambda: stage.app.view.title.thinking == "medium", "the next level")
        await stage.press("f2")
        await stage.until(lambda: stage.app.view.status.approval == "edits", "the next mode")
        assert stage.draft == "draft"


async def test_alt_p_goes_through_the_models_that_can_be_asked_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = isolate(tmp_path, monkeypatch)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-none")
    async with open_real_app(project, Arguments(model="anthropic/claude-sonnet-4-5")) as stage:
        await stage.until(lambda: stage.app.conversation.model is not None, "the model")
        model = stage.app.conversation.model
        await stage.press("alt+p")
        await stage.until(lambda: stage.app.conversation.model != model, "another model")
        other = stage.app.conversation.model
        assert other is not None
        await stage.press("alt+P")
        await stage.until(lambda: stage.app.conversation.model == model, "the model from before")


async def test_enabled_models_limit_it_and_bring_their_level(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = isolate(tmp_path, monkeypatch)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-none")
    (tmp_path / "config").mkdir()
    file = tmp_path / "config" / "config.toml"
    file.write_text('enabled_models = ["claude-sonnet-4-5", "anthropic/claude-opus-4-5:low", "openai/*"]\n')
    async with open_real_app(project, Arguments(model="anthropic/claude-sonnet-4-5")) as stage:
        title = stage.app.view.title
        await stage.until(lambda: stage.app.conversation.model is not None, "the model")
        first = title.model
        await stage.press("alt+p")
        await stage.until(lambda: title.model != first and title.thinking == "low", "the other one, and its level")
        await stage.press("alt+p")
        await stage.until(lambda: title.model == first, "round to the first")


THINKING = {"parts": [{"think": "Let me see.\nTwo lines."}, {"say": "the answer"}]}


async def test_ctrl_t_leaves_thinking_out_and_shows_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [THINKING, {"parts": [{"think": "Again."}, {"call": "bash", "arguments": {"command": "true"}}]}, say("end")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await stage.say("one")
        await stage.see("the answer")
        before = stage.text()
        assert "thought for" in before
        await stage.press("ctrl+t")
        await stage.until(lambda: "thought" not in stage.text(), "the thinking to go")
        await stage.say("two")
        await stage.see("end")
        await stage.idle()
        rows = [row.rstrip() for row in stage.text().splitlines()]
        assert "thought" not in stage.text()
        call_row = next(index for index, row in enumerate(rows) if "✓ bash" in row)
        assert (rows[call_row - 1], rows[call_row - 2]) == ("", " ❯ two")
        assert rows[rows.index("   the answer") - 1] == ""
        assert rows[rows.index("   the answer") - 2] == " ❯ one"
        await stage.press("ctrl+t")
        await stage.until(lambda: stage.text().count("thought for") == 2, "the thinking")


async def test_hidden_thinking_shows_while_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text("hide_thinking = true\n")
    slow = {"parts": [{"think": "a long thought", "chunk": 3, "delay": 0.2}, {"say": "the answer"}]}
    async with open_app(tmp_path, monkeypatch, [slow]) as stage:
        await stage.say("one")
        await stage.see("thinking…")
        await stage.see("the answer")
        await stage.idle()
        assert "thought" not in stage.text()
        assert "no effect" not in stage.text()
