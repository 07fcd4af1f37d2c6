"""Fuzzy matching."""

from __future__ import annotations

import pytest

from pyagent_tui.widgets.text.fuzzy import fuzzy_filter, fuzzy_score


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("tot", "shop/totals.py", "shop/to_other.py"),
        ("st", "status.py", "last.py"),
        ("edit", "editor.py", "e_d_i_t.py"),
        ("sp", "some_parser.py", "osprey.py"),
        ("model", "/model", "/models-scoped"),
        ("readme", "README.md", "src/read_me_later.txt"),
    ],
)
def test_runs_and_word_starts_come_first(query: str, better: str, worse: str) -> None:
    assert fuzzy_filter(query, [worse, better], str) == [better, worse]


def test_the_order_of_characters_counts() -> None:
    assert fuzzy_score("tor", "editor") is not None
    assert fuzzy_score("rot", "editor") is None


def test_every_token_must_occur_in_any_order() -> None:
    assert fuzzy_filter("py shop", ["shop/a.py", "shop/a.js", "b.py"], str) == ["shop/a.py"]
    assert fuzzy_filter("shop/a", ["shop/a.py", "b/shop.py"], str)[0] == "shop/a.py"


def test_letters_and_digits_may_be_swapped() -> None:
    assert fuzzy_filter("4opus", ["opus4", "opus-4"], str) == ["opus4", "opus-4"]


def test_an_empty_query_keeps_everything_in_order() -> None:
    assert fuzzy_filter("", ["b", "a"], str) == ["b", "a"]
