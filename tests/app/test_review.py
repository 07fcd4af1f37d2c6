"""Viewing a change before it happens: nothing is on disk before the answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.app.actions import external_editor
from pyagent_tui.app.tui import PyAgentApp
from pyagent_tui.tests.stage_app import AppStage, call, open_app, say

pytestmark = pytest.mark.anyio

READ = call("read", path="a.txt")
EDIT = call("edit", path="a.txt", edits=[{"oldText": "one", "newText": "two"}])
TURNS = [READ, EDIT, say("that was it")]


def make_file(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    file = project / "a.txt"
    file.write_text("zero\none\nthree\n")
    return file


async def ask(stage: AppStage) -> None:
    await stage.say("change it")
    await stage.question()


async def test_the_diff_stands_there_and_the_file_is_untouched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_file(tmp_path)
    async with open_app(tmp_path, monkeypatch, TURNS) as stage:
        await ask(stage)
        screen = stage.text()
        assert "waiting for you" in screen
        assert "2 − one" in screen
        assert "2 + two" in screen
        assert "apply this change" in screen
        assert file.read_text() == "zero\none\nthree\n"
        assert stage.app.focused is stage.app.view.panel


async def test_y_applies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_file(tmp_path)
    async with open_app(tmp_path, monkeypatch, TURNS) as stage:
        await ask(stage)
        await stage.press("y")
        await stage.see("that was it")
        assert file.read_text() == "zero\ntwo\nthree\n"
        assert "applied" in stage.text()
        assert stage.app.focused is stage.app.view.editor


async def test_an_edit_may_build_on_an_earlier_one_of_the_same_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = make_file(tmp_path)
    edits = [("one", "two"), ("two", "four")]
    calls = [
        {"call": "edit", "arguments": {"path": "a.txt", "edits": [{"oldText": old, "newText": new}]}}
        for old, new in edits
    ]
    async with open_app(tmp_path, monkeypatch, [READ, {"parts": calls}, say("that was it")]) as stage:
        await ask(stage)
        await stage.press("y")
        await stage.see("− two")
        await stage.question()
        await stage.press("y")
        await stage.see("that was it")
        assert file.read_text() == "zero\nfour\nthree\n"


async def test_n_refuses_and_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_file(tmp_path)
    async with open_app(tmp_path, monkeypatch, TURNS) as stage:
        await ask(stage)
        await stage.press("n")
        await stage.see("that was it")
        assert file.read_text() == "zero\none\nthree\n"
        assert stage.results[-1].is_error
        assert "refused" in stage.results[-1].text
        assert "refused" in stage.text()


async def test_f_refuses_with_a_sentence_for_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_file(tmp_path)
    async with open_app(tmp_path, monkeypatch, TURNS) as stage:
        await ask(stage)
        await stage.press("f", *"no", "space", *"way", "enter")
        await stage.see("that was it")
        assert file.read_text() == "zero\none\nthree\n"
        assert "no way" in stage.results[-1].text


async def test_a_applies_this_and_all_further_ones_of_the_run_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = make_file(tmp_path)
    back = call("edit", path="a.txt", edits=[{"oldText": "two", "newText": "one"}])
    turns = [READ, EDIT, call("write", path="b.txt", content="b\n"), say("first run over"), back, say("second over")]
    async with open_app(tmp_path, monkeypatch, turns) as stage:
        await ask(stage)
        await stage.press("a")
        await stage.see("first run over")
        assert file.read_text() == "zero\ntwo\nthree\n"
        assert (stage.project / "b.txt").read_text() == "b\n"
        await stage.idle()
        await stage.say("undo")
        await stage.question()
        assert file.read_text() == "zero\ntwo\nthree\n"


async def test_escape_at_the_question_aborts_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_file(tmp_path)
    async with open_app(tmp_path, monkeypatch, TURNS) as stage:
        await ask(stage)
        await stage.press("escape")
        await stage.idle()
        assert file.read_text() == "zero\none\nthree\n"
        assert stage.results[-1].is_error
        assert not stage.app.view.panel.is_open
        assert stage.app.focused is stage.app.view.editor
        assert "that was it" not in stage.text()


async def test_a_command_shows_itself_and_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [call("bash", command="touch made-it"), say("that was it")]
    async with open_app(tmp_path, monkeypatch, turns) as stage:
        await ask(stage)
        assert "touch made-it" in stage.text()
        assert not (stage.project / "made-it").exists()
        await stage.press("y")
        await stage.see("that was it")
        assert (stage.project / "made-it").exists()


async def test_keys_typed_as_the_question_opens_are_no_consent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [call("bash", command="touch made-it"), say("that was it")]
    async with open_app(tmp_path, monkeypatch, turns) as stage:
        await stage.say("go")
        await stage.until(lambda: stage.app.view.panel.is_open)
        await stage.press("y")
        await stage.pilot.pause()
        assert stage.app.view.panel.is_open
        assert not (stage.project / "made-it").exists()
        await stage.until(lambda: stage.draft == "y", "the letter in the draft")


async def test_the_draft_is_kept_while_a_question_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_file(tmp_path)
    async with open_app(tmp_path, monkeypatch, [READ, {"first_delay": 0.3, **EDIT}, say("that was it")]) as stage:
        await stage.say("change it")
        await stage.type("half a thought")
        await stage.question()
        await stage.press("y")
        await stage.see("that was it")
        assert stage.draft == "half a thought"


@pytest.mark.parametrize(
    ("mode", "edited", "ran"), [("edits", True, False), ("auto", True, True), ("read-only", False, False)]
)
async def test_the_other_modes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: Any, edited: bool, ran: bool
) -> None:
    file = make_file(tmp_path)
    turns = [READ, EDIT, call("bash", command="touch made-it"), say("that was it")]
    async with open_app(tmp_path, monkeypatch, turns, approval=mode) as stage:
        await stage.say("go")
        if mode == "edits":
            await stage.question()
            await stage.press("n")
        await stage.see("that was it")
        assert (file.read_text() == "zero\ntwo\nthree\n") == edited
        assert (stage.project / "made-it").exists() == ran


@pytest.mark.parametrize("size", [(80, 24), (60, 15)])
async def test_the_question_fits_small_screens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    make_file(tmp_path)
    async with open_app(tmp_path, monkeypatch, TURNS, size=size) as stage:
        await ask(stage)
        screen = stage.text()
        for words in ("y apply", "n refuse", "f refuse, and say why", "esc stop", "review", "+ two"):
            assert words in screen
        assert all(len(line) <= size[0] for line in screen.splitlines())


async def test_an_edit_that_cannot_work_asks_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_file(tmp_path)
    bad = call("edit", path="a.txt", edits=[{"oldText": "nowhere", "newText": "x"}])
    async with open_app(tmp_path, monkeypatch, [READ, bad, say("that was it")]) as stage:
        await stage.say("go")
        await stage.see("that was it")
        assert stage.results[-1].is_error


async def test_the_hints_name_keys_that_work_while_something_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_file(tmp_path)
    async with open_app(tmp_path, monkeypatch, TURNS) as stage:
        await stage.see("? help")
        await ask(stage)
        last = stage.text().rstrip().splitlines()[-1]
        assert "f1 help" in last
        assert "/ commands" not in last
        assert "? help" not in last
        await stage.press("f1")
        await stage.see("When a change or command waits")
        await stage.press("escape", "y")
        await stage.see("? help")


async def test_a_part_is_edited_in_the_persons_own_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_file(tmp_path)
    seen: list[tuple[str, str]] = []

    async def write_in_editor(_: PyAgentApp, argv: Sequence[str]) -> str:
        saved = Path(argv[-1])
        seen.append((saved.suffix, saved.read_text()))
        saved.write_text("three quarters\nand more\n")
        return ""

    monkeypatch.setenv("VISUAL", "an-editor")
    monkeypatch.setattr(external_editor, "_on_terminal", write_in_editor)
    async with open_app(tmp_path, monkeypatch, TURNS) as stage:
        await ask(stage)
        await stage.press("e", "ctrl+g")
        await stage.see("and more")
        await stage.press("ctrl+s", "enter")
        await stage.see("that was it")
        assert seen == [(".txt", "two")]
        assert file.read_text() == "zero\nthree quarters\nand more\nthree\n"
        assert "-one\n+three quarters\n+and more" in stage.results[-1].text


async def test_a_file_that_changed_while_the_question_stood_is_left_alone_and_nothing_is_said_to_be_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = make_file(tmp_path)
    async with open_app(tmp_path, monkeypatch, TURNS) as stage:
        await ask(stage)
        await stage.press("e", "s", "ctrl+s")
        file.write_text("zero\none\nfour\n")
        await stage.press("enter")
        await stage.see("that was it")
        result = stage.results[-1]
        assert result.is_error
        assert "has changed since it was last read" in result.text
        assert "+four" in result.text
        assert "applied" not in result.text
        assert file.read_text() == "zero\none\nfour\n"
