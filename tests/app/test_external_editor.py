"""Ctrl+G: the draft in another editor, in a real terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pyagent_tui.app.terminal.editor_choice import editor_command
from pyagent_tui.tests.stage_app import open_app, say
from pyagent_tui.tests.terminal import Terminal

EDITOR = """\
import pathlib, signal, stat, sys
mode, path = sys.argv[1], pathlib.Path(sys.argv[2])
text = path.read_text()
assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
signal.signal(signal.SIGINT, lambda *_: print("interrupted", flush=True))
print("editing", repr(text), signal.getsignal(signal.SIGINT) is not signal.SIG_IGN, flush=True)
word = sys.stdin.readline().strip()
path.write_text(f"{text} and {word}\\nsecond line\\n")
sys.exit(3 if mode == "fail" else 0)
"""


@contextmanager
def program(tmp_path: Path, mode: str, config: str = "") -> Generator[Terminal]:
    for name in ("project", "home", "tmp"):
        (tmp_path / name).mkdir()
    (tmp_path / "home" / "config.toml").write_text(config)
    (tmp_path / "editor.py").write_text(EDITOR)
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"turns": [say("fine")]}))
    env = {
        "PYAGENT_TUI_HOME": str(tmp_path / "home"),
        "VISUAL": f"{sys.executable} '{tmp_path}/editor.py' {mode}",
        "TMPDIR": str(tmp_path / "tmp"),
    }
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--script", str(script)]
    with Terminal(argv, env=env, cwd=tmp_path / "project") as terminal:
        terminal.wait_for("Scripted model")
        yield terminal


def test_what_is_saved_in_the_editor_becomes_the_draft(tmp_path: Path) -> None:
    with program(tmp_path, "save") as terminal:
        terminal.send("first")
        terminal.wait_for("❯ first")
        terminal.send("\x07")
        terminal.wait_for("editing 'first' True")
        terminal.send("\x03")
        terminal.wait_for("interrupted")
        terminal.send("more\n")
        terminal.wait_for("❯ first and more")
        terminal.wait_for("second line")
        assert "editing" not in terminal.text
        assert not list((tmp_path / "tmp").glob("pyagent-prompt-*"))
        terminal.send("\r")
        terminal.wait_for("fine")


def test_an_editor_that_fails_leaves_the_draft_alone(tmp_path: Path) -> None:
    with program(tmp_path, "fail") as terminal:
        terminal.send("first")
        terminal.wait_for("❯ first")
        terminal.send("\x07")
        terminal.wait_for("editing")
        terminal.send("more\n")
        terminal.wait_for("ended with 3")
        assert "❯ first" in terminal.text
        assert "and more" not in terminal.text


def test_the_setting_goes_first_and_a_command_that_is_not_there_is_said(tmp_path: Path) -> None:
    with program(tmp_path, "save", 'external_editor = "no-such-editor --wait"\n') as terminal:
        terminal.send("first")
        terminal.send("\x07")
        terminal.wait_for("no-such-editor: ")
        terminal.wait_for("❯ first")
        assert "no effect" not in terminal.text


def test_the_command_is_split_as_a_shell_does() -> None:
    environ = {"VISUAL": "code --wait", "EDITOR": "vi"}
    assert editor_command(None, environ) == ["code", "--wait"]
    assert editor_command("'/my editors/e' -n", environ) == ["/my editors/e", "-n"]
    assert editor_command(None, {"VISUAL": "", "EDITOR": "vi"}) == ["vi"]
    assert editor_command(None, {"PATH": "/nowhere"}) == []


@pytest.mark.anyio
async def test_without_an_editor_or_a_terminal_the_draft_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.setattr("pyagent_tui.app.terminal.editor_choice.USUAL", ())
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.type("first")
        await stage.press("ctrl+g")
        await stage.see("There is no editor")
        monkeypatch.setenv("EDITOR", "true")
        await stage.press("ctrl+g")
        await stage.see("not supported")
        assert stage.draft == "first"


def test_where_nobody_named_an_editor_one_that_is_there_opens(tmp_path: Path) -> None:
    for name in ("vi", "nano"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    path = str(tmp_path)
    assert editor_command(None, {"PATH": path}) == ["nano"]
    assert editor_command(None, {"PATH": path, "EDITOR": "ed -s"}) == ["ed", "-s"]
    assert editor_command(None, {"PATH": str(tmp_path / "none")}) == []
