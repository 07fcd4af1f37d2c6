"""The editor's keys: one table, each with an id for `keys.toml` and a few words for the help screen."""

from __future__ import annotations

from typing import TypeAlias

from textual.binding import Binding

_Row: TypeAlias = tuple[str, str, str, str]
"""Name (the id is ``editor.NAME``), keys, action, description."""

_PROMPT: tuple[_Row, ...] = (
    ("submit", "enter", "submit('send')", "send; while it runs: steer"),
    ("follow_up", "ctrl+q,alt+enter", "submit('follow_up')", "send when the run is done"),
    ("complete", "tab", "complete", "complete a command, file or path"),
    ("history_search", "ctrl+r", "history_search", "search earlier prompts"),
    ("cancel_search", "escape,ctrl+g,ctrl+c", "cancel_search", "in the search: back to the draft"),
    ("close_menu", "escape", "close_menu", "close the menu"),
)

_TEXT: tuple[_Row, ...] = (
    ("newline", "ctrl+j,shift+enter,newline", "newline", "new line"),
    ("paste", "ctrl+v,alt+v", "paste", "paste a picture, files or text from the clipboard"),
    ("up", "up", "up", "up; at the start: earlier prompts"),
    ("down", "down", "down", "down; at the end: later prompts"),
    ("page_up", "ctrl+pageup", "page(-1)", "a page up in the editor"),
    ("page_down", "ctrl+pagedown", "page(1)", "a page down in the editor"),
    ("left", "left,ctrl+b", "edit('move_left')", "left"),
    ("right", "right,ctrl+f", "edit('move_right')", "right"),
    ("word_left", "alt+left,ctrl+left,alt+b", "edit('move_word_left')", "word left"),
    ("word_right", "alt+right,ctrl+right,alt+f", "edit('move_word_right')", "word right"),
    ("line_start", "home,ctrl+a", "row_edge(False)", "start of the line"),
    ("line_end", "end,ctrl+e", "row_edge(True)", "end of the line"),
    ("delete_left", "backspace,ctrl+h,shift+backspace", "edit('delete_left')", "delete left"),
    ("delete_right", "delete,ctrl+d,shift+delete", "edit('delete_right')", "delete right"),
    ("kill_word_left", "ctrl+w,alt+backspace,ctrl+backspace", "edit('kill_word_left')", "cut the word left"),
    ("kill_word_right", "alt+d,alt+delete,ctrl+delete", "edit('kill_word_right')", "cut the word right"),
    ("kill_to_start", "ctrl+u", "edit('kill_to_start')", "cut to the start of the line"),
    ("kill_to_end", "ctrl+k", "edit('kill_to_end')", "cut to the end of the line"),
    ("yank", "ctrl+y", "edit('yank')", "insert what was cut"),
    ("yank_pop", "alt+y", "edit('yank_pop')", "an earlier cut instead"),
    ("undo", "ctrl+underscore,ctrl+minus", "edit('undo')", "undo"),
    ("redo", "alt+underscore,alt+minus,ctrl+shift+z", "edit('redo')", "redo"),
    ("jump", "ctrl+right_square_bracket", "jump(True)", "jump to a character"),
    ("jump_back", "alt+ctrl+right_square_bracket,alt+right_square_bracket", "jump(False)", "jump back to a character"),
)


def _bindings(table: tuple[_Row, ...]) -> tuple[Binding, ...]:
    return tuple(
        Binding(keys, action, description, id=f"editor.{name}", show=False) for name, keys, action, description in table
    )


TEXT_BINDINGS = _bindings(_TEXT)
"""What every text field can do."""

EDITOR_BINDINGS = _bindings(_PROMPT)
"""What only the editor of the prompt can do."""
