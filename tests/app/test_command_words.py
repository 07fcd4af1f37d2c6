"""What the editor completes and hints at behind a slash command, on the real app."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.app.arguments import Arguments
from pyagent_tui.app.commands import COMMANDS
from pyagent_tui.tests.real_app import isolate, open_real_app
from pyagent_tui.tests.stage_app import call, open_app, say
from pyagent_tui.widgets.editor.completion import MENU_ROWS

pytestmark = pytest.mark.anyio


async def test_a_hint_says_what_may_follow_until_something_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.type("/approval ")
        await stage.see("review | edits | auto | read-only")
        await stage.type("re")
        await stage.see("changes and commands are refused")
        assert "review | edits" not in stage.text()
        await stage.press("ctrl+c")
        await stage.type("/export ")
        await stage.see("[path]")


async def test_a_shell_command_says_who_is_told_while_it_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")], size=(80, 24)) as stage:
        await stage.type("!")
        await stage.see("!  runs it; the model is told")
        await stage.type("!ls")
        await stage.see("!!ls  runs it; the model is not told")
        await stage.type(" -l" * 30)
        await stage.until(lambda: "runs it" not in stage.text(), "a second row")
        await stage.press("ctrl+c")
        await stage.type("so!")
        assert "runs it" not in stage.text()


async def test_the_menu_of_commands_says_how_many_more_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = len(COMMANDS) - MENU_ROWS
    async with open_app(tmp_path, monkeypatch, [say("x")], size=(60, 24)) as stage:
        await stage.type("/")
        await stage.see(f"↓ {more} more")
        assert "↑" not in stage.text()
        await stage.press("down", "down", "down", "down")
        await stage.see("↑ 2 more")
        await stage.see(f"↓ {more - 2} more")
        await stage.press(*["up"] * 5)
        await stage.see(f"↑ {more} more")
        assert "↓" not in stage.text()
        await stage.type("them")
        await stage.until(lambda: " more" not in stage.text(), "few that fit")


async def test_a_value_is_completed_and_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.type("/approval on")
        await stage.see("changes and commands are refused")
        await stage.press("enter")
        composition = stage.app.conversation.composition
        assert composition is not None
        await stage.until(lambda: composition.approval.mode == "read-only", "the mode")
        assert stage.draft == ""


async def test_a_value_that_may_be_another_one_is_not_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")], approval="edits") as stage:
        composition = stage.app.conversation.composition
        assert composition is not None
        await stage.type("/approval re")
        await stage.see("changes and commands are refused")
        await stage.press("enter")
        await stage.see("'re' is no approval mode")
        assert composition.approval.mode == "edits"
        await stage.type("/approval re")
        await stage.press("down", "enter")
        await stage.see("Approval: review (changes and commands wait for you).")
        await stage.say("/approval aut")
        await stage.see("Approval: auto (nothing waits).")
        await stage.say("/approval ro")
        await stage.see("'ro' is no approval mode")
        assert composition.approval.mode == "auto"


async def test_what_stands_behind_a_command_that_takes_nothing_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.say("/new fix the bug")
        await stage.see("/new takes nothing behind it; nothing was done.")
        assert stage.draft == "/new fix the bug"


@pytest.mark.parametrize("text", ["/hotkey", "/hlep", "/qt"])
async def test_one_word_behind_a_slash_that_is_no_command_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.press(*text, "enter")
        await stage.see(f"There is no command {text}")
        assert (stage.draft, stage.said()) == (text, [])


async def test_themes_and_providers_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = isolate(tmp_path, monkeypatch)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-none")
    async with open_real_app(project, Arguments(model="anthropic/claude-sonnet-4-5")) as stage:
        await stage.until(lambda: stage.app.conversation.composition is not None, "the agent")
        await stage.press(*"/theme sola")
        await stage.see("solarized-dark")
        await stage.press("ctrl+c", *"/login openr")
        await stage.see("OpenRouter")


async def test_a_theme_that_is_not_there_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.say("/theme nord")
        await stage.see("Theme: nord.")
        await stage.say("/theme nrod")
        await stage.see("There is no theme 'nrod'; did you mean nord?")
        assert stage.app.theme == "nord"


async def test_a_misspelt_command_comes_back_and_other_texts_with_a_slash_are_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("one"), say("two"), say("three")]) as stage:
        await stage.say("/aproval auto")
        await stage.see("There is no command /aproval; did you mean /approval?")
        await stage.pilot.pause()
        assert stage.draft == "/aproval auto"
        assert not stage.app.conversation.is_running
        await stage.press("ctrl+c")
        for text, answer in (("/etc/hosts: what is it?", "one"), ("/foo bar", "two"), (" /aproval auto", "three")):
            await stage.say(text)
            await stage.see(answer)
            await stage.idle()


async def test_only_models_that_can_be_asked_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = isolate(tmp_path, monkeypatch)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-none")
    async with open_real_app(project, Arguments(model="anthropic/claude-sonnet-4-5")) as stage:
        await stage.until(lambda: stage.app.conversation.composition is not None, "the agent")
        await stage.type("/model opus")
        await stage.see("anthropic/claude-opus")
        await stage.press("ctrl+c")
        await stage.type("/model gpt")
        await stage.pilot.pause()
        assert "openai/" not in stage.text()


async def test_paths_of_calls_are_shown_from_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "project" / "notes.txt"
    async with open_app(tmp_path, monkeypatch, [call("read", path=str(path)), say("done")]) as stage:
        path.write_text("note\n")
        await stage.say("read it")
        await stage.see("done")
        assert "notes.txt" in stage.text()
        assert str(path) not in stage.text()


async def test_reduced_motion_stops_what_moves_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text("reduced_motion = true\n")
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.until(lambda: not stage.app.view.transcript.history.look.has_motion, "a still look")
        assert "no effect" not in stage.text()
