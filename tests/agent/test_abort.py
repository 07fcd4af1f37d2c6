"""Stopping: at any moment, everything, and the history stays whole."""

from __future__ import annotations

import anyio
import pytest

from pyagent_tui.agent.details import OutputDetails
from pyagent_tui.agent.hooks import Allow, BeforeHook, CallRequest, Decision
from pyagent_tui.agent.messages import AssistantMessage, UserMessage
from pyagent_tui.agent.tool import ToolContext, ToolResult
from pyagent_tui.providers.scripted import Call, Fail, Say, Stall, Think, Turn
from pyagent_tui.tests.harness import Empty, ScriptTool, Stage

pytestmark = pytest.mark.anyio


async def forever(_: Empty, context: ToolContext) -> None:
    context.update(ToolResult.of("so far", OutputDetails("sleep", output="so far")))
    await anyio.sleep_forever()


async def ask_for_ever(_: CallRequest) -> Decision:
    await anyio.sleep_forever()
    return Allow()


TALK = Turn([Think("hm", chunk=1), Say("some text", chunk=1), Call("forever", id="a"), Call("forever", id="b")])
SLOW = [Turn([Say("begin"), Stall(60), Say("end")])]
MOMENTS: dict[str, tuple[list[Turn], str]] = {
    "at the start": ([TALK], "agent_start"),
    "as the turn starts": ([TALK], "turn_start"),
    "as the prompt is stored": ([TALK], "message_end user:go"),
    "as the reply appears": ([TALK], "message_start assistant:pending"),
    "while it thinks": ([TALK], "update ThinkingDelta"),
    "while it talks": ([TALK], "update TextDelta"),
    "while the provider stalls": (SLOW, "update TextDelta"),
    "while arguments stream": ([TALK], "update ToolCallDelta"),
    "as the reply ends": ([TALK], "message_end assistant:toolUse"),
    "as the first call is taken up": ([TALK], "start a"),
    "as the second call is taken up": ([TALK], "start b"),
    "while tools run": ([TALK], "update b"),
    "while a retry waits": ([Turn([Fail("overloaded", "busy", retry_after=30)])], "retry 1"),
}


@pytest.mark.parametrize("moment", MOMENTS)
async def test_abort_leaves_a_whole_history_and_asks_nothing_more(moment: str) -> None:
    turns, event = MOMENTS[moment]
    stage = Stage([*turns, Turn([Say("must not be asked")])], [ScriptTool("forever", forever)])
    stage.seen.on(event, stage.agent.abort)
    end = await stage.prompt()
    assert end.reason == "aborted"
    assert not stage.agent.is_running
    assert len(stage.provider.requests) <= 1
    calls = [
        call.id
        for message in stage.agent.messages
        if isinstance(message, AssistantMessage) and message.stop_reason == "toolUse"
        for call in message.tool_calls
    ]
    assert [result.tool_call_id for result in stage.results] == calls
    assert all(result.is_error for result in stage.results)
    names = stage.seen.names()
    assert names[-1] == "agent_end aborted"
    assert names.count("turn_start") == names.count("turn_end")
    assert names.count("message_start assistant:pending") == sum(
        name.startswith("message_end assistant") for name in names
    )


async def test_partial_text_is_kept_and_marked_as_aborted() -> None:
    stage = Stage(SLOW)
    stage.seen.on("update TextDelta", stage.agent.abort)
    await stage.prompt()
    reply = stage.agent.messages[-1]
    assert isinstance(reply, AssistantMessage)
    assert (reply.text, reply.stop_reason) == ("begin", "aborted")


async def test_half_a_call_of_an_aborted_reply_never_runs() -> None:
    tool = ScriptTool("forever", forever)
    stage = Stage([Turn([Call("forever", {"text": "x" * 50}, fragment=5)])], [tool])
    stage.seen.on("update ToolCallDelta", stage.agent.abort)
    await stage.prompt()
    assert tool.runs == []
    assert stage.results == []


async def test_an_aborted_call_keeps_what_it_had_shown() -> None:
    stage = Stage([TALK], [ScriptTool("forever", forever)])
    stage.seen.on("update b", stage.agent.abort)
    await stage.prompt()
    assert [result.text.splitlines()[0] for result in stage.results] == ["so far", "so far"]
    details = stage.results[0].details
    assert isinstance(details, OutputDetails)
    assert details.aborted
    assert stage.results[0].duration_ms is not None


