"""Vim's keys in the editor."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.actions import parse
from textual.keys import _character_to_key  # pyright: ignore[reportPrivateUsage]

from pyagent_tui.widgets.editor.document import EditorDocument
from pyagent_tui.widgets.editor.vim.changes import CHANGES, ON_SELECTION
from pyagent_tui.widgets.editor.vim.grammar import Meanings
from pyagent_tui.widgets.editor.vim.keys import VIM_BINDINGS
from pyagent_tui.widgets.editor.vim.mode import Vim
from pyagent_tui.widgets.editor.vim.motions import MOTIONS
from pyagent_tui.widgets.editor.vim.operators import CASES
from pyagent_tui.widgets.editor.vim.text_objects import TEXT_OBJECTS

NAMES = {"\x12": "ctrl+r", "\n": "enter"}
"""Keys that are no characters."""


def meanings(key: str) -> Meanings:
    """What a key means by default."""
    name = NAMES.get(key) or _character_to_key(key)
    actions = [parse(binding.action)[2] for binding in VIM_BINDINGS if name in binding.key.split(",")]
    return [(str(table), str(what)) for table, what in actions]


def play(text: str, keys: str) -> str:
    """The text after these keys in normal mode; a ``|`` stands before the caret's character, before and after."""
    document = EditorDocument()
    before, _, after = text.partition("|")
    document.reset(before + after)
    document.move_to(before.count("\n"), len(before.rpartition("\n")[2]))
    vim = Vim(document)
    vim.escape()
    document.move_to(before.count("\n"), len(before.rpartition("\n")[2]))
    for key in keys:
        if key == "\x1b":
            vim.escape()
        elif vim.mode == "insert":
            document.type(key)
        else:
            vim.press(meanings(key), key if key.isprintable() or key == "\n" else "")
    lines = list(document.lines)
    lines[document.row] = lines[document.row][: document.column] + "|" + lines[document.row][document.column :]
    return "\n".join(lines)


def test_every_name_of_the_table_is_known() -> None:
    of_mode = "up down find find_back till till_back find_again find_opposite undo redo repeat select select_lines"
    of_grammar = "delete change yank go inner around other_end command_line skip escape"
    known = {*MOTIONS, *CHANGES, *ON_SELECTION, *TEXT_OBJECTS, *CASES, *of_mode.split(), *of_grammar.split()}
    assert {str(parse(binding.action)[2][1]) for binding in VIM_BINDINGS} <= known


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


@pytest.mark.parametrize(
    ("text", "keys", "after"),
    [
        ("|one, two", "W", "one, |two"),
        ("|one, two", "E", "one|, two"),
        ("one, two|", "B", "one, |two"),
        ("one |two", "ge", "on|e two"),
        ("one, |two", "gE", "one|, two"),
        ("one\n\n|two", "ge", "one\n|\ntwo"),
        ("|one\n\ntwo", "w", "one\n|\ntwo"),
        ("|one\ntwo\n\nsix", "}", "one\ntwo\n|\nsix"),
        ("one\n\n|two", "{", "one\n|\ntwo"),
        ("f|(a, [b])", "%", "f(a, [b]|)"),
        ("f(a, [b]|)", "%", "f|(a, [b])"),
        ("|axbxcx", "fx;", "axb|xcx"),
        ("|axbxcx", "tx;", "ax|bxcx"),
        ("|axbxcx", "fx;,", "a|xbxcx"),
        ("axbxc|x", "Fx;", "a|xbxcx"),
        ("axbxc|x", "Tx;", "ax|bxcx"),
        ("|axbxcx", "2fx", "axb|xcx"),
        ("long|er\nx\nlonger", "jj", "longer\nx\nlong|er"),
        ("|one\nlonger", "$j", "one\nlonge|r"),
        ("漢|字\nabcd", "j", "漢字\nab|cd"),
        ("one\n  t|wo", "gg", "|one\n  two"),
        ("|one\n  two", "G", "one\n  |two"),
        ("|one", "zh", "|one"),
        ("|one", "ma", "|one"),
        ("|one two", '"ayw', "|one two"),
    ],
)
def test_more_motions(text: str, keys: str, after: str) -> None:
    assert play(text, keys) == after


