"""Every key of the main screen, on the real app with real tools and a scripted model."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.agent.messages import AssistantMessage
from pyagent_tui.app.actions.main import QUIT_WINDOW
from pyagent_tui.app.keys.essentials import ESSENTIALS
from pyagent_tui.app.keys.help import help_groups
from pyagent_tui.app.screens.help import HelpScreen
from pyagent_tui.tests.stage_app import AppStage, call, open_app, say

pytestmark = pytest.mark.anyio

SLEEP = call("bash", command="sleep 60")
SLOW = {"parts": [{"say": "begin "}, {"stall": 60}, {"say": "end"}]}


async def test_enter_sends_and_the_answer_streams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("Hello, person.", chunk=3)]) as stage:
        await stage.say("hi")
        await stage.see("Hello, person.")
        await stage.idle()
        assert "❯ hi" in stage.text()
        assert stage.draft == ""


@pytest.mark.parametrize("key", ["shift+enter", "ctrl+j"])
async def test_a_new_line_is_made_and_nothing_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.type("one")
        await stage.press(key)
        await stage.type("two")
        assert stage.draft == "one\ntwo"
        assert stage.messages == []


async def test_enter_steers_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [call("bash", command="until [ -e go ]; do sleep 0.05; done"), say("done"), say("never")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await stage.say("start")
        await stage.see("running")
        await stage.say("keep it short")
        await stage.see("keep it short")
        assert stage.said() == ["start"]
        (stage.project / "go").touch()
        await stage.idle()
        assert stage.said() == ["start", "keep it short"]
        assert len(stage.results) == 1
        assert stage.app.view.queue.rows == []


@pytest.mark.parametrize("key", ["alt+enter", "ctrl+q"])
async def test_a_follow_up_waits_for_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    turns = [call("bash", command="until [ -e go ]; do sleep 0.05; done"), say("first done"), say("second done")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await stage.say("start")
        await stage.see("running")
        await stage.type("then this")
        await stage.press(key)
        await stage.see("later")
        (stage.project / "go").touch()
        await stage.see("second done")
        await stage.idle()
        kinds = [type(message).__name__ for message in stage.messages]
        assert kinds[-3:] == ["AssistantMessage", "UserMessage", "AssistantMessage"]
        assert stage.said() == ["start", "then this"]


async def test_alt_up_takes_the_last_queued_text_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [SLOW]) as stage:
        await stage.say("start")
        await stage.see("begin")
        await stage.say("A")
        await stage.type("B")
        await stage.press("alt+enter")
        await stage.see("later")
        await stage.press("alt+up")
        await stage.until(lambda: stage.draft == "B")
        await stage.press("alt+up")
        await stage.until(lambda: stage.draft == "A\n\nB")
        assert stage.app.view.queue.rows == []


async def test_escape_stops_the_run_and_queued_text_comes_back_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [SLEEP, say("never")], approval="auto") as stage:
        await stage.say("start")
        await stage.see("running")
        await stage.say("A")
        await stage.type("B")
        await stage.press("alt+enter")
        await stage.type("C")
        await stage.press("escape")
        await stage.idle()
        assert stage.draft == "A\n\nB\n\nC"
        assert stage.said() == ["start"]
        await stage.see("aborted")
        assert "never" not in stage.text()


async def test_escape_keeps_the_text_that_had_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [SLOW, say("again")]) as stage:
        await stage.say("start")
        await stage.see("begin")
        await stage.press("escape")
        await stage.idle()
        reply = stage.messages[-1]
        assert isinstance(reply, AssistantMessage)
        assert (reply.text, reply.stop_reason) == ("begin ", "aborted")
        await stage.say("go on")
        await stage.see("again")


async def test_escape_ends_the_wait_before_a_retry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failure = {"parts": [{"fail": "overloaded", "message": "too busy", "retry_after": 50}]}
    async with open_app(tmp_path, monkeypatch, [failure, say("never")]) as stage:
        await stage.say("start")
        await stage.see("too busy")
        await stage.see("attempt 1 of 3")
        await stage.press("escape")
        await stage.idle()
        assert "never" not in stage.text()


async def test_ctrl_c_clears_and_up_brings_the_draft_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.type("one\ntwo\nthree")
        await stage.press("ctrl+c")
        assert stage.draft == ""
        await stage.press("up")
        assert stage.draft == "one\ntwo\nthree"
        assert stage.app.is_running


async def test_ctrl_c_clears_what_is_written_for_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [call("bash", command="ls"), say("over")]) as stage:
        await stage.say("look")
        await stage.type("later")
        await stage.question()
        await stage.press("f", *"not this")
        await stage.press("ctrl+c")
        panel = stage.app.view.panel
        assert panel.field is not None
        assert (panel.field.text, stage.app.conversation.is_running) == ("", True)
        await stage.press("ctrl+underscore")
        assert panel.field.text == "not this"
        await stage.pilot.pause(QUIT_WINDOW)
        await stage.press("escape", "ctrl+c")
        await stage.idle()
        assert stage.draft == "later"


async def test_ctrl_c_twice_in_a_row_quits_and_slowly_it_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.press("ctrl+c")
        await stage.see("ctrl+c again quits")
        await stage.until(lambda: "again quits" not in stage.text(), "the hint to go")
        await stage.press("ctrl+c")
        await stage.see("ctrl+c again quits")
        assert stage.app.return_code is None
        await stage.press("ctrl+c")
        await stage.until(lambda: stage.app.return_code == 0, "the end")


async def test_ctrl_c_stops_a_run_before_it_quits_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [SLOW]) as stage:
        await stage.say("start")
        await stage.until(lambda: stage.app.conversation.is_running)
        await stage.press("ctrl+c")
        await stage.idle()
        assert stage.app.return_code is None


async def test_ctrl_d_quits_only_if_the_editor_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.type("draft")
        await stage.press("ctrl+d")
        assert (stage.app.return_code, stage.draft) == (None, "draft")
        await stage.press("ctrl+u", "ctrl+d")
        await stage.until(lambda: stage.app.return_code == 0, "the end")


async def test_ctrl_o_opens_every_cell_and_folds_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [call("bash", command="seq 1 12"), say("done")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await stage.say("count")
        await stage.see("done")
        await stage.see("… 7 earlier lines")
        assert "│ 3\n" not in stage.text()
        await stage.press("ctrl+o")
        await stage.until(lambda: "│ 3\n" in stage.text())
        await stage.press("ctrl+o")
        await stage.until(lambda: "│ 3\n" not in stage.text())


async def test_help_shows_every_key_and_command_and_escape_closes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")], size=(100, 420)) as stage:
        await stage.type("is this right?")
        await stage.press("question_mark")
        assert stage.draft == "is this right??"
        await stage.press("ctrl+c")
        await stage.press("question_mark")
        await stage.until(lambda: isinstance(stage.app.screen, HelpScreen))
        words = stage.text().split()
        for group in help_groups():
            for row in group.rows:
                assert not {*row.keys.split(), *row.about.split()} - set(words)
        await stage.press("escape")
        await stage.until(lambda: not isinstance(stage.app.screen, HelpScreen))


async def test_the_first_page_of_the_help_is_what_one_needs_and_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "keys.toml").write_text('"app.palette" = "f7"\n"app.model" = []\n')
    async with open_app(tmp_path, monkeypatch, [say("x")], size=(80, 24)) as stage:
        await stage.press("f1")
        await stage.see("Answer a question")
        rows = [row.strip() for row in stage.text().splitlines()]
        for group in ESSENTIALS:
            assert any(group.title in row for row in rows)
        assert any("f7" in row and "anything there is" in row for row in rows)
        assert any("send; steer a run" in row and "y n" in row for row in rows)
        assert "the model" not in stage.text()
        assert all("run a shell command" not in row or row.startswith("!") for row in rows)


async def test_the_help_is_narrowed_down_by_typing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")], size=(80, 40)) as stage:
        await stage.press("f1")
        await stage.see("Answer a question")
        await stage.press(*"Pick default")
        await stage.until(lambda: "Answer a question" not in stage.text(), "fewer rows")
        assert "ctrl+s" in stage.text()
        assert "alt+p " not in stage.text()
        await stage.press("ctrl+u", *"app.next_model")
        await stage.until(lambda: "alt+p " in stage.text(), "the row")
        await stage.press("ctrl+u")
        await stage.see("Answer a question")
        await stage.press("f1")
        await stage.until(lambda: not isinstance(stage.app.screen, HelpScreen))


async def test_what_matters_now_comes_first_in_the_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [call("bash", command="ls"), SLOW], size=(60, 24)) as stage:
        await stage.say("look")
        await stage.question()
        await stage.press("f1")
        await stage.until(lambda: first_title(stage) == "Answer a question", "the help")
        await stage.press("escape", "y")
        await stage.see("begin")
        await stage.press("f1")
        await stage.until(lambda: first_title(stage) == "Stop", "the help")
        await stage.press("escape", "escape")
        await stage.idle()
        await stage.press("f1")
        await stage.until(lambda: first_title(stage) == "Say it", "the help")


def first_title(stage: AppStage) -> str:
    """The first title of the help; empty if it is not there."""
    rows = stage.text().splitlines()
    return rows[2][:40].strip() if len(rows) > 2 and isinstance(stage.app.screen, HelpScreen) else ""


async def test_page_keys_read_and_end_follows_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n\n".join(f"line {number}" for number in range(80))
    async with open_app(tmp_path, monkeypatch, [say(text)]) as stage:
        await stage.say("talk")
        await stage.see("line 79")
        await stage.idle()
        await stage.press("pageup")
        await stage.until(lambda: "line 79" not in stage.text())
        await stage.press("ctrl+home")
        await stage.see("line 0")
        await stage.press("end")
        await stage.see("line 79")


async def test_a_slash_command_runs_and_other_slashes_are_prompts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("a path, I see")]) as stage:
        await stage.type("/approval edits")
        await stage.press("enter")
        await stage.until(lambda: stage.app.view.status.approval == "edits")
        assert stage.messages == []
        await stage.type("/approval nonsense")
        await stage.press("enter")
        await stage.see("is no approval")
        await stage.type("/etc/hosts is what?")
        await stage.press("enter")
        await stage.see("a path, I see")
        assert stage.said() == ["/etc/hosts is what?"]
