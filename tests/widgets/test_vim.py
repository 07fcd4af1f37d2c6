"""Vim's keys in the editor."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyagent_tui.widgets.editor.document import EditorDocument
from pyagent_tui.widgets.editor.vim import Vim


def play(text: str, keys: str) -> str:
    """The text after these keys in normal mode; a ``|`` stands before the caret's character, before and after."""
    document = EditorDocument()
    before, _, after = text.partition("|")
    document.reset(before + after)
    document.move_to(before.count("\n"), len(before.rpartition("\n")[2]))
    vim = Vim(document)
    vim.is_normal = True
    for key in keys:
        if vim.is_normal:
            vim.press(key)
        elif key == "\x1b":
            vim.enter_normal()
        else:
            document.type(key)
    lines = list(document.lines)
    lines[document.row] = lines[document.row][: document.column] + "|" + lines[document.row][document.column :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "keys", "after"),
    [
        ("|one two", "w", "one |two"),
        ("|one, two", "w", "one|, two"),
        ("one |two", "b", "|one two"),
        ("|one two", "e", "on|e two"),
        ("|one two three", "2w", "one two |three"),
        ("one\n|two", "b", "|one\ntwo"),
        ("on|e", "$", "on|e"),
        ("  on|e", "0", "|  one"),
        ("  on|e", "^", "  |one"),
        ("one\ntw|o", "gg", "|one\ntwo"),
        ("|one\ntwo\nthree", "G", "one\ntwo\n|three"),
        ("|one\ntwo\nthree", "2G", "one\n|two\nthree"),
        ("o|ne\ntwo", "j", "one\nt|wo"),
        ("one\nt|wo", "k", "o|ne\ntwo"),
        ("|a(b)c", "f)", "a(b|)c"),
        ("|a(b)c", "t)", "a(|b)c"),
        ("a(b)|c", "F(", "a|(b)c"),
        ("|👍🏽漢x", "ll", "👍🏽漢|x"),
        ("|one", "fz", "|one"),
    ],
)
def test_motions(text: str, keys: str, after: str) -> None:
    assert play(text, keys) == after


@pytest.mark.parametrize(
    ("text", "keys", "after"),
    [
        ("|one two", "dw", "|two"),
        ("one |two\nthree", "dw", "one| \nthree"),
        ("one |two three", "d$", "one| "),
        ("|one two three", "d2w", "|three"),
        ("|one two three", "2dw", "|three"),
        ("one t|wo", "db", "one |wo"),
        ("|a(b)c", "df)", "|c"),
        ("|a(b)c", "dt)", "|)c"),
        ("|one\ntwo\nthree", "dd", "|two\nthree"),
        ("one\n|two", "dd", "|one"),
        ("|one", "dd", "|"),
        ("|one\ntwo\nthree", "dj", "|three"),
        ("one\n|two\nthree", "dG", "|one"),
        ("|one two", "cwred\x1b", "re|d two"),
        ("one\n|two\nthree", "ccnew\x1b", "one\nne|w\nthree"),
        ("on|e two", "Cx\x1b", "on|x"),
        ("o|ne", "x", "o|e"),
        ("on|e", "x", "o|n"),
        ("|👍🏽漢", "x", "|漢"),
        ("on|e", "X", "o|e"),
        ("o|ne", "sxy\x1b", "ox|ye"),
        ("o|ne", "r.", "o|.e"),
        ("|one", "2r.", ".|.e"),
        ("|one", "9r.", "|one"),
        ("one\n|  two", "kJ", "one| two"),
        ("|one two", "dwu", "|one two"),
        ("|one", "r.u", "|one"),
        ("|one\ntwo", "Ju", "|one\ntwo"),
        ("|one", "ihi \x1b", "hi| one"),
        ("|one", "A!\x1b", "one|!"),
        ("  o|ne", "Ix\x1b", "  |xone"),
        ("|one\ntwo", "onew\x1b", "one\nne|w\ntwo"),
        ("one\n|two", "Onew\x1b", "one\nne|w\ntwo"),
        ("|one two", "yw$p", "one twoone| "),
        ("|one\ntwo", "yyjp", "one\ntwo\n|one"),
        ("one\n|two", "ddP", "|two\none"),
        ("|a b", "xp", " |ab"),
        ("|one", "dqx", "|ne"),
    ],
)
def test_operators_and_changes(text: str, keys: str, after: str) -> None:
    assert play(text, keys) == after


@given(
    st.text(alphabet="ab .\n漢\ud800", max_size=30),
    st.text(alphabet="hjklwbe0^$Gdcyxpu23fgriaoJ\x1b a", max_size=20),
)
@settings(max_examples=200, deadline=None)
def test_no_keys_lead_out_of_the_text(text: str, keys: str) -> None:
    column = play(f"|{text}", keys).index("|")
    assert column >= 0
