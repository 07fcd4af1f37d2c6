"""Pi 1.6.0 itself opens our files, and we open what it wrote. Runs where `PEERS` names a folder that has it."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.agent.details import DiffDetails, FileDetails, ListingDetails, OutputDetails, Truncation
from pyagent_tui.agent.messages import (
    BashExecutionMessage,
    Cost,
    CustomMessage,
    ImageContent,
    Message,
    ServerToolContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    Usage,
)
from pyagent_tui.sessions.session import Session
from pyagent_tui.tests.sessions.building import reply, texts, user

PEERS = Path(os.environ.get("PEERS", "/nowhere"))
NODE = PEERS / "node22" / "node_modules" / ".bin" / "node"
PI = PEERS / "pi16" / "node_modules" / "@earendil-works" / "pi-coding-agent"

pytestmark = pytest.mark.skipif(not (NODE.exists() and PI.exists()), reason="Pi is not installed (PEERS)")

READ = """
const {SessionManager} = await import(process.argv[2] + "/dist/core/session-manager.js");
const session = SessionManager.open(process.argv[3]);
const {messages, model, thinkingLevel} = session.buildSessionContext();
console.log(JSON.stringify({messages, model, thinkingLevel, name: session.getSessionName(),
  labels: session.getEntries().map(e => session.getLabel(e.id)).filter(Boolean)}));
"""

WRITE = """
const {SessionManager} = await import(process.argv[2] + "/dist/core/session-manager.js");
const session = process.argv[4] ? SessionManager.open(process.argv[4]) : SessionManager.create("/tmp", process.argv[3]);
const usage = {input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10,
  cost: {input: .1, output: .2, cacheRead: 0, cacheWrite: 0, total: .3}};
const text = value => [{type: "text", text: value}];
session.appendModelChange("p", "m");
session.appendThinkingLevelChange("high");
const first = session.appendMessage({role: "user", content: "plain", timestamp: 1});
session.appendMessage({role: "assistant", content: [...text("hi"), {type: "toolCall", id: "c", name: "edit", arguments: {}}],
  api: "a", provider: "p", model: "m", usage, stopReason: "toolUse", timestamp: 2});
session.appendMessage({role: "toolResult", toolCallId: "c", toolName: "edit", content: text("ok"), isError: false,
  details: {diff: "-1 a", patch: "--- x\\n+++ x\\n@@ -1 +1 @@\\n-a\\n+b\\n", firstChangedLine: 1}, timestamp: 3});
