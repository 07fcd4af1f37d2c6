"""How the transcript looks: contrast in light and dark, without colour, in ASCII."""

from __future__ import annotations

import pytest
from rich.color import Color
from textual.app import App, ComposeResult
from textual.color import Color as TextualColor

from pyagent_tui.agent.details import DiffDetails
from pyagent_tui.agent.messages import ToolCall
from pyagent_tui.tests.transcript_events import PATCH, propose, reply, settle, start
from pyagent_tui.widgets.text.contrast import contrast
from pyagent_tui.widgets.text.marks import ASCII_MARKS
from pyagent_tui.widgets.text.theme_styles import STYLES
from pyagent_tui.widgets.transcript import history_view
from pyagent_tui.widgets.transcript.transcript import Transcript

pytestmark = pytest.mark.anyio

QUIET = {"rule", "cursor", "match", "selection"}
"""Lines between things, and grounds that lie under text of other styles."""


class TranscriptApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Transcript()

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    def text(self) -> str:
        self.transcript.flush()
        return "\n".join(strip.text.rstrip() for strip in self.transcript.render_lines(self.transcript.size.region))


def ratio(colour: Color | None, ground: Color | None) -> float:
    """The contrast of a text on its ground; the best there is where one of them is unknown."""
    return 21 if colour is None or ground is None else contrast(colour.get_truecolor(), ground.get_truecolor())


def test_contrast_is_that_of_wcag() -> None:
    black, white, grey = Color.parse("#000000"), Color.parse("#ffffff"), Color.parse("#767676")
    assert ratio(black, white) == pytest.approx(21)
    assert ratio(grey, white) == pytest.approx(4.54, abs=0.01)


THEMES = ["textual-dark", "textual-light", "gruvbox", "solarized-light", "catppuccin-latte", "dracula"]


@pytest.mark.parametrize("theme", THEMES)
async def test_every_text_can_be_read(theme: str) -> None:
    app = TranscriptApp()
    async with app.run_test() as pilot:
        app.theme = theme
        await pilot.pause()
        look = app.transcript.history.look
        weak: dict[str, float] = {}
        for name in STYLES:
            style = look.style(name)
            if name not in QUIET and ratio(style.color, style.bgcolor) < 4.5:
                weak[name] = ratio(style.color, style.bgcolor)
        assert not weak


@pytest.mark.parametrize("theme", THEMES)
async def test_code_in_a_diff_can_be_read_on_every_ground(theme: str) -> None:
    app = TranscriptApp()
    call = ToolCall("e", "edit", {"path": "shop/totals.py"})
    code = "```python\n@cache\ndef f(x: int) -> str:  # note\n    return 'a' + str(1)\n```\n`inline` [a](b)\n"
    async with app.run_test(size=(100, 40)) as pilot:
        app.theme = theme
        await pilot.pause()
        details = DiffDetails("shop/totals.py", PATCH, 1, 1)
        for events in (reply(code), propose(call), [start(call)], settle(call, "ok", details)):
            for event in events:
                app.transcript.handle(event)
        app.transcript.search("items")
        assert "Decimal())" in app.text()
        weak = {
            segment.text: ratio(segment.style.color, segment.style.bgcolor)
            for strip in app.transcript.render_lines(app.transcript.size.region)
            for segment in strip
            if segment.style and segment.text.strip(" │") and ratio(segment.style.color, segment.style.bgcolor) < 4.5
        }
        assert not weak


async def test_without_colour_changed_words_stand_in_brackets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = TranscriptApp()
    call = ToolCall("e", "edit", {"path": "shop/totals.py"})
    async with app.run_test(size=(100, 20)):
        for events in (propose(call), [start(call)], settle(call, "ok", DiffDetails("shop/totals.py", PATCH, 1, 1))):
            for event in events:
                app.transcript.handle(event)
        assert "   5 −     return sum(⟦float⟧(i.price⟦)⟧ for i in items)" in app.text()
        assert "   5 +     return sum((i.price for i in items)⟦, Decimal())⟧" in app.text()
        for strip in app.transcript.render_lines(app.transcript.size.region):
            for segment in strip:
                colours = [] if segment.style is None else [segment.style.color, segment.style.bgcolor]
                assert all(len(set(colour.get_truecolor())) == 1 for colour in colours if colour)


async def test_a_terminal_without_unicode_gets_ascii_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_view, "marks", lambda: ASCII_MARKS)
    app = TranscriptApp()
    call = ToolCall("e", "edit", {"path": "a.py"})
    async with app.run_test(size=(100, 40)):
        for events in (
            reply("# T\n\n- a\n  - b\n- [x] c\n\n> q\n\n---\n\n| a | b |\n|--|--|\n| 1 | 2 |\n"),
            propose(call),
            [start(call)],
            settle(call, "ok", DiffDetails("a.py", PATCH, 1, 1)),
        ):
            for event in events:
                app.transcript.handle(event)
        assert app.text().isascii(), app.text()
        assert " ok edit" in app.text()


@pytest.mark.parametrize("theme", ["textual-light", "ansi-light", "ansi-dark", "nord"])
async def test_a_theme_is_taken_over_whole(theme: str) -> None:
    app = TranscriptApp()
    async with app.run_test() as pilot:
        await pilot.pause()
        before = {name: app.transcript.history.look.style(name) for name in STYLES}
        app.theme = theme
        await pilot.pause()
        look = app.transcript.history.look
        surface = TextualColor.parse(app.theme_variables["surface"])
        ground = look.base.bgcolor if theme.startswith("ansi") else surface.rich_color
        assert look.style("code").bgcolor == ground
        assert look.style("code-inline").bgcolor == ground
        assert all(look.style(name) != before[name] for name in STYLES)