async def test_what_a_cancelled_tool_says_last_is_its_result() -> None:
    async def body(_: Empty, context: ToolContext) -> None:
        context.update(ToolResult.of("line 1"))
        try:
            await anyio.sleep_forever()
        finally:
            context.update(ToolResult.of("line 1\nline 2"))

    stage = Stage([Turn([Call("tool", id="a")])], [ScriptTool("tool", body)])
    stage.seen.on("update a", stage.agent.abort)
    await stage.prompt()
    assert stage.results[0].text.startswith("line 1\nline 2\n")


async def test_one_call_is_aborted_alone_and_the_others_go_on() -> None:
    released = anyio.Event()

    async def waits(_: Empty, context: ToolContext) -> None:
        context.update(ToolResult.of("here"))
        await released.wait()

    tools = [ScriptTool("forever", forever), ScriptTool("waits", waits)]
    stage = Stage([Turn([Call("forever", id="a"), Call("waits", id="b")]), Turn([Say("done")])], tools)
    stage.seen.on("update b", lambda: _abort_one(stage, "a", released))
    end = await stage.prompt()
    assert end.reason == "done"
    assert [(result.tool_call_id, result.is_error) for result in stage.results] == [("a", True), ("b", False)]
    assert len(stage.provider.requests) == 2


def _abort_one(stage: Stage, call_id: str, released: anyio.Event) -> None:
    assert stage.agent.abort_call(call_id)
    released.set()


async def test_a_call_that_waits_for_permission_can_be_aborted_alone() -> None:
    tool = ScriptTool()
    hook = BeforeHook("ask", ask_for_ever, timeout=None)
    stage = Stage([Turn([Call("tool", id="a")]), Turn([Say("done")])], [tool], before=[hook])
    stage.seen.on("start a", lambda: _abort_one(stage, "a", anyio.Event()))
    end = await stage.prompt()
    assert (end.reason, tool.runs) == ("done", [])
    assert stage.results[0].is_error


async def test_aborting_a_call_that_is_not_open_says_so() -> None:
    stage = Stage([Turn([Call("tool", id="a")]), Turn([Say("done")])], [ScriptTool()])
    answers: list[bool] = []
    stage.seen.on("end a ok", lambda: answers.append(stage.agent.abort_call("a")))
    await stage.prompt()
    assert answers == [False]
    assert not stage.agent.abort_call("a")


async def test_abort_keeps_the_queue_and_sends_nothing_of_it() -> None:
    stage = Stage([TALK, Turn([Say("no")])], [ScriptTool("forever", forever)])

    def stop() -> None:
        stage.agent.steer(UserMessage.of("A"))
        stage.agent.follow_up(UserMessage.of("B"))
        stage.agent.abort()

    stage.seen.on("update b", stop)
    await stage.prompt()
    assert [message.text for message in stage.agent.clear_queue()] == ["A", "B"]
    assert len(stage.provider.requests) == 1


async def test_after_an_abort_the_next_prompt_works() -> None:
    stage = Stage([TALK, Turn([Say("fine")])], [ScriptTool("forever", forever)])
    stage.seen.on("update b", stage.agent.abort)
    await stage.prompt()
    end = await stage.prompt("again")
    assert end.reason == "done"
    assert stage.asked(1) == ["user:go", "assistant:toolUse", "result:a", "result:b", "user:again"]


async def test_cancellation_from_outside_repairs_the_history_and_passes_through() -> None:
    stage = Stage([TALK], [ScriptTool("forever", forever)])
    with anyio.CancelScope() as outer:
        stage.seen.on("update b", outer.cancel)
        await stage.prompt()
    assert outer.cancelled_caught
    assert [result.tool_call_id for result in stage.results] == ["a", "b"]
    assert stage.seen.names()[-1] == "agent_end aborted"
    assert not stage.agent.is_running


async def test_an_unrelated_await_after_an_abort_is_not_cancelled() -> None:
    stage = Stage(SLOW)
    stage.seen.on("update TextDelta", stage.agent.abort)
    with anyio.CancelScope() as around:
        await stage.prompt()
        await anyio.sleep(0)
    assert not around.cancelled_caught
