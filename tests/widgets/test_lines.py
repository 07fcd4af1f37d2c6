"""Wrapping in cells: nothing is wider than its place, nothing is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from pyagent_tui.widgets.text.lines import (
    cells,
    crop,
    crop_start,
    crop_text,
    hang,
    plain,
    to_strip,
    wrap,
    wrapped_height,
)

BOLD = Style(bold=True)
NONE = Style()
TEXTS = st.lists(
    st.sampled_from(["a", "b", " ", "漢", "字", "é", "👩🏽\u200d💻", "e\u0301", "✅", "—"]), max_size=60
).map("".join)


@given(TEXTS, st.integers(2, 30), st.booleans())
def test_no_row_is_wider_than_the_width_and_no_word_is_lost(text: str, width: int, words: bool) -> None:
    rows = wrap([(text[:7], BOLD), (text[7:], NONE)], width, words=words)
    assert all(cells(plain(row)) <= width for row in rows)
    joined = "".join(plain(row) for row in rows)
    assert joined.replace(" ", "") == text.replace(" ", "")
    if not words:
        assert joined == text
        assert wrapped_height(text, width) == len(rows)


def test_words_stay_whole_and_long_ones_fold() -> None:
    assert [plain(row) for row in wrap([("the quick brown fox", NONE)], 10)] == ["the quick", "brown fox"]
    assert [plain(row) for row in wrap([("abcdefghij", NONE)], 4)] == ["abcd", "efgh", "ij"]
    assert [plain(row) for row in wrap([("ab é defgh", NONE)], 5)] == ["ab é", "defgh"]


def test_wide_characters_break_anywhere_and_count_two() -> None:
    assert [plain(row) for row in wrap([("漢字漢字", NONE)], 5)] == ["漢字", "漢字"]
    assert [plain(row) for row in wrap([("漢" * 19 + "a漢", NONE)], 40)] == ["漢" * 19 + "a", "漢"]


def test_styles_follow_their_text_over_the_break() -> None:
    rows = wrap([("one ", NONE), ("two three", BOLD)], 7)
    assert rows == [[("one ", NONE), ("two", BOLD)], [("three", BOLD)]]


def test_cropping_marks_what_it_cut() -> None:
    assert plain(crop([("abc", NONE), ("defg", BOLD)], 5, "…")) == "abcd…"
    assert plain(crop([("漢字漢字", NONE)], 5, "…")) == "漢字…"
    assert plain(crop([("abc", NONE)], 3, "…")) == "abc"
    assert crop_start("src/very/long/name.py", 10, "…") == "…g/name.py"
    assert crop_start("目录/文件名.py", 8, "…") == "…件名.py"
    assert crop_text("👩🏽‍💻x", 1) == ""


@given(TEXTS, st.integers(1, 20))
def test_a_strip_has_exactly_its_width(text: str, width: int) -> None:
    strip = to_strip([(text, NONE)], width, NONE)
    assert cell_len(strip.text) == width == strip.cell_length


def test_a_hanging_prefix_stands_once() -> None:
    rows = hang([[("a", NONE)], [("b", NONE)]], [("- ", NONE)], [("  ", NONE)])
    assert [plain(row) for row in rows] == ["- a", "  b"]
    assert cells("é漢") == 3
