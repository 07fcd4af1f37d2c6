"""Events to rows, without a terminal: what stands in the history after each of them."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pyagent_tui.agent.details import (
    Details,
    DiffDetails,
    FileDetails,
    ListingDetails,
    NoteDetails,
    OtherDetails,
    OutputDetails,
    Truncation,
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
    ToolExecutionUpdate,
)
from pyagent_tui.agent.measures import RunMeasures
from pyagent_tui.agent.messages import (
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    UserMessage,
)
from pyagent_tui.agent.provider import (
    TextDelta,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallStart,
)
from pyagent_tui.agent.tool import ToolResult
from pyagent_tui.tests.transcript_events import (
    PATCH,
    begin_reply,
    end_reply,
    propose,
    reply,
    result_message,
    settle,
    start,
    streamed_text,
)
from pyagent_tui.widgets.text.look import plain_look
from pyagent_tui.widgets.transcript.feed import Feed
from pyagent_tui.widgets.transcript.history import History
from pyagent_tui.widgets.transcript.tool_cell import Outcome

READ = ToolCall("r", "read", {"path": "/src/shop/totals.py"})
BASH = ToolCall("b", "bash", {"command": "pytest -q"})
EDIT = ToolCall("e", "edit", {"path": "shop/totals.py", "edits": []})
END = AgentEnd((), "done", RunMeasures())


class Screen:
    """A feed with a history of 100×200 cells and a clock that stands still until it is set."""

    def __init__(self, width: int = 100) -> None:
        self.now = 100.0
        self.history = History(plain_look(folder="/src"))
        self.history.resize(width, 200)
        self.feed = Feed(self.history, clock=lambda: self.now)

    def play(self, *events: AgentEvent | Iterable[AgentEvent]) -> list[str]:
        for event in events:
            for one in event if isinstance(event, Iterable) else [event]:
                self.feed.handle(one)
        return self.rows()

    def rows(self) -> list[str]:
        self.feed.advance()
        return [row.strip.text.rstrip() for row in self.history.view()]

    def row(self, start: str) -> str:
        """The row that begins so, its runs of blanks made one."""
        return next(" ".join(row.split()) for row in self.rows() if row.strip().startswith(start))


@pytest.fixture
def screen() -> Screen:
    return Screen()


def test_a_question_and_an_answer_stand_apart(screen: Screen) -> None:
    rows = screen.play(AgentStart(), MessageStart(UserMessage.of("make it so")), reply("Some *text*.\n\n- a\n- b"), END)
    assert rows == [" ❯ make it so", "", "   Some text.", "", "   • a", "   • b"]


def test_text_is_shown_while_it_streams(screen: Screen) -> None:
    assert screen.play(begin_reply(), MessageUpdate(TextDelta(0, "Hello **wor"))) == ["   Hello **wor"]
    assert screen.play(MessageUpdate(TextDelta(0, "ld**"))) == ["   Hello world"]


def test_text_that_is_drawn_before_its_frame_is_shown_once(screen: Screen) -> None:
    screen.play(begin_reply())
    screen.feed.handle(MessageUpdate(TextDelta(0, "I'll ")))
    assert [row.strip.text.rstrip() for row in screen.history.view()] == ["   I'll"]
    assert screen.play(MessageUpdate(TextDelta(0, "look."))) == ["   I'll look."]
    assert screen.play(end_reply(TextContent("I'll look."))) == ["   I'll look."]


def test_equal_blocks_are_parts_of_their_own(screen: Screen) -> None:
    rows = screen.play(begin_reply(), MessageUpdate(TextDelta(0, "a")))
    rows = screen.play(MessageUpdate(TextDelta(0, "\n\na\n\na\n\n")), end_reply(TextContent("a\n\na\n\na\n\n")))
    assert rows == ["   a", "", "   a", "", "   a"]
    parts = screen.history.cells[0].parts
    assert len({id(part) for part in parts}) == len(parts) == 3


def test_the_final_text_counts_over_the_deltas(screen: Screen) -> None:
    screen.play(begin_reply(), MessageUpdate(TextDelta(0, "wrong")), end_reply(TextContent("right")))
    assert screen.rows() == ["   right"]


def test_blocks_stand_in_the_order_of_their_index_even_if_they_interleave(screen: Screen) -> None:
    screen.play(
        begin_reply(),
        MessageUpdate(ToolCallStart(1, "r", "read")),
        MessageUpdate(TextDelta(0, "first")),
        MessageUpdate(TextDelta(2, "third")),
    )
    assert [row for row in screen.rows() if row] == [
        "   first",
        f" ○ read{'preparing':>78}",
        "   third",
    ]


@pytest.mark.parametrize(
    ("call", "details", "text", "outcome", "expected"),
    [
        (READ, FileDetails("x", 1, 48, 48), "a", "ok", "✓ read shop/totals.py 48 lines 2.3 s"),
        (ToolCall("g", "grep", {"pattern": "float(", "path": "shop/"}), ListingDetails("shop/", 3, "matches"), "a", "ok",
         "✓ grep float( in shop/ 3 matches 2.3 s"),
        (EDIT, DiffDetails("shop/totals.py", PATCH, 4, 3), "ok", "ok", "✓ edit shop/totals.py +4 −3 applied 2.3 s"),
        (EDIT, DiffDetails("n", PATCH, 4, 0, created=True), "ok", "ok", "✓ edit shop/totals.py +4 −0 created 2.3 s"),
        (BASH, OutputDetails("pytest -q", "x", 1), "x", "failed", "✗ bash pytest -q failed: exit 1 2.3 s"),
        (BASH, OutputDetails("x", "", None, "SIGKILL"), "", "failed", "✗ bash pytest -q failed: SIGKILL 2.3 s"),
        (BASH, OutputDetails("x", "", None, timed_out=True), "", "failed", "✗ bash pytest -q failed: timeout 2.3 s"),
        (BASH, OutputDetails("x", "x", None, aborted=True), "x", "aborted", "◼ bash pytest -q aborted 2.3 s"),
        (BASH, None, "no", "blocked", "⊘ bash pytest -q refused 2.3 s"),
        (BASH, None, "command: missing", "invalid", "✗ bash pytest -q invalid 2.3 s"),
        (ToolCall("z", "weather", {"city": "Bonn"}), None, "rain", "ok", "✓ weather city=Bonn ok 2.3 s"),
    ],
)  # fmt: skip
def test_one_line_says_a_call(
    screen: Screen, call: ToolCall, details: Details | None, text: str, outcome: Outcome, expected: str
) -> None:
    screen.play(propose(call), start(call), settle(call, text, details, outcome=outcome, duration_ms=2300))
    assert screen.row(expected[0]) == expected


def test_every_state_has_its_own_mark_and_word(screen: Screen) -> None:
    def state() -> str:
        return (
            screen.row(screen.rows()[0].strip()[0]).split(" ", 1)[0] + " " + screen.rows()[0].split("q", 1)[1].strip()
        )

    seen = [screen.play(begin_reply(), MessageUpdate(ToolCallStart(0, "b", "bash")))[0].split()]
    screen.play(MessageUpdate(ToolCallDelta(0, '{"command":"pytest -q"}')), end_reply(BASH, stop="toolUse"))
    assert seen == [["○", "bash", "preparing"]]
    assert state() == "○ queued"
    screen.play(start(BASH))
    screen.now += 4.2
    screen.feed.tick()
    assert state() == "… running           4.2 s"
    screen.feed.wait("b", None)
    assert state() == "● waiting for you"
    screen.feed.resume("b")
    assert state() == "… running           0.0 s"


def test_the_telling_argument_shows_as_it_streams(screen: Screen) -> None:
    screen.play(begin_reply(), MessageUpdate(ToolCallStart(0, "w", "write")))
    screen.play(MessageUpdate(ToolCallDelta(0, '{"path": "src/ma')))
    assert screen.row("○") == "○ write src/ma preparing"
    screen.play(MessageUpdate(ToolCallDelta(0, 'in.py", "content": "')), MessageUpdate(ToolCallDelta(0, "x" * 34_000)))
    assert screen.row("○") == "○ write src/main.py preparing 34k"


@pytest.mark.parametrize("width", [120, 160, 300])
def test_the_outcome_stands_near_its_call_however_wide_the_screen(width: int) -> None:
    screen = Screen(width=width)
    row = screen.play(propose(EDIT), start(EDIT), settle(EDIT, "ok", DiffDetails("shop/totals.py", PATCH, 1, 1)))[0]
    assert row.index("applied") < 105
    long = ToolCall("l", "bash", {"command": "x" * 200})
    row = screen.play(propose(long), start(long), settle(long, "", OutputDetails("x", "", 0)))[-1]
    assert ("x" * 200 in row) is (width == 300)
    assert "ok" in row


def test_output_shows_its_last_lines_live_and_counts_the_others(screen: Screen) -> None:
    screen.play(propose(BASH), start(BASH))
    output = "".join(f"line {number}\n" for number in range(1, 18))
    rows = screen.play(ToolExecutionUpdate("b", "bash", ToolResult.of("", OutputDetails("pytest -q", output))))
    assert rows[1:] == ["   │ … 12 earlier lines", *(f"   │ line {number}" for number in range(13, 18))]


def test_lines_that_a_live_update_no_longer_holds_are_counted_too(screen: Screen) -> None:
    screen.play(propose(BASH), start(BASH))
    output = "\n".join(f"line {number}" for number in range(201, 301))
    rows = screen.play(
        ToolExecutionUpdate("b", "bash", ToolResult.of("", OutputDetails("pytest -q", output, total_lines=300)))
    )
    assert rows[1:] == ["   │ … 295 earlier lines", *(f"   │ line {number}" for number in range(296, 301))]
    assert screen.history.cells[0].expand(True)
    assert screen.rows()[1:3] == ["   │ 200 earlier lines, not shown while it runs", "   │ line 201"]


@pytest.mark.parametrize(
    ("lines", "marker"),
    [
        (["x" * 100, "short", "x" * 100, "end"], "… 1 earlier line"),
        (["first", "x" * 300, "end"], "… 1 earlier line · 5 earlier rows"),
        (["x" * 300], "… 4 earlier rows of this line"),
        (["a", "b", "c", "d", "e", "f", "g"], "… 2 earlier lines"),
    ],
)
def test_the_hidden_count_is_what_opening_reveals(lines: list[str], marker: str) -> None:
    screen = Screen(width=40)
    output = "\n".join(lines)
    screen.play(propose(BASH), start(BASH), settle(BASH, output, OutputDetails("pytest -q", output, 0)))
    collapsed = screen.rows()
    assert collapsed[1] == f"   │ {marker}"
    assert len(collapsed) == 7
    cell = screen.history.cells[0]
    assert cell.expand(True)
    assert screen.rows()[-5:] == collapsed[-5:]


def test_the_count_of_a_file_agrees_with_its_row(screen: Screen) -> None:
    read = ToolCall("r", "read", {"path": "min.js"})
    text = "var a=1;" * 600
    rows = screen.play(propose(read), start(read), settle(read, text, FileDetails("min.js", 1, 1)))
    assert "1 line " in rows[0]
    assert rows[-1] == "   │ … 42 more rows of this line"
    cell = screen.history.cells[0]
    assert cell.expand(True)
    assert len(screen.rows()) == len(rows) - 1 + 42
    long = ToolCall("l", "read", {"path": "long.txt"})
    rows = screen.play(
        propose(long), start(long), settle(long, text + "\n" + "a\n" * 30, FileDetails("long.txt", 1, 31))
    )
    assert rows[-1] == "   │ … 30 more lines · 42 more rows of this line"


def test_a_short_diff_is_whole_and_a_long_one_shows_as_much_as_twenty_rows_hold(screen: Screen) -> None:
    rows = screen.play(propose(EDIT), start(EDIT), settle(EDIT, "ok", DiffDetails("shop/totals.py", PATCH, 1, 1)))
    assert rows[5:7] == [
        "   │   5 −     return sum(float(i.price) for i in items)",
        "   │   5 +     return sum((i.price for i in items), Decimal())",
    ]
    hunks = "".join(f"@@ -{at},3 +{at},3 @@\n a\n-old {at}\n+new {at}\n b\n" for at in range(1, 200, 20))
    other = ToolCall("o", "edit", {"path": "long.py"})
    details = DiffDetails("long.py", "--- a/long.py\n+++ b/long.py\n" + hunks, 10, 10)
    rows = screen.play(propose(other), start(other), settle(other, "ok", details))
    assert rows[-1] == "   │ … 8 more changed lines · 4 more hunks"
    body = rows[next(index for index, row in enumerate(rows) if "long.py" in row) + 1 :]
    assert len(body) == 18


def test_a_patch_that_cannot_be_parsed_is_shown_as_it_is(screen: Screen) -> None:
    details = DiffDetails("x", "@@ nonsense @@\n-a\n+b\n", 1, 1)
    rows = screen.play(propose(EDIT), start(EDIT))
    screen.feed.wait("e", details)
    assert screen.rows()[1:] == ["   │ @@ nonsense @@", "   │ -a", "   │ +b"], rows


def test_bodies_are_chosen_by_kind_and_an_unknown_kind_is_plain(screen: Screen) -> None:
    lines = "\n".join(f"l{number}" for number in range(40))
    counts: list[int] = []
    for index, details in enumerate(
        [
            FileDetails("a.txt", 1, 40),
            ListingDetails(".", 40, "matches"),
            ListingDetails(".", 40, "entries"),
            OtherDetails("chart", {"a": 1}),
            None,
        ]
    ):
        fresh = Screen()
        call = ToolCall(f"t{index}", "tool", {})
        fresh.play(propose(call), start(call), settle(call, lines, details))
        counts.append(len(fresh.rows()) - 2)
    assert counts == [10, 15, 20, 10, 10]
    call = ToolCall("n", "tool", {})
    assert screen.play(propose(call), start(call), settle(call, "", NoteDetails("did it")))[1] == "   │ did it"


def test_output_says_where_the_rest_is_and_what_still_runs(screen: Screen) -> None:
    details = OutputDetails(
        "x", "tail\n", 0, truncation=Truncation("lines", 2500, 9, 2000, 8), full_output_path="/tmp/o", left_running=2
    )
    rows = screen.play(propose(BASH), start(BASH), settle(BASH, "tail", details))
    assert rows[2:] == [
        "   │ the last 2,000 lines of 2,500 are kept",
        "   │ full output: /tmp/o",
        "   │ 2 processes left running",
    ]


def test_a_failed_attempt_folds_when_it_is_tried_again_so_that_text_is_never_doubled(screen: Screen) -> None:
    screen.play(
        begin_reply(), streamed_text("half an ans"), end_reply(TextContent("half an ans"), stop="error", error="529")
    )
    rows = screen.play(AutoRetryStart(1, 3, 3000, "529"))
    assert rows[0] == "   half an ans"
    assert rows[-1] == " … retrying in 3 s · attempt 1 of 3 · esc stops"
    screen.now += 1.1
    screen.feed.tick()
    assert screen.rows()[-1] == " … retrying in 2 s · attempt 1 of 3 · esc stops"
    rows = screen.play(reply("half an answer"), AutoRetryEnd(True, 1))
    assert rows == [" · attempt failed: 529 · 1 line of a partial reply", "", "   half an answer"]
    assert screen.history.cells[0].expand(True)
    assert "   half an ans" in screen.rows()


def test_a_wait_that_was_stopped_says_so(screen: Screen) -> None:
    screen.play(begin_reply(), end_reply(stop="error", error="529"))
    rows = screen.play(AutoRetryStart(1, 3, 3000, "529"), AutoRetryEnd(False, 1, "aborted"), END)
    assert rows[-2:] == [" ◼ aborted: it is not tried again", "   nothing was lost: /retry asks once more"]


def test_an_error_says_what_to_do_and_a_stop_keeps_the_text(screen: Screen) -> None:
    rows = screen.play(begin_reply(), streamed_text("par"), end_reply(TextContent("par"), stop="error", error="[/] no"))
    assert rows[2] == " ✗ [/] no"
    assert "nothing was lost" in rows[3]
    rows = screen.play(begin_reply(), streamed_text("more"), end_reply(TextContent("more"), stop="aborted"))
    assert rows[-1] == " ◼ aborted"
    assert "   more" in rows


def test_thinking_is_one_row_with_its_duration_and_opens(screen: Screen) -> None:
    screen.play(begin_reply(), MessageUpdate(ThinkingStart(0)), MessageUpdate(ThinkingDelta(0, "Hm.\nSo.")))
    screen.now += 3.2
    screen.feed.tick()
    assert screen.rows() == [" ∴ thinking… 3.2 s"]
    rows = screen.play(MessageUpdate(ThinkingEnd(0, ThinkingContent("Hm.\nSo."))))
    assert rows == [" ∴ thought for 3.2 s · 2 lines"]
    assert screen.history.cells[0].expand(True)
    assert screen.rows()[1:] == ["   Hm.", "   So."]


def test_twenty_thousand_newlines_of_thinking_stay_one_row(screen: Screen) -> None:
    screen.play(begin_reply(), [MessageUpdate(ThinkingDelta(0, "\n")) for _ in range(20_000)])
    assert len(screen.rows()) == 1


def test_silence_of_the_model_is_said_and_ends_with_its_first_sign(screen: Screen) -> None:
    screen.play(AgentStart(), MessageStart(UserMessage.of("hi")))
    screen.feed.tick()
    assert screen.rows() == [" ❯ hi"]
    screen.now += 2
    screen.feed.tick()
    assert screen.rows()[-1] == " … waiting for the model · 2.0 s"
    assert screen.play(begin_reply(), MessageUpdate(TextDelta(0, "yes"))) == [" ❯ hi", "", "   yes"]


def test_a_run_that_ends_leaves_nothing_running(screen: Screen) -> None:
    screen.play(AgentStart(), propose(READ, BASH), start(BASH), END)
    assert screen.row("◼").startswith("◼ read shop/totals.py interrupted")
    assert not screen.feed.tick()
    assert not screen.feed.calls


def test_stored_messages_look_like_the_run_that_made_them() -> None:
    live, stored = Screen(), Screen()
    details = OutputDetails("pytest -q", "a\nb", 1)
    live.play(AgentStart(), MessageStart(UserMessage.of("go")), reply("# T\n\n1. a\n1. b"), propose(READ, BASH))
    live.play(start(READ), settle(READ, "x", FileDetails("x", 1, 1)), start(BASH))
    live.play(settle(BASH, "a", details, outcome="failed"), END)
    for message in (
        UserMessage.of("go"),
        AssistantMessage((TextContent("# T\n\n1. a\n1. b"),)),
        AssistantMessage((READ, BASH), stop_reason="toolUse"),
        result_message(READ, "x", FileDetails("x", 1, 1)),
        result_message(BASH, "a", details, is_error=True),
    ):
        stored.feed.add_message(message)
    assert stored.rows() == live.rows()


def test_a_stored_call_without_a_result_is_shown_as_interrupted(screen: Screen) -> None:
    screen.feed.add_message(AssistantMessage((READ, BASH), stop_reason="toolUse"))
    screen.feed.add_message(result_message(READ, "x", FileDetails("x", 1, 1)))
    assert screen.row("✓").startswith("✓ read")
    assert screen.row("◼") == "◼ bash pytest -q interrupted"


def test_every_other_message_and_event_has_its_row(screen: Screen) -> None:
    screen.feed.add_message(UserMessage.of("look", (ImageContent("A" * 4000, "image/png"),)))
    screen.feed.add_message(BashExecutionMessage("ls", "a\nb", 0))
    screen.feed.add_message(CustomMessage("x", (TextContent("from an extension"),)))
    screen.feed.add_message(CustomMessage("x", (TextContent("hidden"),), display=False))
    screen.feed.add_message(BranchSummaryMessage("what happened", "e1"))
    screen.feed.add_message(CompactionSummaryMessage("long story", 120_000))
    rows = screen.play(CompactionStart("manual"))
    assert rows[-1] == " … compacting the context · 0.0 s"
    rows = screen.play(CompactionEnd("manual", None, False, False, "too big"), AgentNotice("warning", "three times"))
    assert rows[:2] == [" ❯ look", "   [image/png, 3.0kB]"]
    assert [" ".join(row.split()) for row in rows if row][2:] == [
        "✓ ! ls ok",
        "│ a",
        "│ b",
        "from an extension",
        "· summary of the branch that was left",
        "· context compacted · 120k tokens before",
        "✗ compaction failed: too big",
        "! three times",
    ]


def test_rows_of_the_same_kind_stand_close_and_others_apart(screen: Screen) -> None:
    screen.play(propose(READ), start(READ), settle(READ, "", FileDetails("x", 1, 0)))
    screen.play(propose(BASH), start(BASH), settle(BASH, "", OutputDetails("x", "", 0)), reply("done"))
    assert [row.strip()[:1] for row in screen.rows()] == ["✓", "✓", "", "d"]


def test_a_message_end_alone_is_enough(screen: Screen) -> None:
    assert screen.play(MessageEnd(AssistantMessage((TextContent("whole"),)))) == ["   whole"]
