"""The editor's text, without a screen."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from pyagent_tui.tests.pace import budget, least_cost
from pyagent_tui.widgets.editor.document import EditorDocument
from pyagent_tui.widgets.editor.layout import EditorLayout
from pyagent_tui.widgets.editor.soft_wrap import SoftWrap
from pyagent_tui.widgets.text.grapheme import clusters, is_plain
from pyagent_tui.widgets.text.outside_text import has_hidden

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
CLUSTERS = [
    "a",
    "漢",
    "e\u0301",
    "👍🏽",
    "🇩🇪",
    FAMILY,
    "1\ufe0f\u20e3",
    "\U0001f3f3\ufe0f\u200d\U0001f308",
    "한",
    "\ud800",
]


def document(text: str) -> EditorDocument:
    """A document with the caret where the text has a ``|``, else at its end."""
    made = EditorDocument()
    before, bar, after = text.partition("|")
    made.reset(before + after)
    if bar:
        made.move_to(before.count("\n"), len(before.rpartition("\n")[2]))
    return made


def shown(of: EditorDocument) -> str:
    """The text with a ``|`` at the caret."""
    lines = list(of.lines)
    lines[of.row] = lines[of.row][: of.column] + "|" + lines[of.row][of.column :]
    return "\n".join(lines)


def type_in(into: EditorDocument, text: str) -> None:
    for character in text:
        into.type(character)


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_cluster_is_one_step_and_one_deletion(cluster: str) -> None:
    doc = document(f"x{cluster}y")
    doc.move_left()
    doc.move_left()
    assert shown(doc) == f"x|{cluster}y"
    doc.move_right()
    assert shown(doc) == f"x{cluster}|y"
    doc.delete_left()
    assert shown(doc) == "x|y"
    doc.undo()
    doc.move_left()
    doc.delete_right()
    assert shown(doc) == "x|y"


def test_two_flags_are_two_clusters() -> None:
    doc = document("🇩🇪🇫🇷")
    doc.delete_left()
    assert doc.text == "🇩🇪"


def test_undo_takes_back_word_by_word() -> None:
    doc = document("")
    type_in(doc, "one two  three")
    seen: list[str] = []
    while doc.undo():
        seen.append(doc.text)
    assert seen == ["one two  ", "one ", ""]
    while doc.redo():
        pass
    assert shown(doc) == "one two  three|"


def test_a_paste_is_undone_whole_and_alone() -> None:
    doc = document("")
    type_in(doc, "see ")
    doc.insert("pasted words here", "paste")
    type_in(doc, "!")
    doc.undo()
    assert doc.text == "see pasted words here"
    doc.undo()
    assert doc.text == "see "


def test_typing_after_a_move_is_a_unit_of_its_own() -> None:
    doc = document("")
    type_in(doc, "ab")
    doc.move_left()
    type_in(doc, "x")
    doc.undo()
    assert shown(doc) == "a|b"


def test_cuts_in_a_row_grow_one_text_on_the_right_side() -> None:
    doc = document("one two |three four")
    doc.kill_word_left()
    doc.kill_word_left()
    doc.kill_word_right()
    assert shown(doc) == "| four"
    doc.yank()
    assert shown(doc) == "one two three| four"


def test_a_move_ends_the_growing_and_pop_walks_the_ring() -> None:
    doc = document("one two three|")
    doc.kill_word_left()
    doc.move_left()
    doc.kill_word_left()
    doc.move_to_end()
    doc.yank()
    assert doc.text == "one  two"
    doc.yank_pop()
    assert doc.text == "one  three"
    doc.yank_pop()
    assert doc.text == "one  two"
    doc.move_left()
    assert not doc.yank_pop()


def test_cutting_at_the_edges_of_a_line_takes_the_line_break() -> None:
    doc = document("one\n|two")
    doc.kill_to_start()
    assert shown(doc) == "one|two"
    doc = document("one|\ntwo")
    doc.kill_to_end()
    assert shown(doc) == "one|two"
    doc.yank()
    assert shown(doc) == "one\n|two"


@pytest.mark.parametrize(
    ("text", "left", "right"),
    [
        ("foo.bar| baz", "foo.|bar baz", "foo.bar baz|"),
        ("foo  |  bar", "|foo    bar", "foo    bar|"),
        ("a\n|b", "a|\nb", "a\nb|"),
        ("cafe\u0301| x", "|cafe\u0301 x", "cafe\u0301 x|"),
        ("x \ud800| y", "x |\ud800 y", "x \ud800 y|"),
    ],
)
def test_words_end_where_readers_expect(text: str, left: str, right: str) -> None:
    doc = document(text)
    doc.move_word_left()
    assert shown(doc) == left
    doc = document(text)
    doc.move_word_right()
    assert shown(doc) == right


def test_jumping_finds_the_character_in_other_lines() -> None:
    doc = document("one|\ntwo\nthree")
    doc.move_to_character("h", forward=True)
    assert shown(doc) == "one\ntwo\nt|hree"
    doc.move_to_character("n", forward=False)
    assert shown(doc) == "o|ne\ntwo\nthree"
    assert not doc.move_to_character("z", forward=True)


# Rows


def layout(doc: EditorDocument, width: int) -> tuple[EditorLayout, SoftWrap]:
    wrap = SoftWrap(lambda _: "[paste #1 +12 lines]")
    wrap.width = width
    return EditorLayout(doc, wrap), wrap


def rows_of(text: str, width: int) -> list[str]:
    doc = document(text)
    made, _ = layout(doc, width)
    return ["".join(piece.text for piece in row.pieces) for row in made.rows(0, 99)]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("hello world foo bar", ["hello ", "world foo ", "bar"]),
        ("abcdefghijklmno", ["abcdefghij", "klmno"]),
        ("漢字漢字漢字", ["漢字漢字漢", "字"]),
        ("a漢字漢字漢", ["a漢字漢字", "漢"]),
        ("a\n\nb", ["a", "", "b"]),
        ("x\ty", ["x    y"]),
        ("go \u202e", ["go ", "⟨U+202E⟩"]),
    ],
)
def test_lines_fold_at_blanks_and_by_cells(text: str, rows: list[str]) -> None:
    assert rows_of(text, 10) == rows


def test_a_marker_is_drawn_by_its_label_and_clipped_where_it_must() -> None:
    assert rows_of("a \ud800", 30) == ["a [paste #1 +12 lines]"]
    assert rows_of("a \ud800", 10) == ["a ", "[paste #1…"]


def test_vertical_moves_remember_their_column_over_short_rows() -> None:
    doc = document("a long first line|\nxy\n\nanother long line")
    made, _ = layout(doc, 40)
    for _ in range(3):
        assert made.move_vertically(1)
    assert shown(doc).endswith("another long line|")
    assert not made.move_vertically(1)
    for _ in range(3):
        made.move_vertically(-1)
    assert shown(doc).startswith("a long first line|")


def test_the_remembered_column_counts_cells_not_characters() -> None:
    doc = document("漢字漢|字\nabcdefghij")
    made, _ = layout(doc, 40)
    made.move_vertically(1)
    assert shown(doc) == "漢字漢字\nabcdef|ghij"


def test_the_caret_walks_over_the_rows_of_a_folded_line() -> None:
    doc = document("|hello world foo bar")
    made, _ = layout(doc, 10)
    assert made.caret == (0, 0)
    made.move_vertically(1)
    assert shown(doc) == "hello |world foo bar"
    doc.move_to(*made.row_edge(end=True))
    assert made.caret == (1, 9)
    made.move_vertically(1)
    assert made.caret == (2, 3)


TEXTS = st.lists(st.sampled_from([*CLUSTERS, " ", "\n", "word", "x" * 15, "\t"]), max_size=40).map("".join)


@given(TEXTS, st.integers(2, 30))
@settings(max_examples=150, deadline=None)
def test_rows_hold_every_character_once_and_none_is_too_wide(text: str, width: int) -> None:
    doc = document(text)
    made, wrap = layout(doc, width)
    for line in doc.lines:
        rows = wrap.rows(line)
        assert "".join(line[row.start : row.end] for row in rows) == line
        assert all(sum(piece.width for piece in row.pieces) <= wrap.width or len(row.pieces) == 1 for row in rows)
    assert made.row_count == len(made.rows(0, 10_000))


@given(TEXTS, st.lists(st.sampled_from(["move_left", "move_right", "move_word_left", "delete_left", "delete_right"])))
@settings(max_examples=150, deadline=None)
def test_the_caret_stays_on_borders_and_undo_leads_back(text: str, verbs: list[str]) -> None:
    doc = document(text)
    for verb in verbs:
        getattr(doc, verb)()
        assert 0 <= doc.row < len(doc.lines)
        assert 0 <= doc.column <= len(doc.line)
    while doc.undo():
        pass
    assert doc.text == text


def test_texts_taken_for_simple_are_as_wide_as_the_terminal_draws_them() -> None:
    characters = [chr(code) for code in range(0x20, 0x10000) if not 0xD800 <= code <= 0xDFFF]
    assert [c for c in characters if is_plain(c) and cell_len(c) != 1] == []
    assert [c for c in characters if clusters(c)[0][2] != cell_len(c) and not has_hidden(c)] == []


@pytest.mark.parametrize("line", ["word " * 4000, "слово " * 1000, "漢字" * 500])
def test_a_key_in_a_long_line_costs_a_few_milliseconds_at_most(line: str) -> None:
    doc = document(line)
    made, _ = layout(doc, 100)

    def key() -> None:
        doc.type("a")
        made.rows(made.caret[0], 1)

    assert least_cost(key, tries=10) < budget(0.02)
