"""All changes of a session, file by file."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from pyagent_tui.agent.details import DiffDetails
from pyagent_tui.tests.transcript_events import PATCH
from pyagent_tui.widgets.diff.session_diff import SessionDiff

pytestmark = pytest.mark.anyio

OTHER = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-[/]\n+b\n@@ -40 +40 @@\n-x\n+y\n"
CHANGES = [
    DiffDetails("/src/shop/totals.py", PATCH, 1, 1),
    DiffDetails("/src/notes.md", OTHER, 2, 2),
    DiffDetails("/src/shop/totals.py", PATCH, 1, 1),
]


class DiffApp(App[None]):
    AUTO_FOCUS = None

    def __init__(self, changes: list[DiffDetails]) -> None:
        super().__init__()
        self.changes = changes
        self.told: list[tuple[str, int, int]] = []

    def on_session_diff_seen(self, message: SessionDiff.Seen) -> None:
        self.told.append((message.path, message.number, message.total))

    def compose(self) -> ComposeResult:
        yield SessionDiff(self.changes, folder="/src")

    def rows(self) -> list[str]:
        view = self.query_one(SessionDiff)
        return [strip.text.rstrip() for strip in view.render_lines(view.size.region)]


async def test_changes_stand_by_file_with_totals() -> None:
    app = DiffApp(CHANGES)
    async with app.run_test(size=(80, 50)) as pilot:
        await pilot.pause()
        rows = app.rows()
        assert [row for row in rows if row.startswith(" ") and not row.startswith("  ")] == [
            " 2 files changed  +4 −4",
            " shop/totals.py  +2 −2",
            " notes.md  +2 −2",
        ]
        assert sum("Decimal())" in row for row in rows) == 2
        assert "   │   2 − [/]" in rows


async def test_a_file_closes_and_hunks_are_walked() -> None:
    app = DiffApp(CHANGES)
    async with app.run_test(size=(80, 6)) as pilot:
        view = app.query_one(SessionDiff)
        view.focus()
        await pilot.click(SessionDiff, offset=(3, 2))
        assert [row[1:].split(" ")[0] for row in app.rows()][2:4] == ["shop/totals.py", "notes.md"]
        await pilot.press("right_square_bracket")
        assert app.rows()[0].endswith("│   1   a")
        assert view.cursor is view.history.cells[2]
        await pilot.press("right_square_bracket")
        assert app.rows()[-1].endswith("│  40 + y")
        await pilot.press("left_square_bracket")
        assert app.rows()[0].endswith("│   1   a")


async def test_the_file_at_the_top_is_told() -> None:
    app = DiffApp(CHANGES)
    async with app.run_test(size=(80, 6)) as pilot:
        view = app.query_one(SessionDiff)
        view.focus()
        await pilot.press("right_square_bracket", "right_square_bracket")
        await pilot.pause()
        assert app.told[-1] == ("shop/totals.py", 1, 2)
        await pilot.press("end")
        await pilot.pause()
        assert app.told[-1] == ("notes.md", 2, 2)
        await pilot.press("home")
        await pilot.pause()
        assert app.told[-1] == ("", 0, 0)


async def test_no_change_is_said() -> None:
    app = DiffApp([])
    async with app.run_test(size=(80, 8)) as pilot:
        await pilot.pause()
        assert app.rows()[0] == " nothing was changed in this session"


async def test_nothing_below_counts_as_new() -> None:
    app = DiffApp(CHANGES)
    async with app.run_test(size=(60, 8)) as pilot:
        await pilot.pause()
        assert app.rows()[-1].endswith("↓ more below · end")
