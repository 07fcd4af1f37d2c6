"""What a run without the screen and without calls loads: no more than it uses."""

from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
import pytest

from pyagent_tui.tests.providers.loopback import Answer, anthropic_reply, serving, sse

pytestmark = pytest.mark.anyio

RUN = """
import json, subprocess, sys

started = []

class Counted(subprocess.Popen):
    def __init__(self, argv, *given, **named):
        started.append(argv)
        super().__init__(argv, *given, **named)

subprocess.Popen = Counted
from pyagent_tui.app.main import main

status = main(sys.argv[1:])
print(json.dumps({"status": status, "modules": sorted(sys.modules), "started": started}), file=sys.stderr)
"""

HEAVY = {
    *("textual", "PIL", "unidiff", "tomlkit", "tomllib", "yaml", "psutil", "sqlite3", "uuid", "html"),
    *("pydantic", "pydantic_core"),
    # Where click is, httpx loads its own command line, and that these.
    *(() if find_spec("click") else ("rich", "pygments", "markdown_it")),
}
"""Of other people: the screen, and what serves calls, files of settings, searches."""

MOST_OF_OURS = 205
"""Our own modules. A little more than there are: one that is added must be used by every run."""


async def loaded(folder: Path, *answers: Answer) -> dict[str, Any]:
    """What a run has in the end that gets these answers."""
    async with serving(*answers) as server:
        given = {"PYAGENT_TUI_HOME": str(folder), "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "none"}
        argv = ["--approval", "auto", "--model", "anthropic/claude-sonnet-4-5", "-p", "hi"]
        with anyio.fail_after(60):
            done = await anyio.run_process(
                [sys.executable, "-P", "-c", RUN, *argv], env=os.environ | given, cwd=folder, check=False
            )
    assert done.stdout == b"hello\n", done.stderr
    return json.loads(done.stderr)


async def test_a_run_without_calls_loads_nothing_that_it_does_not_use(tmp_path: Path) -> None:
    found = await loaded(tmp_path, anthropic_reply())
    modules = set(found["modules"])
    assert found["status"] == 0
    assert modules & HEAVY == set()
    assert "httpx" in modules
    ours = {name for name in modules if name.split(".")[0] == "pyagent_tui"}
    assert len(ours) <= MOST_OF_OURS, sorted(ours)
    assert found["started"] == []


def reading() -> Answer:
    """A reply that calls `read`."""
    block = {"type": "tool_use", "id": "c1", "name": "read", "input": dict[str, str]()}
    part = {"type": "input_json_delta", "partial_json": json.dumps({"path": "a.txt"})}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return Answer(
        sse(
            {"type": "message_start", "message": {"id": "m", "model": "m", "usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": part},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": usage},
            {"type": "message_stop"},
        )
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the supervisor is Linux's")
async def test_with_a_call_comes_what_calls_need(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text\n")
    found = await loaded(tmp_path, reading(), anthropic_reply())
    assert "pydantic" in found["modules"]
    assert [Path(argv[3]).name for argv in found["started"]] == ["supervisor.py"]
