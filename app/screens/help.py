"""The help screen: every key and command on one page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..keys.help import HelpGroup, default_keys, group_of, help_groups
from ..keys.screens import HELP_KEYS, PICKER_KEYS
from .key_line import key_line

KEYS = (("help.close", "closes"), ("help.up,help.down", "scroll"), ("help.page_up,help.page_down", "a page"))

KEY_WIDTH = 26
"""Cells of the column of keys at most; a third of the screen where that is less."""


class HelpScreen(ModalScreen[None], inherit_bindings=False):
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

    BINDINGS: ClassVar[list[BindingType]] = list(HELP_KEYS)

    def __init__(self, first: Sequence[str] = ()) -> None:
        """`first`: titles of the groups that stand above all others, in order."""
        super().__init__()
        self._first = first

    def compose(self) -> ComposeResult:
        places = {title: place for place, title in enumerate(self._first)}
        groups = sorted(help_groups(self._keys_of), key=lambda group: places.get(group.title, len(places)))
        with VerticalScroll(can_focus=False):
            for group in groups:
                yield Static(Content(group.title), classes="help--title", markup=False)
                yield Static(rows(group, min(KEY_WIDTH, self.size.width // 3)), markup=False)
        yield Static(key_line(self, *KEYS), id="help-close", markup=False)

    def _keys_of(self, binding_id: str) -> str:
        keymap = self.app._keymap  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType]
        return keymap.get(binding_id) or default_keys(binding_id)

    @property
    def _body(self) -> VerticalScroll:
        return self.query_one(VerticalScroll)

    def action_scroll(self, rows: int) -> None:
        """Up or down."""
        self._body.scroll_relative(y=rows, animate=False)

    def action_page(self, direction: int) -> None:
        """A page up or down, with two rows of the old one in sight."""
        self.action_scroll(direction * max(self._body.size.height - 2, 1))

    def action_edge(self, end: bool) -> None:
        """The beginning or the end."""
        (self._body.scroll_end if end else self._body.scroll_home)(animate=False)


def groups_of(bindings: Iterable[BindingType]) -> list[str]:
    """The titles of the groups in which the keys of a list stand: its own and those of every list."""
    ids = (binding.id for binding in (*bindings, *PICKER_KEYS) if isinstance(binding, Binding))
    return list(dict.fromkeys(group_of(each) for each in ids if each))


def rows(group: HelpGroup, key_width: int) -> Table:
    """The rows of a group in two columns, each wrapped in its own; the first has so many cells."""
    table = Table.grid(padding=(0, 2, 0, 2), expand=True)
    table.add_column(width=key_width)
    table.add_column(ratio=1)
    for row in group.rows:
        table.add_row(Text(row.keys), Text(row.about, style="dim"))
    return table
