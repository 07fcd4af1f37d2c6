"""The order of events, turn by turn, and what decides whether there is another one."""

from __future__ import annotations

import anyio
import pytest

from pyagent_tui.agent.agent import AgentBusy, NothingToContinue
from pyagent_tui.agent.events import AgentEnd, ToolExecutionEnd
from pyagent_tui.agent.hooks import Allow, BeforeHook, CallRequest, Decision
from pyagent_tui.agent.limits import RunLimits
from pyagent_tui.agent.measures import ReplyMeasure, RunMeasures
from pyagent_tui.agent.messages import AssistantMessage, Cost, TextContent, ToolResultMessage, Usage, UserMessage
from pyagent_tui.agent.run import CUT_REPLY
from pyagent_tui.agent.tool import ToolContext, ToolError, ToolResult
from pyagent_tui.providers.scripted import Call, Fail, Say, Turn
from pyagent_tui.tests.harness import Empty, ScriptTool, Stage

pytestmark = pytest.mark.anyio


def done(text: str = "done") -> Turn:
    return Turn([Say(text)])


async def test_a_plain_prompt_gives_the_eight_events_in_order() -> None:
    stage = Stage([done()])
    await stage.prompt("hi")
    assert stage.seen.names() == [
        "agent_start",
        "turn_start",
        "message_start user:hi",
        "message_end user:hi",
        "message_start assistant:pending",
        "message_end assistant:stop",
        "turn_end",
        "agent_end done",
    ]


async def test_a_parallel_batch_ends_in_completion_order_and_answers_in_call_order() -> None:
    fast_done = anyio.Event()

    async def slow(_: Empty, context: ToolContext) -> None:
        context.update(ToolResult.of("working"))
        await fast_done.wait()

    async def fast(_: Empty, context: ToolContext) -> None:
        context.update(ToolResult.of("working"))
        fast_done.set()

    tools = [ScriptTool("slow", slow), ScriptTool("fast", fast)]
    stage = Stage([Turn([Call("slow", id="a"), Call("fast", id="b")]), done()], tools)
    await stage.prompt()
    names = stage.seen.names()
    assert names[6:17] == [
        "start a",
        "start b",
        "update a",
        "update b",
        "end b ok",
        "end a ok",
        "message_start result:a",
        "message_end result:a",
        "message_start result:b",
        "message_end result:b",
        "turn_end",
    ]


async def test_a_call_that_needs_no_permission_does_not_wait_for_one_that_does() -> None:
    read = ScriptTool("read")

    async def ask(request: CallRequest) -> Decision:
        if request.tool.name == "write":
            while not read.runs:
                await anyio.sleep(0)
        return Allow()

    stage = Stage(
        [Turn([Call("read", id="a"), Call("write", id="b")]), done()],
        [read, ScriptTool("write")],
        before=[BeforeHook("ask", ask, timeout=None)],
    )
    await stage.prompt()
    assert [result.tool_call_id for result in stage.results] == ["a", "b"]
    assert not any(result.is_error for result in stage.results)


async def test_one_sequential_tool_makes_the_whole_batch_go_one_by_one() -> None:
    tools = [ScriptTool("plain"), ScriptTool("single", mode="sequential")]
    stage = Stage([Turn([Call("plain", id="a"), Call("single", id="b")]), done()], tools)
    await stage.prompt()
    assert stage.seen.names()[6:15] == [
        "start a",
        "end a ok",
        "message_start result:a",
        "message_end result:a",
        "start b",
        "end b ok",
        "message_start result:b",
        "message_end result:b",
        "turn_end",
    ]


async def test_failing_calls_end_at_once_and_the_good_one_still_runs() -> None:
    good = ScriptTool("good")
    calls = [
        Call("nope", id="a"),
        Call("good", {"wrong": 1}, id="b"),
        Call("good", id="c"),
        Call("good", raw="{", id="d"),
    ]
    stage = Stage([Turn(calls), done()], [good])
    await stage.prompt()
    assert stage.seen.names()[6:14] == [
        "start a",
        "end a invalid",
        "start b",
        "end b invalid",
        "start c",
        "start d",
        "end d invalid",
        "end c ok",
    ]
    assert len(good.runs) == 1
    assert [result.tool_call_id for result in stage.results] == ["a", "b", "c", "d"]
    assert [result.is_error for result in stage.results] == [True, True, False, True]


