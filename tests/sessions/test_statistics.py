"""What a session used is counted once, over every branch."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.agent.messages import Cost, ToolCall, ToolResultMessage, Usage
from pyagent_tui.sessions.session import Session
from pyagent_tui.sessions.statistics import statistics_of
from pyagent_tui.tests.sessions.building import reply, user


def test_every_branch_summary_tool_and_usage_entry_counts(tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path)
    first = session.append_message(user("a"))
    session.append_message(reply("b", ToolCall("c", "sub", {}), usage=Usage(10, 1, 90, cost=Cost(1.0))))
    session.append_message(ToolResultMessage("c", "sub", (), usage=Usage(1_000, cost=Cost(0.5))))
    session.branch(first)
    last = session.append_message(reply("c", usage=Usage(20, 2, cost=Cost(2.0))))
    session.append_compaction("s", first, 1, None, Usage(100, 10, cost=Cost(0.25)))
    session.append_branch_summary("s", last, None, Usage(200, 20, cost=Cost(0.25)))
    session.append_usage("cache_warm", "other", "m", Usage(5, cost=None))
    statistics = statistics_of(session.tree)
    assert statistics.total.cost is not None
    assert statistics.total.cost.total == pytest.approx(4.0)
    assert (statistics.total.input, statistics.total.output) == (1_335, 33)
    assert statistics.has_unknown_cost
    assert [spending.kind for spending in statistics.spendings] == [
        "reply",
        "tool",
        "reply",
        "compaction",
        "branch_summary",
        "cache_warm",
    ]
    assert set(statistics.by_model) == {("anthropic", "model-a"), ("other", "m")}
    assert (statistics.messages["assistant"], statistics.tool_calls) == (2, 1)
    assert statistics.cache_hit == pytest.approx(90 / (1_335 + 90))
    assert [spending.context_tokens for spending in statistics.spendings][:3] == [101, None, 22]


def test_an_unpriced_session_is_not_free(tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path)
    assert statistics_of(session.tree).cache_hit is None
    session.append_message(reply("b", usage=Usage(10, 1)))
    statistics = statistics_of(session.tree)
    assert (statistics.total.cost, statistics.has_unknown_cost) == (None, True)
