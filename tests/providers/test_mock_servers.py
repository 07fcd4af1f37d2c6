"""Two mock servers that others wrote: npm @copilotkit/aimock speaks the protocols, PyPI llmock breaks them and judges.

They are used where they are found: PyPI's `llmock` where `make test` puts it or at PYAGENT_TUI_LLMOCK; aimock's command,
which is called `llmock` too, at PYAGENT_TUI_AIMOCK or beside an `aimock` on PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from pyagent_tui.agent.agent import Agent
from pyagent_tui.agent.events import AgentEnd
from pyagent_tui.agent.messages import AssistantMessage, UserMessage
from pyagent_tui.agent.pipeline import Pipeline
from pyagent_tui.agent.retry import RetryPolicy
from pyagent_tui.agent.run import Setup
from pyagent_tui.providers.limits import Limits
from pyagent_tui.tests.harness import Recorder, ScriptTool
from pyagent_tui.tests.providers.asking import CHAT, GEMINI, MESSAGES, RESPONSES, model_of, provider_at

pytestmark = pytest.mark.anyio

APIS = (CHAT, MESSAGES, RESPONSES, GEMINI)


def llmock_command() -> list[str] | None:
    if path := os.environ.get("PYAGENT_TUI_LLMOCK"):
        return [path]
    own = Path(sys.prefix, "mock", "bin", "llmock")
    return [str(own)] if own.exists() else None


def aimock_command() -> list[str] | None:
    if path := os.environ.get("PYAGENT_TUI_AIMOCK"):
        return [path]
    # `aimock` itself wants a file of settings; its sister takes fixtures.
    found = shutil.which("aimock")
    return [str(Path(found).with_name("llmock"))] if found else None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running(command: list[str], url: str) -> Generator[str]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while True:
            assert process.poll() is None, "the server ended at once"
            assert time.monotonic() < deadline, "the server does not answer"
            try:
                urllib.request.urlopen(f"{url}/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="module")
def llmock() -> Iterator[str]:
    command = llmock_command()
    if command is None:
        pytest.skip("llmock is not installed")
    port = free_port()
    # Chunks a little apart, or a small reply is sent before its reader can hang up, and the judge mistakes that.
    options = ["--port", str(port), "--log-level", "error", "--stream-chunk-delay-ms", "20"]
    with running([*command, "serve", *options], f"http://127.0.0.1:{port}") as url:
        yield url


def admin(url: str, path: str, document: Any = None) -> Any:
    data = None if document is None else json.dumps(document).encode()
    request = urllib.request.Request(f"{url}/_llmock/{path}", data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=5) as answer:
        return json.loads(answer.read() or b"null")


def base_url(url: str, api: str) -> str:
    return url + {CHAT: "/v1", RESPONSES: "/v1", MESSAGES: "/anthropic", GEMINI: "/gemini/v1beta"}[api]


async def run_agent(
    url: str, api: str, text: str = "Use the tool on x."
) -> tuple[Agent, AgentEnd, ScriptTool, Recorder]:
    names = {CHAT: "gpt-4.1", RESPONSES: "gpt-4.1", MESSAGES: "claude-sonnet-4-5", GEMINI: "gemini-2.5-flash"}
    model = model_of(api, model=names[api])
    tool = ScriptTool()
    provider = provider_at(url, model, Limits(idle=3))
    pipeline = Pipeline({tool.name: tool})
    setup = Setup(provider, model, "Be good.", pipeline, (tool.spec,), retry=RetryPolicy(base_delay_ms=200))
    seen = Recorder()
    agent = Agent(setup, seen)
    with anyio.fail_after(60):
        end = await agent.prompt(UserMessage.of(text))
    await provider.aclose()
    return agent, end, tool, seen


async def scenario(llmock: str, api: str, *behaviors: dict[str, Any]) -> tuple[Agent, AgentEnd, ScriptTool, Any]:
    admin(llmock, "reset", {})
    admin(llmock, "scenario", {"behaviors": list(behaviors)})
    agent, end, tool, _ = await run_agent(base_url(llmock, api), api)
    return agent, end, tool, admin(llmock, "verdict")


def replies(agent: Agent) -> list[AssistantMessage]:
    return [message for message in agent.messages if isinstance(message, AssistantMessage)]


FAULTS: dict[str, dict[str, Any]] = {
    "a rate limit": {"type": "fail", "status": 429, "retry_after": 1, "times": 1},
    "a server error": {"type": "fail", "status": 503, "times": 2},
    "a dropped connection": {"type": "stream_fault", "kind": "disconnect", "times": 1},
    "a stream that ends early": {"type": "stream_fault", "kind": "truncate", "times": 1},
    "a corrupted chunk": {"type": "stream_fault", "kind": "malformed", "times": 1},
    "a stalled stream": {"type": "stream_fault", "kind": "stall", "stall_seconds": 30, "times": 1},
}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_overcome_and_the_judge_has_nothing_to_say(llmock: str, fault: str, api: str):
    # Its Gemini answers in a single chunk; elsewhere two come through before the fault.
    behavior = FAULTS[fault]
    if behavior["type"] == "stream_fault":
        behavior = {**behavior, "after_chunks": 0 if api == GEMINI else 2}
    agent, end, tool, verdict = await scenario(llmock, api, behavior)
    assert end.reason == "done"
    assert len(tool.runs) == 1
    assert replies(agent)[-1].text
    assert len(replies(agent)) == 2 + verdict["faults_injected"] > 2
    assert [finding for finding in verdict["findings"] if not is_mistaken(finding, api)] == [], verdict


def is_mistaken(finding: dict[str, Any], api: str) -> bool:
    """An answer of one chunk is out before anybody can hang up: the judge then takes the next request for another call."""
    return api == GEMINI and finding["code"] == "malformed_chunk_ignored"


@pytest.mark.parametrize("api", APIS)
async def test_what_cannot_succeed_is_not_tried_again(llmock: str, api: str):
    for status in (400, 401, 404):
        agent, end, tool, verdict = await scenario(llmock, api, {"type": "fail", "status": status, "times": 1})
        assert end.reason == "error"
        assert tool.runs == []
        assert replies(agent)[-1].error_message
        assert verdict.get("findings", []) == [], verdict


@pytest.fixture
def aimock(tmp_path: Path) -> Iterator[str]:
    command = aimock_command()
    if command is None:
        pytest.skip("aimock is not installed")
    fixtures = [
        {"match": {"userMessage": "look", "hasToolResult": True}, "response": {"content": "All done. ✅"}},
        {
            "match": {"userMessage": "look"},
            "response": {
                "content": "Let me look.",
                "toolCalls": [
                    {"name": "tool", "arguments": json.dumps({"text": "é中✅"})},
                    {"name": "tool", "arguments": json.dumps({"count": 3})},
                ],
            },
        },
    ]
    (tmp_path / "fixtures.json").write_text(json.dumps({"fixtures": fixtures}))
    port = free_port()
    arguments = ["-p", str(port), "-f", str(tmp_path / "fixtures.json")]
    with running([*command, *arguments], f"http://127.0.0.1:{port}") as url:
        yield url


async def test_a_tool_loop_runs_through_every_protocol(aimock: str):
    roots = {CHAT: "/v1", RESPONSES: "/v1", MESSAGES: "", GEMINI: "/v1beta"}
    for api in APIS:
        agent, end, tool, _ = await run_agent(aimock + roots[api], api, "look")
        assert end.reason == "done", replies(agent)[-1].error_message
        assert [(run.text, run.count) for run in tool.runs] == [("é中✅", None), ("", 3)]
        assert [reply.text for reply in replies(agent)] == ["Let me look.", "All done. ✅"]
        assert not replies(agent)[0].usage.estimated
