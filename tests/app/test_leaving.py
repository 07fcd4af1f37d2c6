"""Leaving the real program, by whatever way: what stays on the terminal, on disk, and running."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.tests.real_app import isolate, write_script
from pyagent_tui.tests.stage_app import call, say
from pyagent_tui.tests.terminal import Terminal

PATIENCE = 30

STRAY = """
import os, threading, time
def babble():
    while not os.path.exists("now"):
        time.sleep(0.02)
    import logging, warnings
    os.write(1, b"STRAY to descriptor 1\\n")
    os.write(2, b"STRAY to descriptor 2\\n")
    print("STRAY print")
    warnings.warn("STRAY warning")
    logging.getLogger("some.library").error("STRAY logged")
    open("said", "w").close()
threading.Thread(target=babble, daemon=True).start()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return isolate(tmp_path, monkeypatch)


def program(
    project: Path,
    tmp_path: Path,
    turns: Sequence[dict[str, Any]],
    *options: str,
    env: Mapping[str, str] | None = None,
    columns: int = 100,
    rows: int = 30,
) -> Terminal:
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--script", write_script(tmp_path, turns), *options]
    return Terminal(argv, columns=columns, rows=rows, cwd=project, env=env)


def after_screen(terminal: Terminal) -> str:
    """What was written once the full screen was left."""
    return terminal.output.rpartition(b"\x1b[?1049l")[2].decode()


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def test_the_last_answer_and_the_way_back_are_on_the_normal_screen(project: Path, tmp_path: Path) -> None:
    answer = "\n".join(f"line {number} \x1b]0;x\x07" for number in range(1, 31))
    with program(project, tmp_path, [say(answer)]) as terminal:
        terminal.wait_for("Scripted model", PATIENCE)
        terminal.send("count\r")
        terminal.wait_for("line 30", PATIENCE)
        terminal.send(b"\x04")
        assert terminal.wait(PATIENCE) == 0
        left = after_screen(terminal)
        assert "(10 earlier lines of the last answer)\r\nline 11 ␛]0;x␇\r\n" in left
        assert "line 30" in left
        assert "\x07" not in left
        command = left.partition("To go on: pyagent-tui ")[2].split()
    with program(project, tmp_path, [say("More.")], *command) as terminal:
        terminal.wait_for("line 30", PATIENCE)


def test_it_can_be_left_without_a_word(project: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text('exit_output = "off"\n')
    with program(project, tmp_path, [say("The answer.")]) as terminal:
        terminal.wait_for("Scripted model", PATIENCE)
        terminal.send("ask\r")
        terminal.wait_for("The answer.", PATIENCE)
        terminal.send(b"\x04")
        assert terminal.wait(PATIENCE) == 0
        assert "answer" not in after_screen(terminal)
        assert "To go on" not in after_screen(terminal)


def test_nothing_said_leaves_nothing(project: Path, tmp_path: Path) -> None:
    with program(project, tmp_path, [say("x")]) as terminal:
        terminal.wait_for("Scripted model", PATIENCE)
        terminal.send(b"\x04")
        assert terminal.wait(PATIENCE) == 0
        assert "To go on" not in after_screen(terminal)


@pytest.mark.parametrize(
    ("way", "status"), [("ctrl+d", 0), ("SIGTERM", 143), ("SIGHUP", 129), ("hang up", 129)], ids=lambda way: str(way)
)
def test_what_tools_started_ends_and_the_session_is_kept(project: Path, tmp_path: Path, way: str, status: int) -> None:
    command = "sleep 987 & echo $! > one; sleep 986 & echo $! > two; echo $$ > shell; wait"
    with program(
        project, tmp_path, [call("bash", command=command)], "--approval", "auto", "--sandbox", "off"
    ) as terminal:
        terminal.wait_for("Scripted model", PATIENCE)
        terminal.send("go\r")
        until(lambda: (project / "shell").exists() and (project / "shell").read_text() != "", "the command never ran")
        match way:
            case "ctrl+d":
                terminal.send(b"\x04")
            case "hang up":
                terminal.hang_up()
            case _:
                terminal.kill(getattr(signal, way))
        assert terminal.wait(PATIENCE) == status
    pids = [int((project / name).read_text()) for name in ("one", "two", "shell")]
    until(lambda: not any(is_alive(pid) for pid in pids), "processes of the tool are left")
    (file,) = (tmp_path / "config" / "sessions").rglob("*.jsonl")
    messages = [entry["message"] for entry in map(json.loads, file.read_text().splitlines()) if "message" in entry]
    assert [message["role"] for message in messages][:3] == ["user", "assistant", "toolResult"]


def test_what_libraries_write_goes_to_the_log_and_never_to_the_screen(project: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(STRAY)
    with program(project, tmp_path, [say("Hi.")], env={"PYTHONPATH": str(site)}) as terminal:
        terminal.wait_for("Scripted model", PATIENCE)
        (project / "now").touch()
        until(lambda: (project / "said").exists(), "nothing was written")
        terminal.send("hello\r")
        terminal.wait_for("Hi.", PATIENCE)
        terminal.send(b"\x04")
        assert terminal.wait(PATIENCE) == 0
        assert b"STRAY" not in terminal.output
    log = tmp_path / "config" / "pyagent-tui.log"
    kinds = ("to descriptor 1", "to descriptor 2", "print", "warning", "logged")
    assert [kind for kind in kinds if f"STRAY {kind}" not in log.read_text()] == []
    assert log.stat().st_mode & 0o077 == 0


def test_the_screen_needs_no_stderr(project: Path, tmp_path: Path) -> None:
    script = write_script(tmp_path, [say("Hi.")])
    argv = ["sh", "-c", 'exec "$@" 2> errors', "sh", sys.executable, "-P", "-m", "pyagent_tui", "--script", script]
    with Terminal(argv, columns=100, rows=30, cwd=project) as terminal:
        terminal.wait_for("Scripted model", PATIENCE)
        terminal.send(b"\x04")
        assert terminal.wait(PATIENCE) == 0
    assert (project / "errors").read_text() == ""


def test_ctrl_z_gives_the_terminal_back_until_it_is_continued(project: Path, tmp_path: Path) -> None:
    with program(project, tmp_path, [say("Hi.")]) as terminal:
        terminal.wait_for("Scripted model", PATIENCE)
        terminal.send("draft")
        terminal.wait_for("draft")
        terminal.send(b"\x1a")
        terminal.wait_until_stopped(PATIENCE)
        terminal.wait_for_output(b"\x1b[?1049l")
        assert terminal.settings == terminal.settings_before
        before = len(terminal.output)
        terminal.kill(signal.SIGCONT)
        terminal.wait_for(lambda _: b"draft" in terminal.output[before:], PATIENCE)
        terminal.send(" more\r")
        terminal.wait_for("Hi.", PATIENCE)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
