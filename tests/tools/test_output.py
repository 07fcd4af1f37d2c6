import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyagent_tui.tools.output import OutputLog
from pyagent_tui.tools.screen import interpret
from pyagent_tui.tools.truncation import byte_length, end_of_text, keep_head, keep_tail


def shown(text: str) -> list[str]:
    return interpret(text, 1000).plain


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb\n", ["a", "b"]),
        ("a\n\nb", ["a", "", "b"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("abc\rX", ["Xbc"]),
        ("abc\r\x1b[KX", ["X"]),
        ("abc\b\bX", ["aXc"]),
        ("50%\r100%\rdone\n", ["done"]),
        ("a\tb\n", ["a\tb"]),
        ("one\ntwo\n\x1b[2A\x1b[2Knew\n", ["new", "two"]),
        ("one\ntwo\x1b[1F\x1b[Jx\n", ["x"]),
        ("a\x1b[5Cb", ["a     b"]),
        ("abc\x1b[2D\x1b[PX", ["aX"]),
        ("abc\x1b[2G\x1b[@X", ["aXbc"]),
        ("\x1b[31mred\x1b[0m\n", ["red"]),
        ("\x1b]0;title\x07text", ["text"]),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", ["link"]),
        ("\x1bPdevice\x1b\\x", ["x"]),
        ("\x1b(Bx\x1b=y", ["xy"]),
        ("a\x07b\x00c\x7fd\x9be", ["abcde"]),
        ("\x1b7abc\x1b8X", ["Xbc"]),
        ("漢字\rab", ["ab字"]),
        ("e\u0301x", ["e\u0301x"]),
        ("old\n\x1b[2J\x1b[Hnew", ["old", "new"]),
        ("old\n\x1bcnew", ["old", "new"]),
        ("\x1b[999999999C!", [" " * 4000 + "!"]),
        ("\x1b[", []),
        ("", []),
    ],
)
def test_the_screen_shows_what_a_terminal_would(text: str, lines: list[str]) -> None:
    assert shown(text) == lines


@pytest.mark.parametrize(
    ("text", "coloured"),
    [
        ("\x1b[1;31mx\x1b[my", "\x1b[1;31mx\x1b[0my"),
        ("\x1b[38;5;9mx\x1b[39my\rz", "z\x1b[0my"),
        ("\x1b[38;2;1;2;3mab\x1b[0m\rZ", "Z\x1b[38;2;1;2;3mb\x1b[0m"),
        ("\x1b[32mab\ncd\x1b[0m", "\x1b[32mab\x1b[0m\n\x1b[32mcd\x1b[0m"),
        ("\x1b[1m\x1b[22mx", "x"),
    ],
)
def test_colours_are_kept_for_the_screen(text: str, coloured: str) -> None:
    got = "\n".join(interpret(text, 10).coloured)
    assert _states(got) == _states(coloured)


def _states(text: str) -> list[tuple[str, str]]:
    """Each character with the colours in force, so that equal looks compare equal."""
    import re

    state, out = "", list[tuple[str, str]]()
    for code, character in re.findall(r"(\x1b\[[0-9;]*m)|(.)", text, re.DOTALL):
        if code:
            state = "" if code in ("\x1b[0m", "\x1b[m") else state + code
        else:
            out.append((character, state))
    return out


@given(st.text(alphabet="ab\n\r\b\t\x1b[]0123;mAHJKéf漢\x07\\", max_size=200))
def test_any_output_gives_clean_lines(text: str) -> None:
    result = interpret(text, 1000)
    assert not any(ord(character) < 32 and character != "\t" for line in result.plain for character in line)
    assert len(result.plain) == len(result.coloured) == result.total


@given(st.text(alphabet="ab\n\r\x1b[0m31", max_size=200), st.integers(1, 5))
def test_the_last_lines_are_the_same_when_only_they_are_asked_for(text: str, last: int) -> None:
    whole, part = interpret(text, 1000), interpret(text, last)
    assert part.total == whole.total
    assert part.plain == whole.plain[-last:]


@given(st.lists(st.binary(max_size=40), max_size=60))
def test_a_log_counts_lines_whatever_the_pieces(pieces: list[bytes]) -> None:
    log = OutputLog()
    for piece in pieces:
        log.add(piece)
    whole = b"".join(pieces)
    text = whole.decode("utf-8", "replace")
    excerpt = log.final()
    expected = interpret(text, 10_000)
    assert excerpt.total_lines == expected.total
    assert excerpt.text == "\n".join(expected.plain)
    assert log.path is None


def test_a_log_keeps_the_whole_in_its_file(tmp_path: object) -> None:
    log = OutputLog()
    pieces = [f"line {n}\n".encode() * 700 for n in range(300)]
    for piece in pieces:
        log.add(piece)
    log.close()
    assert log.path is not None
    with open(log.path, "rb") as file:
        assert file.read() == b"".join(pieces)
    excerpt = log.final()
    assert excerpt.total_lines == 210_000
    assert excerpt.first_line == 208_001
    assert excerpt.text.count("\n") == 1999
    os.unlink(log.path)


def test_a_full_disk_ends_the_file_and_not_the_command() -> None:
    log = OutputLog()
    log.add(b"x\n" * 3000)
    os.close(log._descriptor)
    log._descriptor = os.open("/dev/full", os.O_WRONLY)
    log.add(b"y\n" * 3000)
    assert log.file_error == "No space left on device"
    assert log.final().total_lines == 6000
    os.unlink(log.path or "")


@given(st.lists(st.text(alphabet="aé漢😀", max_size=30), max_size=30), st.integers(1, 20), st.integers(4, 200))
def test_truncation_keeps_whole_lines_and_whole_characters(lines: list[str], count: int, size: int) -> None:
    head, tail = keep_head(lines, count, size), keep_tail(lines, count, size)
    for cut in (head, tail):
        assert byte_length(cut.text) <= size
        assert cut.text.count("\n") < count
        assert (cut.truncation is None) == (cut.text == "\n".join(lines))
    assert "\n".join(lines).startswith(head.text)
    assert "\n".join(lines).endswith(tail.text)


@given(st.text(), st.integers(0, 30))
def test_no_code_point_is_split(text: str, size: int) -> None:
    assert text.endswith(end_of_text(text, size))
