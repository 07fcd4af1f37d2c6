"""The real program in terminals that can do less, and in sizes that nobody has."""

from __future__ import annotations

import re
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.tests.real_app import isolate, write_script
from pyagent_tui.tests.stage_app import call, say
from pyagent_tui.tests.terminal import Terminal

PATIENCE = 40
TRUE_COLOUR, INDEXED = rb"[34]8;2;", rb"[34]8;5;"
COLOUR = rb"\x1b\[(?:[0-9;]*;)?(?:3[0-9]|4[0-9]|9[0-7]|10[0-7])(?:;[0-9;]*)?m"
"""Any code that sets a colour, the terminal's own included."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return isolate(tmp_path, monkeypatch)


def program(
    project: Path, tmp_path: Path, env: Mapping[str, str] | None = None, columns: int = 80, rows: int = 24
) -> Terminal:
    turns = [call("write", path="a.txt", content="one\n"), say("漢" * 60 + " All done.")]
    options = ["--script", write_script(tmp_path, turns), "--approval", "auto"]
    return Terminal(
        [sys.executable, "-P", "-m", "pyagent_tui", *options], columns=columns, rows=rows, cwd=project, env=env
    )


@pytest.mark.parametrize(
    ("env", "unwanted"),
    [
        ({"NO_COLOR": "1"}, [COLOUR]),
        ({"TERM": "xterm-256color", "COLORTERM": ""}, [TRUE_COLOUR]),
        ({"TERM": "screen", "COLORTERM": ""}, [TRUE_COLOUR]),
        ({"TERM": "xterm", "COLORTERM": ""}, [TRUE_COLOUR, INDEXED]),
        ({"TERM": "linux", "COLORTERM": ""}, [TRUE_COLOUR, INDEXED]),
    ],
    ids=["NO_COLOR", "256", "screen", "16", "linux"],
)
def test_a_terminal_gets_only_the_colours_that_it_has(
    project: Path, tmp_path: Path, env: dict[str, str], unwanted: list[bytes]
) -> None:
    with program(project, tmp_path, env) as terminal:
        terminal.wait_for("Scripted model", PATIENCE)
        terminal.send("go\r")
        terminal.wait_for("All done.", PATIENCE)
        rows = terminal.wait_for(lambda rows: any("a.txt" in row and "+1" in row for row in rows), PATIENCE)
        found = {pattern: re.search(pattern, terminal.output) for pattern in unwanted}
        assert not any(found.values()), found
        if env.get("TERM") == "linux":
            assert "".join(rows).replace("漢", "").isascii()


@contextmanager
def after_an_edit(project: Path, tmp_path: Path, env: Mapping[str, str]) -> Generator[tuple[Terminal, list[str]]]:
    """A change on the screen, and a command that failed."""
    (project / "a.py").write_text("def total(items):\n    return sum(items)\n")
    turns = [
        call("read", path="a.py"),
        call("edit", path="a.py", oldText="sum(items)", newText="max(items)"),
        call("bash", command="exit 3"),
        say("All done."),
    ]
    options = ["--script", write_script(tmp_path, turns), "--approval", "auto"]
    argv = [sys.executable, "-P", "-m", "pyagent_tui", *options]
    with Terminal(argv, columns=90, rows=40, cwd=project, env={"COLORTERM": "", **env}) as terminal:
        terminal.wait_for("Scripted model", PATIENCE)
        terminal.send("go\r")
        yield terminal, terminal.wait_for(lambda rows: "failed: exit 3" in "\n".join(rows), PATIENCE)


def cell_of(terminal: Terminal, rows: list[str], row: str, sign: str, after: str = "") -> Any:
    """The emulator's character for `sign` in the first row that holds `row`, at or behind `after`."""
    y = next(index for index, text in enumerate(rows) if row in text)
    return terminal.cell(rows[y].index(sign, rows[y].index(after)), y)


@pytest.mark.parametrize("term", ["screen", "xterm-16color", "xterm"])
def test_16_colours_are_the_terminals_own_on_its_own_ground(project: Path, tmp_path: Path, term: str) -> None:
    with after_an_edit(project, tmp_path, {"TERM": term}) as (terminal, rows):
        good = cell_of(terminal, rows, "✓ edit", "✓").fg, cell_of(terminal, rows, "2 +", "+").fg
        bad = cell_of(terminal, rows, "✗ bash", "✗").fg, cell_of(terminal, rows, "2 −", "−").fg
        assert good == ("brightgreen", "brightgreen")
        assert bad == ("brightred", "brightred")
        assert cell_of(terminal, rows, "2 +", "return").bg == "default"
        words = [cell_of(terminal, rows, "2 −", "s", "return s"), cell_of(terminal, rows, "2 +", "m")]
        assert [word.bg for word in words] == ["brightred", "brightgreen"]
        assert [word.fg for word in words] == ["black", "black"]


def test_in_256_colours_changed_rows_are_tinted(project: Path, tmp_path: Path) -> None:
    with after_an_edit(project, tmp_path, {"TERM": "tmux-256color"}) as (terminal, rows):
        grounds = [cell_of(terminal, rows, row, "r", "return").bg for row in ("2 −", "2 +")]
        grounds += [cell_of(terminal, rows, "2 −", "s", "return s").bg, cell_of(terminal, rows, "2 +", "m").bg]
        grounds.append(cell_of(terminal, rows, "✓ edit", "✓").bg)
        assert len(set(grounds)) == 5, grounds
        assert "000000" not in grounds


