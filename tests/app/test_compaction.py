"""Compaction on the real app: by hand, by itself, stopped, failed; and what is typed meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.agent.messages import CompactionSummaryMessage, Usage, UserMessage
from pyagent_tui.providers.scripted import ScriptedProvider
from pyagent_tui.tests.stage_app import AppStage, call, open_app, say
from pyagent_tui.tests.stored_sessions import entries, reply, said, store_session, talk

pytestmark = pytest.mark.anyio

SUMMARY = say("## Goal\nthe sum of it all")
FULL = Usage(190_000, 500)
OVERFLOW = {"parts": [{"fail": "context_overflow", "message": "prompt is too long"}]}


def slow(text: str, seconds: float) -> dict[str, Any]:
    return {"parts": [{"stall": seconds}, {"say": text}]}


def stage_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turns: Sequence[dict[str, Any]], config: str = "", **more: Any
) -> AbstractAsyncContextManager[AppStage]:
    """The app with settings under which a few words are already enough to be compacted."""
    (tmp_path / "home").mkdir(exist_ok=True)
    text = config or "[compaction]\nkeep_recent_tokens = 5\n"
    (tmp_path / "home" / "config.toml").write_text(text)
    return open_app(tmp_path, monkeypatch, turns, **more)


def long_talk() -> list[Any]:
    return talk("first question " * 5, "first answer " * 5, "second question " * 5, "second answer")


def provider_of(stage: AppStage) -> ScriptedProvider:
    composition = stage.app.conversation.composition
    assert composition is not None
    provider = composition.choice.provider
    assert isinstance(provider, ScriptedProvider)
    return provider


def asked(stage: AppStage, number: int) -> list[str]:
    """The texts of the person in the request of that number, short."""
    messages = provider_of(stage).requests[number].messages
    return [message.text[:60] for message in messages if isinstance(message, UserMessage)]


async def compacted(stage: AppStage) -> None:
    await stage.see("context compacted")


async def test_compact_puts_a_summary_in_place_of_the_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *long_talk())
    async with stage_with(tmp_path, monkeypatch, [SUMMARY, say("on")], session=str(path)) as stage:
        await stage.see("second answer")
        await stage.say("/compact keep the names")
        await compacted(stage)
        assert "keep the names" in asked_prompt(stage, 0)
        assert stage.app.view.status.context_percent is None
        await stage.idle()
        await stage.say("go on")
        await stage.see("on")
        await stage.idle()
        assert isinstance(stage.messages[0], CompactionSummaryMessage)
        assert "the sum of it all" in provider_of(stage).requests[1].messages[0].text
        assert "first question" not in str(provider_of(stage).requests[1].messages)
        assert "first question" in str(path.read_text())
    kinds = [entry["type"] for entry in entries(path)]
    assert kinds.count("compaction") == 1


def asked_prompt(stage: AppStage, number: int) -> str:
    message = provider_of(stage).requests[number].messages[0]
    assert isinstance(message, UserMessage)
    return message.text


async def test_escape_stops_it_and_nothing_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *long_talk())
    async with stage_with(tmp_path, monkeypatch, [slow("never", 60), say("on")], session=str(path)) as stage:
        await stage.see("second answer")
        before = list(stage.messages)
        await stage.say("/compact")
        await stage.see("compacting the context")
        await stage.see("enter sends afterwards")
        await stage.type("half a draft")
        await stage.press("escape")
        await stage.see("compaction stopped")
        assert stage.messages == before
        assert not stage.app.conversation.is_running
        assert stage.draft == "half a draft"
        await stage.press("enter")
        await stage.see("on")
    assert "compaction" not in [entry["type"] for entry in entries(path)]


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (say(""), "empty summary"),
        ({**SUMMARY, "stop_reason": "length"}, "cut off"),
        ({"parts": [{"fail": "bad_request", "message": "no such thing"}]}, "no such thing"),
        (call("bash", command="true"), "called a tool"),
    ],
)
async def test_a_summary_that_is_not_whole_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turn: dict[str, Any], words: str
) -> None:
    path = store_session(tmp_path, *long_talk())
    async with stage_with(tmp_path, monkeypatch, [turn, say("on")], session=str(path)) as stage:
        await stage.see("second answer")
        before = list(stage.messages)
        await stage.say("/compact")
        await stage.see("compaction failed")
        await stage.see(words)
        assert stage.messages == before
    assert "compaction" not in [entry["type"] for entry in entries(path)]


async def test_what_is_typed_meanwhile_arrives_once_afterwards_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store_session(tmp_path, *long_talk())
    turns = [slow("## Goal\nthe sum", 2.0), say("to A and B"), say("to C")]
    async with stage_with(tmp_path, monkeypatch, turns, session=str(path)) as stage:
        await stage.see("second answer")
        await stage.say("/compact")
        await stage.see("compacting the context")
        await stage.say("message A")
        await stage.say("message B")
        await stage.type("message C")
        await stage.press("alt+enter")
        await stage.until(lambda: len(stage.app.view.queue.rows) == 3)
        await stage.see("to C")
        await stage.idle()
        assert stage.app.view.queue.rows == []
        texts = [text for text in stage.said() if text.startswith("message")]
        assert texts == ["message A", "message B", "message C"]
    stored = said(path)
    assert [text for text in stored if text.startswith("message")] == ["message A", "message B", "message C"]
    kinds = [entry["type"] for entry in entries(path)]
    assert kinds.index("compaction") < len(kinds) - 5


async def test_a_full_context_is_compacted_before_the_next_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store_session(tmp_path, *long_talk(), UserMessage.of("third"), reply("third answer", FULL))
    async with stage_with(tmp_path, monkeypatch, [SUMMARY, say("on")], session=str(path)) as stage:
        await stage.see("third answer")
        await stage.until(lambda: stage.app.view.status.context_percent == pytest.approx(95.25))
        await stage.say("go on")
        await stage.see("on")
        await stage.idle()
        assert len(provider_of(stage).requests) == 2
        assert asked(stage, 1)[-1] == "go on"
        assert stage.said().count("go on") == 1
        assert "the sum of it all" in provider_of(stage).requests[1].messages[0].text


async def test_between_two_turns_of_a_run_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [
        {**call("bash", command="seq 1 50"), "usage": {"input": 190_000, "output": 10}},
        SUMMARY,
        say("all done"),
    ]
    async with stage_with(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await stage.say("count " * 30)
        await stage.see("all done")
        await stage.idle()
        kinds = [type(message).__name__ for message in provider_of(stage).requests[2].messages]
        assert kinds[0] == "UserMessage"
        assert "the sum of it all" in provider_of(stage).requests[2].messages[0].text
        assert len(provider_of(stage).requests) == 3
        await compacted(stage)


async def test_and_after_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [{**say("answer " * 30), "usage": {"input": 190_000, "output": 10}}, SUMMARY]
    async with stage_with(tmp_path, monkeypatch, turns) as stage:
        await stage.say("question " * 30)
        await compacted(stage)
        await stage.idle()
        assert isinstance(stage.messages[0], CompactionSummaryMessage)


async def test_a_request_that_does_not_fit_is_sent_again_after_compaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store_session(tmp_path, *long_talk())
    async with stage_with(tmp_path, monkeypatch, [OVERFLOW, SUMMARY, say("now it fits")], session=str(path)) as stage:
        await stage.see("second answer")
        await stage.say("go on with all of it, please")
        await stage.see("now it fits")
        await stage.idle()
        assert asked(stage, 2)[-1] == "go on with all of it, please"
        assert "the sum of it all" in provider_of(stage).requests[2].messages[0].text


async def test_it_is_tried_once_and_then_says_what_fills_the_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store_session(tmp_path, *long_talk())
    turns = [OVERFLOW, SUMMARY, OVERFLOW, say("never")]
    async with stage_with(tmp_path, monkeypatch, turns, session=str(path)) as stage:
        await stage.see("second answer")
        await stage.say("go on with all of it, please")
        await stage.see("does not fit the model's window")
        await stage.idle()
        assert "never" not in stage.text()
        assert len(provider_of(stage).requests) == 3


async def test_where_nothing_can_be_compacted_the_cause_is_named_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage_with(tmp_path, monkeypatch, [OVERFLOW, say("never")], "[compaction]\nenabled = true\n") as stage:
        await stage.say("hi")
        await stage.see("does not fit the model's window of 200,000 tokens")
        await stage.see("the system prompt")
        await stage.idle()
        assert len(provider_of(stage).requests) == 1


async def test_it_can_be_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *long_talk(), UserMessage.of("third"), reply("third answer", FULL))
    config = "[compaction]\nenabled = false\nkeep_recent_tokens = 5\n"
    turns = [say("as it is"), SUMMARY]
    async with stage_with(tmp_path, monkeypatch, turns, config, session=str(path)) as stage:
        await stage.see("third answer")
        assert "no effect" not in stage.text()
        await stage.say("go on with all of it, please")
        await stage.see("as it is")
        await stage.idle()
        await stage.say("/compact")
        await compacted(stage)


async def test_compact_stops_the_run_first_and_does_not_take_it_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store_session(tmp_path, *long_talk())
    turns = [{"parts": [{"say": "begin "}, {"stall": 60}]}, SUMMARY, say("never")]
    async with stage_with(tmp_path, monkeypatch, turns, session=str(path)) as stage:
        await stage.see("second answer")
        await stage.say("start with all of it, please")
        await stage.see("begin")
        await stage.say("/compact")
        await compacted(stage)
        await stage.idle()
        assert len(provider_of(stage).requests) == 2
    assert said(path)[-1] == "begin "
