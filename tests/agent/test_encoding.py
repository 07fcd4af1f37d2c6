"""Messages and events keep their meaning through JSON, in the reference system's spelling."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pyagent_tui.agent.details import (
    Details,
    DiffDetails,
    FileDetails,
    ImageDetails,
    ListingDetails,
    NoteDetails,
    OtherDetails,
    OutputDetails,
    SeenContent,
    Truncation,
)
from pyagent_tui.agent.encoding import (
    details_from_json,
    details_to_json,
    event_to_json,
    message_from_json,
    message_to_json,
    usage_from_json,
    usage_to_json,
)
from pyagent_tui.agent.events import (
    AgentEnd,
    AgentEvent,
    AgentNotice,
    AgentStart,
    AutoRetryEnd,
    AutoRetryStart,
    CompactionEnd,
    CompactionStart,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    QueueUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnEnd,
    TurnStart,
)
from pyagent_tui.agent.measures import RunMeasures
from pyagent_tui.agent.messages import (
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    Cost,
    CustomMessage,
    ImageContent,
    Message,
    ServerToolContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from pyagent_tui.agent.provider import (
    ServerTool,
    StreamDone,
    StreamError,
    StreamEvent,
    StreamStart,
    StreamUsage,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from pyagent_tui.agent.tool import ToolResult

CUT = Truncation("bytes", 900, 90_000, 500, 51_200, last_line_partial=True)
PRICED = Usage(10, 20, 30, 40, reasoning=5, cost=Cost(0.1, 0.2, 0.3, 0.4))

MESSAGES: list[Message] = [
    UserMessage((TextContent("héllo\u2028"), ImageContent("aGk=", "image/png")), 1),
    AssistantMessage(
        (
            ThinkingContent("hm", "sig"),
            ThinkingContent("", "enc", redacted=True),
            TextContent("yes", "tsig"),
            ToolCall("c1", "read", {"path": "a", "n": [1, {"x": None}]}, signature="s", wire_id="w"),
            ToolCall("c2", "edit", {}, raw_arguments='{"a":', parse_error="cut"),
            ServerToolContent("web_search", {"q": "x"}),
        ),
        "anthropic-messages",
        "anthropic",
        "m",
        PRICED,
        "length",
        "refusal",
        "sorry",
        "r1",
        "m-2",
        "high",
        2,
    ),
    ToolResultMessage("c1", "read", (TextContent("out"),), FileDetails("a", 1, 2, 3, CUT), True, PRICED, 12, 3),
    ToolResultMessage("c1", "read", (), timestamp=3),
    BashExecutionMessage("ls", "x", 0, True, True, "/tmp/full", True, 4),
    BashExecutionMessage("ls", "x", None, timestamp=4),
    CustomMessage("ext", (TextContent("t"),), False, {"a": 1}, 5),
    BranchSummaryMessage("was there", "abcd1234", 6),
    CompactionSummaryMessage("so far", 1000, 7),
]

DETAILS: list[Details] = [
    DiffDetails("a.py", "@@ -1 +1 @@\n-a\n+b\n", 1, 1, 1, True, "why"),
    DiffDetails("a.py", "", 0, 0),
    OutputDetails("ls", "out", None, "SIGTERM", True, True, 7, CUT, "/tmp/o", 2),
    FileDetails("a", 1, 2),
    FileDetails("a", 1, 2, seen=SeenContent("/p/a", "0f")),
    DiffDetails("a.py", "", 0, 0, seen=SeenContent("/p/a.py", "0f")),
    ListingDetails("src", 3, "matches", 100, CUT),
    ImageDetails("p.png", "image/png", 10, 20, 100, 200),
    NoteDetails("done"),
    OtherDetails("chart", {"points": [1, 2]}),
]


def through_json(data: Any) -> Any:
    return json.loads(json.dumps(data))


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_survives_the_round_trip(message: Message) -> None:
    assert message_from_json(through_json(message_to_json(message))) == message


@pytest.mark.parametrize("details", DETAILS, ids=lambda details: details.kind)
def test_details_survive_the_round_trip(details: Details) -> None:
    assert details_from_json(through_json(details_to_json(details))) == details


def test_names_are_spelled_as_the_reference_spells_them() -> None:
    data = message_to_json(MESSAGES[1])
    thinking, redacted, text, call, broken, _ = data["content"]
    assert thinking == {"type": "thinking", "thinking": "hm", "thinkingSignature": "sig"}
    assert redacted["redacted"] is True
    assert text == {"type": "text", "text": "yes", "textSignature": "tsig"}
    assert (call["type"], call["arguments"]["path"], call["thoughtSignature"]) == ("toolCall", "a", "s")
    assert broken["argumentsError"] == "cut"
    assert set(data["usage"]) == {"input", "output", "cacheRead", "cacheWrite", "totalTokens", "cost", "reasoning"}
    assert data["usage"]["cost"]["total"] == pytest.approx(1.0)
    result = message_to_json(MESSAGES[2])
    assert (result["role"], result["toolCallId"], result["isError"], result["durationMs"]) == (
        "toolResult",
        "c1",
        True,
        12,
    )
    assert result["details"]["truncation"]["lastLinePartial"] is True


def test_absent_values_are_left_out_rather_than_written_as_null() -> None:
    for message in MESSAGES:
        assert None not in message_to_json(message).values()


def test_an_unknown_cost_is_not_read_back_as_free() -> None:
    unknown = usage_to_json(Usage(10, 5, cost=None))
    assert unknown["cost"]["total"] == 0
    assert usage_from_json(through_json(unknown)).cost is None
    assert usage_from_json(through_json(usage_to_json(Usage(10, 5, cost=Cost())))).cost == Cost()


def test_a_bill_that_differs_from_its_parts_keeps_its_total() -> None:
    cost = {"input": 0.1, "output": 0.2, "cacheRead": 0, "cacheWrite": 0, "total": 0.5, "totalFromProvider": True}
    read = usage_from_json({"input": 1, "output": 2, "cost": cost}).cost
    assert read is not None
    assert read.total == pytest.approx(0.5)


@pytest.mark.parametrize("content", [None, [], "", [None, 3, {"type": "hologram"}], {"not": "a list"}])
@pytest.mark.parametrize("role", ["user", "assistant", "toolResult", "custom"])
def test_empty_and_odd_content_is_tolerated(role: str, content: object) -> None:
    message = message_from_json({"role": role, "content": content})
    assert "".join(block.text for block in message.content if isinstance(block, TextContent)) == ""  # type: ignore[union-attr]


def test_content_may_be_a_plain_string() -> None:
    assert message_from_json({"role": "user", "content": "hi", "timestamp": 5}) == UserMessage((TextContent("hi"),), 5)


def test_wrong_types_take_defaults() -> None:
    odd = {"role": "assistant", "content": None, "usage": "lots", "stopReason": 7, "model": None, "timestamp": "x"}
    assert message_from_json(odd) == AssistantMessage((), timestamp=0)


@pytest.mark.parametrize(
    ("stored", "reason", "detail"),
    [("deferred", "stop", "deferred"), ("pending", "aborted", "pending"), ("toolUse", "toolUse", None)],
)
def test_a_foreign_stop_reason_becomes_one_of_ours(stored: str, reason: str, detail: str | None) -> None:
    message = message_from_json({"role": "assistant", "content": [], "stopReason": stored})
    assert isinstance(message, AssistantMessage)
    assert (message.stop_reason, message.stop_detail) == (reason, detail)


def test_an_unknown_role_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match="system"):
        message_from_json({"role": "system", "content": ""})


def test_the_references_edit_details_become_a_diff() -> None:
    patch = "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n-- old\n+new\n same\n"
    data = {"diff": "…", "patch": patch, "firstChangedLine": 1}
    assert details_from_json(data, "edit") == DiffDetails("a.py", patch, 1, 1, 1)


def test_a_display_diff_without_a_patch_becomes_hunks() -> None:
    display = "  1 a\n- 2 b\n+ 2 B\n+ 3 C\n  3 d\n    ...\n 40 x\n-41 y"
    read = details_from_json({"diff": display, "firstChangedLine": 2}, "edit")
    assert isinstance(read, DiffDetails)
    assert read.patch == "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+C\n d\n@@ -40,2 +41,1 @@\n x\n-y\n"
    assert (read.added, read.removed) == (2, 2)


def test_the_references_bash_details_take_output_and_end_from_the_content() -> None:
    cut = {"content": "…", "truncated": True, "truncatedBy": "lines", "totalLines": 2500, "outputLines": 2000}
    message = message_from_json(
        {
            "role": "toolResult",
            "toolCallId": "c",
            "toolName": "bash",
            "isError": True,
            "content": [{"type": "text", "text": "boom\n\nCommand exited with code 3"}],
            "details": {"truncation": cut, "fullOutputPath": "/tmp/log"},
        }
    )
    assert isinstance(message, ToolResultMessage)
    assert isinstance(message.details, OutputDetails)
    assert (message.details.output, message.details.exit_code) == ("boom", 3)
    assert (message.details.total_lines, message.details.full_output_path) == (2500, "/tmp/log")


def test_details_of_an_unknown_kind_stay_whole() -> None:
    data = {"kind": "hologram", "depth": 3, "nested": {"a": [1]}}
    assert details_to_json(details_from_json(data)) == data
    assert details_to_json(details_from_json({"anything": 1})) == {"anything": 1}


def test_details_with_wrong_types_do_not_fail() -> None:
    assert details_from_json({"kind": "diff", "path": None, "patch": 3, "added": "x"}) == DiffDetails("", "", 0, 0)


REPLY = AssistantMessage((TextContent("ok"),), timestamp=1)
RESULT = ToolResult.of("done", NoteDetails("n"), is_error=True)
RESULT_JSON = {"content": [{"type": "text", "text": "done"}], "details": {"kind": "note", "text": "n"}}

EVENTS: list[tuple[AgentEvent, dict[str, Any]]] = [
    (AgentStart(), {"type": "agent_start"}),
    (TurnStart(), {"type": "turn_start"}),
    (MessageStart(REPLY), {"type": "message_start", "message": message_to_json(REPLY)}),
    (MessageEnd(REPLY), {"type": "message_end", "message": message_to_json(REPLY)}),
    (
        ToolExecutionStart("c", "bash", {"command": "ls"}),
        {"type": "tool_execution_start", "toolCallId": "c", "toolName": "bash", "args": {"command": "ls"}},
    ),
    (
        ToolExecutionUpdate("c", "bash", RESULT),
        {"type": "tool_execution_update", "toolCallId": "c", "toolName": "bash", "partialResult": RESULT_JSON},
    ),
    (
        ToolExecutionEnd("c", "bash", RESULT, "failed", 7),
        {
            "type": "tool_execution_end",
            "toolCallId": "c",
            "toolName": "bash",
            "result": RESULT_JSON,
            "isError": True,
            "outcome": "failed",
            "durationMs": 7,
        },
    ),
    (TurnEnd(REPLY, ()), {"type": "turn_end", "message": message_to_json(REPLY), "toolResults": []}),
    (
        AgentEnd((REPLY,), "done", RunMeasures()),
        {"type": "agent_end", "messages": [message_to_json(REPLY)], "reason": "done", "willRetry": False},
    ),
    (QueueUpdate(("a",), ("b",)), {"type": "queue_update", "steering": ["a"], "followUp": ["b"]}),
    (
        AutoRetryStart(1, 3, 2000, "busy"),
        {"type": "auto_retry_start", "attempt": 1, "maxAttempts": 3, "delayMs": 2000, "errorMessage": "busy"},
    ),
    (AutoRetryEnd(True, 2), {"type": "auto_retry_end", "success": True, "attempt": 2}),
    (AutoRetryEnd(False, 3, "no"), {"type": "auto_retry_end", "success": False, "attempt": 3, "finalError": "no"}),
    (CompactionStart("manual"), {"type": "compaction_start", "reason": "manual"}),
    (
        CompactionEnd("overflow", "sum", False, True),
        {
            "type": "compaction_end",
            "reason": "overflow",
            "result": {"summary": "sum"},
            "aborted": False,
            "willRetry": True,
        },
    ),
    (
        CompactionEnd("manual", None, True, False, "no"),
        {"type": "compaction_end", "reason": "manual", "aborted": True, "willRetry": False, "errorMessage": "no"},
    ),
    (AgentNotice("info", "hi"), {"type": "agent_notice", "level": "info", "text": "hi"}),
]


@pytest.mark.parametrize(("event", "expected"), EVENTS, ids=lambda value: type(value).__name__)
def test_an_event_is_spelled_as_the_reference_spells_it(event: AgentEvent, expected: dict[str, Any]) -> None:
    assert through_json(event_to_json(event)) == expected


CALL = ToolCall("c", "read", {"path": "a"})
UPDATES: list[tuple[StreamEvent, dict[str, Any]]] = [
    (StreamStart("r", "m"), {"type": "start", "responseId": "r", "responseModel": "m"}),
    (TextStart(0), {"type": "text_start", "contentIndex": 0}),
    (TextDelta(0, "x"), {"type": "text_delta", "contentIndex": 0, "delta": "x"}),
    (TextEnd(0, TextContent("x")), {"type": "text_end", "contentIndex": 0, "content": "x"}),
    (ThinkingStart(1), {"type": "thinking_start", "contentIndex": 1}),
    (ThinkingDelta(1, "x"), {"type": "thinking_delta", "contentIndex": 1, "delta": "x"}),
    (ThinkingEnd(1, ThinkingContent("x")), {"type": "thinking_end", "contentIndex": 1, "content": "x"}),
    (ToolCallStart(2, "c", "read"), {"type": "toolcall_start", "contentIndex": 2, "id": "c", "toolName": "read"}),
    (ToolCallDelta(2, "{"), {"type": "toolcall_delta", "contentIndex": 2, "delta": "{"}),
    (
        ToolCallEnd(2, CALL),
        {
            "type": "toolcall_end",
            "contentIndex": 2,
            "toolCall": {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a"}},
        },
    ),
    (
        ServerTool(3, ServerToolContent("k", {})),
        {"type": "server_tool", "contentIndex": 3, "content": {"type": "serverTool", "kind": "k", "data": {}}},
    ),
    (StreamUsage(PRICED), {"type": "usage", "usage": usage_to_json(PRICED)}),
    (StreamDone("stop", PRICED), {"type": "done", "reason": "stop", "usage": usage_to_json(PRICED)}),
    (StreamError("aborted", "esc"), {"type": "error", "reason": "aborted", "errorMessage": "esc"}),
]


@pytest.mark.parametrize(("event", "expected"), UPDATES, ids=lambda value: type(value).__name__)
def test_an_update_carries_its_delta_only(event: StreamEvent, expected: dict[str, Any]) -> None:
    data = through_json(event_to_json(MessageUpdate(event)))
    assert data == {"type": "message_update", "assistantMessageEvent": expected}


def test_an_edit_is_stored_with_the_form_that_the_reference_shows() -> None:
    patch = "--- a/x\n+++ b/x\n@@ -8,3 +8,4 @@ def f():\n a\n-b\n+-- B\n+c\n d\n@@ -30 +31 @@\n-@@\n+e\n\\ No newline at end of file\n"
    data = through_json(message_to_json(ToolResultMessage("c", "edit", (), DiffDetails("x", patch, 3, 2))))
    display = data["details"]["diff"]
    assert display.split("\n") == [
        *("  8 a", "- 9 b", "+ 9 -- B", "+10 c", " 10 d"),
        "    ...",
        *("-30 @@", "+31 e"),
    ]
    assert "diff" not in message_to_json(ToolResultMessage("c", "write", (), DiffDetails("x", patch, 3, 2)))["details"]
    theirs = details_from_json({"diff": display}, "edit")
    assert isinstance(theirs, DiffDetails)
    assert (theirs.added, theirs.removed) == (3, 2)
    huge = "@@ -1 +1 @@\n-a\n+" + "b" * 100_000 + "\n"
    assert "diff" not in message_to_json(ToolResultMessage("c", "edit", (), DiffDetails("x", huge, 1, 1)))["details"]
