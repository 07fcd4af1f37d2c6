"""Compaction makes room, never between a call and its result, and changes nothing when it fails."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from pyagent_tui.agent.conversation import for_model
from pyagent_tui.agent.messages import (
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    Cost,
    ImageContent,
    Message,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from pyagent_tui.agent.model import Model, ToolSpec
from pyagent_tui.providers.scripted import SCRIPTED_MODEL, Call, Fail, Say, ScriptedProvider, Turn
from pyagent_tui.sessions.branch_summary import left_entries, move_with_summary, summarise_branch
from pyagent_tui.sessions.compaction import (
    CompactionSettings,
    NothingToCompactError,
    compact,
    find_cut,
    plan_compaction,
    should_compact,
)
from pyagent_tui.sessions.entries import SessionEntry
from pyagent_tui.sessions.estimate import estimate_tokens
from pyagent_tui.sessions.guard import CompactionGuard, overflow_message, shares_of
from pyagent_tui.sessions.serialise import conversation_text
from pyagent_tui.sessions.session import Session
from pyagent_tui.sessions.statistics import context_tokens, estimated_context, leaf_context
from pyagent_tui.sessions.summary import Summariser, SummaryError
from pyagent_tui.tests.sessions.building import reply, texts, user

pytestmark = pytest.mark.anyio
SMALL = CompactionSettings(keep_recent_tokens=100)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session.in_memory(tmp_path)


def said(count: int, size: int = 100) -> list[Message]:
    """Turns of a question and an answer, each message `size` characters."""
    return [message for index in range(count) for message in (user(f"{index:<{size}}"), reply(f"{index:<{size}}"))]


def fill(session: Session, messages: Sequence[Message]) -> list[str]:
    return [session.append_message(message) for message in messages]


def summariser(*turns: Turn, model: Model = SCRIPTED_MODEL) -> tuple[Summariser, ScriptedProvider]:
    provider = ScriptedProvider(turns)
    return Summariser(provider, model, "high"), provider


def prompt_of(provider: ScriptedProvider, index: int = 0) -> str:
    message = provider.requests[index].messages[0]
    assert isinstance(message, UserMessage)
    return message.text


def test_compaction_begins_above_the_threshold_not_at_it() -> None:
    settings = CompactionSettings()
    assert not should_compact(200_000 - 16_384, 200_000, settings)
    assert should_compact(200_000 - 16_384 + 1, 200_000, settings)
    assert not should_compact(10**9, 200_000, CompactionSettings(enabled=False))
    assert not should_compact(10**9, None, settings)
    assert not should_compact(4_000, 8_000, settings)


@pytest.mark.parametrize("value", [0, -1, 1.5, "x", None, True])
def test_settings_that_make_no_sense_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="positive whole number"):
        CompactionSettings(reserve_tokens=value)


def test_a_token_is_four_characters_rounded_up_and_a_picture_1200() -> None:
    assert estimate_tokens(user("")) == 0
    assert estimate_tokens(user("12345")) == 2
    assert estimate_tokens(UserMessage((ImageContent("A" * 10**6, "image/png"),))) == 1_200


def test_the_cut_keeps_about_what_was_asked() -> None:
    messages = said(10)
    cut = find_cut(messages, 100)
    assert 100 <= sum(map(estimate_tokens, messages[cut:])) <= 150
    assert find_cut(messages, 10**6) == 0


def test_the_cut_never_parts_a_call_from_its_result() -> None:
    calls = tuple(ToolCall(f"c{index}", "bash", {}) for index in range(3))
    results = [ToolResultMessage(call.id, "bash", (TextContent("x" * 300_000),)) for call in calls]
    messages = [*said(2), user("go"), reply("", *calls), *results, reply("done"), user("next"), reply("end")]
    for keep in (1, 5, 50, 70_000, 80_000, 150_000, 220_000, 230_000):
        cut = find_cut(messages, keep)
        kept, called = messages[cut:], {call.id for call in calls}
        has_calls = any(isinstance(message, AssistantMessage) and message.tool_calls for message in kept)
        assert has_calls == any(isinstance(message, ToolResultMessage) for message in kept), keep
        answered = {message.tool_call_id for message in for_model(kept) if isinstance(message, ToolResultMessage)}
        assert answered in (set(), called)


def test_a_command_of_the_person_between_a_call_and_its_result_is_no_place_to_cut() -> None:
    call = ToolCall("c", "bash", {})
    between = BashExecutionMessage("ls", "x" * 4_000, 0)
    result = ToolResultMessage("c", "bash", (TextContent("y" * 400),))
    messages = [*said(3), user("go"), reply("", call), between, result, reply("done")]
    for keep in range(1, 1_300, 50):
        cut = find_cut(messages, keep)
        assert messages[cut] not in (between, result), keep


def test_a_huge_last_result_is_kept_with_its_call() -> None:
    call = ToolCall("c", "bash", {})
    messages = [*said(3), user("go"), reply("", call), ToolResultMessage("c", "bash", (TextContent("x" * 10**6),))]
    cut = find_cut(messages, 100)
    assert messages[cut:] == messages[-2:]


def test_one_huge_turn_is_split_at_a_reply(session: Session) -> None:
    fill(session, [*said(2), user("a long task"), *(reply("z" * 200) for _ in range(8))])
    plan = plan_compaction(session.tree.path(), SMALL)
    assert next(message.text for message in plan.history if isinstance(message, UserMessage)).strip() == "0"
    assert plan.turn_start[0] == user("a long task") or isinstance(plan.turn_start[0], UserMessage)
    assert len(plan.turn_start) == 7


def test_bookkeeping_right_before_the_cut_stays_with_it(session: Session) -> None:
    fill(session, said(4))
    model = session.append_model_change("p", "m")
    session.append_thinking_level("low")
    fill(session, said(2))
    assert plan_compaction(session.tree.path(), SMALL).first_kept_entry_id == model


def test_there_may_be_nothing_to_compact(session: Session) -> None:
    with pytest.raises(NothingToCompactError, match="too little"):
        plan_compaction(session.tree.path(), SMALL)
    first, *_ = fill(session, said(1))
    with pytest.raises(NothingToCompactError, match="too little"):
        plan_compaction(session.tree.path(), SMALL)
    session.append_compaction("s", first, 1)
    with pytest.raises(NothingToCompactError, match="just compacted"):
        plan_compaction(session.tree.path(), SMALL)


async def test_compaction_replaces_the_old_part_by_a_summary_that_names_the_files(session: Session) -> None:
    calls = [
        ToolCall("a", "read", {"path": "z.py"}),
        ToolCall("b", "read", {"path": "a.py"}),
        ToolCall("c", "edit", {"path": "a.py"}),
    ]
    fill(
        session,
        [user("go"), reply("", *calls), *(ToolResultMessage(call.id, call.name, ()) for call in calls), *said(5)],
    )
    by, provider = summariser(Turn([Say("## Goal\nGo")], Usage(5, 7, cost=Cost(0.5))))
    result = await compact(session, by, SMALL, "look at z.py")
    first = session.messages()[0]
    assert isinstance(first, CompactionSummaryMessage)
    assert (
        first.summary == "## Goal\nGo\n\n<read-files>\nz.py\n</read-files>\n\n<modified-files>\na.py\n</modified-files>"
    )
    assert texts(session) == [
        message.text for message in said(5)[-4:] if isinstance(message, (UserMessage, AssistantMessage))
    ]
    assert result.details == {"readFiles": ["z.py"], "modifiedFiles": ["a.py"]}
    request = provider.requests[0]
    assert (request.tools, request.thinking_level, request.max_output) == ((), "high", 13_107)
    assert "look at z.py" in prompt_of(provider)
    assert 'edit(path="a.py")' in prompt_of(provider)


async def test_a_later_compaction_updates_the_summary_and_carries_the_files(session: Session) -> None:
    fill(
        session,
        [
            user("go"),
            reply("", ToolCall("c", "write", {"path": "w.py"})),
            ToolResultMessage("c", "write", ()),
            *said(4),
        ],
    )
    by, provider = summariser(Turn([Say("first")]), Turn([Say("second")]))
    await compact(session, by, SMALL)
    fill(session, said(5))
    await compact(session, by, SMALL)
    assert "<earlier-summary>\nfirst" in prompt_of(provider, 1)
    assert "go\n" not in prompt_of(provider, 1)
    first = session.messages()[0]
    assert isinstance(first, CompactionSummaryMessage)
    assert first.summary == "second\n\n<modified-files>\nw.py\n</modified-files>"


async def test_a_split_turn_gets_two_summaries(session: Session) -> None:
    fill(session, [*said(2), user("a long task"), *(reply("z" * 200) for _ in range(8))])
    by, _ = summariser(Turn([Say("history")], Usage(1, 1)), Turn([Say("the turn")], Usage(2, 2)))
    result = await compact(session, by, SMALL)
    assert result.summary.startswith("history\n\n---\n\n**")
    assert result.summary.endswith("the turn")
    assert result.usage.total_tokens == 6


@pytest.mark.parametrize(
    "turn",
    [
        Turn([Say("half")], stop_reason="length"),
        Turn([Say("  \n ")]),
        Turn([]),
        Turn([Call("bash", {"command": "ls"})]),
        Turn([Fail("overloaded", "busy")]),
        Turn([Say("half"), Fail("network", "gone")]),
        Turn([Say("no")], stop_reason="error"),
    ],
    ids=["cut", "blank", "empty", "tool", "refused", "broken", "error"],
)
async def test_a_summary_that_fails_changes_nothing(session: Session, turn: Turn) -> None:
    fill(session, said(5))
    before, leaf = session.messages(), session.leaf_id
    by, _ = summariser(turn)
    with pytest.raises(SummaryError):
        await compact(session, by, SMALL)
    assert (session.messages(), session.leaf_id) == (before, leaf)


async def test_a_cancelled_compaction_changes_nothing(session: Session) -> None:
    fill(session, said(5))
    before, leaf = session.messages(), session.leaf_id
    asked = anyio.Event()

    def begin(_: object) -> Turn:
        asked.set()
        return Turn([Say("never")], first_delay=3_600)

    async with anyio.create_task_group() as group:
        group.start_soon(compact, session, Summariser(ScriptedProvider([begin]), SCRIPTED_MODEL), SMALL)
        await asked.wait()
        group.cancel_scope.cancel()
    assert (session.messages(), session.leaf_id) == (before, leaf)


async def test_messages_that_come_meanwhile_stay_behind_the_summary_in_order(session: Session) -> None:
    fill(session, said(5))

    def meanwhile(_: object) -> Turn:
        fill(session, [user("late 1"), user("late 2")])
        return Turn([Say("summary")])

    await compact(session, Summariser(ScriptedProvider([meanwhile]), SCRIPTED_MODEL), SMALL)
    assert texts(session)[-2:] == ["late 1", "late 2"]
    assert isinstance(session.messages()[0], CompactionSummaryMessage)


async def test_a_branch_that_moved_meanwhile_is_not_compacted(session: Session) -> None:
    first, *_ = fill(session, said(5))

    def meanwhile(_: object) -> Turn:
        session.branch(first)
        return Turn([Say("summary")])

    with pytest.raises(SummaryError, match="another branch"):
        await compact(session, Summariser(ScriptedProvider([meanwhile]), SCRIPTED_MODEL), SMALL)
    assert len(session.messages()) == 1


async def test_the_request_for_a_summary_fits_the_window_itself(session: Session) -> None:
    model = Model("scripted", "small", "scripted", context_window=8_000)
    fill(session, [user("x" * 200_000), *(message for _ in range(40) for message in said(1, 2_000))])
    by, provider = summariser(Turn([Say("s")]), Turn([Say("t")]), model=model)
    await compact(session, by, SMALL)
    for index, request in enumerate(provider.requests):
        assert len(prompt_of(provider, index)) / 4 + (request.max_output or 0) < 8_000
    assert "older parts left out" in prompt_of(provider)


def test_results_are_cut_and_thinking_is_left_out_of_the_transcript() -> None:
    result = ToolResultMessage("c", "bash", (TextContent("x" * 2_005),))
    text = conversation_text([user("y" * 5_000), reply("", ThinkingContent("secret thought")), result])
    assert "y" * 5_000 in text
    assert "secret" not in text
    assert "x" * 2_000 + "\n[… 5 more characters]" in text


def test_the_meter_trusts_the_last_good_usage_and_estimates_what_came_after(session: Session) -> None:
    session.append_message(user("a" * 400))
    assert context_tokens(session.tree.path()) == 100
    session.append_message(reply("b", usage=Usage(input=100, cache_read=900, output=50)))
    assert context_tokens(session.tree.path()) == 1_050
    aborted = AssistantMessage((TextContent("x"),), usage=Usage(9_999, 9), stop_reason="aborted")
    fill(session, [user("c" * 40), aborted])
    assert context_tokens(session.tree.path()) == 1_050 + 10 + 1


def test_the_size_at_the_leaf_reads_no_more_than_what_came_after_the_last_reply(session: Session) -> None:
    for number in range(50):
        fill(session, [user("a" * 40), reply("b", usage=Usage(number, 50))])
    session.append_message(user("c" * 40))
    seen: list[SessionEntry] = []
    upwards = session.tree.upwards
    session.tree.upwards = lambda entry_id=None: (seen.append(entry) or entry for entry in upwards(entry_id))
    assert leaf_context(session.tree) == 49 + 50 + 10
    assert len(seen) == 2


def test_the_size_at_the_leaf_is_estimated_where_no_reply_tells_it(session: Session) -> None:
    ids = fill(session, [user("a"), reply("b", usage=Usage(5_000, 50)), user("c"), reply("d", usage=Usage(6_000, 60))])
    session.append_compaction("s" * 40, ids[2], 6_060)
    assert leaf_context(session.tree) == estimated_context(session.tree.path())


def test_the_meter_is_unknown_after_a_compaction_until_the_next_reply(session: Session) -> None:
    ids = fill(session, [user("a"), reply("b", usage=Usage(5_000, 50)), user("c"), reply("d", usage=Usage(6_000, 60))])
    session.append_compaction("s" * 40, ids[2], 6_060)
    assert context_tokens(session.tree.path()) is None
    assert estimated_context(session.tree.path()) == 10 + 1 + 1
    fill(session, [user("e"), reply("f", usage=Usage(700, 7))])
    assert context_tokens(session.tree.path()) == 707


def test_one_automatic_compaction_without_progress_is_enough() -> None:
    guard = CompactionGuard()
    guard.note_compaction()
    assert not guard.is_open
    guard.note_reply(9_000, 8_000)
    assert not guard.is_open
    guard.note_reply(8_000, 8_000)
    assert guard.is_open
    guard.note_compaction()
    guard.begin_turn()
    assert guard.is_open


def test_the_person_is_told_what_fills_the_window() -> None:
    tools = [ToolSpec("bash", "d" * 400, {})]
    shares = shares_of("p" * 40_000, tools, [user("hi"), ToolResultMessage("c", "grep", (TextContent("x" * 20_000),))])
    text = overflow_message(shares, 8_000)
    assert "8,000 tokens" in text
    assert text.index("system prompt") < text.index("result of grep")


async def test_leaving_a_branch_with_a_summary_puts_it_at_the_new_place(session: Session) -> None:
    first = session.append_message(user("start"))
    left = fill(session, [reply("left", ToolCall("c", "edit", {"path": "a.py"})), user("more")])
    session.branch(first)
    right = session.append_message(reply("right"))
    entries = left_entries(session.tree, left[-1], right)
    assert [entry.id for entry in entries] == left
    by, provider = summariser(Turn([Say("was left")], Usage(1, 2)))
    summary = await summarise_branch(entries, by)
    assert "start" not in prompt_of(provider)
    assert "Critical Context" not in prompt_of(provider)
    entry_id = move_with_summary(session, right, summary, "back")
    entry = session.tree[entry_id]
    assert (entry.parent_id, session.tree.labels) == (right, {entry_id: "back"})
    last = session.messages()[-1]
    assert isinstance(last, BranchSummaryMessage)
    assert last.summary.endswith("was left\n\n<modified-files>\na.py\n</modified-files>")
    assert last.from_id == left[-1]


async def test_a_branch_summary_that_fails_moves_nothing(session: Session) -> None:
    ids = fill(session, said(2))
    by, _ = summariser(Turn([Say("x")], stop_reason="length"))
    with pytest.raises(SummaryError):
        await summarise_branch(left_entries(session.tree, ids[-1], ids[0]), by)
    assert session.leaf_id == ids[-1]
