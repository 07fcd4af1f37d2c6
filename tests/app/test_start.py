"""What the person is told when the program starts."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from pyagent_tui.tests.real_app import write_script
from pyagent_tui.tests.stage_app import open_app, say
from pyagent_tui.tests.terminal import Terminal

BROKEN = """\
approval = "always"
[compaction]
reserve_tokens = "many"
"""


@pytest.mark.anyio
async def test_what_is_wrong_with_the_settings_stays_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(BROKEN)
    async with open_app(tmp_path, monkeypatch, [say("hello")]) as stage:
        await stage.say("hi")
        await stage.see("hello")
        words = " ".join(stage.text().split())
        assert 'config.toml:1: approval must be one of review, edits, auto, read-only, not "always"; using' in words
        assert "config.toml:3: compaction.reserve_tokens must be" in words
        assert words.count("config.toml:1") == 1


@pytest.mark.parametrize("gap", [0.0, 0.01, 0.05])
def test_what_is_typed_while_the_program_starts_is_in_the_editor_whole_and_in_order(tmp_path: Path, gap: float) -> None:
    words = "what is new in the sources of this project, and why is it there at all?"
    (tmp_path / "project").mkdir()
    program = [sys.executable, "-P", "-m", "pyagent_tui", "--script", write_script(tmp_path, [say("Much.")])]
    env = {"PYAGENT_TUI_HOME": str(tmp_path / "home")}
    with Terminal(program, columns=100, rows=24, env=env, cwd=tmp_path / "project") as terminal:
        for letter in words:
            terminal.send(letter)
            time.sleep(gap)
        terminal.wait_for(f"❯ {words}")
