"""What a model is given of a conversation."""

from __future__ import annotations

import pytest

from pyagent_tui.agent.conversation import INTERRUPTED, for_model, open_calls
from pyagent_tui.agent.messages import (
    AssistantMessage,
    BashExecutionMessage,
    CompactionSummaryMessage,
    CustomMessage,
    Message,
    StopReason,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)


def calls(*ids: str, stop_reason: StopReason = "toolUse") -> AssistantMessage:
    return AssistantMessage(tuple(ToolCall(id, "tool", {}) for id in ids), stop_reason=stop_reason)


def result(id: str, text: str = "ok") -> ToolResultMessage:
    return ToolResultMessage(id, "tool", (TextContent(text),))


def shape(messages: list[Message]) -> list[str]:
    out: list[str] = []
    for message in for_model(messages):
        match message:
            case UserMessage():
                out.append(f"user {message.text.splitlines()[0]}")
            case AssistantMessage():
                out.append("assistant " + " ".join(call.id for call in message.tool_calls))
            case ToolResultMessage():
                out.append(f"result {message.tool_call_id}{' interrupted' if message.text == INTERRUPTED else ''}")
    return out


def test_a_call_without_a_result_is_answered_right_after_its_sibling() -> None:
    messages: list[Message] = [calls("c1", "c2"), result("c1"), UserMessage.of("go on")]
    assert shape(messages) == ["assistant c1 c2", "result c1", "result c2 interrupted", "user go on"]


def test_a_call_without_a_result_at_the_end_is_answered_too() -> None:
    assert shape([calls("c1")]) == ["assistant c1", "result c1 interrupted"]


def test_the_same_history_gives_the_same_answer_at_every_request() -> None:
    messages: list[Message] = [calls("c1"), UserMessage.of("x")]
    assert for_model(messages) == for_model(messages)


@pytest.mark.parametrize("reason", ["error", "aborted"])
def test_failed_replies_are_left_out_with_their_results(reason: StopReason) -> None:
    messages: list[Message] = [UserMessage.of("a"), calls("c1", stop_reason=reason), result("c1"), UserMessage.of("b")]
    assert shape(messages) == ["user a", "user b"]


def test_results_are_put_into_call_order_and_strangers_are_left_out() -> None:
    messages: list[Message] = [calls("c1", "c2"), result("c2"), result("x"), result("c1"), result("c1", "twice")]
    assert shape(messages) == ["assistant c1 c2", "result c1", "result c2"]
    answers = [message.text for message in for_model(messages) if isinstance(message, ToolResultMessage)]
    assert answers == ["ok", "ok"]


def test_a_command_of_the_person_never_splits_call_and_result() -> None:
    command = BashExecutionMessage("ls", "a\n", 0)
    messages: list[Message] = [calls("c1"), command, result("c1"), UserMessage.of("x")]
    assert shape(messages) == ["assistant c1", "result c1", "user I ran this command: `ls`", "user x"]


def test_a_hidden_command_is_hidden() -> None:
    assert shape([BashExecutionMessage("ls", "a\n", 0, exclude_from_context=True)]) == []


def test_a_failed_and_cut_command_says_so() -> None:
    command = BashExecutionMessage("make", "", 2, truncated=True, full_output_path="/tmp/x.log")
    (message,) = for_model([command])
    assert isinstance(message, UserMessage)
    assert message.text.splitlines() == [
        "I ran this command: `make`",
        "```",
        "(no output)",
        "```",
        "It exited with code 2.",
        "The output above is cut; all of it is in /tmp/x.log",
    ]


def test_summaries_and_custom_messages_become_user_text() -> None:
    messages: list[Message] = [
        CompactionSummaryMessage("so far so good", 1000),
        CustomMessage("note", (TextContent("by the way"),)),
    ]
    assert shape(messages) == [
        "user The conversation before this point was compacted to this summary:",
        "user by the way",
    ]


def test_open_calls_are_those_whose_outcome_is_unknown() -> None:
    messages: list[Message] = [calls("c1", "c2"), result("c1"), calls("c3", stop_reason="aborted")]
    assert [call.id for call in open_calls(messages)] == ["c2"]
