"""The sanitiser: whatever comes in, nothing that a terminal obeys goes out."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyagent_tui.widgets.text.outside_text import expand_tabs, has_hidden, outside_content, outside_line, outside_text

CODES = [
    "\x1b]52;c;cHduZWQ=\x07",
    "\x1b]0;x\x07",
    "\x1b[6n",
    "\x1bc",
    "\x9b2J",
    "\x90q\x9c",
    "a\x00b\x7f",
    "\u202eevil\u202c",
    "a\ud83db",
    "\x1b[31mred\x1b[0m",
]


def is_harmless(text: str) -> bool:
    return all(c == "\n" or unicodedata.category(c) not in ("Cc", "Cs") for c in text) and not has_hidden(text)


@pytest.mark.parametrize("text", CODES)
def test_control_codes_do_not_survive(text: str) -> None:
    assert is_harmless(outside_text(text))


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_no_text_at_all_lets_a_control_code_through(text: str) -> None:
    assert is_harmless(outside_text(text))
    assert "\n" not in outside_line(text)


def test_an_escape_is_shown_as_a_sign_and_a_surrogate_as_a_replacement() -> None:
    assert outside_text("\x1b[31m") == "␛[31m"
    assert outside_text("a\ud83db") == "a\ufffdb"
    assert outside_text("\u202e") == "⟨U+202E⟩"


def test_brackets_stay_literal_in_content() -> None:
    for text in ("[/]", "see [/tmp/a]", "arr[i] = '['", "[bold]x", "[@click=app.quit]boo[/]", "[b + c"):
        content = outside_content(text)
        assert content.plain == text
        assert not content.spans


def test_line_ends_become_newlines_and_a_row_has_none() -> None:
    assert outside_text("a\r\nb\rc") == "a\nb\nc"
    assert outside_line("a\r\nb\tc\n") == "a b c"


def test_tabs_are_measured_in_cells() -> None:
    assert expand_tabs("a\tb", 4) == "a   b"
    assert expand_tabs("漢\tb", 4) == "漢  b"
    assert expand_tabs("漢a\tb\n\tc", 4) == "漢a b\n    c"


def test_a_joiner_inside_an_emoji_is_kept() -> None:
    family = "👩\u200d👩\u200d👧"
    assert outside_text(family) == family
