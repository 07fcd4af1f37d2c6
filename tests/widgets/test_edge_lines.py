"""The lines at the edges of the screen: what stays when it gets narrow."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.widget import Widget

from pyagent_tui.agent.events import QueueUpdate
from pyagent_tui.widgets.hint_rule import HintRule
from pyagent_tui.widgets.queue import QueueView
from pyagent_tui.widgets.status import StatusLine
from pyagent_tui.widgets.text.edge_line import Part, fit, line_width
from pyagent_tui.widgets.title import TitleLine

pytestmark = pytest.mark.anyio

WIDTHS = (5, 12, 22, 40, 60, 80, 120, 300)


class Alone(App[None]):
    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget

    def compose(self) -> ComposeResult:
        yield self.widget


async def rows_at(widget: Widget, widths: Sequence[int] = WIDTHS) -> dict[int, list[str]]:
    """What the widget draws at each width of the screen."""
    found: dict[int, list[str]] = {}
    app = Alone(widget)
    async with app.run_test(size=(widths[0], 10)) as pilot:
        for columns in widths:
            await pilot.resize_terminal(columns, 10)
            await pilot.pause()
            assert app.size.width == columns
            found[columns] = drawn(widget)
    return found


def drawn(widget: Widget) -> list[str]:
    strips = [widget.render_line(y) for y in range(widget.size.height)]
    assert {strip.cell_length for strip in strips} <= {widget.content_size.width}
    return [strip.text.rstrip() for strip in strips]


def test_the_least_important_part_is_shortened_and_goes_first() -> None:
    left = [Part("always", 0), Part("long words", 2, short="lw"), Part("rare", 3)]
    texts = [[part.text for part in fit(left, [], width)[0]] for width in (40, 20, 13, 11, 10, 6, 4)]
    assert texts == [
        ["always", "long words", "rare"],
        ["always", "long words"],
        ["always", "lw"],
        ["always", "lw"],
        ["always"],
        ["always"],
        ["alw…"],
    ]


def status() -> StatusLine:
    line = StatusLine()
    line.sandbox = "on"
    line.tokens_in, line.tokens_out, line.tokens_cached = 12_400, 1_100, 9_800
    line.cost, line.context_percent = 0.041, 8.2
    return line


async def test_the_status_line_keeps_the_mode_and_says_all_where_there_is_room() -> None:
    rows = {columns: row for columns, (row,) in (await rows_at(status())).items()}
    assert rows[5] == "re…"
    assert all(row.startswith("review") for columns, row in rows.items() if columns >= 12)
    for words in ("review · sandbox on", "12k in · 1.1k out · 9.8k cached", "context 8 % · $0.041", "? help"):
        assert words in rows[120]
    assert rows[22] == "review · 8 %"
    assert rows[60] == "review · sandbox on · 8 % · $0.041     ctrl+o · / · ? help"
    assert rows[40].split("  ") == ["review · 8 % · $0.041", " ctrl+o · / · ?"]


@pytest.mark.parametrize(("percent", "style"), [(70.0, ""), (71.0, "warning"), (90.0, "warning"), (91.0, "error")])
def test_the_context_meter_takes_a_colour_above_its_marks(percent: float, style: str) -> None:
    line = StatusLine()
    line.set_reactive(StatusLine.context_percent, percent)
    (part,) = [part for part in line.parts()[0] if part.text.startswith("context")]
    assert (part.text, part.style) == (f"context {percent:.0f} %", style)


def test_what_is_unknown_is_a_dash_and_nothing_used_is_not_shown() -> None:
    line = StatusLine()
    line.set_reactive(StatusLine.tokens_in, None)
    texts = [part.text for part in line.parts()[0]]
    assert "– in" in texts
    assert "context –" in texts
    assert not any("out" in text for text in texts)


async def test_the_title_line_keeps_the_model_longest() -> None:
    line = TitleLine()
    line.folder, line.branch = f"~/{'deep/' * 18}漢字", "main*"
    line.session, line.model, line.thinking = "totals [/] as\x1b[2J Decimal", "claude-sonnet", "medium"
    rows = {columns: row for columns, (row,) in (await rows_at(line)).items()}
    assert rows[5] == "cl…"
    assert rows[22] == "漢字   claude-sonnet"
    assert rows[40].endswith("claude-sonnet · medium")
    assert rows[300].startswith(line.folder)
    assert rows[300].endswith("totals [/] as␛[2J Decimal · claude-sonnet · medium")


async def test_a_long_session_name_is_clipped_before_it_goes() -> None:
    line = TitleLine()
    line.folder, line.session, line.model = (
        "~/src/demo",
        "the long story of how the totals became exact",
        "claude-sonnet",
    )
    rows = {columns: row for columns, (row,) in (await rows_at(line)).items()}
    assert "the long story of how the totals became exact" in rows[300]
    assert rows[60] == "~/src/demo        the long story of how t… · claude-sonnet"


async def test_the_rule_fits_and_says_what_it_should() -> None:
    for busy, lines in ((False, 0), (True, 0), (False, 12), (True, 1)):
        rule = HintRule()
        rule.is_busy, rule.new_lines = busy, lines
        for columns, (row,) in (await rows_at(rule)).items():
            if columns >= 60:
                assert ("esc stops · enter steers" in row) is busy
                assert (f"↓ {lines} new line" in row) is bool(lines)


async def test_a_wide_rule_names_the_key_that_queues_and_a_notice_takes_its_place() -> None:
    rule = HintRule()
    rule.is_busy = True
    rows = await rows_at(rule, [60, 120])
    assert "ctrl+q sends it later" in rows[120][0]
    assert "ctrl+q" not in rows[60][0]
    rule = HintRule()
    rule.is_busy, rule.notice = True, "ctrl+c again quits"
    assert (await rows_at(rule, [60]))[60][0].endswith(" ctrl+c again quits ────")


async def test_while_calls_run_the_rule_says_first_how_to_stop_one_and_otherwise_not() -> None:
    for is_busy in (True, False):
        rule = HintRule()
        rule.is_reading, rule.is_busy = True, is_busy
        rows = await rows_at(rule, (60, 100, 120, 200))
        for (row,) in rows.values():
            assert ("esc stops · x stops a call" in row) is is_busy
            assert ("x stops" in row) is is_busy


async def test_the_queue_has_no_height_while_nothing_waits() -> None:
    assert await rows_at(QueueView(), [80]) == {80: []}


async def test_queued_texts_of_any_kind_fit_their_row() -> None:
    queue = QueueView()
    queue.show(QueueUpdate(("✅你好—" * 60, "[/] [bold]x\x1b]0;x\x07\nnext"), ("then \ud83d",)))
    for rows in (await rows_at(queue)).values():
        assert len(rows) == 3
        assert rows[0].endswith("…")
        assert not any(character in "".join(rows) for character in "\x1b\x07\ud83d")


async def test_the_queue_names_each_kind_and_how_to_take_it_back() -> None:
    queue = QueueView()
    queue.show(QueueUpdate(("keep the signature",), ("then the changelog",)))
    first, second = (await rows_at(queue, [80]))[80]
    assert first == "↳ steer   keep the signature"
    assert second.startswith("⇣ later   then the changelog")
    assert second.endswith("alt+↑ takes back")


async def test_a_long_queue_counts_what_it_does_not_show() -> None:
    queue = QueueView()
    queue.show(QueueUpdate(tuple(map(str, range(9))), ("last",)))
    rows = (await rows_at(queue, [80]))[80]
    assert len(rows) == 6
    assert "5 more" in rows[-1]


def test_cells_are_counted_not_characters() -> None:
    assert line_width([Part("漢字", 0), Part("x", 0)]) == cell_len("漢字 · x") == 8
