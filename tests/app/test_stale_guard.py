"""What the model may change in a session that goes on: on the real program and the real app."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.app.screens.choice import ChoiceScreen
from pyagent_tui.app.screens.prompts import PromptsScreen
from pyagent_tui.tests.app.test_headless import Program
from pyagent_tui.tests.stage_app import AppStage, call, open_app, say

EDIT = call("edit", path="a.txt", oldText="one", newText="1")


def resume(program: Program, *words: str) -> str:
    """The text of the last tool result after another start that edits."""
    program.run("--approval", "auto", *words, "-p", "now edit", turns=[EDIT, say("done")])
    results = [e["message"] for e in program.sessions()[-1] if e.get("message", {}).get("role") == "toolResult"]
    return results[-1]["content"][0]["text"]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = Program(tmp_path)
    (program.project / "a.txt").write_text("one\ntwo\n")
    program.run("-p", "read it", turns=[call("read", path="a.txt"), say("read")])
    return program


def test_a_file_read_before_a_restart_can_be_edited_after_it(program: Program) -> None:
    assert resume(program, "-c") == "a.txt changed: 1 replacement."
    assert (program.project / "a.txt").read_text() == "1\ntwo\n"


def test_a_new_session_has_read_nothing(program: Program) -> None:
    assert "has not been read in this session" in resume(program)


def test_a_copy_of_a_session_has_read_what_that_has(program: Program) -> None:
    (entries,) = program.sessions()
    assert resume(program, "--fork", entries[0]["id"]) == "a.txt changed: 1 replacement."


def test_a_change_between_two_starts_is_named(program: Program) -> None:
    (program.project / "a.txt").write_text("one\n2\n")
    text = resume(program, "-c")
    assert "has changed since" in text
    assert "-two\n+2" in text


async def go_back(stage: AppStage, *keys: str) -> None:
    await stage.say("/rewind")
    await stage.until(lambda: isinstance(stage.app.screen, PromptsScreen))
    await stage.press(*keys, "enter")


@pytest.mark.anyio
async def test_a_read_that_was_rewound_counts_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [call("read", path="a.txt"), say("has read"), EDIT, say("has tried")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        (stage.project / "a.txt").write_text("one\n")
        await stage.say("read")
        await stage.see("has read")
        await stage.idle()
        await go_back(stage)
        await stage.until(lambda: stage.draft == "read")
        await stage.press("enter")
        await stage.see("has tried")
        await stage.idle()
        assert "has not been read" in stage.results[-1].text
        assert (stage.project / "a.txt").read_text() == "one\n"


@pytest.mark.anyio
async def test_what_was_changed_on_the_branch_that_was_left_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [call("read", path="a.txt"), say("has read"), EDIT, say("has edited"), EDIT, say("has tried")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        (stage.project / "a.txt").write_text("one\n")
        for words, answer in (("read", "has read"), ("edit", "has edited")):
            await stage.say(words)
            await stage.see(answer)
            await stage.idle()
        await go_back(stage)
        await stage.until(lambda: stage.draft == "edit" or isinstance(stage.app.screen, ChoiceScreen))
        if isinstance(stage.app.screen, ChoiceScreen):
            await stage.press("c")
            await stage.until(lambda: stage.draft == "edit")
        await stage.press("enter")
        await stage.see("has tried")
        await stage.idle()
        assert "has changed since" in stage.results[-1].text
        assert "-one\n+1" in stage.results[-1].text
