"""Steering and follow-ups: when they are delivered, in which order, and that none is ever lost."""

from __future__ import annotations

import pytest

from pyagent_tui.agent.messages import UserMessage
from pyagent_tui.providers.scripted import Call, Say, Turn
from pyagent_tui.tests.harness import ScriptTool, Stage

pytestmark = pytest.mark.anyio


def say(text: str) -> UserMessage:
    return UserMessage.of(text)


def texts() -> list[Turn]:
    return [Turn([Say(f"reply {n}")]) for n in range(8)]


def queue_four(stage: Stage) -> None:
    for text in ("s1", "s2"):
        stage.agent.steer(say(text))
    for text in ("f1", "f2"):
        stage.agent.follow_up(say(text))


def last_of_each(stage: Stage) -> list[str]:
    return [stage.asked(index)[-1] for index in range(len(stage.provider.requests))]


async def test_steering_waits_for_the_whole_batch() -> None:
    tools = [ScriptTool("first"), ScriptTool("second", mode="sequential")]
    stage = Stage([Turn([Call("first", id="a"), Call("second", id="b")]), Turn([Say("done")])], tools)
    stage.seen.on("start a", lambda: stage.agent.steer(say("mind the gap")))
    await stage.prompt()
    assert stage.asked(1) == ["user:go", "assistant:toolUse", "result:a", "result:b", "user:mind the gap"]
    assert len(tools[1].runs) == 1


async def test_one_at_a_time_delivers_each_in_its_own_turn_steering_first() -> None:
    stage = Stage(texts())
    stage.seen.on("message_start assistant:pending", lambda: queue_four(stage))
    await stage.prompt()
    assert last_of_each(stage) == ["user:go", "user:s1", "user:s2", "user:f1", "user:f2"]


async def test_mode_all_delivers_each_kind_together() -> None:
    stage = Stage(texts(), steering_mode="all", follow_up_mode="all")
    stage.seen.on("message_start assistant:pending", lambda: queue_four(stage))
    await stage.prompt()
    assert len(stage.provider.requests) == 3
    assert stage.asked(1)[-2:] == ["user:s1", "user:s2"]
    assert stage.asked(2)[-2:] == ["user:f1", "user:f2"]


async def test_steering_overtakes_older_follow_ups() -> None:
    stage = Stage(texts())

    def queue() -> None:
        stage.agent.follow_up(say("later"))
        stage.agent.steer(say("now1"))
        stage.agent.steer(say("now2"))

    stage.seen.on("message_start assistant:pending", queue)
    await stage.prompt()
    assert last_of_each(stage) == ["user:go", "user:now1", "user:now2", "user:later"]


async def test_follow_ups_wait_until_no_call_is_left() -> None:
    stage = Stage([Turn([Call("tool")]), Turn([Call("tool")]), Turn([Say("x")]), Turn([Say("y")])], [ScriptTool()])
    stage.seen.on("message_start assistant:pending", lambda: stage.agent.follow_up(say("later")))
    await stage.prompt()
    assert last_of_each(stage)[-1] == "user:later"
    assert all("user:later" not in stage.asked(index) for index in range(3))


@pytest.mark.parametrize("at", ["message_end assistant:stop", "turn_end", "agent_end done"])
@pytest.mark.parametrize("kind", ["steer", "follow_up"])
async def test_a_message_in_the_instant_a_run_ends_is_delivered_once_or_still_waits(at: str, kind: str) -> None:
    stage = Stage(texts())
    running: list[bool] = []

    def send() -> None:
        running.append(stage.agent.is_running)
        getattr(stage.agent, kind)(say("late"))

    stage.seen.on(at, send)
    await stage.prompt()
    delivered = stage.seen.names().count("message_end user:late")
    waiting = [*stage.agent.steering.texts, *stage.agent.follow_ups.texts].count("late")
    assert delivered + waiting == 1
    assert delivered == (1 if running == [True] else 0)


async def test_the_screen_is_told_of_every_change_of_the_queue() -> None:
    stage = Stage(texts())
    stage.agent.steer(say("a"))
    stage.agent.follow_up(say("b"))
    assert stage.seen.names() == ["queue ['a'] []", "queue ['a'] ['b']"]
    stage.agent.take_back()
    stage.agent.take_back()
    assert stage.seen.names()[2:] == ["queue ['a'] []", "queue [] []"]


async def test_taking_back_takes_the_newest_follow_up_first() -> None:
    stage = Stage(texts())
    queue_four(stage)
    taken = [stage.agent.take_back() for _ in range(5)]
    assert [message.text if message else None for message in taken] == ["f2", "f1", "s2", "s1", None]


async def test_clearing_the_queue_returns_all_in_order_of_delivery() -> None:
    stage = Stage(texts())
    queue_four(stage)
    assert [message.text for message in stage.agent.clear_queue()] == ["s1", "s2", "f1", "f2"]
    await stage.prompt()
    assert len(stage.provider.requests) == 1


async def test_a_message_taken_back_while_a_turn_is_prepared_is_not_sent() -> None:
    async def prepare() -> None:
        stage.agent.clear_queue()

    stage = Stage(texts(), prepare_turn=prepare)
    stage.seen.on("message_start assistant:pending", lambda: stage.agent.steer(say("never mind")))
    end = await stage.prompt()
    assert (end.reason, len(stage.provider.requests)) == ("done", 1)