@pytest.mark.parametrize(
    ("text", "keys", "after"),
    [
        ("a b|ig dog", "diw", "a | dog"),
        ("a b|ig dog", "daw", "a |dog"),
        ("a dog|s", "daw", "|a"),
        ("a b|-ig dog", "diW", "a | dog"),
        ("a | b", "diw", "a|b"),
        ('say "t|he \\" word" now', 'di"', 'say "|" now'),
        ('say "t|he word" now', 'da"', "say |now"),
        ('s|ay "the word" now', 'ci"x\x1b', 'say "|x" now'),
        ("f(a, |(b), c)", "di(", "f(a, (|), c)"),
        ("f(a, |b, (c))", "da(", "|f"),
        ("f(a, |b, (c))", "dib", "f(|)"),
        ("if {\n  a|;\n  b;\n}", "diB", "if {\n|}"),
        ("x [a|b] y", "ci]", "x [|] y"),
        ("<|b>x</b>", "di<", "<|>x</b>"),
        ("one\ntw|o\n\nsix\n", "dip", "|\nsix\n"),
        ("one\ntw|o\n\nsix", "dap", "|six"),
        ("|one", "di(", "|one"),
        ("one (t|wo", "di(", "one (t|wo"),
    ],
)
def test_text_objects(text: str, keys: str, after: str) -> None:
    assert play(text, keys) == after


@pytest.mark.parametrize(
    ("text", "keys", "after"),
    [
        ("|one two three", "vey", "|one two three"),
        ("|one two three", "ved", "| two three"),
        ("|one two three", "vwd", "|wo three"),
        ("one |two", "vbd", "|wo"),
        ("one |two", "vlohd", "one|o"),
        ("o|ne two", "veUfwvU", "oNE t|Wo"),
        ("|One", "vEu", "|one"),
        ("|One two", "ve~", "|oNE two"),
        ("|one two", "vecx\x1b", "|x two"),
        ("|one two", "vlrx", "|xxe two"),
        ("one\nt|wo\nsix\nten", "Vjd", "one\n|ten"),
        ("one\nt|wo\nsix", "Vyp", "one\ntwo\n|two\nsix"),
        ("one\nt|wo\nsix", "Vcx\x1b", "one\n|x\nsix"),
        ("|one\ntwo\nsix", "VjJ", "one| two\nsix"),
        ("|one two", "yiwwviwp", "one on|e"),
        ("|one two", "vv", "|one two"),
        ("|one two", "v\x1bx", "|ne two"),
        ("f(a, |b)", "vi(d", "f(|)"),
        ("|one\ntwo\nsix", "vjVd", "|six"),
        ("|one two", "vlx.", "|two"),
        ("|one\ntwo\nsix\nten", "Vjd.", "|"),
        ("o|ne\ntwo\nsix", "vjD", "|six"),
    ],
)
def test_selections(text: str, keys: str, after: str) -> None:
    assert play(text, keys) == after


@pytest.mark.parametrize(
    ("text", "keys", "after"),
    [
        ("|one two three", "dw.", "|three"),
        ("|one two three four", "dw2.", "|four"),
        ("|one two", "cwred\x1bw.", "red re|d"),
        ("|one two", "ihi \x1bw.", "hi hi| one two"),
        ("|one\ntwo", "A!\x1bj.", "one!\ntwo|!"),
        ("|one", "ox\x1b.", "one\nx\n|x"),
        ("|abcdef", "x..", "|def"),
        ("|abc", "rxl.", "x|xc"),
        ("|abc", "~.", "AB|c"),
        ("|abc", "5~", "AB|C"),
        ("one |two", "guiwgUiw", "one |TWO"),
        ("o|ne two", "gUU", "|ONE TWO"),
        ("o|ne two", "g~~", "|ONE TWO"),
        ("|One Two", "guw.", "|one Two"),
        ("|one two", "cwred blue\x1bu", "|one two"),
        ("|one two", "cwred blue\x1bu\x120", "|red blue two"),
        ("|one two six", "dwdwuu", "|one two six"),
        ("|one", "yy3p", "one\n|one\none\none"),
        ("|a b c", "xxu.", "|b c"),
        ("one\n|two\n  six", "3J", "one\ntwo| six"),
        ("|a\nb\nc", "3J", "a b| c"),
        ("|a", "p", "|a"),
        ("one |two", "r\n", "one \n|wo"),
        ("|a b", "cwx\x1b", "|x b"),
        ("|one", "dfz", "|one"),
        ("|one", "d\x1bx", "|ne"),
        ("one\n|\ntwo", "dw", "one\n|\ntwo"),
        ("|one\n\ntwo", "d}", "|\ntwo"),
        ("|a;b;c", "df;;", "b|;c"),
    ],
)
def test_more_changes(text: str, keys: str, after: str) -> None:
    assert play(text, keys) == after


def test_a_high_count_costs_little() -> None:
    assert len(play("|x", "yy99999p")) < 30_000
    assert play("|x", f"{'9' * 5000}x") == "|"


@given(
    st.text(alphabet="ab .\n漢\ud800", max_size=30),
    st.text(alphabet="hjklwWbBeE0^$GdcyxXpPuU23fFtT;,griaoOIAJvVsSDCY~%{}.(['\"`<zq\x12\n\x1b a", max_size=30),
)
@settings(max_examples=400, deadline=None)
def test_no_keys_lead_out_of_the_text(text: str, keys: str) -> None:
    column = play(f"|{text}", keys).index("|")
    assert column >= 0