session.appendCustomEntry("state", {n: 1});
session.appendCustomMessageEntry("note", "remember", true, {k: 1});
session.appendUsage("cache_warm", "p", "m", usage);
session.appendLabelChange(first, "start");
session.appendSessionInfo("from pi");
session.appendMessage({role: "user", content: text("last"), timestamp: 4});
console.log(session.getSessionFile());
"""


def run_node(script: str, *arguments: str, folder: Path) -> str:
    program = folder / "run.mjs"
    program.write_text(script)
    command = [str(NODE), str(program), str(PI), *arguments]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=60, env=environment(folder)
    ).stdout


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(folder), "PI_OFFLINE": "1", "PI_TELEMETRY": "0"}


def everything() -> list[Message]:
    calls = tuple(
        ToolCall(f"c{index}", name, {"path": "x"}) for index, name in enumerate(("edit", "bash", "read", "own"))
    )
    broken = ToolCall("c4", "edit", {}, raw_arguments="{", parse_error="cut")
    cut = Truncation("lines", 10, 100, 5, 50)
    picture = ImageContent("iVBORw0KGgo=", "image/png")
    server = ServerToolContent("web_search", {"q": "x"})
    return [
        user("hello"),
        reply("let me", ThinkingContent("hm", "sig"), server, *calls, broken, usage=Usage(10, 20, cost=Cost(0.1))),
        ToolResultMessage("c0", "edit", (TextContent("ok"),), DiffDetails("x", "@@ -1 +1 @@\n-a\n+b\n", 1, 1)),
        ToolResultMessage("c1", "bash", (TextContent("out"),), OutputDetails("ls", "out", 0, truncation=cut)),
        ToolResultMessage("c2", "read", (TextContent("t"), picture), FileDetails("x", 1, 2)),
        ToolResultMessage("c3", "own", (TextContent("t"),), ListingDetails("x", 1, "files"), is_error=True),
        ToolResultMessage("c4", "edit", (TextContent("bad"),), is_error=True, usage=Usage(1, 2)),
        BashExecutionMessage("ls", "x", 0),
        CustomMessage("ext", (TextContent("t"),)),
    ]


def make_ours(folder: Path) -> Path:
    session = Session.start(folder, folder / "data", "our name")
    session.append_thinking_level("high")
    ids = [session.append_message(message) for message in everything()]
    session.append_branch_summary("was there", ids[0])
    session.set_label(ids[0], "mark")
    session.append_compaction("so far", ids[1], 100, {"readFiles": ["x"], "modifiedFiles": []}, Usage(1, 2))
    session.append_usage("cache_warm", "p", "m", Usage(1, 2))
    session.append_custom("state", {"a": 1})
    session.append_context_edit(ids[0], None)
    session.append_message(reply("the end of it"))
    session.close()
    assert session.path is not None
    return session.path


def test_pi_exports_our_file_and_leaves_it_alone(tmp_path: Path) -> None:
    path = make_ours(tmp_path)
    before, page = path.read_bytes(), tmp_path / "out.html"
    command = [str(NODE), str(PI / "dist" / "bundle" / "cli.js"), "--export", str(path), str(page)]
    subprocess.run(command, check=True, capture_output=True, timeout=60, cwd=tmp_path, env=environment(tmp_path))
    assert page.stat().st_size > 10_000
    assert path.read_bytes() == before
    stored = re.search(r'id="session-data"[^>]*>([^<]+)<', page.read_text())
    assert stored is not None
    assert '"diff":"-1 a\\n+1 b"' in base64.b64decode(stored[1]).decode()


def test_pi_builds_the_same_context_from_our_file(tmp_path: Path) -> None:
    path = make_ours(tmp_path)
    theirs: dict[str, Any] = json.loads(run_node(READ, str(path), folder=tmp_path))
    ours = Session.open(path)
    roles = {"UserMessage": "user", "AssistantMessage": "assistant", "ToolResultMessage": "toolResult"}
    names = [type(message).__name__ for message in ours.messages()]
    expected = [roles.get(name, name[0].lower() + name.removesuffix("Message")[1:]) for name in names]
    assert [message["role"] for message in theirs["messages"]] == expected
    assert theirs["model"] == {"provider": "anthropic", "modelId": "model-a"}
    assert (theirs["thinkingLevel"], theirs["name"], theirs["labels"]) == ("high", "our name", ["mark"])
    ours.close()


def test_we_open_what_pi_wrote_and_pi_goes_on_with_what_we_wrote(tmp_path: Path) -> None:
    path = Path(run_node(WRITE, str(tmp_path), folder=tmp_path).strip())
    session = Session.open(path)
    names = [type(message).__name__ for message in session.messages()]
    assert names == ["UserMessage", "AssistantMessage", "ToolResultMessage", "CustomMessage", "UserMessage"]
    result = session.messages()[2]
    assert isinstance(result, ToolResultMessage)
    assert isinstance(result.details, DiffDetails)
    assert (result.details.path, result.details.added) == ("x", 1)
    assert (session.name, list(session.tree.labels.values())) == ("from pi", ["start"])
    assert session.context().model == ("p", "m")
    session.append_message(reply("from us"))
    session.close()
    run_node(WRITE, str(tmp_path), str(path), folder=tmp_path)
    again = Session.open(path)
    assert (texts(again), again.warning) == (["plain", "hi", "last", "from us", "plain", "hi", "last"], None)
    again.close()