async def test_a_tool_that_raises_gives_an_error_result_and_the_run_goes_on() -> None:
    async def expected(_: Empty, __: ToolContext) -> None:
        raise ToolError("the disk is full: free some space")

    async def defect(_: Empty, __: ToolContext) -> None:
        raise RuntimeError("boom")

    tools = [ScriptTool("expected", expected), ScriptTool("defect", defect)]
    stage = Stage([Turn([Call("expected", id="a"), Call("defect", id="b")]), done()], tools)
    end = await stage.prompt()
    assert end.reason == "done"
    assert stage.results[0].text == "the disk is full: free some space"
    assert stage.results[1].text == "defect failed: RuntimeError: boom"


async def test_the_next_request_holds_the_calls_and_their_results() -> None:
    stage = Stage([Turn([Call("tool", id="a")]), done()], [ScriptTool()])
    await stage.prompt()
    assert stage.asked(1) == ["user:go", "assistant:toolUse", "result:a"]


async def test_a_reply_cut_by_the_token_limit_runs_none_of_its_calls() -> None:
    tool = ScriptTool()
    stage = Stage([Turn([Call("tool", id="a"), Call("tool", id="b")], stop_reason="length"), done()], [tool])
    await stage.prompt()
    assert tool.runs == []
    assert [result.text for result in stage.results] == [CUT_REPLY, CUT_REPLY]
    assert len(stage.provider.requests) == 2


@pytest.mark.parametrize(("flags", "requests"), [((True, True), 1), ((True, False), 2)])
async def test_terminate_ends_the_run_only_if_every_result_says_so(flags: tuple[bool, bool], requests: int) -> None:
    def body(flag: bool):
        async def run(_: Empty, __: ToolContext) -> ToolResult:
            return ToolResult((TextContent("x"),), terminate=flag)

        return run

    tools = [ScriptTool("one", body(flags[0])), ScriptTool("two", body(flags[1]))]
    stage = Stage([Turn([Call("one"), Call("two")]), done()], tools)
    await stage.prompt()
    assert len(stage.provider.requests) == requests


async def test_a_failed_reply_ends_the_run_and_keeps_the_queue() -> None:
    stage = Stage([Turn([Say("half"), Fail("auth", "bad key")])])
    stage.seen.on("message_end user:go", lambda: stage.agent.follow_up(UserMessage.of("later")))
    end = await stage.prompt()
    assert end.reason == "error"
    reply = stage.agent.messages[-1]
    assert isinstance(reply, AssistantMessage)
    assert (reply.text, reply.stop_reason, reply.error_message) == ("half", "error", "bad key")
    assert stage.agent.follow_ups.texts == ("later",)


async def test_a_failed_reply_is_kept_but_never_sent_again() -> None:
    stage = Stage([Turn([Say("half"), Fail("auth", "bad key")]), done()])
    await stage.prompt("one")
    await stage.prompt("two")
    assert stage.asked(1) == ["user:one", "user:two"]


async def test_a_prompt_while_running_is_refused_with_what_to_do() -> None:
    stage = Stage([done()])
    first = stage.agent.prompt(UserMessage.of("one"))
    with pytest.raises(AgentBusy, match=r"steer .*follow-up"):
        stage.agent.prompt(UserMessage.of("two"))
    with pytest.raises(AgentBusy):
        stage.agent.continue_run()
    await first
    assert not stage.agent.is_running


async def test_continue_on_a_user_tail_asks_for_the_reply_only() -> None:
    stage = Stage([done()], messages=[UserMessage.of("before")])
    await stage.agent.continue_run()
    assert stage.seen.names()[:3] == ["agent_start", "turn_start", "message_start assistant:pending"]


async def test_continue_after_a_failed_reply_asks_once_more() -> None:
    stage = Stage([Turn([Say("half"), Fail("bad_request", "no")]), done()])
    assert (await stage.prompt("go")).reason == "error"
    assert (await stage.agent.continue_run()).reason == "done"
    assert stage.asked(1) == ["user:go"]
    with pytest.raises(NothingToContinue):
        stage.agent.continue_run()


