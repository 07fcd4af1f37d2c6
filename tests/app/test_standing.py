"""What the status line and /session say of tokens and cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pyagent_tui.agent.messages import AssistantMessage, Cost, StopReason, TextContent, Usage
from pyagent_tui.agent.model import Model
from pyagent_tui.app.arguments import Arguments
from pyagent_tui.app.conversation.standing import Standing
from pyagent_tui.app.sessions.report import report
from pyagent_tui.sessions.session import Session
from pyagent_tui.sessions.statistics import statistics_of
from pyagent_tui.tests.providers.loopback import Answer, Hang, serving, sse
from pyagent_tui.tests.real_app import isolate, open_real_app
from pyagent_tui.widgets.status import StatusLine


def reply(usage: Usage, stop: StopReason = "stop", model: str = "m") -> AssistantMessage:
    return AssistantMessage((TextContent("x"),), "api", "p", model, usage=usage, stop_reason=stop)


def test_the_context_is_the_whole_prompt_and_the_reply_cached_or_not() -> None:
    standing = Standing()
    standing.count(reply(Usage(100, 50, 800, 50, reasoning=20)))
    assert standing.context_tokens == 1_000
    assert standing.context_percent(Model("p", "m", "api", context_window=2_000)) == 50


def test_a_reply_that_was_stopped_leaves_its_prompt_in_the_context() -> None:
    standing = Standing()
    standing.count(reply(Usage(300, 90, estimated=True), "aborted"))
    assert standing.context_tokens == 300
    standing.count(reply(Usage(400, 10)))
    assert standing.context_tokens == 410
    standing.count(reply(Usage(900, 90, estimated=True), "aborted"))
    assert standing.context_tokens == 410, "a guess does not replace a count"
    standing.count(reply(Usage(), "error"))
    assert standing.context_tokens == 410
    assert standing.total.input == 1_600


def test_a_cost_that_is_only_a_part_says_so() -> None:
    standing, line = Standing(), StatusLine()
    standing.count(reply(Usage(10, 1, cost=Cost(0.5))))
    assert not standing.has_unknown_cost
    standing.count(reply(Usage(10, 1)))
    assert standing.has_unknown_cost
    line.set_reactive(StatusLine.cost, 0.5)
    line.set_reactive(StatusLine.has_unknown_cost, True)
    assert "$0.50+" in [part.text for part in line.parts()[0]]
    line.set_reactive(StatusLine.cost, None)
    assert "–" in [part.text for part in line.parts()[0]]


def test_the_cache_hit_rate_is_told_of_the_session_and_of_each_model(tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path)
    session.append_message(reply(Usage(100, 10, 300, cost=Cost(0.5)), model="one"))
    session.append_message(reply(Usage(400, 10, estimated=True), model="two"))
    said = report(session, statistics_of(session.tree))
    assert "tokens   about 500 in, 20 out, 300 cached (38% of what was sent)" in said
    assert "p/one: $0.50; 100 in, 10 out, 300 cached (75% of what was sent)" in said
    assert "p/two: –; about 400 in, 10 out, 0 cached (0% of what was sent)" in said


MODELS = """
[providers.box]
api = "openai-completions"
base_url = "{url}/v1"
key_required = false

[[providers.box.models]]
id = "m"
context_window = 8192
"""


@pytest.mark.anyio
async def test_the_first_reply_moves_the_meter_though_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = isolate(tmp_path, monkeypatch)
    begun = {"choices": [{"index": 0, "delta": {"content": "It begins"}}]}
    async with serving(Answer([*sse(begun), Hang()])) as server:
        (tmp_path / "config").mkdir(exist_ok=True)
        (tmp_path / "config" / "models.toml").write_text(MODELS.format(url=server.url))
        async with open_real_app(project, Arguments(model="box/m")) as stage:
            await stage.until(lambda: stage.app.view.title.model, "the agent")
            await stage.say("hi")
            await stage.see("It begins")
            await stage.press("escape")
            await stage.idle()
            await stage.until(lambda: (stage.app.view.status.context_percent or 0) > 1, "the meter")


@pytest.mark.anyio
async def test_instructions_that_alone_overflow_a_small_window_are_named_and_nothing_is_asked_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = isolate(tmp_path, monkeypatch)
    (project / "AGENTS.md").write_text("Always be kind. " * 2_500)
    words = "This model's maximum context length is 8192 tokens. However, your messages resulted in 12000 tokens."
    refusal = json.dumps({"error": {"message": words, "code": "context_length_exceeded"}}).encode()
    async with serving(Answer([refusal], status=400, content_type="application/json")) as server:
        (tmp_path / "config").mkdir(exist_ok=True)
        (tmp_path / "config" / "models.toml").write_text(MODELS.format(url=server.url))
        async with open_real_app(project, Arguments(model="box/m")) as stage:
            await stage.until(lambda: stage.app.view.title.model, "the agent")
            await stage.say("hi")
            await stage.see("does not fit the model's window of 8,192 tokens")
            await stage.see("the system prompt")
            await stage.idle()
            asked = [each for each in server.asked if each.path.endswith("/chat/completions")]
            assert len(asked) == 1
