"""Output of commands: colours are kept, the state of progress lines is the last one, nothing else gets through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color

from pyagent_tui.widgets.text.lines import plain
from pyagent_tui.widgets.text.look import plain_look
from pyagent_tui.widgets.text.output import coloured
from pyagent_tui.widgets.text.plain_output import output_lines, plain_output

LOOK = plain_look()


def test_a_progress_bar_shows_its_last_state() -> None:
    text = "P 10%\rP 20%\rP 100%\nok\n\x1b[2J\x1b[5A\x1b[1mup\x1b[0m\n"
    lines = output_lines(text)
    assert [plain_output(line) for line in lines] == ["P 100%", "ok", "up"]
    assert coloured(lines, 2, 3, LOOK)[0][0][1].bold


def test_crlf_and_empty_lines_at_the_end_are_no_lines() -> None:
    assert output_lines("a\r\nb\r\n\n \n\x1b[0m\n") == ["a", "b"]
    assert output_lines("") == []


@pytest.mark.parametrize(
    ("code", "colour"),
    [
        ("31", Color.parse("red")),
        ("1;92", Color.parse("bright_green")),
        ("38;5;208", Color.from_ansi(208)),
        ("38;2;1;2;3", Color.from_rgb(1, 2, 3)),
        ("38:2:1:2:3", Color.from_rgb(1, 2, 3)),
        ("31;0", None),
        ("31;39", None),
        ("", None),
        ("38;5", None),
        ("38;2;999;2;3", Color.from_rgb(255, 2, 3)),
    ],
)
def test_colour_codes_become_styles(code: str, colour: Color | None) -> None:
    (run,) = coloured([f"\x1b[{code}mtext"], 0, 1, LOOK)[0]
    assert run[0] == "text"
    assert run[1].color == colour


def test_attributes_can_be_switched_off_one_by_one() -> None:
    runs = coloured(["\x1b[1;3;4mall\x1b[23mno italic\x1b[22;24mnone"], 0, 1, LOOK)[0]
    assert [(bool(style.bold), bool(style.italic), bool(style.underline)) for _, style in runs] == [
        (True, True, True),
        (True, False, True),
        (False, False, False),
    ]


def test_a_colour_goes_on_over_lines_that_are_not_shown() -> None:
    lines = ["\x1b[31mred", "still", "\x1b[0mplain", "\x1b[32mgreen", "here"]
    assert coloured(lines, 1, 2, LOOK)[0][0][1].color == Color.parse("red")
    assert coloured(lines, 4, 5, LOOK)[0][0][1].color == Color.parse("green")
    assert coloured(lines, 2, 3, LOOK)[0][0][1].color is None


CODES = st.sampled_from(
    [
        "\x1b]52;c;cHduZWQ=\x07",
        "\x1b]0;x\x1b\\",
        "\x1b[6n",
        "\x1bc",
        "\x1b[",
        "\x1b",
        "\x9b2J",
        "\x07",
        "\x08",
        "a",
        "\x1b[31m",
        "\x1b]",
    ]
)


@given(st.lists(CODES, max_size=12).map("".join))
def test_no_other_code_gets_through(text: str) -> None:
    for line in output_lines(text):
        shown = plain_output(line)
        assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in shown)
        assert plain(coloured([line], 0, 1, LOOK)[0]) == shown


def test_a_bell_ended_code_does_not_swallow_the_rest_of_its_line() -> None:
    assert plain_output("a\x1b]0;title\x07b") == "ab"
    assert plain_output("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b") == "alinkb"
