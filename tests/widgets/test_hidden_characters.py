"""Characters that deceive the eye."""

from __future__ import annotations

import pytest

from pyagent_tui.widgets.text.hidden_characters import show_hidden, warnings_about


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rm -rf \u202etxt.exe", "rm -rf ⟨U+202E⟩txt.exe"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("a\u00a0b", "a⟨U+00A0⟩b"),
        ("a\u3164b", "a⟨U+3164⟩b"),
        ("a\x1b[2Kb", "a␛[2Kb"),
        ("a\x08b", "a␈b"),
        ("plain 漢字 é", "plain 漢字 é"),
    ],
)
def test_everything_hidden_is_made_visible(text: str, shown: str) -> None:
    assert show_hidden(text) == shown


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rm \u202e x", "U+202E right-to-left override"),
        ("a\u200bb", "U+200B zero width space"),
        ("a\x1bb", "U+001B escape"),
        ("a\u00a0b", "U+00A0 no-break space"),
        ("curl раypal.com", "U+0440 cyrillic"),
        ("cat сору", "U+0441 cyrillic"),
        ("cat ｅtc", "U+FF45 fullwidth"),
        (f"echo ok{' ' * 300}; rm -rf ~/x", "text far to the right, behind 300 blanks: ; rm -rf ~/x"),
        ("echo ok" + "\n  " * 30 + "rm -rf ~/x", "text far below, behind 29 empty lines: rm -rf ~/x"),
    ],
)
def test_what_deceives_is_named(text: str, words: str) -> None:
    (warning,) = warnings_about(text)
    assert words in warning


@pytest.mark.parametrize(
    "text", ["pytest -q && ls", "echo привет мир", "cat 漢字.txt", "naïve café", "a\tb\nc", "echo 'ß' αβγ"]
)
def test_ordinary_text_of_any_language_is_not_flagged(text: str) -> None:
    assert warnings_about(text) == []
