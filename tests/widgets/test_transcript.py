"""The transcript in an app: what the person sees, presses and clicks."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Offset, Region
from textual.selection import Selection
from textual.widgets import Input, Static

from pyagent_tui.agent.details import DiffDetails, FileDetails, OutputDetails
from pyagent_tui.agent.events import AgentEnd, AgentEvent, AgentStart, MessageStart, MessageUpdate, ToolExecutionUpdate
from pyagent_tui.agent.measures import RunMeasures
from pyagent_tui.agent.messages import ToolCall, UserMessage
from pyagent_tui.agent.provider import TextDelta
from pyagent_tui.agent.tool import ToolResult
from pyagent_tui.tests.pace import budget
from pyagent_tui.tests.transcript_events import PATCH, begin_reply, propose, reply, settle, start, tool_turn
from pyagent_tui.widgets.transcript.cell_rows import Place
from pyagent_tui.widgets.transcript.selection import offset_of
from pyagent_tui.widgets.transcript.transcript import Transcript

pytestmark = pytest.mark.anyio

END = AgentEnd((), "done", RunMeasures())
BASH = ToolCall("b", "bash", {"command": "make"})
EDIT = ToolCall("e", "edit", {"path": "shop/totals.py"})


class TranscriptApp(App[None]):
    """A transcript above an editor."""

    CSS = "Input { dock: bottom; height: 1; border: none; }"

    def __init__(self) -> None:
        super().__init__()
        self.aborted: list[str] = []
        self.follow_changes: list[tuple[bool, int]] = []
        self.copied: list[tuple[str, str]] = []

    def compose(self) -> ComposeResult:
        yield Static("title")
        yield Transcript(folder="/src")
        yield Input()

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    def on_transcript_call_abort_requested(self, message: Transcript.CallAbortRequested) -> None:
        self.aborted.append(message.call_id)

    def on_read_view_copy_requested(self, message: Transcript.CopyRequested) -> None:
        self.copied.append((message.text, message.what))

    def on_transcript_follow_changed(self, message: Transcript.FollowChanged) -> None:
        self.follow_changes.append((message.is_following, message.new_lines))

    def play(self, *events: AgentEvent | Iterable[AgentEvent]) -> None:
        for event in events:
            for one in event if isinstance(event, Iterable) else [event]:
                self.transcript.handle(one)
        self.transcript.flush()

    def seen(self) -> list[str]:
        """The rows of the transcript as they stand on the screen."""
        strips = self.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
        region = self.transcript.region
        return [strip.text.rstrip() for strip in strips[region.y : region.bottom]]


def numbered(count: int) -> str:
    return "\n\n".join(f"line {number}" for number in range(count))


async def test_the_screen_shows_what_the_history_holds() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(80, 12)):
        app.play(MessageStart(UserMessage.of("hello")), reply("**hi** there"))
        assert app.seen()[:3] == [" ❯ hello", "", "   hi there"]


async def test_deltas_are_gathered_into_one_frame() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(80, 12)) as pilot:
        drawn = 0
        draw = app.transcript.refresh_rows

        def counted() -> None:
            nonlocal drawn
            drawn += 1
            draw()

        app.transcript.refresh_rows = counted
        app.transcript.handle(begin_reply())
        for _ in range(500):
            app.transcript.handle(MessageUpdate(TextDelta(0, "word ")))
        assert drawn == 0
        await pilot.pause(0.1)
        assert 1 <= drawn <= 3
        assert app.seen()[0].startswith("   word word")


async def test_the_end_is_followed_until_the_reader_leaves_it_and_then_the_text_stands_still() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 14)) as pilot:
        app.play(reply(numbered(40)))
        assert app.seen()[-1] == "   line 39"
        app.transcript.action_page(-1)
        await pilot.pause()
        before = app.seen()
        assert before[-1].endswith("↓ more below · end")
        app.play(reply("next\n\nanswer"))
        await pilot.pause()
        assert app.seen()[:-1] == before[:-1]
        assert app.seen()[-1].endswith("↓ 4 new lines · end")
        assert app.follow_changes[-1] == (False, 4)
        app.transcript.action_follow()
        await pilot.pause()
        assert app.seen()[-1] == "   answer"
        assert app.follow_changes[-1] == (True, 0)


async def test_a_resize_keeps_the_text_in_view() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 14)) as pilot:
        app.play(reply("\n\n".join(f"paragraph {number} " + "word " * 30 for number in range(40))))
        app.transcript.scroll_lines(-60)
        top = next(row for row in app.seen() if "paragraph" in row)[3:15]
        for size in ((120, 14), (22, 8), (40, 20), (60, 14)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert any(top in row for row in app.seen()), (size, app.seen())
        assert not app.transcript.is_following


async def test_every_row_fits_after_any_resize() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(120, 20)) as pilot:
        app.play(MessageStart(UserMessage.of("✅你好—" * 60)), propose(BASH, EDIT), start(BASH))
        output = "漢字 " * 40 + "\n" + "x" * 300
        app.play(ToolExecutionUpdate("b", "bash", ToolResult.of("", OutputDetails("make", output))))
        app.transcript.waiting("e", DiffDetails("shop/totals.py", PATCH, 1, 1))
        for size in ((120, 20), (22, 12), (18, 6), (20, 5), (300, 60), (60, 15)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            for strip in app.transcript.render_lines(app.transcript.size.region):
                assert strip.cell_length == app.transcript.size.width
        assert app.transcript.history.cells


async def test_opening_a_cell_keeps_its_row_where_it_is_and_closing_too() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        output = numbered(30)
        for number in range(4):
            call = ToolCall(f"c{number}", "bash", {"command": f"make {number}"})
            app.play(propose(call), start(call), settle(call, output, OutputDetails("make", output, 0)))
        y = next(index for index, row in enumerate(app.seen()) if "make 2" in row)
        app.query_one(Input).focus()
        await pilot.click(Transcript, offset=(5, y))
        assert app.focused is app.query_one(Input)
        assert "make 2" in app.seen()[y]
        assert [row[3:] for row in app.seen()[y + 1 : y + 4]] == ["│ line 0", "│", "│ line 1"]
        await pilot.click(Transcript, offset=(5, y))
        await pilot.pause()
        assert "… 54 earlier lines" in app.seen()[next(i for i, row in enumerate(app.seen()) if "make 2" in row) + 1]


async def test_enter_opens_the_chosen_cell_and_all_can_be_opened_at_once() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 40)) as pilot:
        output = numbered(10)
        app.play(propose(BASH), start(BASH), settle(BASH, output, OutputDetails("make", output, 0)), reply("done"))
        app.transcript.focus()
        await pilot.press("up", "up", "enter")
        assert app.transcript.history.cells[0].is_expanded
        assert sum("│ line" in row for row in app.seen()) == 10
        await pilot.press("enter")
        assert sum("│ line" in row for row in app.seen()) == 3
        app.transcript.expand_all()
        assert sum("│ line" in row for row in app.seen()) == 10
        app.transcript.expand_all()
        assert sum("│ line" in row for row in app.seen()) == 3


async def test_what_comes_later_is_open_too_while_all_is_open() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 60)):
        output = numbered(10)
        app.play(propose(BASH), start(BASH), settle(BASH, output, OutputDetails("make", output, 0)))
        app.transcript.expand_all()
        later = ToolCall("c", "bash", {"command": "make"})
        app.play(propose(later), start(later), settle(later, output, OutputDetails("make", output, 0)))
        assert sum("│ line" in row for row in app.seen()) == 20
        app.transcript.clear()
        app.play(propose(EDIT), start(EDIT))
        app.transcript.waiting("e", new_file(30))
        app.transcript.flush()
        assert sum(" + row" in row for row in app.seen()) == 30
        app.transcript.resumed("e")
        app.play(settle(EDIT, "ok", new_file(30)))
        assert sum(" + row" in row for row in app.seen()) == 30
        app.transcript.expand_all()
        assert sum(" + row" in row for row in app.seen()) == 19


def new_file(rows: int) -> DiffDetails:
    patch = f"--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,{rows} @@\n" + "".join(f"+row {at}\n" for at in range(rows))
    return DiffDetails("a.txt", patch, rows, 0, created=True)


async def test_opening_all_keeps_the_row_of_a_change_that_waits() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 30)) as pilot:
        app.play(reply("before"), propose(EDIT), start(EDIT))
        app.transcript.waiting("e", new_file(100))
        app.transcript.flush()
        before = app.seen()
        y = next(y for y, row in enumerate(before) if "waiting for you" in row)
        app.transcript.expand_all()
        await pilot.pause()
        after = app.seen()
        assert (after[y], after[y + 1]) == (before[y], before[y + 1])
        assert after[-2].split()[-1] == str(28 - y - 3)
        app.transcript.expand_all()
        await pilot.pause()
        assert app.seen() == before


async def test_opening_all_keeps_the_row_of_the_chosen_cell() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 30)) as pilot:
        output = numbered(30)
        for name in "abc":
            call = ToolCall(name, "bash", {"command": f"make {name}"})
            app.play(propose(call), start(call), settle(call, output, OutputDetails("make", output, 0)))
        app.transcript.focus()
        await pilot.press("up", "up")
        y = next(y for y, row in enumerate(app.seen()) if "make b" in row)
        app.transcript.expand_all()
        assert "make b" in app.seen()[y]
        assert "line 0" in app.seen()[y + 1]


async def test_the_chosen_cell_is_marked_as_soon_as_the_keys_are_the_transcripts() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        app.query_one(Input).focus()
        await pilot.pause()
        app.play(reply("first"), propose(EDIT), start(EDIT))
        app.transcript.waiting("e", new_file(3))
        app.transcript.resumed("e")
        app.transcript.focus()
        await pilot.pause()
        app.query_one(Input).focus()
        await pilot.pause()
        app.play(settle(EDIT, "ok", new_file(3)), reply("last"), END)
        assert not any(row.startswith("│") for row in app.seen())
        app.transcript.focus()
        await pilot.pause()
        assert [row for row in app.seen() if row.startswith("│")] == ["│  last"]
        await pilot.press("up")
        assert "edit" in next(row for row in app.seen() if row.startswith("│"))
        app.query_one(Input).focus()
        await pilot.pause()
        assert not any(row.startswith("│") for row in app.seen())


async def test_a_part_is_copied_of_the_chosen_cell_or_nothing_is() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 40)) as pilot:
        output = OutputDetails("make", "made", 0)
        app.play(MessageStart(UserMessage.of("hello")), propose(BASH), start(BASH), settle(BASH, "made", output))
        app.transcript.focus()
        await pilot.press("down", "Y", "left_curly_bracket", "Y")
        await pilot.pause()
        assert app.copied == [("made", "the output"), ("", "a code block")]


async def test_one_running_call_can_be_stopped_from_its_cell() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        app.play(propose(BASH), start(BASH))
        app.transcript.focus()
        await pilot.press("x")
        assert app.aborted == ["b"]
        app.play(settle(BASH, "", None, outcome="aborted"))
        await pilot.press("x")
        assert app.aborted == ["b"]
        other = ToolCall("c", "bash", {"command": "sleep"})
        app.play(propose(other), start(other))
        await pilot.press("up", "up", "x")
        assert app.aborted == ["b"]
        assert app.transcript.cursor is app.transcript.history.cells[-1]
        await pilot.press("x")
        assert app.aborted == ["b", "c"]


async def test_a_change_that_waits_is_brought_in_sight_and_then_the_end_is_followed_again() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(70, 10)) as pilot:
        others = [ToolCall(f"o{number}", "bash", {"command": "later"}) for number in range(10)]
        app.play(AgentStart(), reply(numbered(20)), propose(EDIT, *others), start(EDIT))
        app.transcript.waiting("e", DiffDetails("shop/totals.py", PATCH, 1, 1))
        await pilot.pause()
        assert app.seen()[0].startswith("│● edit   shop/totals.py  +1 −1")
        assert any("Decimal())" in row for row in app.seen()), app.seen()
        app.transcript.resumed("e")
        app.transcript.flush()
        assert app.seen()[-1].startswith(" ○ bash   later")


async def test_a_spinner_draws_its_own_row_only_and_an_idle_screen_draws_nothing() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        app.animation_level = "full"
        app.play(AgentStart(), reply(numbered(5)), propose(BASH), start(BASH))
        await pilot.pause()
        before = app.transcript.render_lines(app.transcript.size.region)
        app.transcript._tick()  # pyright: ignore[reportPrivateUsage]
        after = app.transcript.render_lines(app.transcript.size.region)
        changed = [y for y, (old, new) in enumerate(zip(before, after, strict=True)) if old is not new]
        assert [app.seen()[y][3:7] for y in changed] == ["bash"]
        app.play(settle(BASH, "", OutputDetails("make", "", 0)), END)
        await pilot.pause(0.3)
        assert not app.transcript.is_ticking


async def test_exactly_the_rows_that_changed_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        app.play(reply(numbered(5)), begin_reply(), MessageUpdate(TextDelta(0, "a")))
        await pilot.pause()
        drawn: list[tuple[int, int]] = []

        def refresh(*regions: Region) -> None:
            drawn.extend((region.y, region.height) for region in regions)

        monkeypatch.setattr(app.transcript, "refresh", refresh)
        app.play(MessageUpdate(TextDelta(0, "b")))
        assert drawn == [(10, 1)]
        app.transcript.flush()
        assert drawn == [(10, 1)]
        app.play(MessageUpdate(TextDelta(0, "\n\nc\n\nd")))
        assert drawn == [(10, 1), (11, 4)]


async def test_another_theme_draws_everything_again() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 10)) as pilot:
        app.play(reply("some text"))
        await pilot.pause()
        dark = app.transcript.render_lines(app.transcript.size.region)
        app.theme = "textual-light"
        await pilot.pause()
        light = app.transcript.render_lines(app.transcript.size.region)
        assert [strip.text for strip in dark] == [strip.text for strip in light]
        assert all(a != b for a, b in zip(dark, light, strict=True))


async def test_the_number_of_widgets_and_the_cost_of_a_turn_do_not_grow() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(100, 30)) as pilot:
        counts: set[int] = set()
        costs: list[float] = []
        app.play(AgentStart())
        for number in range(300):
            events = list(tool_turn(number))
            begin = time.process_time()
            app.play(events)
            costs.append(time.process_time() - begin)
            if number % 50 == 0:
                await pilot.pause()
                counts.add(len(app.screen.walk_children()))
                gc.collect()
        assert len(counts) == 1
        assert median(costs[-60:]) < 1.6 * median(costs[40:100])


async def test_a_frame_of_a_long_history_costs_what_a_short_one_costs() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(100, 30)):
        text = numbered(1000)

        def frame_cost() -> float:
            costs: list[float] = []
            for _ in range(40):
                app.transcript.handle(MessageUpdate(TextDelta(0, "one more word\n\n")))
                begin = time.process_time()
                app.transcript.flush()
                costs.append(time.process_time() - begin)
            return median(costs)

        app.play(begin_reply())
        short = frame_cost()
        for _ in range(20):
            app.play(reply(text, size=4000))
        app.play(begin_reply())
        assert frame_cost() < 2 * short


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


async def test_the_last_answer_and_clear() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 10)) as pilot:
        app.play(reply("first"), reply("the *last* one"), propose(BASH))
        assert app.transcript.last_answer() == "the *last* one"
        app.transcript.clear()
        app.transcript.add_note("error", "no model", "set a key")
        app.transcript.flush()
        await pilot.pause()
        assert app.seen()[:2] == [" ✗ no model", "   set a key"]
        assert app.transcript.last_answer() == ""


async def test_code_and_cells_can_be_taken_as_text() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        code = "\n".join(f"x = {number}" for number in range(100))
        app.play(reply(f"a\n\n```py\nfirst\n```\n\nb\n\n```py\n{code}\n```\n\nend", size=50))
        app.play(propose(BASH), start(BASH), settle(BASH, "out", OutputDetails("make", "\x1b[31mout\x1b[0m", 0)))
        app.transcript.focus()
        await pilot.press("up", "y", "left_parenthesis", "Y")
        assert [text for text, _ in app.copied] == ["bash make\nout", code]


HOSTILE = [
    "[/]",
    "see [/tmp/a]",
    "arr[i] = '['",
    "[bold]x",
    "[@click=app.quit]boo[/]",
    "[b + c",
    "\x1b]52;c;cHduZWQ=\x07",
    "\x1b]0;x\x07",
    "\x1b[6n",
    "\x1bc",
    "\x9b2J",
    "a\ud83db",
    "\u202eevil",
    "\x1b[2J\x1b[5A",
]


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_outside_text_is_markup_or_reaches_the_terminal(text: str) -> None:
    app = TranscriptApp()
    async with app.run_test(size=(100, 60)) as pilot:
        call = ToolCall("t", text, {"command": text, "path": text})
        edit = ToolCall("e", "edit", {"path": text})
        patch = f"--- a\n+++ b\n@@ -1 +1 @@\n-{text}\n+{text} x\n"
        app.play(MessageStart(UserMessage.of(text)), reply(f"{text}\n\n```\n{text}\n```\n\n| {text} |\n|--|\n"))
        app.play(propose(call, edit), start(call), settle(call, text, OutputDetails(text, text, 1), outcome="failed"))
        app.play(start(edit), settle(edit, text, DiffDetails(text, patch, 1, 1, note=text)))
        other = ToolCall("o", "read", {text: text})
        app.play(propose(other), start(other), settle(other, text, FileDetails(text, 1, 1)))
        app.transcript.add_note("error", text, text)
        app.transcript.expand_all()
        await pilot.pause()
        drawn = "\n".join(strip.text for strip in app.transcript.render_lines(app.transcript.size.region))
        assert not any((ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 for c in drawn)
        assert "\u202e" not in drawn
        for strip in app.transcript.render_lines(app.transcript.size.region):
            assert all(segment.style is None or not segment.style.meta for segment in strip)
        if text.isprintable():
            assert drawn.count(text) >= 7


async def test_three_thousand_lines_of_unknown_markup_are_drawn_in_under_a_second() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(100, 30)) as pilot:
        output = "\n".join("[some_unknown_style_name_42] text" for _ in range(3000))
        limit, begin = budget(1), time.monotonic()
        app.play(propose(BASH), start(BASH), settle(BASH, output, OutputDetails("make", output, 0)))
        app.transcript.expand_all()
        app.transcript.action_follow()
        await pilot.pause()
        assert time.monotonic() - begin < limit
        assert app.seen()[-1] == "   │ [some_unknown_style_name_42] text"


async def test_clicking_and_dragging_over_a_reply_that_streams_is_harmless() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        app.play(begin_reply())
        for number in range(6):
            app.play(MessageUpdate(TextDelta(0, f"word {number}\n\n")))
            await pilot.mouse_down(Transcript, offset=(5, 3))
            app.play(MessageUpdate(TextDelta(0, "and ")))
            await pilot.hover(Transcript, offset=(20, 6))
            await pilot.mouse_up(Transcript, offset=(20, 6))
        assert app.is_running


async def test_dragging_selects_text_that_can_be_copied() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        app.play(reply("first words\n\nsecond 漢字 words"))
        await pilot.pause()
        await pilot.mouse_down(Transcript, offset=(3, 0))
        await pilot.hover(Transcript, offset=(13, 2))
        await pilot.mouse_up(Transcript, offset=(13, 2))
        assert app.screen.get_selected_text() == "first words\n\nsecond 漢字"


async def test_what_is_selected_is_marked_and_a_hidden_row_is_copied_too() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 8)) as pilot:
        app.play(reply(numbered(20)))
        await pilot.pause()
        transcript = app.transcript
        first = transcript.history.place_of(transcript.history.rows[0])
        transcript.action_to_start()
        app.screen.selections = {
            transcript: Selection(Offset(3, offset_of(Place(0, 0, 0))), Offset(99, offset_of(first)))
        }
        await pilot.pause()
        assert (app.screen.get_selected_text() or "").startswith("line 0\n\nline 1\n\nline 2")
        assert (app.screen.get_selected_text() or "").count("line") == 17
        marked = transcript.render_lines(transcript.size.region)[0]
        ground = transcript.history.look.style("selection").bgcolor
        assert [segment.text for segment in marked if segment.style and segment.style.bgcolor == ground] == ["line 0"]


async def test_search_goes_from_hit_to_hit_and_opens_what_hides_one() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        output = "\n".join(f"row {number}" for number in range(50))
        app.play(reply("the Needle here"), propose(BASH), start(BASH))
        app.play(settle(BASH, output, OutputDetails("make", output, 0)), reply(numbered(30)))
        assert app.transcript.search("row 17") == 1
        await pilot.pause()
        assert any("row 17" in row for row in app.seen())
        assert app.transcript.search("needle") == 1
        assert any("the Needle here" in row for row in app.seen())
        assert app.transcript.search("Needles") == 0
        assert app.transcript.search("line 2") == 11
        seen: list[str] = []
        for _ in range(3):
            seen += [row for row in app.seen() if row.endswith("line 2")]
            assert app.transcript.find(1)
        assert app.transcript.find(-1)
        assert seen
        app.transcript.search("")
        assert not app.transcript.find(1)


async def test_one_jumps_between_the_messages_of_the_person_and_between_hunks() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        for number in range(3):
            app.play(MessageStart(UserMessage.of(f"question {number}")), reply(numbered(10)))
        app.transcript.jump(-1)
        await pilot.pause()
        assert app.seen()[0] == "│❯ question 2"
        app.transcript.jump(-1)
        assert app.seen()[0] == "│❯ question 1"
        app.transcript.jump(1)
        assert app.seen()[0] == "│❯ question 2"
        hunks = "".join(f"@@ -{at},3 +{at},3 @@\n a\n-old {at}\n+new {at}\n b\n" for at in (1, 30, 60))
        details = DiffDetails("long.py", "--- a\n+++ b\n" + hunks, 3, 3)
        app.play(propose(EDIT), start(EDIT), settle(EDIT, "ok", details), reply(numbered(20)))
        app.transcript.action_follow()
        app.transcript.action_hunk(-1)
        assert "new 60" in app.seen()[2]
        app.transcript.action_hunk(-1)
        assert "new 30" in app.seen()[2]
        app.transcript.action_hunk(1)
        assert "new 60" in app.seen()[2]


async def test_the_hunk_keys_open_a_folded_change_and_mark_the_chosen_hunk() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 30)) as pilot:
        hunks = "".join(f"@@ -{at},8 +{at},8 @@\n" + " a\n" * 7 + f"-old {at}\n+new {at}\n" for at in range(1, 300, 30))
        details = DiffDetails("long.py", "--- a\n+++ b\n" + hunks, 3, 3)
        app.play(propose(EDIT), start(EDIT), settle(EDIT, "ok", details))
        app.transcript.focus()
        await pilot.press("up")
        assert any("4 more hunks" in row for row in app.seen())
        await pilot.press("]")
        assert any("4 more hunks" in row for row in app.seen())
        await pilot.press("]")
        marked = [row for row in app.seen() if row.startswith("│")]
        assert "new 31" in marked[-1]
        assert not any("new 1" in row or "new 61" in row for row in marked)
        await pilot.press("]", "[", "[")
        assert any("new 1" in row for row in app.seen() if row.startswith("│"))


async def test_a_key_lays_diffs_out_the_other_way() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(100, 20)) as pilot:
        app.play(propose(EDIT), start(EDIT), settle(EDIT, "ok", DiffDetails("a.py", PATCH, 1, 1)))
        app.transcript.focus()
        before = app.seen()
        assert not any("float" in row and "Decimal()" in row for row in before)
        await pilot.press("s")
        assert any("float" in row and row.count("│") >= 2 for row in app.seen())
        await pilot.press("s")
        assert app.seen() == before
        await pilot.resize_terminal(50, 20)
        await pilot.press("s")
        assert not any(row.count("│") > 2 for row in app.seen())


async def test_what_is_opened_is_not_new() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        output = numbered(30)
        app.play(reply(numbered(20)), propose(BASH), start(BASH), settle(BASH, output, OutputDetails("make", output)))
        app.transcript.scroll_lines(-2)
        app.transcript.toggle(app.transcript.history.cells[-1])
        await pilot.pause()
        assert app.seen()[-1].endswith("more below · end")
        app.play(reply("one\n\ntwo"))
        await pilot.pause()
        assert app.seen()[-1].endswith("↓ 4 new lines · end")


async def test_a_hunk_key_brings_the_change_that_waits_in_sight() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(80, 12)) as pilot:
        app.play(AgentStart(), reply(numbered(40)), propose(EDIT), start(EDIT))
        app.transcript.action_to_start()
        app.transcript.waiting("e", DiffDetails("shop/totals.py", PATCH, 1, 1))
        await pilot.pause()
        assert not any("Decimal" in row for row in app.seen())
        app.transcript.action_hunk(1)
        await pilot.pause()
        assert any("waiting for you" in row for row in app.seen())
        app.transcript.action_hunk(1)
        await pilot.pause()
        assert any("Decimal())" in row for row in app.seen()), app.seen()
