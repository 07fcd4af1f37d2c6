"""The tree and the context that is built from a branch of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.agent.messages import (
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
)
from pyagent_tui.sessions.session import Session
from pyagent_tui.sessions.tree import UnknownEntryError
from pyagent_tui.tests.sessions.building import chain, reply, stored, texts, user, write_file


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session.in_memory(tmp_path)


def test_every_entry_is_a_child_of_the_leaf_before_it(session: Session) -> None:
    ids = [session.append_message(user("a")), session.append_thinking_level("low"), session.append_message(reply("b"))]
    assert [entry.id for entry in session.tree.path()] == ids
    assert session.leaf_id == ids[-1]
    assert session.tree.path(ids[0]) == [session.tree[ids[0]]]


def test_moving_before_the_first_entry_starts_another_root(session: Session) -> None:
    session.append_message(user("a"))
    session.branch(None)
    assert session.messages() == ()
    session.append_message(user("b"))
    assert len(session.tree.children(None)) == 2
    assert texts(session) == ["b"]


def test_the_common_ancestor_of_two_branches_is_where_they_part(session: Session) -> None:
    first = session.append_message(user("a"))
    left = session.append_message(reply("b"))
    session.branch(first)
    right = session.append_message(reply("c"))
    assert session.tree.common_ancestor(left, right) == first
    assert session.tree.common_ancestor(left, left) == left
    assert session.tree.common_ancestor(None, right) is None


def test_only_the_latest_compaction_counts(session: Session) -> None:
    ids = [session.append_message(user(f"m{index}")) for index in range(4)]
    session.append_compaction("first", ids[1], 100)
    session.append_message(user("m4"))
    session.append_compaction("second", ids[3], 200)
    session.append_message(user("m5"))
    context = session.context()
    assert isinstance(context.messages[0], CompactionSummaryMessage)
    assert (context.messages[0].summary, context.messages[0].tokens_before) == ("second", 200)
    assert texts(session) == ["m3", "m4", "m5"]
    assert len(context.messages) == len(context.entry_ids) == 4


def test_a_compaction_may_keep_everything_or_nothing(session: Session) -> None:
    first = session.append_message(user("a"))
    session.append_message(user("b"))
    everything = session.append_compaction("s", first, 1)
    assert texts(session) == ["a", "b"]
    session.append_compaction("s", None, 1)
    session.append_message(user("c"))
    assert texts(session) == ["c"]
    session.branch(everything)
    assert texts(session) == ["a", "b"]


def test_a_compaction_whose_kept_entry_is_lost_keeps_nothing_before_it(tmp_path: Path) -> None:
    lost = {
        "type": "compaction",
        "id": "c",
        "parentId": "e1",
        "timestamp": "t",
        "summary": "s",
        "firstKeptEntryId": "gone",
    }
    session = Session.open(write_file(tmp_path / "a.jsonl", [*chain(2), lost, stored("z", "c", "after")]))
    assert texts(session) == ["after"]
    session.close()


def test_an_edit_hides_or_replaces_what_the_model_sees_from_there_on(session: Session) -> None:
    first = session.append_message(user("secret"))
    call = ToolCall("c", "bash", {})
    session.append_message(reply("", call))
    result = session.append_message(ToolResultMessage("c", "bash", (TextContent("long"),), is_error=True))
    before = session.append_message(user("next"))
    session.append_context_edit(first, None)
    session.append_context_edit(result, {"content": "old"})
    session.append_context_edit(result, {"content": "short"})
    messages = session.messages()
    assert [type(message).__name__ for message in messages] == ["AssistantMessage", "ToolResultMessage", "UserMessage"]
    assert isinstance(messages[1], ToolResultMessage)
    assert (messages[1].text, messages[1].is_error, messages[1].tool_call_id) == ("short", True, "c")
    session.branch(before)
    assert "secret" in texts(session)
    with pytest.raises(UnknownEntryError):
        session.append_context_edit("nowhere", None)


def test_an_edit_does_not_touch_calls_of_a_reply_that_it_replaces(session: Session) -> None:
    said = session.append_message(reply("a", ToolCall("c", "bash", {})))
    call: dict[str, object] = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {}}
    session.append_context_edit(said, {"content": [{"type": "text", "text": "b"}, call]})
    (message,) = session.messages()
    assert isinstance(message, AssistantMessage)
    assert (message.text, message.model, [call.id for call in message.tool_calls]) == ("b", "model-a", ["c"])


def test_summaries_and_extension_messages_take_part_and_bookkeeping_does_not(session: Session) -> None:
    first = session.append_message(user("a"))
    session.append_branch_summary("was there", first)
    session.append_custom_message("ext", (TextContent("hi"),))
    session.append_custom("state", {"n": 1})
    session.set_label(first, "x")
    session.append_model_change("p", "m")
    kinds = [type(message) for message in session.messages()]
    assert kinds == [type(user("")), BranchSummaryMessage, CustomMessage]


def test_the_model_is_the_one_chosen_or_used_last(session: Session) -> None:
    assert session.context().model is None
    session.append_model_change("p", "chosen")
    assert session.context().model == ("p", "chosen")
    session.append_message(reply("x"))
    assert session.context().model == ("anthropic", "model-a")
    first = session.append_thinking_level("low")
    session.append_thinking_level("high")
    assert session.context().thinking_level == "high"
    session.branch(first)
    assert session.context().thinking_level == "low"