@pytest.mark.parametrize("tail", [[], [AssistantMessage((TextContent("x"),))]])
async def test_continue_with_nothing_to_do_is_an_error(tail: list[AssistantMessage]) -> None:
    stage = Stage([done()], messages=tail)
    with pytest.raises(NothingToContinue):
        stage.agent.continue_run()
    assert not stage.agent.is_running


async def test_continue_on_a_reply_delivers_what_is_queued() -> None:
    stage = Stage([done(), done(), done()], messages=[AssistantMessage((TextContent("x"),))])
    stage.agent.steer(UserMessage.of("s1"))
    stage.agent.steer(UserMessage.of("s2"))
    await stage.agent.continue_run()
    assert stage.asked(0)[-1] == "user:s1"
    assert stage.asked(1)[-1] == "user:s2"


async def test_measures_tell_time_outcome_paths_tokens_and_nested_usage() -> None:
    async def body(_: Empty, __: ToolContext) -> ToolResult:
        return ToolResult((TextContent("x"),), usage=Usage(input=7), changed_paths=("/p/a",))

    stage = Stage(
        [
            Turn([Call("tool", id="a"), Call("nope", id="b")], usage=Usage(input=10, output=2)),
            Turn([Say("x")], usage=Usage(input=20)),
        ],
        [ScriptTool("tool", body)],
    )
    end = await stage.prompt()
    measures = end.measures
    assert [(call.tool_name, call.outcome) for call in measures.calls] == [("tool", "ok"), ("nope", "invalid")]
    assert measures.calls[0].duration_ms is not None
    assert measures.calls[1].duration_ms is None
    assert measures.changed_paths == ("/p/a",)
    assert [reply.usage.input for reply in measures.replies] == [10, 20]
    assert measures.total.input == 37
    assert measures.nested.input == 7
    assert measures.turns == 2


def test_the_sum_of_a_long_run_is_not_counted_again_at_every_look(monkeypatch: pytest.MonkeyPatch) -> None:
    measures = RunMeasures()
    for _ in range(500):
        measures.add_reply(ReplyMeasure("p", "m", 1, Usage(input=2)))
    additions: list[Usage] = []
    add = Usage.__add__
    monkeypatch.setattr(Usage, "__add__", lambda a, b: additions.append(a) or add(a, b))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert measures.total.input == 1_000
    assert len(additions) <= 1


@pytest.mark.parametrize(
    ("limits", "requests"),
    [(RunLimits(max_turns=3), 3), (RunLimits(max_tool_calls=2), 2), (RunLimits(max_turns=None), 5)],
)
async def test_limits_stop_a_run_that_runs_away(limits: RunLimits, requests: int) -> None:
    turns = [Turn([Call("tool", {"count": n})]) for n in range(4)]
    stage = Stage([*turns, done()], [ScriptTool()], limits=limits)
    end = await stage.prompt()
    assert len(stage.provider.requests) == requests
    assert end.reason == ("done" if requests == 5 else "limit")
    assert ("notice warning" in stage.seen.names()) == (requests != 5)


async def test_a_run_that_cost_too_much_stops() -> None:
    dear = Usage(output=10, cost=Cost(output=0.6))
    turns = [Turn([Call("tool", {"count": n})], usage=dear) for n in range(4)]
    stage = Stage(turns, [ScriptTool()], limits=RunLimits(max_cost=1.0))
    end = await stage.prompt()
    assert (end.reason, len(stage.provider.requests)) == ("limit", 2)


async def test_a_reply_with_calls_is_a_tool_use_whatever_the_provider_calls_it() -> None:
    stage = Stage([Turn([Call("tool", id="a")], stop_reason="stop"), done()], [ScriptTool()])
    await stage.prompt()
    reply = stage.agent.messages[1]
    assert isinstance(reply, AssistantMessage)
    assert reply.stop_reason == "toolUse"


