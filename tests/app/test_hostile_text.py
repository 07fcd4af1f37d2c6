"""Text from files and the model never acts on the real terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pyagent_tui.tests.real_app import isolate, write_script
from pyagent_tui.tests.terminal import Terminal

EVIL = "A\x1b]52;c;cHduZWQ=\x07B\x1b]0;x\x07C\x1b[6nD\x1bcE\x9b2JF"


def test_control_codes_are_shown_and_not_obeyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = isolate(tmp_path, monkeypatch)
    (project / "evil.txt").write_text(EVIL + "\n")
    turns = [
        {"parts": [{"say": f"From me: {EVIL}"}, {"call": "read", "arguments": {"path": "evil.txt"}}]},
        {
            "parts": [
                {"call": "bash", "arguments": {"command": "cat evil.txt; echo [/] [bold]x '[@click=app.quit]boo[/]'"}}
            ]
        },
        {"parts": [{"say": "The [/] end of [bold]it[/bold] arr[i]."}]},
    ]
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--script", write_script(tmp_path, turns), "--approval", "auto"]
    with Terminal(argv, columns=110, rows=40, cwd=project) as terminal:
        terminal.wait_for("Scripted model", 40)
        terminal.send(f"\x1b[200~look {EVIL}\x1b[201~\r")
        terminal.wait_for("arr[i].", 40)
        terminal.wait_for("[bold]x [@click=app.quit]boo[/]", 40)
        terminal.send(b"\x04")
        assert terminal.wait(40) == 0
        for sequence in (b"\x1b]52", b"\x1b]0;x", b"\x1b[6n", b"\x1bc", "\x9b2J".encode()):
            assert sequence not in terminal.output
