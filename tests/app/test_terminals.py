"""The real program in terminals that can do less, and in sizes that nobody has."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from pyagent_tui.tests.real_app import isolate, write_script
from pyagent_tui.tests.stage_app import call, say
from pyagent_tui.tests.terminal import Terminal

PATIENCE = 40
TRUE_COLOUR, INDEXED = rb"[34]8;2;", rb"[34]8;5;"
HUE = rb"[34]8;2;(\d+);(?!\1;\1[;m])|[34]8;5;|\x1b\[(?:[0-9;]*;)?(?:3[0-7]|4[0-7]|9[0-7]|10[0-7])m"
"""A colour that is no grey."""


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
        ({"NO_COLOR": "1"}, [HUE]),
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
