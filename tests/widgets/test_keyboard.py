"""Terminal bytes to keys, with the clock in the test's hand."""

from __future__ import annotations

from ast import literal_eval

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events
from textual.message import Message

from pyagent_tui.widgets.terminal.keyboard import (
    ALT_DELAY,
    BURST_DELAY,
    ESCAPE_DELAY,
    HELD_ESCAPE_DELAY,
    SEQUENCE_DELAY,
    STALLED_PASTE_DELAY,
    TYPING_DELAY,
    KeyParser,
)
from pyagent_tui.widgets.terminal.sequences import TerminalReply


def shown(message: Message) -> str:
    match message:
        case events.Key():
            return message.key
        case events.Paste():
            return f"paste {message.text!r}"
        case _:
            return type(message).__name__


def parse(*steps: str | float, holds_escape: bool = False) -> list[str]:
    """Feed strings as single reads, numbers as seconds that pass; everything is settled at the end."""
    parser = KeyParser()
    parser.holds_escape = holds_escape
    now = 1000.0
    found: list[Message] = []
    for step in (*steps, 10.0):
        if isinstance(step, str):
            found += parser.feed(step, now)
            continue
        end = now + step
        while parser.deadline is not None and parser.deadline <= end:
            now = max(now, parser.deadline)
            found += parser.tick(now)
        now = end
    return [shown(message) for message in found]


@pytest.mark.parametrize("form", ["\x1b\r", "\x1b[13;3u", "\x1b[27;3;13~", "\x1b[57414;3u"])
def test_every_form_of_alt_enter_is_alt_enter(form: str) -> None:
    assert parse(form) == ["alt+enter"]


def test_alt_enter_that_comes_apart_is_alt_enter_while_there_is_a_draft() -> None:
    assert parse("\x1b", 0.15, "\r", holds_escape=True) == ["alt+enter"]
    assert parse("\x1b", 0.15, "\r") == ["escape", "enter"]


@pytest.mark.parametrize(("holds", "delay"), [(False, ESCAPE_DELAY), (True, HELD_ESCAPE_DELAY)])
def test_a_lone_escape_byte_is_escape_after_its_delay(holds: bool, delay: float) -> None:
    parser = KeyParser()
    parser.holds_escape = holds
    assert list(parser.feed("\x1b", 5.0)) == []
    assert list(parser.tick(5.0 + delay - 0.001)) == []
    assert [shown(message) for message in parser.tick(5.0 + delay)] == ["escape"]
    assert parser.deadline is None


def test_a_letter_after_escape_is_not_taken_for_alt() -> None:
    assert parse("\x1b", ESCAPE_DELAY + 0.01, "x", holds_escape=True) == ["escape", "x"]
    assert parse("\x1bx") == ["alt+x"]


@pytest.mark.parametrize(
    ("sequence", "keys"),
    [
        ("\x1b[13;2u", ["shift+enter"]),
        ("\x1b[27;2;13~", ["shift+enter"]),
        ("\n", ["ctrl+j"]),
        ("\x1b[32;2u", ["space"]),
        ("\x1b[57400u", ["1"]),
        ("\x1b[57400;129u", ["1"]),
        ("\x1b[57414u", ["enter"]),
        ("\x1b[1089::99;5u", ["ctrl+c"]),
        ("\x1b[1089;5u", ["ctrl+c"]),
        ("\x1b[968::99;5u", ["ctrl+c"]),
        ("\x1b[99;133u", ["ctrl+c"]),
        ("\x1b[97;129u", ["a"]),
        ("\x1b[97;2u", ["A"]),
        ("\x1b[97:65;2u", ["A"]),
        ("\x1b[49:33;2;33u", ["exclamation_mark"]),
        ("\x1b[27;2;65~", ["A"]),
        ("\x1b[97;;97u", ["a"]),
        ("\x1b[0;;28450:23383u", ["漢", "字"]),
        ("\x1b[27u", ["escape"]),
        ("\x1b[27;129u", ["escape"]),
        ("\x1b[91;5u", ["escape"]),
        ("\x1b[9;2u", ["shift+tab"]),
        ("\x1b[Z", ["shift+tab"]),
        ("\x1b[127;3u", ["alt+backspace"]),
        ("\x1b\x7f", ["alt+backspace"]),
        ("\x1b[1;5D", ["ctrl+left"]),
        ("\x1b[1;133D", ["ctrl+left"]),
        ("\x1b[1;3A", ["alt+up"]),
        ("\x1b\x1b[A", ["alt+up"]),
        ("\x1bOA", ["up"]),
        ("\x1b[3;5~", ["ctrl+delete"]),
        ("\x1b[112;6u", ["ctrl+shift+p"]),
        ("\x1b[97;1:3u", []),
        ("\x1b[57441;2u", []),
        ("\x1b[57360;129u", []),
        ("\x1b\x1b", ["escape", "escape"]),
        ("\x1b[", ["alt+left_square_bracket"]),
        ("\x1b[I\x1b[O", ["AppFocus", "AppBlur"]),
        ("\x1b[?2026;2$y", ["TerminalSupportsSynchronizedOutput"]),
        ("\x1b[12;7R", ["CursorPosition"]),
    ],
)
def test_a_sequence_is_these_keys(sequence: str, keys: list[str]) -> None:
    assert parse(sequence) == keys


