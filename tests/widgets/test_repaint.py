"""A key is painted at once, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from pyagent_tui.agent.events import AgentEnd, AgentStart
from pyagent_tui.agent.measures import RunMeasures
from pyagent_tui.widgets.editor.text_editor import TextEditor
from pyagent_tui.widgets.transcript.transcript import Transcript

pytestmark = pytest.mark.anyio


class Neighbour(Widget):
    """Counts how often it is asked for its lines."""

    DEFAULT_CSS = "Neighbour { height: 5; }"
    asked = 0

    def render_lines(self, crop: Region) -> list[Strip]:
        self.asked += 1
        return super().render_lines(crop)


class Desk(App[None]):
    CSS = "Screen { layers: default top; } #over { layer: top; dock: right; width: 10; height: 10; }"
    painted: list[Any]

    def compose(self) -> ComposeResult:
        self.painted = []
        yield Neighbour()
        yield TextEditor()

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        self.painted.append(getattr(renderable, "region", None))


async def test_a_key_paints_the_editor_and_no_other_widget() -> None:
    app = Desk()
    async with app.run_test(size=(60, 20)) as pilot:
        editor, neighbour = app.query_one(TextEditor), app.query_one(Neighbour)
        editor.focus()
        await pilot.pause()
        app.painted.clear()
        asked = neighbour.asked
        editor.on_key(events.Key("x", "x"))
        assert app.painted == [editor.region]
        await pilot.pause()
        assert neighbour.asked == asked
        assert app.painted == [editor.region]


async def test_what_lies_over_the_editor_is_not_painted_over() -> None:
    app = Desk()
    async with app.run_test(size=(60, 20)) as pilot:
        editor = app.query_one(TextEditor)
        editor.focus()
        await app.mount(Widget(id="over"))
        await pilot.pause()
        app.painted.clear()
        editor.on_key(events.Key("x", "x"))
        assert app.painted == []
        assert editor.text == "x"


async def test_many_keys_that_wait_are_painted_once() -> None:
    app = Desk()
    async with app.run_test(size=(60, 20)) as pilot:
        editor = app.query_one(TextEditor)
        editor.focus()
        await pilot.pause()
        app.painted.clear()
        for character in "abcdefgh":
            editor.post_message(events.Key(character, character))
        await pilot.pause()
        assert editor.text == "abcdefgh"
        assert app.painted.count(editor.region) <= 2


async def test_the_end_of_a_run_is_on_the_screen_before_the_next_tick() -> None:
    app = Desk()
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = Transcript(folder="/src")
        await app.mount(transcript)
        transcript.handle(AgentStart())
        await pilot.pause()
        app.painted.clear()
        transcript.handle(AgentEnd((), "aborted", RunMeasures()))
        assert app.painted == [transcript.region]
