"""Numbers, times and money as the screen writes them."""

from __future__ import annotations

import pytest

from pyagent_tui.widgets.text.numbers import (
    format_count,
    format_milliseconds,
    format_money,
    format_plural,
    format_seconds,
)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (None, "–"),
        (0, "0"),
        (980, "980"),
        (999, "999"),
        (1000, "1.0k"),
        (1234, "1.2k"),
        (9949, "9.9k"),
        (9960, "10k"),
        (34_200, "34k"),
        (999_400, "999k"),
        (999_999, "1.0M"),
        (1_234_000, "1.2M"),
        (34_000_000, "34M"),
    ],
)
def test_counts_keep_two_figures(count: int | None, text: str) -> None:
    assert format_count(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (0, "0.0 s"),
        (-0.2, "0.0 s"),
        (9.34, "9.3 s"),
        (9.96, "10 s"),
        (42.4, "42 s"),
        (59.7, "1m 00s"),
        (64, "1m 04s"),
        (3599.6, "1h 00m"),
        (7500, "2h 05m"),
    ],
)
def test_times_have_a_decimal_under_ten_seconds(seconds: float | None, text: str) -> None:
    assert format_seconds(seconds) == text


def test_milliseconds_are_written_as_seconds() -> None:
    assert (format_milliseconds(2300), format_milliseconds(None)) == ("2.3 s", "–")


@pytest.mark.parametrize(
    ("dollars", "text"),
    [
        (None, "–"),
        (0.0, "$0.00"),
        (0.00001, "<$0.0001"),
        (0.000123, "$0.000123"),
        (0.041, "$0.041"),
        (0.04123, "$0.0412"),
        (0.5, "$0.50"),
        (0.9996, "$1.00"),
        (1.234, "$1.23"),
        (12.34, "$12.3"),
        (123.4, "$123"),
        (1234.5, "$1,234"),
    ],
)
def test_money_has_three_figures_and_an_unknown_is_not_free(dollars: float | None, text: str) -> None:
    assert format_money(dollars) == text


def test_nouns_follow_their_number() -> None:
    assert format_plural(1, "line") == "1 line"
    assert format_plural(1204, "line") == "1,204 lines"
    assert format_plural(2, "match") == "2 matches"
