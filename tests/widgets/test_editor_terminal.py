"""Bytes in, screen out: the bottom half of the screen in a real terminal."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from time import monotonic

import pytest

from pyagent_tui.tests.pace import budget
from pyagent_tui.tests.terminal import Terminal

ARGV = [sys.executable, "-m", "pyagent_tui.tests.editor_app"]
PASTE = "\x1b[200~{}\x1b[201~"


@pytest.fixture(scope="module")
def running() -> Iterator[Terminal]:
    """One program for all tests that leave it as they found it."""
    with Terminal(ARGV, columns=100) as terminal:
        terminal.wait_for("ready")
        yield terminal


@pytest.fixture
def terminal(running: Terminal) -> Terminal:
    """The running program with an empty editor and an empty log."""
    running.send(b"\x03")
    running.wait_for(lambda rows: "ready" in rows[-2] and any("cleared" in row for row in rows))
    running.send(b"\x1b[15~")
    running.wait_for(lambda rows: not any("cleared" in row for row in rows))
    return running


def editor_rows(rows: list[str]) -> list[str]:
    """What stands under the rule and above the status line, without the prompt."""
    top = max(index for index, row in enumerate(rows) if row.strip().startswith("──"))
    return [row[3:] for row in rows[top + 1 : -1]]


def test_keys_in_one_write_are_typed_in_order_and_sent(terminal: Terminal) -> None:
    terminal.send("abc\x1b[D\x7fX\r")
    terminal.wait_for("send 'aXc'")


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467",) * 2,
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",) * 2,
        ("\u2764\ufe0f e\u0301 \u0915\u094d\u200d\u0937",) * 2,
        ("a\u00a0b\u3000c\u202fd\u2060e\u00adf\u2028g\ufeffh",) * 2,
        ("\u05d0\u200f!\U000e0067\ue000\U000f0000",) * 2,
        ("x\x1b[8205uy\x1b[0;;8204uz", "x\u200dy\u200cz"),
    ],
    ids=["family", "persian", "variation-and-marks", "blanks", "odd", "kitty"],
)
def test_what_is_typed_is_what_is_sent(terminal: Terminal, sent: str, text: str) -> None:
    data = sent.encode()
    for key in range(0, len(data), 3):  # also cut within characters, and no burst
        terminal.send(data[key : key + 3])
    terminal.send("\r")
    terminal.wait_for(lambda rows: f"send {text!a}" in "".join(row.strip() for row in rows))


@pytest.mark.parametrize("form", ["\x1b\r", "\x1b[13;3u", "\x11"])
def test_each_follow_up_key_queues_a_follow_up(terminal: Terminal, form: str) -> None:
    terminal.send("later")
    terminal.wait_for("later")
    terminal.send(form)
    terminal.wait_for("follow_up 'later'")


@pytest.mark.parametrize("form", ["\x1b[13;2u", "\x1b[27;2;13~", "\n", "\\\r"])
def test_each_newline_key_makes_a_new_line(terminal: Terminal, form: str) -> None:
    terminal.send("one")
    terminal.wait_for("one")
    terminal.send(form)
    terminal.send("two")
    rows = terminal.wait_for("two")
    assert editor_rows(rows) == ["one", "two"]
    terminal.send("\r")
    terminal.wait_for(r"send 'one\ntwo'")


def test_pasted_lines_stand_in_the_editor_and_are_not_sent(terminal: Terminal) -> None:
    terminal.send(PASTE.format("one\rtwo\r\nthree\nfour"))
    rows = terminal.wait_for("four")
    assert editor_rows(rows) == ["one", "two", "three", "four"]
    assert "send" not in terminal.text
    terminal.send("\r")
    terminal.wait_for(r"send 'one\ntwo\nthree\nfour'")


def test_lines_pasted_by_a_terminal_that_does_not_mark_pastes_are_not_sent() -> None:
    with Terminal(ARGV, marks_pastes=False) as terminal:
        terminal.wait_for("ready")
        terminal.send("one\rtwo\rthree\r")
        rows = terminal.wait_for("three")
        assert editor_rows(rows) == ["one", "two", "three", ""]
        assert "send" not in terminal.text


def test_escape_bytes_in_a_paste_are_neither_keys_nor_text(terminal: Terminal) -> None:
    terminal.send(PASTE.format("\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b\x1b[A plain\x07\x00"))
    rows = terminal.wait_for("plain")
    assert editor_rows(rows) == ["red  plain"]
    assert "stopped" not in terminal.text


def test_a_long_paste_is_a_marker_and_goes_out_whole(terminal: Terminal) -> None:
    terminal.send(PASTE.format("\n".join(f"line {number}" for number in range(12))))
    terminal.wait_for("+12 lines]")
    terminal.send("\x7f")
    terminal.wait_for("ready")
    terminal.send("\x1f")
    terminal.wait_for("+12 lines]")
    terminal.send("\r")
    terminal.wait_for(r"send 'line 0\nline 1\n")


def test_ten_megabytes_arrive_and_the_next_key_is_quick(terminal: Terminal) -> None:
    terminal.send(PASTE.format("0123456789abcdef" * 655_360))
    terminal.wait_for("10485760 chars]", timeout=20)
    limit, start = budget(0.5), monotonic()
    terminal.send("!")
    terminal.wait_for("chars]!")
    assert monotonic() - start < limit
    terminal.send("\r")
    terminal.wait_for("send '10485761 characters'")


def test_a_lone_surrogate_becomes_a_replacement_character(terminal: Terminal) -> None:
    terminal.send(PASTE.format("a\ud83db").encode("utf-8", "surrogatepass"))
    rows = terminal.wait_for("b")
    assert set(editor_rows(rows)[0]) == {"a", "\ufffd", "b"}


def test_wide_characters_keep_the_terminal_cursor_under_the_caret(terminal: Terminal) -> None:
    terminal.send("漢" * 19 + "a")
    terminal.wait_for("漢a")
    assert terminal.cursor == (3 + 39, 22)
    terminal.send("\x1b[D\x1b[D\x1b[D")
    terminal.wait_for(lambda _: terminal.cursor == (3 + 34, 22))
    assert terminal.cell(3 + 34, 22).reverse


def test_broken_mouse_reports_leave_the_editor_alone(terminal: Terminal) -> None:
    terminal.send("\x1b[<35;NaN;12M\x1b[M !!\x1b[<35;62;19Mok")
    rows = terminal.wait_for("ok")
    assert editor_rows(rows) == ["ok"]
    assert "stopped" not in terminal.text


def test_escape_closes_the_menu_first_and_reaches_the_app_then(terminal: Terminal) -> None:
    terminal.send("/")
    terminal.wait_for("choose the model")
    terminal.send("\x1b")
    terminal.wait_for(lambda rows: "choose the model" not in "\n".join(rows))
    assert "stopped" not in terminal.text
    terminal.send("\x1b")
    terminal.wait_for("stopped")


def test_ctrl_c_clears_and_up_brings_the_draft_back(terminal: Terminal) -> None:
    terminal.send("one\ntwo")
    terminal.wait_for("two")
    terminal.send("\x03")
    terminal.wait_for("cleared")
    terminal.send("\x1b[A")
    assert editor_rows(terminal.wait_for("two")) == ["one", "two"]


def test_the_panel_takes_keys_after_its_guard_and_the_sentence_goes_to_the_app(terminal: Terminal) -> None:
    terminal.send("\x1bOR")
    terminal.wait_for("apply this change to shop/totals.py?")
    terminal.wait_for("1 file · 2 hunks · +2 −2")
    wait_until_keys_count(terminal)
    terminal.send("y")
    terminal.wait_for("answered c1 apply None")
    terminal.wait_for("rm -rf build")
    wait_until_keys_count(terminal)
    terminal.send("f")
    terminal.wait_for("why not?")
    terminal.send("not now\r")
    terminal.wait_for("answered c2 refuse not now")
    terminal.wait_for(lambda rows: "ready" in rows[-2])


def wait_until_keys_count(terminal: Terminal) -> None:
    """Wait until the keys of the panel are drawn as ones that count."""

    def counts(rows: list[str]) -> bool:
        index = next((index for index, row in enumerate(rows) if "n refuse" in row), -1)
        return index >= 0 and bool(terminal.cell(rows[index].index("y "), index).bold)

    terminal.wait_for(counts)


def modes_off() -> list[bytes]:
    return [b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?1006l", b"\x1b[?2004l", b"\x1b[<u", b"\x1b[?1049l", b"\x1b[?25h"]


@pytest.mark.parametrize(
    ("how", "code"), [("signal", 143), ("hangup signal", 129), ("quit", 0), ("crash", 1)], ids=lambda value: str(value)
)
def test_the_terminal_is_given_back_however_the_program_ends(how: str, code: int) -> None:
    with Terminal(ARGV) as terminal:
        terminal.wait_for("ready")
        match how:
            case "signal":
                terminal.kill(signal.SIGTERM)
            case "hangup signal":
                terminal.kill(signal.SIGHUP)
            case "quit":
                terminal.send("\x04")
            case _:
                terminal.send("\x1bOQ")
        assert terminal.wait() == code
        assert [mode for mode in modes_off() if mode not in terminal.output] == []
        assert terminal.settings == terminal.settings_before


def test_a_stop_gives_the_terminal_back_and_continuing_takes_it_again() -> None:
    with Terminal(ARGV) as terminal:
        terminal.wait_for("ready")
        terminal.send("draft")
        terminal.wait_for("draft")
        terminal.kill(signal.SIGTSTP)
        terminal.wait_for_output(b"\x1b[?25h")
        terminal.wait_until_stopped()
        assert terminal.settings == terminal.settings_before
        before = len(terminal.output)
        terminal.kill(signal.SIGCONT)
        for drawn in (b"\x1b[?1049h", b"draft", b"help"):
            terminal.wait_for(lambda _, drawn=drawn: drawn in terminal.output[before:])
        terminal.send("!\r")
        terminal.wait_for("send 'draft!'")


def test_the_kitty_protocol_is_asked_for_understood_and_given_back() -> None:
    with Terminal(ARGV, columns=100, kitty=True) as terminal:
        terminal.wait_for("ready")
        terminal.wait_for(lambda _: terminal.keyboard_flags == [0, 1 | 4 | 8 | 16])
        terminal.send("\x1b[104;;104u\x1b[105:73;2;73u\x1b[57441;2u\x1b[32;2u\x1b[57400;129u\x1b[127u")
        terminal.send("\x1b[13;2u\x1b[1089::99;5:3u\x1b[111;;111u\x1b[107;1:3u\x1b[13;3u")
        terminal.wait_for(r"follow_up 'hI \no'")
        terminal.send("\x1b[27u")
        terminal.wait_for("stopped")
        terminal.send("\x1b[97;;97u\x1b[1089::99;5u")
        terminal.wait_for("cleared")
        terminal.send("\x1b[100;5u")
        assert terminal.wait() == 0
        assert terminal.keyboard_flags == [0]


def test_a_terminal_without_unicode_gets_ascii() -> None:
    with Terminal(ARGV, columns=100, env={"LC_ALL": "C", "PYTHONUTF8": "1"}) as terminal:
        terminal.wait_for("> ready")
        terminal.send("\x1b[17~")
        terminal.wait_for("alt+up takes back")
        terminal.send("\x1bOR")
        rows = terminal.wait_for("n refuse")
        assert [row for row in rows if not row.replace("✅", "").replace("你好—", "").isascii()] == []


def _is_whole_again(rows: list[str]) -> bool:
    """At 120x30: the draft, both ends of the title, the status line and the queue."""
    return (
        len(rows) == 30
        and "xxxxxxx" in "".join(rows)
        and "? help" in rows[29]
        and "deep/deep" in rows[0]
        and rows[0].endswith("m" * 40)
        and any(row.strip().startswith("↳ steer") and row.count("✅") > 5 for row in rows)
    )


def test_a_storm_of_sizes_leaves_everything_in_place() -> None:
    with Terminal(ARGV, columns=120, rows=30) as terminal:
        terminal.wait_for("ready")
        terminal.send("\x1b[17~")
        terminal.wait_for("alt+↑ takes back")
        terminal.send("✅你好—" * 12)
        for columns, rows in ((22, 12), (18, 8), (20, 5), (300, 60), (5, 3), (119, 29), (120, 30)):
            terminal.resize(columns, rows)
            terminal.send("x")
        terminal.wait_for(_is_whole_again, 30)


def test_the_terminals_own_size_counts_and_not_an_inherited_one() -> None:
    with Terminal(ARGV, columns=100, rows=20, env={"COLUMNS": "40", "LINES": "9"}) as terminal:
        terminal.wait_for("ready")
        terminal.wait_for(lambda rows: rows[19].rstrip().endswith("? help") and len(rows[19].rstrip()) > 90)


def test_a_closed_terminal_ends_the_program() -> None:
    with Terminal(ARGV) as terminal:
        terminal.wait_for("ready")
        terminal.hang_up()
        assert terminal.wait(5) == 129
