"""A small app around the bottom half of the screen, for tests in a real terminal: it writes down what it is told."""

from __future__ import annotations

import sys
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import RichLog

from pyagent_tui.agent.approval import ApprovalRequest
from pyagent_tui.agent.details import DiffDetails
from pyagent_tui.agent.events import QueueUpdate
from pyagent_tui.widgets.editor.completion import Completion
from pyagent_tui.widgets.editor.editor import Editor
from pyagent_tui.widgets.hint_rule import HintRule
from pyagent_tui.widgets.queue import QueueView
from pyagent_tui.widgets.review.panel import ApprovalPanel
from pyagent_tui.widgets.status import StatusLine
from pyagent_tui.widgets.terminal.driver import driver_class
from pyagent_tui.widgets.text.fuzzy import fuzzy_filter
from pyagent_tui.widgets.title import TitleLine

COMMANDS = (
    Completion("/model", detail="choose the model"),
    Completion("/new", detail="start a new session", sends=True),
    Completion("/quit", detail="leave", sends=True),
)

PATCH = "--- a/shop/totals.py\n+++ b/shop/totals.py\n@@ -1,1 +1,1 @@\n-a\n+b\n@@ -9,1 +9,1 @@\n-c\n+d\n"
CHANGE = ApprovalRequest("c1", "edit", "change", {}, DiffDetails("shop/totals.py", PATCH, 2, 2))
COMMAND = ApprovalRequest("c2", "bash", "command", {"command": "pytest -q\nrm -rf build"}, None)


def complete_command(query: str) -> list[Completion]:
    return fuzzy_filter(query.removeprefix("/"), COMMANDS, lambda item: item.text)


class EditorApp(App[None], inherit_bindings=False):
    CSS = "#log { height: 1fr; } Screen { overflow: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "clear_editor"),
        Binding("ctrl+d", "leave"),
        Binding("escape", "stop"),
        Binding("f2", "crash"),
        Binding("f3", "ask"),
        Binding("f5", "clear_log"),
        Binding("f6", "fill"),
    ]

    def compose(self) -> ComposeResult:
        yield TitleLine()
        log = RichLog(id="log", markup=False, wrap=True)
        log.can_focus = False
        yield log
        yield HintRule()
        yield QueueView()
        yield ApprovalPanel()
        yield Editor(placeholder="ready", complete_command=complete_command)
        yield StatusLine()

    def on_mount(self) -> None:
        self.query_one(Editor).focus()

    def write(self, text: str) -> None:
        self.query_one("#log", RichLog).write(text)

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        text = event.text if len(event.text) < 200 else f"{len(event.text)} characters"
        self.write(f"{event.intent} {text!a}")

    def on_approval_panel_answered(self, event: ApprovalPanel.Answered) -> None:
        self.write(f"answered {event.tool_call_id} {event.answer.verdict} {event.answer.reason}")
        if not self.query_one(ApprovalPanel).is_open:
            self.query_one(Editor).display = True
            self.query_one(Editor).focus()

    def on_approval_panel_typed_ahead(self, event: ApprovalPanel.TypedAhead) -> None:
        self.query_one(Editor).insert(event.text)

    def action_clear_editor(self) -> None:
        self.query_one(Editor).clear()
        self.write("cleared")

    def action_clear_log(self) -> None:
        self.query_one("#log", RichLog).clear()

    def action_fill(self) -> None:
        """Long names and a long queue."""
        title = self.query_one(TitleLine)
        title.folder, title.model = f"~/{'deep/' * 6}", "m" * 40
        self.query_one(QueueView).show(QueueUpdate(("✅你好—" * 60,), ("later",)))

    def action_leave(self) -> None:
        self.exit()

    def action_stop(self) -> None:
        self.write("stopped")

    def action_crash(self) -> None:
        raise RuntimeError("broken on purpose")

    def action_ask(self) -> None:
        self.query_one(Editor).display = False
        panel = self.query_one(ApprovalPanel)
        panel.ask(CHANGE)
        panel.ask(COMMAND, folder="~/src/shop", confinement="not confined")


if __name__ == "__main__":
    app = EditorApp(driver_class=driver_class())
    app.run()
    sys.exit(app.return_code)
