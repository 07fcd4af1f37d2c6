"""The help screen: the few keys that matter first, every key and command below, narrowed down while one types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ...widgets.editor.line_field import LineField
from ...widgets.editor.text_editor import TextEditor
from ..keys.help import HelpGroup, HelpRow, default_keys, group_of, help_groups
from ..keys.screens import HELP_KEYS, PICKER_KEYS
from .help_tables import KEY_WIDTH, first_page, rows_table
from .key_line import key_line

KEYS = (("help.close", "closes"), ("help.up,help.down", "scroll"), ("help.page_up,help.page_down", "a page"))


class HelpSection(Static):
    """A group: its title and its rows, or those of them that are sought."""

    def __init__(self, group: HelpGroup) -> None:
        super().__init__(markup=False)
        self._group = group

    def show(self, words: Sequence[str], key_width: int) -> None:
        """Show the rows that hold all words; nothing at all if there is none."""
        found = [row for row in self._group.rows if _holds(row, self._group.title, words)]
        self.display = bool(found)
        if found:
            self.update(rows_table(found, key_width))


class HelpScreen(ModalScreen[None], inherit_bindings=False):
    """Letters narrow it down, the usual keys scroll."""

    DEFAULT_CSS = """
    HelpScreen {
        background: $background;
        & > LineField { dock: top; margin: 0; }
        & > VerticalScroll { padding: 0 1; scrollbar-size-vertical: 1; }
        & Static { height: auto; }
        & .help--title { color: $accent; text-style: bold; margin-top: 1; }
        & #help-first { margin-top: 1; }
        & #help-close { dock: bottom; color: $foreground 60%; padding: 0 1; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = list(HELP_KEYS)

    def __init__(self, first: Sequence[str] = (), now: str = "") -> None:
        """`first`: titles of the groups that stand above all others, in order, and in place of the first page.

        `now`: the group of the first page that matters now.
        """
        super().__init__()
        self._first, self._now = first, now
        self._field = LineField(placeholder="type to find a key or a command")
        self._titles: list[Static] = []
        self._sections: list[HelpSection] = []

    def compose(self) -> ComposeResult:
        places = {title: place for place, title in enumerate(self._first)}
        yield self._field
        with VerticalScroll(can_focus=False):
            if not self._first:
                yield Static(first_page(self._now, self._keys_of, self.size.width), id="help-first", markup=False)
            for group in sorted(help_groups(self._keys_of), key=lambda group: places.get(group.title, len(places))):
                self._titles.append(Static(Content(group.title), classes="help--title", markup=False))
                self._sections.append(HelpSection(group))
                yield self._titles[-1]
                yield self._sections[-1]
        yield Static(key_line(self, *KEYS), id="help-close", markup=False)

    def on_mount(self) -> None:
        self._field.focus()
        self._show("")

    def on_text_editor_changed(self, message: TextEditor.Changed) -> None:
        message.stop()
        self._show(self._field.text)

    def _show(self, query: str) -> None:
        """Every row that holds the words; the first page only while none is sought."""
        words = query.casefold().split()
        for page in self.query("#help-first"):
            page.display = not words
        for title, section in zip(self._titles, self._sections, strict=True):
            section.show(words, min(KEY_WIDTH, self.size.width // 3))
            title.display = section.display
        self._body.scroll_home(animate=False)

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
    return groups_of_keys((*bindings, *PICKER_KEYS))


def groups_of_keys(bindings: Iterable[BindingType]) -> list[str]:
    """The titles of the groups in which these keys stand, in order."""
    ids = (binding.id for binding in bindings if isinstance(binding, Binding))
    return list(dict.fromkeys(group_of(each) for each in ids if each))


def _holds(row: HelpRow, title: str, words: Sequence[str]) -> bool:
    """Whether a row, its title and its id hold all words."""
    text = f"{row.keys} {row.about} {row.binding_id} {title}".casefold()
    return all(word in text for word in words)
