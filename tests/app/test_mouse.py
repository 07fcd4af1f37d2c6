"""Whose the mouse is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pyagent_tui.tests.real_app import isolate, write_script
from pyagent_tui.tests.stage_app import say
from pyagent_tui.tests.terminal import Terminal

TAKEN = (b"\x1b[?1000h", b"\x1b[?1002h", b"\x1b[?1003h", b"\x1b[?1006h")


@pytest.mark.parametrize(("way", "is_taken"), [("", True), ("option", False), ("setting", False)])
def test_the_mouse_is_the_terminals_if_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, is_taken: bool
) -> None:
    project = isolate(tmp_path, monkeypatch)
    if way == "setting":
        (tmp_path / "config").mkdir()
        (tmp_path / "config" / "config.toml").write_text("mouse = false\n")
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--script", write_script(tmp_path, [say("Hi.")])]
    with Terminal([*argv, *(["--no-mouse"] if way == "option" else [])], cwd=project) as terminal:
        terminal.wait_for("Scripted model", 30)
        terminal.send("hello\r")
        terminal.wait_for("Hi.", 30)
        assert any(mode in terminal.output for mode in TAKEN) is is_taken
