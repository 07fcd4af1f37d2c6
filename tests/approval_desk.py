"""The approval panel on a screen of its own, driven by keys whose times the test decides."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from pyagent_tui.agent.approval import ApprovalAnswer, ApprovalRequest
from pyagent_tui.agent.details import DiffDetails
from pyagent_tui.widgets.review.consent import GUARD, PAUSE
from pyagent_tui.widgets.review.hunk_sheet import HunkSheet
from pyagent_tui.widgets.review.panel import ApprovalPanel
from pyagent_tui.widgets.review.sheet import ApprovalSheet


def command(text: str, call_id: str = "c2", **others: object) -> ApprovalRequest:
    return ApprovalRequest(call_id, "bash", "command", {"command": text, **others}, None)


class Desk(App[None], inherit_bindings=False):
    def __init__(self) -> None:
        super().__init__()
        self.panel = ApprovalPanel()
        self.answers: list[tuple[str, ApprovalAnswer]] = []
        self.typed = ""
        self.keys: list[str] = []
        self.rules: list[int | None] = []

    def compose(self) -> ComposeResult:
        yield self.panel

    def on_approval_panel_answered(self, event: ApprovalPanel.Answered) -> None:
        self.answers.append((event.tool_call_id, event.answer))
        self.rules.append(event.rule)

    def on_approval_panel_typed_ahead(self, event: ApprovalPanel.TypedAhead) -> None:
        self.typed += event.text

    def on_key(self, event: events.Key) -> None:
        self.keys.append(event.key)


@asynccontextmanager
async def desk(size: tuple[int, int] = (120, 30)) -> AsyncGenerator[tuple[Desk, Pilot[Any]]]:
    app = Desk()
    async with app.run_test(size=size) as pilot:
        yield app, pilot


async def press(app: Desk, pilot: Pilot[Any], key: str, after: float = GUARD + PAUSE) -> None:
    """A key that was pressed `after` seconds from now, as far as the panel can tell."""
    event = events.Key(key, key if len(key) == 1 else None)
    event.time = Message().time + after
    event.set_sender(app)
    app.post_message(event)
    await pilot.pause()


def drawn(app: Desk) -> list[str]:
    sheet = app.query_one(ApprovalSheet)
    return [sheet.render_line(y).text.rstrip() for y in range(sheet.size.height)]


EDITS: dict[str, Any] = {
    "path": "t.py",
    "edits": [
        {"oldText": "a = 1\n", "newText": "a = 2\n"},
        {"oldText": "x\nk1\nk2\nk3\ny\n", "newText": "X\nk1\nk2\nk3\nY\n"},
    ],
}
EDITS_PATCH = "@@ -1,1 +1,1 @@\n-a = 1\n+a = 2\n@@ -9,5 +9,5 @@\n-x\n+X\n k1\n k2\n k3\n-y\n+Y\n"
IN_PARTS = ApprovalRequest("c1", "edit", "change", EDITS, DiffDetails("t.py", EDITS_PATCH, 3, 3))


def sheet_rows(app: Desk) -> list[str]:
    sheet = app.query_one(HunkSheet)
    return [sheet.render_line(y).text.rstrip() for y in range(sheet.size.height)]


async def open_hunks(app: Desk, pilot: Pilot[Any], rules: Sequence[str] = ()) -> None:
    app.panel.ask(IN_PARTS, rules=rules)
    await pilot.pause()
    await press(app, pilot, "h")
    await pilot.pause()