def test_a_shifted_letter_types_the_capital() -> None:
    (key,) = KeyParser().feed("\x1b[97;2u")
    assert isinstance(key, events.Key)
    assert (key.character, key.is_printable) == ("A", True)


@pytest.mark.parametrize(
    "steps",
    [
        ("\x1b[<35;NaN;12M",),
        ("\x1b[M !!",),
        ("\x1b[M", 0.1, " !!"),
        ("\x1b[<35;6", SEQUENCE_DELAY + 0.2, "2;19M"),
        ("\x1b", ESCAPE_DELAY + 0.01, "[<35;62;19M"),
        ("[<35;62;19M",),
        ("\x1b[<0;-1;-1M",),
    ],
)
def test_a_broken_mouse_report_is_never_typed(steps: tuple[str | float, ...]) -> None:
    assert [key for key in parse(*steps) if key not in ("escape", "MouseMove")] == []


def test_a_mouse_report_in_two_reads_is_one_report() -> None:
    assert parse("\x1b[<35;6", 0.08, "2;19M") == ["MouseMove"]


def test_a_sequence_whose_escape_was_given_up_is_not_typed() -> None:
    assert parse("\x1b", ESCAPE_DELAY + 0.01, "[A") == ["escape", "up"]


def test_keys_in_one_read_come_in_order() -> None:
    assert parse("abc\x1b[D\x7fX\r") == ["a", "b", "c", "left", "backspace", "X", "enter"]


@pytest.mark.parametrize("cut", range(1, len("\x1b[200~one\rtwo\x1b[31m\x1b[201~x")))
def test_a_marked_paste_is_one_paste_wherever_the_reads_cut_it(cut: int) -> None:
    data = "\x1b[200~one\rtwo\x1b[31m\x1b[201~x"
    assert parse(data[:cut], 0.01, data[cut:]) == ["paste 'one\\rtwo\\x1b[31m'", "x"]


def test_a_paste_whose_end_is_late_is_delivered_and_its_rest_never_sends() -> None:
    late = STALLED_PASTE_DELAY + 1
    assert parse("\x1b[200~one\r", late, "two\rthree\r", "\x1b[201~\r") == [
        "paste 'one\\r'",
        "paste 'two\\rthree\\r'",
        "enter",
    ]
    assert parse("\x1b[200~one\r", late, "\r") == ["paste 'one\\r'", "enter"]


def test_lines_in_one_read_without_marks_are_a_paste() -> None:
    assert parse("one\rtwo\rthree\r") == ["paste 'one\\rtwo\\rthree\\r'"]


def test_where_pastes_are_marked_lines_in_one_read_are_keys_that_came_fast() -> None:
    assert parse("\x1b[?2004;2$y", "a\rb\r") == ["a", "enter", "b", "enter"]
    assert parse("\x1b[200~x\x1b[201~", "a\rb\r") == ["paste 'x'", "a", "enter", "b", "enter"]
    assert parse("\x1b[?2004;2$y", "x" * 40 + "\rb") == [f"paste '{'x' * 40}'", "enter", "b"]
    assert parse("\x1b[?2004;0$y", "a\rb\r") == ["paste 'a\\rb\\r'"]


def test_an_unmarked_paste_over_several_reads_is_one_paste() -> None:
    assert parse("one\rtwo", 0.01, " more\r", 0.01, "end\r", 0.1, "\r") == ["paste 'one\\rtwo more\\rend\\r'", "enter"]


