"""``!command`` on the real app, in a real shell."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from pyagent_tui.agent.conversation import for_model
from pyagent_tui.agent.messages import BashExecutionMessage, ToolResultMessage, UserMessage
from pyagent_tui.tests.stage_app import AppStage, call, open_app, say

pytestmark = pytest.mark.anyio


def commands(stage: AppStage) -> list[BashExecutionMessage]:
    return [message for message in stage.messages if isinstance(message, BashExecutionMessage)]


async def ended(stage: AppStage, count: int = 1) -> BashExecutionMessage:
    await stage.until(lambda: len(commands(stage)) == count, "the end of the command")
    await stage.pilot.pause()
    return commands(stage)[-1]


def told(stage: AppStage) -> str:
    """What the model is told by the person."""
    return "\n".join(message.text for message in for_model(stage.messages) if isinstance(message, UserMessage))


async def test_a_command_is_shown_live_told_to_the_model_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("I see")], approval="read-only") as stage:
        await stage.say("!printf '\\033[31mred\\033[0m\\n'; until [ -e go ]; do sleep 0.05; done; pwd; exit 3")
        await stage.see("running")
        await stage.see("red")
        await stage.see("esc stops the command")
        (stage.project / "go").touch()
        message = await ended(stage)
        assert message.output.split("\n") == ["red", str(stage.project)]
        assert (message.exit_code, message.cancelled, message.exclude_from_context) == (3, False, False)
        await stage.see("exit 3")
        assert stage.text().count("printf") == 1
        assert "esc stops" not in stage.text()
        await stage.say("and?")
        await stage.see("I see")
        assert "It exited with code 3" in told(stage)
        composition = stage.app.conversation.composition
        assert composition is not None
        stored = composition.session.messages()
        assert [type(message) for message in stored][:2] == [BashExecutionMessage, UserMessage]


def hushed(text: str) -> str:
    return text.replace("hush", "***")


async def test_secrets_stay_out_of_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        composition = stage.app.conversation.composition
        assert composition is not None
        setup = composition.agent.setup
        setup.pipeline = replace(setup.pipeline, redactors=(hushed,))
        await stage.say("!printf '%s%s' hu sh")
        assert (await ended(stage)).output == "***"


async def test_a_command_with_two_marks_is_hidden_from_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("hello")]) as stage:
        await stage.say("!!echo mine alone")
        message = await ended(stage)
        assert (message.output, message.exclude_from_context) == ("mine alone", True)
        await stage.see("mine alone")
        await stage.say("hi")
        await stage.see("hello")
        assert told(stage) == "hi"


async def test_escape_cancels_and_only_one_runs_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.say("!echo begin; sleep 60 & echo $! > pid; wait")
        await stage.until(lambda: (stage.project / "pid").exists() and (stage.project / "pid").read_text().strip())
        await stage.say("!echo second")
        await stage.see("one at a time")
        assert stage.draft == "!echo second"
        await stage.press("escape")
        message = await ended(stage)
        assert (message.output, message.cancelled) == ("begin", True)
        assert "It was cancelled." in told(stage)
        pid = int((stage.project / "pid").read_text())
        await stage.until(lambda: not Path(f"/proc/{pid}").exists(), "the end of the child")
        await stage.press("enter")
        assert (await ended(stage, 2)).output == "second"


async def test_how_to_stop_a_command_is_said_for_as_long_as_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [call("bash", command="touch began; until [ -e go ]; do sleep 0.05; done"), say("hello")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await stage.say("!sleep 60")
        await stage.see("esc stops the command")
        await stage.say("hi")
        await stage.until((stage.project / "began").exists)
        await stage.see("esc stops · enter steers")
        (stage.project / "go").touch()
        await stage.see("hello")
        await stage.app.jobs.follow("reading the project", lambda _: asyncio.sleep(0.5))
        await stage.see("esc stops the command")
        await stage.press("escape")
        assert (await ended(stage)).cancelled
        assert "esc stops" not in stage.text()


async def test_a_command_beside_a_run_never_parts_a_call_from_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [call("bash", command="until [ -e go ]; do sleep 0.05; done; echo hers"), say("done")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await stage.say("start")
        await stage.see("running")
        await stage.say("!echo mine; touch mine; until [ -e later ]; do sleep 0.05; done")
        await stage.until((stage.project / "mine").exists)
        await stage.say("!!")
        await stage.see("Which command?")
        await stage.press("ctrl+c")
        (stage.project / "go").touch()
        await stage.see("done")
        await stage.idle()
        stage.app.view.transcript.flush()
        await stage.pilot.pause()
        assert "running" in stage.text()
        (stage.project / "later").touch()
        await ended(stage)
        stage.app.view.transcript.flush()
        await stage.pilot.pause()
        assert stage.text().count("echo mine") == 1
        assert "interrupted" not in stage.text()


async def test_a_command_that_ends_during_a_call_waits_behind_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [call("bash", command="until [ -e go ]; do sleep 0.05; done; echo hers"), say("done")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await stage.say("start")
        await stage.see("running")
        await stage.say("!echo mine")
        await ended(stage)
        (stage.project / "go").touch()
        await stage.see("done")
        await stage.idle()
        seen = [type(message) for message in for_model(stage.messages)]
        assert seen.index(ToolResultMessage) == 2
        assert "mine" in told(stage)


async def test_a_new_session_ends_the_command_and_the_old_one_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.say("!echo begin; sleep 60")
        await stage.see("begin")
        before = stage.app.conversation.composition
        assert before is not None
        await stage.say("/new")
        await stage.until(lambda: stage.app.conversation.composition not in (None, before), "the new session")
        (message,) = before.session.messages()
        assert isinstance(message, BashExecutionMessage)
        assert message.cancelled
        assert stage.messages == []
        assert stage.app.view.transcript.history.cells == []


async def test_a_command_of_the_first_moment_waits_for_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")], has_agent=False) as stage:
        await stage.say("!echo early")
        await stage.see("ok")
        assert (await ended(stage)).output == "early"
