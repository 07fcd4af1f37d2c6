"""A text field with Vim's keys, if they are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.actions import parse
from textual.geometry import Offset
from textual.message import Message
from textual.reactive import reactive
from textual.selection import Selection

from ..terminal.key_dispatch import bindings_for
from ..terminal.key_names import typed_text
from ..text.marks import marks
from .history import EditorHistory
from .recalling_editor import RecallingEditor
from .vim.command_line import CommandLine

if TYPE_CHECKING:
    from textual.binding import Binding

    from .vim.grammar import Meanings
    from .vim.mode import Vim

MODES = {"insert": "INSERT", "normal": "NORMAL", "visual": "VISUAL", "visual line": "VISUAL LINE"}


class VimEditor(RecallingEditor):
    """Escape leads from insert to normal mode; there, with nothing begun, it is left to others."""

    is_vim: reactive[bool] = reactive(False)
    """Whether the keys are Vim's."""

    @dataclass
    class ModeChanged(Message):
        """Vim's mode, with what was typed of a command, is another one; empty without Vim's keys."""

        mode: str

    @dataclass
    class LineEntered(Message):
        """A command was typed behind a colon."""

        line: str

    def __init__(
        self,
        history: EditorHistory | None = None,
        *,
        placeholder: str = "",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(history, placeholder=placeholder, id=id, classes=classes)
        self._vim: Vim | None = None
        self._vim_keys: Sequence[Binding] = ()
        self._line = CommandLine()
        self._mode = ""

    # What a subclass says

    def _is_typed(self, event: events.Key) -> bool:
        """Whether a key is none of Vim's in normal mode now."""
        return False

    # Modes

    def watch_is_vim(self) -> None:
        if self.is_vim and self._vim is None:
            from .vim.keys import VIM_BINDINGS  # most people write without them
            from .vim.mode import Vim

            self._vim, self._vim_keys = Vim(self._document), VIM_BINDINGS
        elif not self.is_vim:
            self._vim = None
        self.enter_insert()

    def enter_insert(self) -> None:
        """Type from here on, whatever was begun."""
        self._line.close()
        if self._vim is not None:
            self._vim.enter_insert()
        self._show_mode()

    @property
    def _is_inserting(self) -> bool:
        return self._vim is None or self._vim.mode == "insert"

    def _show_mode(self) -> None:
        """Tell which mode it is, if it is another one."""
        mode = "" if self._vim is None else f"{MODES[self._vim.mode]} {self._vim.pending}".strip()
        if self._line.text is not None:
            mode = f":{self._line.text}"
        if mode != self._mode:
            self._mode = mode
            self.post_message(self.ModeChanged(mode))

    # Keys

    def on_key(self, event: events.Key) -> None:
        if self._vim is not None and not self.is_searching and self._take_key(self._vim, event):
            self._show_mode()
            event.stop()
            event.prevent_default()
        else:
            super().on_key(event)

    def _take_key(self, vim: Vim, event: events.Key) -> bool:
        meanings = self._meanings(event.key)
        if ("escape", "escape") in meanings:
            return self._take_escape(vim)
        if self._line.text is not None:
            return self._take_line_key(vim, event)
        if vim.mode == "insert" or self._is_typed(event):
            return False
        character = typed_text(event)
        if event.key == "enter" and vim.pending:
            character = "\n" if vim.takes_character else ""
        elif not character and not meanings:
            vim.escape()
            return False
        self._press(vim, meanings, character)
        return True

    def _meanings(self, key: str) -> Meanings:
        """What a key is to Vim, as `keys.toml` has it."""
        parameters = (parse(binding.action)[2] for binding in bindings_for(self, self._vim_keys, key))
        return [(str(table), str(name)) for table, name in parameters]

    def _take_escape(self, vim: Vim) -> bool:
        if self._line.text is not None:
            self._line.close()
            return True
        if vim.mode == "insert" and self._menu.is_open:
            return False
        is_taken = vim.escape()
        self._after_move()
        return is_taken

    def _press(self, vim: Vim, meanings: Meanings, character: str) -> None:
        before = self._document.text
        match vim.press(meanings, character):
            case "line":
                self._line.open()
            case "before":
                self._show_entry(self.history.previous(self._document.text))
            case "after":
                self._show_entry(self.history.next())
            case _ if before != self._document.text:
                self._after_edit()
            case _:
                self._after_move()

    def _take_line_key(self, vim: Vim, event: events.Key) -> bool:
        character = typed_text(event)
        line = self._line.press(event.key, character)
        if line and line.isdecimal():
            vim.go_to_line(int(line[:5]))
            self._after_move()
        elif line:
            self.post_message(self.LineEntered(line))
        return True

    def _ask(self) -> None:
        """Nothing is completed outside insert mode."""
        if self._is_inserting:
            super()._ask()
        else:
            self._close_menu()

    # Drawing

    @property
    def _selected(self) -> Selection | None:
        """In visual mode what it has selected."""
        span = None if self._vim is None else self._vim.selection
        if span is None:
            return super()._selected
        places = (self._layout_of_text.character_at(*self._place_of(offset)) for offset in (span.start, span.end))
        (row, index), (last_row, last_index) = places
        return Selection(Offset(index, row), Offset(last_index, last_row))

    def _place_of(self, offset: int) -> tuple[int, int]:
        before = self._document.text[:offset]
        return before.count("\n"), len(before.rpartition("\n")[2])

    def _gutter(self, y: int) -> str:
        """A colon in place of the prompt outside insert mode."""
        sign = super()._gutter(y)
        return sign if self._is_inserting or sign != marks().prompt else ":"
