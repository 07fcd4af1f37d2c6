"""Vim's keys: one table, each with an id for `keys.toml` and a few words for the help screen.

They are no widget's own bindings, since one key means several things: the first parameter of the action says in which
state of a command it counts (`grammar`).
"""

from __future__ import annotations

from typing import TypeAlias

from textual.binding import Binding

Row: TypeAlias = tuple[str, str, str]
"""Name, keys, description."""

ESCAPE = Binding("escape", "vim('escape', 'escape')", "with Vim's keys: to normal mode", id="vim.escape", show=False)
"""The way out of insert and visual mode, and of a command that is not whole."""

_MOTIONS: tuple[Row, ...] = (
    ("left", "h,left,backspace", "left"),
    ("right", "l,right,space", "right"),
    ("down", "j,down", "a line down; on the last: later prompts"),
    ("up", "k,up", "a line up; on the first: earlier prompts"),
    ("word", "w", "next word"),
    ("big_word", "W", "next word between blanks"),
    ("word_back", "b", "word before"),
    ("big_word_back", "B", "word before, between blanks"),
    ("word_end", "e", "end of the word"),
    ("big_word_end", "E", "end of the word between blanks"),
    ("line_start", "0,home", "start of the line"),
    ("first_printable", "circumflex_accent", "first printable character of the line"),
    ("line_end", "dollar_sign,end", "end of the line"),
    ("last_line", "G", "last line, or the one with this number"),
    ("paragraph_back", "left_curly_bracket", "empty line before"),
    ("paragraph", "right_curly_bracket", "next empty line"),
    ("match", "percent_sign", "the other bracket of the pair"),
    ("find", "f", "to a character in the line"),
    ("find_back", "F", "back to a character in the line"),
    ("till", "t", "before a character in the line"),
    ("till_back", "T", "back, behind a character in the line"),
    ("find_again", "semicolon", "the same character again"),
    ("find_opposite", "comma", "the same character, the other way"),
)

_OPERATORS: tuple[Row, ...] = (
    ("delete", "d", "delete, up to a motion or a text object; twice: the line"),
    ("change", "c", "the same, and insert"),
    ("yank", "y", "the same, but copy"),
)

_COMMANDS: tuple[Row, ...] = (
    ("insert", "i", "insert"),
    ("append", "a", "insert behind the character"),
    ("insert_in_line", "I", "insert at the start of the line"),
    ("append_to_line", "A", "insert at the end of the line"),
    ("open_below", "o", "insert in a new line below"),
    ("open_above", "O", "insert in a new line above"),
    ("undo", "u", "undo"),
    ("redo", "ctrl+r", "redo"),
    ("repeat", "full_stop", "the last change again"),
    ("skip", "m,q,at,quotation_mark,apostrophe,grave_accent,z,Z", "nothing; the key behind it is passed over"),
)

_BOTH: tuple[Row, ...] = (
    ("delete_character", "x,delete", "delete the character, or what is selected"),
    ("delete_before", "X", "delete the character before, or the selected lines"),
    ("substitute", "s", "change the character, or what is selected"),
    ("substitute_line", "S", "change the line, or the selected lines"),
    ("delete_rest", "D", "delete the rest of the line, or the selected lines"),
    ("change_rest", "C", "change the rest of the line, or the selected lines"),
    ("yank_line", "Y", "copy the line, or the selected lines"),
    ("put", "p", "put what was cut behind the caret, or over what is selected"),
    ("put_before", "P", "put it before the caret"),
    ("join", "J", "join the next line to this one"),
    ("replace", "r", "replace the character by the next key"),
    ("swap_case", "tilde", "swap small and capital letters"),
    ("select", "v", "select characters; again: end selecting"),
    ("select_lines", "V", "select lines; again: end selecting"),
    ("command_line", "colon", "a command such as :q, :12 or :model"),
)

_VISUAL: tuple[Row, ...] = (
    ("other_end", "o", "to the other end of the selection"),
    ("lower", "u", "make it small letters"),
    ("upper", "U", "make it capital letters"),
)

_AFTER_G: tuple[Row, ...] = (
    ("first_line", "g", "first line, or the one with this number"),
    ("word_end_back", "e", "end of the word before"),
    ("big_word_end_back", "E", "end of the word before, between blanks"),
)

_OPERATORS_AFTER_G: tuple[Row, ...] = (
    ("lower", "u", "small letters, up to a motion or a text object"),
    ("upper", "U", "capital letters, the same"),
    ("swap", "tilde", "small for capital letters, the same"),
)

_OBJECTS: tuple[Row, ...] = (
    ("word", "w", "the word"),
    ("big_word", "W", "the word between blanks"),
    ("paragraph", "p", "the lines between empty ones"),
    ("double_quotes", "quotation_mark", 'between " and "'),
    ("single_quotes", "apostrophe", "between ' and '"),
    ("backticks", "grave_accent", "between ` and `"),
    ("parentheses", "left_parenthesis,right_parenthesis,b", "between ( and )"),
    ("brackets", "left_square_bracket,right_square_bracket", "between [ and ]"),
    ("braces", "left_curly_bracket,right_curly_bracket,B", "between { and }"),
    ("angles", "less_than_sign,greater_than_sign", "between < and >"),
)


def _bindings(table: str, rows: tuple[Row, ...], prefix: str = "") -> tuple[Binding, ...]:
    return tuple(
        Binding(keys, f"vim('{table}', '{name}')", about, id=f"vim.{prefix}{name}", show=False)
        for name, keys, about in rows
    )


MOTIONS = _bindings("motion", _MOTIONS)
OPERATORS = _bindings("operator", _OPERATORS)
COMMANDS = _bindings("command", _COMMANDS)
BOTH = _bindings("both", _BOTH)
PREFIX = _bindings("prefix", (("go", "g", "begins a command of two keys"),))
VISUAL = _bindings("visual", _VISUAL, "visual.")
REACHES = _bindings(
    "reach", (("inner", "i", "a text object without what is around it"), ("around", "a", "and with it")), "object."
)
AFTER_G = _bindings("g_motion", _AFTER_G, "g.") + _bindings("g_operator", _OPERATORS_AFTER_G, "g.")
OBJECTS = _bindings("object", _OBJECTS, "object.")

NORMAL_KEYS = (*MOTIONS, *OPERATORS, *COMMANDS, *BOTH, *PREFIX)
PENDING_KEYS = (*MOTIONS, *OPERATORS, *PREFIX, *REACHES)
VISUAL_KEYS = (*PENDING_KEYS, *BOTH, *VISUAL)
"""The keys that count in normal mode, behind an operator, and in visual mode."""

VIM_BINDINGS = (ESCAPE, *NORMAL_KEYS, *VISUAL, *REACHES, *AFTER_G, *OBJECTS)
