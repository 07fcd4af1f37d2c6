"""Search in the transcript: what counts as a hit, in which order they come, what is opened for them."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from pyagent_tui.agent.details import OutputDetails
from pyagent_tui.agent.messages import ToolCall
from pyagent_tui.tests.transcript_events import propose, reply, settle, start
from pyagent_tui.widgets.transcript.transcript import Transcript

pytestmark = pytest.mark.anyio

OUTPUT = "\n".join(f"row {number}" for number in range(50))


class SearchApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Transcript()

    @property
    def view(self) -> Transcript:
        return self.query_one(Transcript)

    def say(self, text: str) -> None:
        for event in reply(text, size=4000):
            self.view.handle(event)
        self.view.flush()

    def run_command(self, name: str, output: str) -> None:
        call = ToolCall(name, "bash", {"command": name})
        details = OutputDetails(name, output, 0)
        for event in (*propose(call), start(call), *settle(call, output, details)):
            self.view.handle(event)
        self.view.flush()

    def marked(self, style: str) -> list[str]:
        """The texts on the ground of that style."""
        ground = self.view.history.look.style(style).bgcolor
        strips = self.view.render_lines(self.view.size.region)
        return [part.text for strip in strips for part in strip if part.style and part.style.bgcolor == ground]


async def test_a_phrase_that_is_folded_is_found_and_marked_in_both_rows() -> None:
    app = SearchApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.say("These are some words that stand before a long phrase which is folded.")
        assert app.view.search("before a long PHRASE") == 0
        assert app.view.search("before a long phrase") == 1
        await pilot.pause()
        assert app.view.found == (1, 1)
        assert "".join(app.marked("match") + app.marked("match-current")).replace(" ", "") == "beforealongphrase"


async def test_a_word_that_is_folded_within_is_found() -> None:
    app = SearchApp()
    async with app.run_test(size=(30, 12)) as pilot:
        app.run_command("make", "x" * 18 + "needle" + "y" * 30)
        assert app.view.search("needle") == 1
        await pilot.pause()
        assert "".join(app.marked("match") + app.marked("match-current")) == "needle"


async def test_hits_are_numbered_in_order_and_go_round() -> None:
    app = SearchApp()
    async with app.run_test(size=(60, 12)):
        app.say("one hit, two hits\n\nand a third hit")
        app.say("the last hit")
        app.view.action_to_start()
        assert app.view.search("hit") == 4
        positions = [app.view.found[1]]
        for _ in range(4):
            app.view.find(1)
            positions.append(app.view.found[1])
        assert positions == [1, 2, 3, 4, 1]
        app.view.find(-1)
        assert app.view.found == (4, 4)


async def test_only_the_hit_that_is_shown_is_marked_as_such() -> None:
    app = SearchApp()
    async with app.run_test(size=(60, 12)):
        app.say("hit hit hit")
        app.view.search("hit")
        app.view.find(1)
        assert app.marked("match-current") == ["hit"]
        assert app.marked("match") == ["hit", "hit"]


async def test_a_cell_opened_for_its_hit_is_closed_when_one_goes_on() -> None:
    app = SearchApp()
    async with app.run_test(size=(60, 12)):
        app.run_command("first", OUTPUT)
        app.run_command("second", OUTPUT)
        assert app.view.search("row 17") == 2
        assert [cell.is_expanded for cell in app.view.history.cells] == [True, False]
        app.view.find(1)
        assert [cell.is_expanded for cell in app.view.history.cells] == [False, True]
        app.view.end_search()
        assert app.view.history.cells[1].is_expanded


async def test_a_longer_text_is_looked_for_from_where_it_began() -> None:
    app = SearchApp()
    async with app.run_test(size=(60, 8)):
        for number in range(30):
            app.say(f"answer {number}")
        app.view.action_to_start()
        for text in ("a", "an", "answer 2", "answer"):
            app.view.search(text)
        assert app.view.found == (30, 1)


async def test_what_comes_in_later_is_found_too() -> None:
    app = SearchApp()
    async with app.run_test(size=(60, 8)):
        app.say("one thing")
        assert app.view.search("thing") == 1
        app.say("another thing")
        assert app.view.find(1)
        assert app.view.found == (2, 2)
