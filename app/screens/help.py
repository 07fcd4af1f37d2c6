"""The help screen: every key and command on one page."""

from __future__ import annotations

from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..key_help import HelpGroup, help_groups

KEY_WIDTH = 26
"""Cells of the column of keys at most."""


class HelpScreen(ModalScreen[None]):
    """Scrolls with the usual keys; escape, `q` or `?` close it."""

    DEFAULT_CSS = """
    HelpScreen {
        background: $background;
        & > VerticalScroll { padding: 0 1; scrollbar-size-vertical: 1; }
        & Static { height: auto; }
        & .help--title { color: $accent; text-style: bold; margin-top: 1; }
        & #help-close { dock: bottom; color: $foreground 60%; padding: 0 1; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,ctrl+c", "dismiss", "close", id="help.close", show=False),
    ]

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            for group in help_groups():
                yield Static(Content(group.title), classes="help--title", markup=False)
                yield Static(rows(group), markup=False)
        yield Static(Content("esc closes · ↑ ↓ scroll"), id="help-close", markup=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()


def rows(group: HelpGroup) -> Table:
    """The rows of a group in two columns, each wrapped in its own."""
    table = Table.grid(padding=(0, 2, 0, 2), expand=True)
    table.add_column(max_width=KEY_WIDTH, min_width=min(KEY_WIDTH, max(len(keys) for keys, _ in group.rows)))
    table.add_column(ratio=1)
    for keys, about in group.rows:
        table.add_row(Text(keys), Text(about, style="dim"))
    return table
