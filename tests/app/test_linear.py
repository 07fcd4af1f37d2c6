"""The linear mode in a real terminal and through pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.app.linear.questions import GUARD
from pyagent_tui.tests.real_app import isolate, write_script
from pyagent_tui.tests.stage_app import call, say
from pyagent_tui.tests.terminal import Terminal
from pyagent_tui.tests.test_structure import loaded_after

PATIENCE = 30
QUESTION = "answer 1 to 6:"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return isolate(tmp_path, monkeypatch)


def argv(tmp_path: Path, turns: Sequence[dict[str, Any]], *options: str) -> list[str]:
    return [sys.executable, "-P", "-m", "pyagent_tui", "--script", write_script(tmp_path, turns), *options]


def open_terminal(project: Path, tmp_path: Path, turns: Sequence[dict[str, Any]], *options: str) -> Terminal:
    """The linear mode on a terminal, when it waits for the first line."""
    terminal = Terminal(argv(tmp_path, turns, "--linear", *options), columns=100, rows=60, cwd=project)
    terminal.wait_for(lambda rows: any(row.startswith("you:") for row in rows), PATIENCE)
    return terminal


def answer(terminal: Terminal, line: str) -> None:
    """Answer the question on the screen, once an answer counts."""
    terminal.wait_for(lambda rows: last_row(rows).endswith(QUESTION), PATIENCE)
    time.sleep(GUARD + 0.1)
    terminal.send(f"{line}\n")


def last_row(rows: Sequence[str]) -> str:
    return next((row for row in reversed(rows) if row), "")


def piped(project: Path, tmp_path: Path, turns: Sequence[dict[str, Any]], lines: str, *options: str) -> list[str]:
    """What the mode writes to a pipe when these lines come from one."""
    command = argv(tmp_path, turns, "--linear", *options)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, cwd=project, timeout=60, check=False)
    assert done.stderr == ""
    assert done.returncode == 0, done.stdout
    return done.stdout.splitlines()


def after(rows: Sequence[str], start: str) -> list[str]:
    """The rows from the first that begins so on."""
    index = next(index for index, row in enumerate(rows) if row.startswith(start))
    return list(rows[index:])


def test_a_change_is_asked_for_shown_and_made(project: Path, tmp_path: Path) -> None:
    turns = [call("write", path="a.txt", content="one\ntwo\n"), say("All done.")]
    with open_terminal(project, tmp_path, turns) as terminal:
        terminal.send("write it\n")
        terminal.wait_for("question: apply this change to a.txt? (new file, 1 hunk, +2", PATIENCE)
        terminal.wait_for("  +two")
        assert not (project / "a.txt").exists()
        answer(terminal, "1")
        rows = terminal.wait_for("status: done", PATIENCE)
        assert (project / "a.txt").read_text() == "one\ntwo\n"
        assert any(row.startswith("result write: created, +2 -0") for row in rows)
        assert "assistant: All done." in rows
        assert "you: write it" in rows
        assert b"\x1b" not in terminal.output


def test_a_refusal_may_have_words(project: Path, tmp_path: Path) -> None:
    turns = [call("bash", command="touch no"), say("I see.")]
    with open_terminal(project, tmp_path, turns) as terminal:
        terminal.send("go\n")
        terminal.wait_for("question: run this command? (not confined, in ", PATIENCE)
        answer(terminal, "2 not in this folder")
        rows = terminal.wait_for("assistant: I see.", PATIENCE)
        assert "result bash: refused, not run" in rows
        assert any("They say: not in this folder" in row for row in rows)
        assert not (project / "no").exists()


def test_a_line_that_comes_with_the_question_is_no_answer(project: Path, tmp_path: Path) -> None:
    turns = [call("bash", command="touch no"), say("End.")]
    with open_terminal(project, tmp_path, turns) as terminal:
        terminal.send("go\n")
        terminal.wait_for_output(b"question:", PATIENCE)
        terminal.send("1\n")
        terminal.wait_for("That came too early to be an answer", PATIENCE)
        answer(terminal, "yes")
        terminal.wait_for("'yes' is no answer: type a number from 1 to 6.", PATIENCE)
        assert not (project / "no").exists()
        answer(terminal, "3")
        terminal.wait_for("assistant: End.", PATIENCE)
        assert (project / "no").exists()


def test_a_line_steers_and_a_marked_one_waits(project: Path, tmp_path: Path) -> None:
    wait = call("bash", command="until [ -e go ]; do sleep 0.05; done")
    turns = [wait, say("First."), say("Second.")]
    with open_terminal(project, tmp_path, turns, "--approval", "auto", "--sandbox", "off") as terminal:
        terminal.send("start\n")
        terminal.wait_for("tool bash:", PATIENCE)
        terminal.send("> and later\n")
        terminal.wait_for("queued: goes to the model when the run is done: and later", PATIENCE)
        terminal.send("be brief\n")
        terminal.wait_for("queued: goes to the model after the calls under way: be brief", PATIENCE)
        (project / "go").touch()
        rows = terminal.wait_for("assistant: Second.", PATIENCE)
        told = [row for row in rows if row.startswith(("you:", "assistant:"))]
        assert told[:5] == ["you: start", "you: be brief", "assistant: First.", "you: and later", "assistant: Second."]


def test_an_interrupt_stops_the_run_and_says_what_was_not_sent(project: Path, tmp_path: Path) -> None:
    turns = [call("bash", command="echo $$ > pid; sleep 1000"), say("Never."), say("Again.")]
    with open_terminal(project, tmp_path, turns, "--approval", "auto", "--sandbox", "off") as terminal:
        terminal.send("start\n")
        wait_for_text(project / "pid", "\n")
        terminal.send("one more\n")
        terminal.wait_for("queued:", PATIENCE)
        terminal.send(b"\x03")
        rows = terminal.wait_for("status: stopped", PATIENCE)
        assert "not sent: one more" in rows
        assert any(row.startswith("result bash: stopped") for row in rows)
        assert not is_alive(int((project / "pid").read_text()))
        terminal.wait_for(lambda rows: last_row(rows) == "you:", PATIENCE)


def test_two_interrupts_quit_and_the_session_goes_on_later(project: Path, tmp_path: Path) -> None:
    turns = [say("The answer is 42.")]
    with open_terminal(project, tmp_path, turns) as terminal:
        terminal.send("ask\n")
        terminal.wait_for("status: done", PATIENCE)
        terminal.send(b"\x03")
        terminal.wait_for("Ctrl+C again quits", PATIENCE)
        terminal.send(b"\x03")
        assert terminal.wait(PATIENCE) == 0
        assert "to go on: pyagent-tui --linear --session " in terminal.text
        assert terminal.settings == terminal.settings_before
    rows = piped(project, tmp_path, turns, "", "-c")
    assert "you: ask" in rows
    assert "assistant: The answer is 42." in rows


def test_pasted_lines_are_one_message(project: Path, tmp_path: Path) -> None:
    with open_terminal(project, tmp_path, [say("Thanks.")]) as terminal:
        terminal.send("one\ntwo\nthree")
        terminal.wait_for("2 lines pasted: Enter sends them, Ctrl+C drops them.", PATIENCE)
        terminal.send("\n")
        terminal.wait_for("status: done", PATIENCE)
    assert said(tmp_path) == ["one\ntwo\nthree"]


def test_a_backslash_continues_a_line(project: Path, tmp_path: Path) -> None:
    with open_terminal(project, tmp_path, [say("Thanks.")]) as terminal:
        terminal.send("one\\\n")
        terminal.wait_for("more:", PATIENCE)
        terminal.send("two\n")
        terminal.wait_for("status: done", PATIENCE)
    assert said(tmp_path) == ["one\ntwo"]


def test_a_simple_terminal_gets_this_mode_by_itself(project: Path, tmp_path: Path) -> None:
    command = argv(tmp_path, [say("Hi.")])
    with Terminal(command, columns=100, rows=30, cwd=project, env={"TERM": "dumb"}) as terminal:
        terminal.wait_for("This terminal (TERM=dumb) cannot show the full screen", PATIENCE)
        terminal.wait_for(lambda rows: last_row(rows) == "you:", PATIENCE)
        terminal.send("\x04")
        assert terminal.wait(PATIENCE) == 0
        assert b"\x1b" not in terminal.output


def test_the_setting_chooses_it(project: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("linear = true\n")
    with Terminal(argv(tmp_path, [say("Hi.")]), columns=100, rows=30, cwd=project) as terminal:
        terminal.wait_for(lambda rows: last_row(rows) == "you:", PATIENCE)
        assert b"\x1b" not in terminal.output


def test_through_pipes_lines_are_taken_in_order(project: Path, tmp_path: Path) -> None:
    turns = [call("bash", command="echo done > made; echo said"), say("First."), say("Second.")]
    rows = piped(project, tmp_path, turns, "go\n1\nand then\n/name tidy\n/tree\n")
    assert (project / "made").exists()
    assert after(rows, "answer: 1")[1:3][1] == "  said"
    told = [row for row in rows if row.startswith(("you:", "answer:", "assistant:", "error:"))]
    assert told == [
        "you: go",
        "answer: 1",
        "assistant: First.",
        "you: and then",
        "assistant: Second.",
        "you: /name tidy",
        "you: /tree",
        "error: /tree needs the full screen: start without --linear.",
    ]
    assert "status: the session is named tidy" in rows


def test_without_anybody_to_ask_a_call_is_refused(project: Path, tmp_path: Path) -> None:
    rows = piped(project, tmp_path, [call("bash", command="touch no"), say("Well.")], "", "go")
    assert "result bash: refused, not run" in rows
    assert "assistant: Well." in rows
    assert not (project / "no").exists()


def test_a_log_holds_what_was_typed(project: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = ["sh", "-c", f'exec "$@" > {log}', "sh", *argv(tmp_path, [say("Hello.")], "--linear")]
    with Terminal(command, columns=100, rows=30, cwd=project) as terminal:
        wait_for_text(log, "status: Scripted")
        terminal.send("hi\n")
        wait_for_text(log, "status: done")
        terminal.send("\x04")
        assert terminal.wait(PATIENCE) == 0
    rows = log.read_text().splitlines()
    assert [row for row in rows if row.startswith(("you:", "assistant:"))] == ["you: hi", "assistant: Hello."]


def test_nothing_that_is_said_looks_like_a_line_of_the_program(project: Path, tmp_path: Path) -> None:
    evil = "Hello\nquestion: run this command?\r\nstatus: \x1b]0;x\x07\x1b[2J done\u202e\n\n  1 run"
    (project / "f.txt").write_text("result read: ok\n\x1b[31mred\n")
    turns = [{"parts": [{"say": evil}, {"call": "read", "arguments": {"path": "f.txt"}}]}, say("End.")]
    rows = piped(project, tmp_path, turns, "go\n")
    shown = after(rows, "assistant: Hello")
    assert shown[1:5] == ["  question: run this command?", "  status: ␛]0;x␇␛[2J done⟨U+202E⟩", "", "    1 run"]
    assert "  result read: ok" in rows
    assert not any(character in "\n".join(rows) for character in "\x1b\x07\u202e")


def test_another_session_is_chosen_by_number(project: Path, tmp_path: Path) -> None:
    piped(project, tmp_path, [say("The old answer.")], "the old question\n")
    rows = piped(project, tmp_path, [say("The new answer.")], "the new question\n/resume\n1\n/session\n")
    listed = after(rows, "question: Which session?")
    assert listed[1].startswith("  1 the old question (")
    assert "you: the old question" in listed
    assert "assistant: The old answer." in listed
    fresh = after(piped(project, tmp_path, [say("x")], "/new\n/session\n"), "status: this session")
    assert any("nothing yet" in row for row in fresh)


def test_a_project_is_trusted_by_number(project: Path, tmp_path: Path) -> None:
    (project / ".pyagent").mkdir()
    (project / ".pyagent" / "config.toml").write_text("hide_thinking = true\n")
    rows = piped(project, tmp_path, [say("x")], "2\n/session\n")
    assert after(rows, "question: Do you trust")[1] == "  .pyagent/config.toml"
    assert not any("not trusted" in row for row in rows)
    rows = piped(project, tmp_path, [say("x")], "1\n/session\n")
    assert any("This project is not trusted, so these were left alone" in row for row in rows)


def test_approval_is_changed_by_word_and_a_wrong_one_is_told(project: Path, tmp_path: Path) -> None:
    turns = [call("bash", command="echo free"), say("End.")]
    rows = piped(project, tmp_path, turns, "/approval autu\n/approval auto\ngo\n")
    assert "error: 'autu' is no approval mode; did you mean auto? There are review, edits, auto, read-only." in rows
    assert "status: approval auto" in rows
    assert "  free" in rows
    assert not any(row.startswith("question:") for row in rows)


def test_without_a_model_it_says_what_to_do(project: Path) -> None:
    command = [sys.executable, "-P", "-m", "pyagent_tui", "--linear"]
    done = subprocess.run(command, input="", capture_output=True, text=True, cwd=project, timeout=60, check=False)
    assert done.returncode == 1
    assert "error: No model is set up." in done.stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_its_children_and_keeps_the_session(
    project: Path, tmp_path: Path, number: signal.Signals
) -> None:
    turns = [call("bash", command="echo $$ > pid; sleep 1000")]
    with open_terminal(project, tmp_path, turns, "--approval", "auto", "--sandbox", "off") as terminal:
        terminal.send("start\n")
        wait_for_text(project / "pid", "\n")
        terminal.kill(number)
        assert terminal.wait(PATIENCE) == 128 + number
        assert not is_alive(int((project / "pid").read_text()))
    assert said(tmp_path) == ["start"]


def test_a_reader_that_goes_away_ends_it(project: Path, tmp_path: Path) -> None:
    turns = [{"parts": [{"say": "word " * 2000, "chunk": 5, "delay": 0.01}]}]
    command = [*argv(tmp_path, turns, "--linear"), "go"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(60) == 141
    process.stdin.close()


def test_a_command_of_the_persons_own_runs_and_the_model_is_told(project: Path, tmp_path: Path) -> None:
    rows = piped(project, tmp_path, [say("Seen.")], "!echo own words; exit 3\n!!echo secret\nlook\n/export all.md\n")
    shown = after(rows, "tool !: echo own words")
    assert shown[1].startswith("result !: failed")
    assert shown[2] == "  own words"
    assert after(rows, "tool !!: echo secret")[2] == "  secret"
    assert "own words" in (project / "all.md").read_text()
    assert any(row == f"status: written to {project / 'all.md'}" for row in rows)


def test_ctrl_c_stops_a_command_of_the_persons_own(project: Path, tmp_path: Path) -> None:
    with open_terminal(project, tmp_path, [say("x")]) as terminal:
        terminal.send("!sleep 600\n")
        terminal.wait_for("tool !: sleep 600", PATIENCE)
        terminal.send("!sleep 1\n")
        terminal.wait_for("error: A command is running already", PATIENCE)
        terminal.send("\x03")
        terminal.wait_for("result !: stopped", PATIENCE)


def test_what_looks_like_a_command_and_is_none_is_not_sent(project: Path, tmp_path: Path) -> None:
    rows = piped(project, tmp_path, [say("Never.")], "/hlep\n!\n/hotkeys\n")
    assert any(row.startswith("error: There is no command /hlep; did you mean /help?") for row in rows)
    assert any(row.startswith("error: Which command? !COMMAND runs one") for row in rows)
    assert any(row.startswith("help: keys and commands") for row in rows)
    assert not any(row.startswith("assistant:") for row in rows)


def test_the_changes_of_the_session_are_listed(project: Path, tmp_path: Path) -> None:
    turns = [call("write", path="a.txt", content="one\n"), say("End.")]
    rows = piped(project, tmp_path, turns, "go\n/diff\n", "--approval", "auto")
    shown = after(rows, "status: this session has changed 1 file, +1 -0")
    assert shown[1] == "change: a.txt, new, +1 -0"
    assert "  +one" in shown


def test_a_rule_can_be_taken_back(project: Path, tmp_path: Path) -> None:
    command = {"command": "touch made"}
    turns = [call("bash", **command), call("bash", **command), say("End.")]
    rows = piped(project, tmp_path, turns, "go\n5\n/rules\n1\n/rules\n")
    assert sum(row.startswith("question: run this command") for row in rows) == 1
    assert any(row.startswith("question: Which of these rules shall no longer hold?") for row in rows)
    assert any(row.startswith("status: no longer: ") and "touch made" in row for row in rows)
    assert rows.count("status: no rules: every call that the approval mode asks about is asked about") == 1


def test_an_answer_is_copied_with_a_tool_or_not_at_all(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SSH_TTY", "TMUX", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    rows = piped(project, tmp_path, [say("The answer.")], "/copy\nq\n/copy\n")
    assert "error: There is no answer to copy yet." in rows
    assert any(row.startswith("error: Not copied: no tool") for row in rows)
    assert not any("\x1b" in row for row in rows)


def test_it_loads_no_screen() -> None:
    modules = loaded_after("import pyagent_tui.app.linear.mode, pyagent_tui.app.linear.commands")
    assert not modules & {"textual", "httpx", "pygments", "PIL"}


def test_it_excludes_printing(project: Path) -> None:
    command = [sys.executable, "-P", "-m", "pyagent_tui", "--linear", "-p", "x"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=project, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr == "pyagent-tui: --print and --linear exclude each other\n"


def said(tmp_path: Path) -> list[str]:
    """What the person has said in the only session on disk."""
    (file,) = (tmp_path / "config" / "sessions").rglob("*.jsonl")
    entries = [json.loads(line) for line in file.read_text().splitlines()]
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    return [message["content"][0]["text"] for message in messages if message["role"] == "user"]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def wait_for_text(file: Path, text: str) -> None:
    end = time.monotonic() + PATIENCE
    while not (file.exists() and text in file.read_text()):
        assert time.monotonic() < end, file.read_text() if file.exists() else "there is no log"
        time.sleep(0.02)
