"""Sharp pictures on the real app, in a terminal that says that it has them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PIL import Image

from pyagent_tui.app.terminal.graphics import ASK, may_show_pictures
from pyagent_tui.tests.terminal import Terminal

PLACEHOLDER = "\U0010eeee".encode()


@pytest.mark.parametrize(
    ("environ", "may"),
    [
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-ghostty"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, True),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, False),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/tmux", "KITTY_WINDOW_ID": "1"}, False),
    ],
)
def test_only_terminals_with_placeholders_are_asked(environ: dict[str, str], may: bool) -> None:
    assert may_show_pictures(environ) is may


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pty")
@pytest.mark.parametrize("says_yes", [True, False])
def test_a_picture_is_sent_if_the_terminal_says_yes_and_taken_back_at_the_end(tmp_path: Path, says_yes: bool) -> None:
    project = tmp_path / "project"
    project.mkdir()
    Image.linear_gradient("L").crop((0, 0, 200, 100)).save(project / "circle.png")
    script = tmp_path / "script.toml"
    script.write_text(
        '[[turns]]\nparts = [{ call = "read", arguments = { path = "circle.png" } }]\n[[turns]]\nparts = [{ say = "a circle" }]\n'
    )
    program = [sys.executable, "-P", "-m", "pyagent_tui", "--script", str(script), "look"]
    env = {"PYAGENT_TUI_HOME": str(tmp_path / "home"), "TERM": "xterm-kitty", "TMUX": "", "STY": "", "ZELLIJ": ""}
    with Terminal(program, env=env, cwd=project, columns=100, rows=30) as terminal:
        terminal.wait_for_output(ASK.encode(), 30)
        if says_yes:
            terminal.send("\x1b_Gi=31;OK\x1b\\")
        terminal.wait_for("a circle", 30)
        if says_yes:
            terminal.wait_for_output(b"\x1b_Ga=T,U=1,f=100", 30)
            terminal.wait_for_output(PLACEHOLDER + "\u0305\u0305".encode(), 30)
        else:
            terminal.wait_for("▀", 30)
        terminal.send("\x04")
        assert terminal.wait(30) == 0
        assert (b"\x1b_Ga=d,d=I" in terminal.output) is says_yes
        assert (PLACEHOLDER in terminal.output) is says_yes
        assert "Gi=31" not in terminal.text