async def test_an_update_after_the_end_is_ignored() -> None:
    contexts: list[ToolContext] = []

    async def body(_: Empty, context: ToolContext) -> None:
        contexts.append(context)

    stage = Stage([Turn([Call("tool", id="a")]), done()], [ScriptTool("tool", body)])
    stage.seen.on("message_end result:a", lambda: contexts[0].update(ToolResult.of("late")))
    await stage.prompt()
    assert "update a" not in stage.seen.names()


async def test_a_limit_leaves_what_is_queued_in_the_queue() -> None:
    stage = Stage([done(), done()], limits=RunLimits(max_turns=1))
    stage.seen.on("message_start assistant:pending", lambda: stage.agent.steer(UserMessage.of("more")))
    end = await stage.prompt()
    assert end.reason == "limit"
    assert stage.agent.steering.texts == ("more",)


async def test_the_same_call_three_times_in_a_row_is_reported_once() -> None:
    turns = [Turn([Call("tool", {"text": "same"})]) for _ in range(4)]
    stage = Stage([*turns, Turn([Call("tool", {"text": "other"})]), done()], [ScriptTool()])
    await stage.prompt()
    assert stage.seen.names().count("notice warning") == 1


async def test_a_transient_failure_is_retried_and_its_text_is_not_resent() -> None:
    stage = Stage([Turn([Say("ha"), Fail("network", "connection lost")]), Turn([Fail("overloaded", "busy")]), done()])
    end = await stage.prompt()
    assert end.reason == "done"
    names = [name for name in stage.seen.names() if name.startswith("retry")]
    assert names == ["retry 1", "retry 2", "retry_end True"]
    assert stage.asked(2) == ["user:go"]


async def test_retries_end_after_three_and_say_so() -> None:
    stage = Stage([Turn([Fail("overloaded", "busy")]) for _ in range(9)])
    end = await stage.prompt()
    assert end.reason == "error"
    assert len(stage.provider.requests) == 4
    assert stage.seen.names()[-3:] == ["retry_end False", "turn_end", "agent_end error"]


@pytest.mark.parametrize("kind", ["auth", "quota", "bad_request", "not_found"])
async def test_what_cannot_get_better_is_not_retried(kind: str) -> None:
    stage = Stage([Turn([Fail(kind, "no")]), done()])  # pyright: ignore[reportArgumentType]
    await stage.prompt()
    assert len(stage.provider.requests) == 1


async def test_a_wait_of_more_than_a_minute_is_not_taken_silently() -> None:
    stage = Stage([Turn([Fail("rate_limit", "slow down", retry_after=61)]), done()])
    end = await stage.prompt()
    assert (end.reason, len(stage.provider.requests)) == ("error", 1)


async def test_a_tool_never_runs_twice_because_of_a_retry() -> None:
    tool = ScriptTool()
    stage = Stage([Turn([Call("tool", id="a"), Fail("network", "cut")]), Turn([Call("tool", id="b")]), done()], [tool])
    await stage.prompt()
    assert len(tool.runs) == 1


async def test_every_call_of_a_random_bad_day_has_exactly_one_result() -> None:
    async def boom(_: Empty, __: ToolContext) -> None:
        raise ValueError

    tools = [ScriptTool("ok"), ScriptTool("boom", boom)]
    calls = [Call("ok"), Call("boom"), Call("nope"), Call("ok", raw="nonsense"), Call("ok", {"text": None})]
    stage = Stage([Turn(calls), Turn(list(reversed(calls))), done()], tools)
    await stage.prompt()
    replies = [message for message in stage.agent.messages if isinstance(message, AssistantMessage)]
    asked = [call.id for reply in replies for call in reply.tool_calls]
    assert [result.tool_call_id for result in stage.results] == asked
    ends = [event.tool_call_id for event in stage.seen.events if isinstance(event, ToolExecutionEnd)]
    assert sorted(ends) == sorted(asked)


async def test_agent_end_lists_only_the_new_messages() -> None:
    stage = Stage([done(), done()])
    await stage.prompt("one")
    end = await stage.prompt("two")
    assert isinstance(end, AgentEnd)
    assert [type(message) for message in end.messages] == [UserMessage, AssistantMessage]
    assert not any(isinstance(message, ToolResultMessage) for message in end.messages)
