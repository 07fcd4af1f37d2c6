"""Characters that deceive the eye."""

from __future__ import annotations

import pytest

from pyagent_tui.widgets.text.hidden_characters import show_hidden, show_name, warnings_about


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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cat /etc/p\u0430sswd", "cat /etc/p⟨\u0430⟩sswd"),
        ("r\u0430\u0443pal", "r⟨\u0430\u0443⟩pal"),
        ("\u0441\u043e\u0440\u0443 x", "⟨\u0441\u043e\u0440\u0443⟩ x"),
        ("пароль é straße", "пароль é straße"),
    ],
)
def test_letters_that_look_like_others_are_marked_where_they_stand(text: str, shown: str) -> None:
    assert show_hidden(text) == show_name(text) == shown


def test_in_prose_a_word_of_another_script_is_not_marked_and_one_of_several_is() -> None:
    assert show_hidden("оса и p\u0430ss", is_prose=True) == "оса и p⟨\u0430⟩ss"


def test_the_warning_shows_the_letter_too() -> None:
    assert warnings_about("p\u0430ss") == ["letters that look like others: p⟨\u0430⟩ss (U+0430 cyrillic)"]


@pytest.mark.parametrize(
    "emoji",
    [
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f469\U0001f3fd\u200d\U0001f4bb",
        "\u2764\ufe0f\u200d\U0001f525",
        "\u2705\ufe0f",
        "1\ufe0f\u20e3",
    ],
)
def test_what_joins_emoji_is_no_hidden_character(emoji: str) -> None:
    text = f"ok {emoji} done"
    assert (warnings_about(text), show_hidden(text)) == ([], text)


@pytest.mark.parametrize(
    "text", ["a\u200db", "\U0001f468\u200dx", "x\ufe0f", "\U0001f468\ufe0f\ufe0f", "\U0001f468\ufe01"]
)
def test_a_joiner_or_a_selector_that_joins_no_emoji_is_one(text: str) -> None:
    assert "hidden characters" in warnings_about(text)[0]
    assert "⟨U+" in show_hidden(text)