LINES = "one\rtwo\r\nthree\nfour"


def arrived(found: list[str]) -> str:
    """What the editor would hold; an Enter would have sent it."""
    assert "enter" not in found
    return "".join(each if not each.startswith("paste ") else literal_eval(each[6:]) for each in found)


@pytest.mark.parametrize("gap", [0.0, 0.003, 0.02])
def test_an_unmarked_paste_is_never_sent_in_pieces_wherever_the_reads_part_it(gap: float) -> None:
    for cut in range(1, len(LINES)):
        assert arrived(parse(LINES[:cut], gap, LINES[cut:])) == LINES
    for cut in range(1, len(LINES) - 1):
        for end in range(cut + 1, len(LINES)):
            if gap <= TYPING_DELAY or LINES[cut:end] != "\r":
                assert arrived(parse(LINES[:cut], gap, LINES[cut:end], gap, LINES[end:])) == LINES


def test_a_late_reader_does_not_cut_an_unmarked_paste() -> None:
    for cut in range(1, len(LINES)):
        parser = KeyParser()
        found = [*parser.feed(LINES[:cut], 1.0), *parser.feed(LINES[cut:], 1.1), *parser.tick(2.0)]
        assert arrived([shown(message) for message in found]) == LINES


@pytest.mark.parametrize("before", ["h", "hello", "\x1b[A", "x" * 40])
def test_enter_behind_what_was_typed_is_there_at_once(before: str) -> None:
    parser = KeyParser()
    parser.feed(before, 1.0)
    parser.tick(1.0 + BURST_DELAY)
    assert [shown(message) for message in parser.feed("\r", 1.031)] == ["enter"]
    assert parser.deadline is None


def test_one_line_and_its_enter_in_one_read_are_keys_a_moment_later() -> None:
    for text, keys in (("hi\r", ["h", "i", "enter"]), ("hi\r\n", ["h", "i", "enter", "ctrl+j"])):
        parser = KeyParser()
        assert not parser.feed(text, 1.0)
        assert [shown(message) for message in parser.tick(1.0 + BURST_DELAY)] == keys


def test_a_long_run_is_a_paste_and_the_enter_behind_it_an_enter() -> None:
    assert parse("x" * 40 + "\r") == [f"paste '{'x' * 40}'", "enter"]
    assert parse("hello\r")[-1] == "enter"


def test_ten_megabytes_are_read_in_a_second() -> None:
    parser = KeyParser()
    block = "x" * 4095
    pastes = list(parser.feed("\x1b[200~"))
    for _ in range(2500):
        pastes += parser.feed(block)
    pastes += parser.feed("\x1b[201~")
    assert [len(paste.text) for paste in pastes if isinstance(paste, events.Paste)] == [2500 * 4095]


def test_answers_of_the_terminal_are_handed_on_and_never_typed() -> None:
    found = list(KeyParser().feed("\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\\x1b[?62;1;6;22c\x1b[?997;1n"))
    assert [reply.sequence for reply in found if isinstance(reply, TerminalReply)] == [
        "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
        "\x1b[?62;1;6;22c",
        "\x1b[?997;1n",
    ]
    assert len(found) == 3


# Alt, where it comes as an escape byte and a character

ANSWERS = [
    "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
    "\x1b]11;rgb:1e1e/1e1e/1e1e\x07",
    "\x1b]4;1;rgb:ff/00/00\x1b\\",
    "\x1bP>|XTerm(390)\x1b\\",
    "\x1bP1+r524742=38\x1b\\",
    "\x1b_Gi=31;OK\x1b\\",
]
ALT_KEYS = {
    "P": "alt+P",
    "_": "alt+underscore",
    "]": "alt+right_square_bracket",
    "X": "alt+X",
    "^": "alt+circumflex_accent",
}
WORDS = ["why not?\r", "fix it\r", "{ok}\r", "42 is it\r", "Go\r", "!ls\r"]


