"""What the person decided about a change or a command: on the screen, in the session, in its export."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.agent.permission import Permission
from pyagent_tui.tests.stage_app import AppStage, call, open_app, say

pytestmark = pytest.mark.anyio

OLD = "".join(f"line {number}\n" for number in range(1, 41))
EDIT = call("edit", path="t.py", edits=[{"oldText": f"line {n}\n", "newText": f"new {n}\n"} for n in (3, 13, 23, 33)])
READ = call("read", path="t.py")
HOME_ENDINGS = ("html", "md")


def cell(stage: AppStage, name: str) -> str:
    """The first row on the screen that says a call of this tool."""
    return next(row for row in stage.text().split("\n") if row[3:].startswith(name))


async def opened(stage: AppStage) -> None:
    """Open every cell and look at the end of the transcript."""
    await stage.press("ctrl+o")
    await stage.pilot.pause()


def copied_cell(stage: AppStage, holds: str) -> str:
    return next(each.copied() for each in stage.app.view.transcript.history.cells if holds in each.copied())


async def test_a_changed_command_is_what_the_row_the_copy_the_session_and_its_export_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [call("bash", command="echo one"), say("over")]) as stage:
        await stage.say("go")
        await stage.question()
        await stage.press("e", *" two", "enter")
        await stage.see("over")
        await stage.idle()
        assert "echo one two  changed by you" in cell(stage, "bash")
        assert copied_cell(stage, "bash").startswith("bash echo one two  (changed by you)\n")
        await opened(stage)
        await stage.see("changed by you; proposed was: echo one")
        assert "The person changed" not in stage.text()
        assert stage.results[0].permission == Permission("changed", "person", command="echo one two")
        for ending in HOME_ENDINGS:
            target = tmp_path / f"out.{ending}"
            await stage.say(f"/export {target}")
            await stage.until(target.exists, "the export")
            text = target.read_text()
            assert "changed by the person" in text
            assert "echo one two" in text
    async with open_app(tmp_path, monkeypatch, [say("x")], continue_last=True) as stage:
        await stage.see("over")
        assert "echo one two  changed by you" in cell(stage, "bash")


async def test_a_changed_command_is_in_its_row_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [call("bash", command="sleep 60")]) as stage:
        await stage.say("go")
        await stage.question()
        await stage.press("e", *"0", "enter")
        await stage.until(lambda: "running" in cell(stage, "bash"), "the command")
        assert "sleep 600  changed by you" in cell(stage, "bash")
        await stage.press("escape")
        await stage.idle()


async def test_a_change_applied_in_part_says_how_much_and_what_was_declined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "t.py").write_text(OLD)
    async with open_app(tmp_path, monkeypatch, [READ, EDIT, say("over")], size=(100, 60)) as stage:
        await stage.say("go")
        await stage.question()
        await stage.press("h", "space", "j", "e", *" ed", "ctrl+s", "enter")
        await stage.see("over")
        await stage.idle()
        assert "applied 3 of 4 · 1 edited" in cell(stage, "edit")
        assert "Declined" not in stage.text()
        await opened(stage)
        await stage.see("changed by you: 3 of 4 · 1 edited")
        rows = [row.strip(" │") for row in stage.text().split("\n")]
        at = rows.index("Declined at line 3:")
        assert rows[at + 1 : at + 3] == ["-line 3", "+new 3"]
        assert "+new 13 ed" in rows


@pytest.mark.parametrize("sentence", ["", "not now"])
async def test_a_refused_change_can_still_be_looked_at_also_in_a_session_that_is_continued(
    sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "t.py").write_text(OLD)
    said = f"refused by you: {sentence}" if sentence else "refused by you"

    async def look(stage: AppStage) -> None:
        assert "+4 −4" in cell(stage, "edit")
        assert "refused" in cell(stage, "edit")
        assert "new 13" not in stage.text()
        assert bool(sentence) == (said in stage.text())
        await opened(stage)
        await stage.see(said)
        await stage.see("new 13")
        assert "The person refused" not in stage.text()

    async with open_app(tmp_path, monkeypatch, [READ, EDIT, say("over")], size=(100, 60)) as stage:
        await stage.say("go")
        await stage.question()
        await stage.press(*(["f", *sentence, "enter"] if sentence else ["n"]))
        await stage.see("over")
        await stage.idle()
        await look(stage)
        assert (tmp_path / "project" / "t.py").read_text() == OLD
        target = tmp_path / "out.md"
        await stage.say(f"/export {target}")
        await stage.until(target.exists, "the export")
        assert "### Result of edit (refused)" in target.read_text()
    async with open_app(tmp_path, monkeypatch, [say("x")], size=(100, 60), continue_last=True) as stage:
        await stage.see("over")
        await look(stage)


async def test_a_change_of_which_nothing_is_ticked_is_refused_and_no_words_are_put_into_the_person_s_mouth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "t.py").write_text(OLD)
    async with open_app(tmp_path, monkeypatch, [READ, EDIT, say("over")]) as stage:
        await stage.say("go")
        await stage.question()
        await stage.press("h", "a", "enter")
        await stage.see("over")
        told = stage.results[-1].text
        assert "None of its parts was taken." in told
        assert "They say" not in told
        assert "refused" in cell(stage, "edit")


async def test_a_command_that_was_refused_says_so_to_the_person_and_not_in_the_words_for_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [call("bash", command="ls"), say("over")]) as stage:
        await stage.say("go")
        await stage.question()
        await stage.press("f", *"too slow", "enter")
        await stage.see("over")
        assert "refused by you: too slow" in stage.text()
        assert "They say" not in stage.text()
        assert copied_cell(stage, "bash") == "bash ls\nrefused by the person: too slow"


async def test_a_change_that_asks_while_the_reader_is_elsewhere_is_in_the_panel_and_the_reader_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "t.py").write_text(OLD)
    text = "\n\n".join(f"paragraph {number}" for number in range(60))
    slowly = {"parts": [{"say": text}, {"say": " and more" * 8, "chunk": 1, "delay": 0.03}, EDIT["parts"][0]]}
    async with open_app(tmp_path, monkeypatch, [READ, slowly, say("over")]) as stage:
        await stage.say("go")
        await stage.see("paragraph 59")
        await stage.press("pageup", "pageup")
        await stage.until(lambda: "paragraph 59" not in stage.text(), "the page above")
        before = stage.text().split("\n")[1:6]
        await stage.question()
        assert stage.text().split("\n")[1:6] == before
        await stage.see("+ new 3")
        assert "lines · up and down scroll" in stage.text()
        await stage.press("y")
        await stage.idle()
        assert stage.text().split("\n")[1:6] == before


@pytest.mark.parametrize("size", [(60, 15), (40, 10), (40, 8)])
async def test_however_small_the_screen_a_row_of_the_change_is_in_sight(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "t.py").write_text(OLD)
    async with open_app(tmp_path, monkeypatch, [READ, EDIT, say("over")], size=size) as stage:
        await stage.say("go")
        await stage.question()
        await stage.press("down", "down")
        await stage.see("new 3")


async def test_the_panel_shows_no_change_that_the_transcript_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "t.py").write_text(OLD)
    async with open_app(tmp_path, monkeypatch, [READ, EDIT, say("over")]) as stage:
        await stage.say("go")
        await stage.question()
        assert sum(row.endswith("+ new 3") for row in stage.text().split("\n")) == 1


async def test_a_look_alike_letter_is_marked_in_the_command_the_path_and_the_diff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [
        call("bash", command="cat /etc/p\u0430sswd"),
        call("write", path="s\u0430fe.py", content="p\u0430ssword = 1\n"),
        say("over"),
    ]
    async with open_app(tmp_path, monkeypatch, turns) as stage:
        await stage.say("go")
        await stage.question()
        assert "cat /etc/p⟨\u0430⟩sswd" in cell(stage, "bash")
        assert "│ cat /etc/p⟨\u0430⟩sswd" in stage.text()
        await stage.press("n")
        await stage.question()
        assert "s⟨\u0430⟩fe.py" in cell(stage, "write")
        assert "apply this change to s⟨\u0430⟩fe.py?" in stage.text()
        assert "+ p⟨\u0430⟩ssword = 1" in stage.text()
        await stage.press("y")
        await stage.see("over")
        assert (stage.project / "s\u0430fe.py").read_text() == "p\u0430ssword = 1\n"
        assert "s\u0430fe.py" in copied_cell(stage, "write")
        assert "⟨" not in copied_cell(stage, "write")