def test_without_colour_no_screen_sets_any_and_all_is_told_apart(project: Path, tmp_path: Path) -> None:
    (project / "a.py").write_text("def total(items):\n    return sum(items)\n")
    turns = [
        call("read", path="a.py"),
        call("edit", path="a.py", oldText="sum(items)", newText="max(items)"),
        say("Bye."),
    ]
    options = ["--script", write_script(tmp_path, turns), "--approval", "review"]
    argv = [sys.executable, "-P", "-m", "pyagent_tui", *options]
    with Terminal(argv, columns=90, rows=40, cwd=project, env={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("Scripted model", PATIENCE)
        terminal.send("go\r")
        rows = terminal.wait_for("apply this change", PATIENCE)
        assert any("2 +     return ⟦max⟧(items)" in row for row in rows)
        terminal.wait_for(lambda rows: cell_of(terminal, rows, "y apply", "y").bold, PATIENCE)
        terminal.send("h")
        terminal.wait_for("1 of 1", PATIENCE)
        terminal.send("\x1b")
        terminal.wait_for("y apply", PATIENCE)
        terminal.send("y")
        rows = terminal.wait_for("Bye.", PATIENCE)
        y = next(index for index, row in enumerate(rows) if "Bye." in row)
        terminal.send(f"\x1b[<0;4;{y + 1}M\x1b[<32;7;{y + 1}M\x1b[<0;7;{y + 1}m")
        terminal.wait_for(lambda rows: cell_of(terminal, rows, "Bye.", "B").reverse, PATIENCE)
        for keys, words in (
            ("/the", "choose how the screen looks"),
            ("me\r", "tokyo-night"),
            ("\x1b", "Bye."),
            ("\x1bOP", "Talk"),
        ):
            terminal.send(keys)
            terminal.wait_for(words, PATIENCE)
        assert not re.search(COLOUR, terminal.output), re.search(COLOUR, terminal.output)


SCREENS = (
    ("/help", "Say it"),
    ("/theme", "dracula"),
    ("/settings", "approval"),
    ("/tree", "Tree of this session"),
    ("/resume", "Sessions"),
    ("/diff", "1 file"),
)
"""Commands that open a screen, and words on it."""


def test_where_only_ascii_can_be_shown_every_screen_is_ascii(project: Path, tmp_path: Path) -> None:
    (project / "a.py").write_text("def total(items):\n    return sum(items)\n")
    turns = [
        call("read", path="a.py"),
        call("edit", path="a.py", oldText="sum(items)", newText="max(items)"),
        say("Bye."),
    ]
    options = ["--script", write_script(tmp_path, turns), "--approval", "review"]
    argv = [sys.executable, "-P", "-m", "pyagent_tui", *options]
    with Terminal(argv, columns=80, rows=24, cwd=project, env={"LC_ALL": "C"}) as terminal:
        seen = {"start": terminal.wait_for("Scripted model", PATIENCE)}
        terminal.send("go\r")
        seen["question"] = terminal.wait_for("apply this change", PATIENCE)
        terminal.wait_for(lambda rows: cell_of(terminal, rows, "y apply", "y").bold, PATIENCE)
        terminal.send("h")
        seen["hunks"] = terminal.wait_for("1 of 1", PATIENCE)
        terminal.send("\x1b")
        terminal.wait_for("y apply", PATIENCE)
        terminal.send("y")
        terminal.wait_for("Bye.", PATIENCE)
        for command, words in SCREENS:
            terminal.send(f"{command}\r")
            seen[command] = terminal.wait_for(words, PATIENCE)
            terminal.send("\x1b")
            terminal.wait_for(lambda rows: any(row.startswith(" review - ") for row in rows), PATIENCE)
        terminal.send("/login anthropic\r")
        seen["login"] = terminal.wait_for("The key for", PATIENCE)
        strange = {name: [row for row in rows if not row.isascii()] for name, rows in seen.items()}
        assert not any(strange.values()), strange


def test_on_few_rows_the_title_makes_room(project: Path, tmp_path: Path) -> None:
    with program(project, tmp_path, columns=40, rows=9) as terminal:
        rows = terminal.wait_for(lambda rows: "?" in rows[8], PATIENCE)
        assert not any("Scripted model" in row for row in rows)
        terminal.resize(40, 12)
        terminal.wait_for(lambda rows: "Scripted model" in rows[0], PATIENCE)


def test_with_reduced_motion_a_running_call_changes_once_a_second(project: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("reduced_motion = true\n")
    options = ["--script", write_script(tmp_path, [call("bash", command="sleep 4"), say("Bye.")]), "--approval", "auto"]
    with Terminal([sys.executable, "-P", "-m", "pyagent_tui", *options], cwd=project, settle=False) as terminal:
        terminal.wait_for("Scripted model", PATIENCE)
        terminal.send("go\r")
        seen: set[str] = set()

        def is_over(rows: list[str]) -> bool:
            seen.update(row.strip() for row in rows if "sleep 4" in row and "running" in row)
            return any("Bye." in row for row in rows)

        terminal.wait_for(is_over, PATIENCE)
        assert {row[0] for row in seen} == {"…"}
        assert 2 <= len(seen) <= 6, seen


@pytest.mark.parametrize(("columns", "rows"), [(20, 5), (60, 15), (300, 100)])
def test_any_size_shows_the_answer_and_the_editor(project: Path, tmp_path: Path, columns: int, rows: int) -> None:
    with program(project, tmp_path, columns=columns, rows=rows) as terminal:
        terminal.wait_for("❯", PATIENCE)
        terminal.send("go\r")
        terminal.wait_for("done.", PATIENCE)
        terminal.send("draft")
        terminal.wait_for("draft", PATIENCE)
        terminal.resize(22, 6)
        terminal.resize(120, 40)
        terminal.wait_for(lambda shown: "All done." in "\n".join(shown) and "? help" in shown[39], PATIENCE)
        assert "draft" in terminal.text
        assert "Traceback" not in terminal.text