def keys_typed(words: str) -> list[str]:
    """What these words are, typed one by one."""
    return [key for character in words for key in parse(character)]


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_is_one_wherever_the_reads_cut_it(answer: str) -> None:
    for cut in range(1, len(answer)):
        assert parse(answer[:cut], ESCAPE_DELAY - 0.01, answer[cut:]) == ["TerminalReply"]
    assert parse(*answer) == ["TerminalReply"]


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_comes_late_is_never_typed(answer: str) -> None:
    given_up = {1: ["escape"], 2: [ALT_KEYS[answer[1]]]}
    for cut in range(1, len(answer)):
        assert parse(answer[:cut], SEQUENCE_DELAY - 0.1, answer[cut:]) == [*given_up.get(cut, []), "TerminalReply"]


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_is_cut_off_is_not_typed(answer: str) -> None:
    assert parse(answer[:-2]) == []
    assert parse(answer[:-2], SEQUENCE_DELAY + 0.1, answer[-2:]) == ["TerminalReply"]


@pytest.mark.parametrize("character", ALT_KEYS)
def test_alt_and_a_character_that_could_begin_a_string_is_that_key(character: str) -> None:
    parser = KeyParser()
    found = [*parser.feed(f"\x1b{character}", 5.0), *parser.tick(5.0 + ALT_DELAY)]
    assert [shown(message) for message in found] == [ALT_KEYS[character]]
    assert parser.deadline is None


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("character", ALT_KEYS)
def test_what_is_typed_after_alt_and_a_character_is_typed(character: str, words: str) -> None:
    expected = [ALT_KEYS[character], *keys_typed(words)]
    typing = f"\x1b{character}{words}"
    assert parse(typing) == expected
    assert parse("\x1b", 0.01, *typing[1:]) == expected
    for delay in (0.001, 0.04, 0.15, 0.7):
        for cut in range(2, len(typing)):
            assert parse(typing[:cut], delay, typing[cut:]) == expected
        assert parse(typing[:2], *(step for letter in words for step in (delay, letter))) == expected


@given(
    st.sampled_from(sorted(ALT_KEYS)), st.text("abG ;019!$,.?[]\r", max_size=12), st.integers(0, 12), st.floats(0, 2)
)
@settings(max_examples=300, deadline=None)
def test_nothing_that_is_typed_is_swallowed(character: str, words: str, cut: int, delay: float) -> None:
    parts = [part for part in (words[:cut], words[cut:]) if part]
    steps = [step for part in parts for step in (delay, part)]
    assert parse("\x1b[?2004;2$y", f"\x1b{character}", *steps) == [ALT_KEYS[character], *keys_typed(words)]


def test_alt_with_a_bracket_or_o_leaves_the_letters_that_follow_it() -> None:
    assert parse("\x1b[hello\r") == ["alt+left_square_bracket", *keys_typed("hello\r")]
    assert parse("\x1b[12 apples") == ["alt+left_square_bracket", *keys_typed("12 apples")]
    assert parse("\x1b[", ALT_DELAY + 0.01, "A") == ["alt+left_square_bracket", "A"]
    assert parse("\x1bOGo") == ["alt+O", "G", "o"]
    assert parse("\x1bO", ALT_DELAY + 0.01, "A") == ["alt+O", "A"]


def test_escape_and_capital_o_are_two_keys_while_there_is_a_draft() -> None:
    assert parse("\x1b", ESCAPE_DELAY + 0.05, "O", 0.1, "a", holds_escape=True) == ["escape", "O", "a"]
    assert parse("\x1b", ESCAPE_DELAY + 0.05, "[A", holds_escape=True) == ["up"]


@pytest.mark.parametrize(
    ("code", "key"),
    [
        (0x00, "alt+ctrl+space"),
        (0x01, "alt+ctrl+a"),
        (0x0A, "alt+ctrl+j"),
        (0x0D, "alt+enter"),
        (0x09, "alt+tab"),
        (0x08, "alt+backspace"),
        (0x1A, "alt+ctrl+z"),
        (0x1C, "alt+ctrl+backslash"),
        (0x1D, "alt+ctrl+right_square_bracket"),
        (0x1E, "alt+ctrl+circumflex_accent"),
        (0x1F, "alt+ctrl+underscore"),
        (0x7F, "alt+backspace"),
    ],
)
def test_alt_with_control(code: int, key: str) -> None:
    assert parse(f"\x1b{chr(code)}x") == [key, "x"]


def test_control_and_space_is_one_key_in_every_form() -> None:
    assert parse("\x00") == parse("\x1b[32;5u") == ["ctrl+space"]


def test_numbers_that_are_no_character_are_no_key() -> None:
    assert parse("\x1b[99999999999u", "\x1b[27;5;99999999999~", "\x1b[97;;99999999999u", "x") == ["x"]
