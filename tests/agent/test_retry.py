"""How long to wait before a failed request is tried again, and what happens when the context overflows."""

from __future__ import annotations

import re

import pytest

from pyagent_tui.agent.events import AgentNotice
from pyagent_tui.agent.messages import UserMessage
from pyagent_tui.agent.provider import ProviderError
from pyagent_tui.agent.retry import RetryPolicy
from pyagent_tui.providers.scripted import Fail, Say, Turn
from pyagent_tui.tests.harness import Stage

pytestmark = pytest.mark.anyio


def test_waits_double_up_to_a_minute() -> None:
    policy = RetryPolicy(max_retries=7)
    error = ProviderError("overloaded", "busy")
    assert [policy.delay_ms(error, attempt) for attempt in range(1, 9)] == [
        2_000,
        4_000,
        8_000,
        16_000,
        32_000,
        60_000,
        60_000,
        None,
    ]


def test_the_servers_wish_counts() -> None:
    policy = RetryPolicy()
    assert policy.delay_ms(ProviderError("rate_limit", "x", retry_after=1.5), 1) == 1_500
    assert policy.delay_ms(ProviderError("rate_limit", "x", retry_after=60), 1) == 60_000
    assert policy.delay_ms(ProviderError("rate_limit", "x", retry_after=60.1), 1) is None


async def test_a_wait_that_is_too_long_ends_the_run_and_is_told() -> None:
    stage = Stage([Turn([Fail("rate_limit", "slow down", retry_after=300)]), Turn([Say("now")])], retry=RetryPolicy())
    end = await stage.prompt()
    assert end.reason == "error"
    notices = [event.text for event in stage.seen.events if isinstance(event, AgentNotice)]
    (notice,) = notices
    assert re.fullmatch(
        r"The server asks to wait 5 min, until \d\d:\d\d; more than 60 s are not waited unasked\.", notice
    )
    assert (await stage.agent.continue_run()).reason == "done"


async def test_an_error_that_no_wait_mends_tells_of_none() -> None:
    stage = Stage([Turn([Fail("quota", "no credit", retry_after=300)])])
    await stage.prompt()
    assert "notice warning" not in stage.seen.names()


def test_retries_can_be_switched_off() -> None:
    assert RetryPolicy(enabled=False).delay_ms(ProviderError("network", "x"), 1) is None


async def test_an_abort_in_the_wait_closes_the_retry() -> None:
    stage = Stage([Turn([Fail("overloaded", "busy", retry_after=30)])])
    stage.seen.on("retry 1", stage.agent.abort)
    await stage.prompt()
    assert stage.seen.names()[-3:] == ["retry_end False", "turn_end", "agent_end aborted"]


async def test_an_overflow_is_recovered_once_and_the_request_is_built_anew() -> None:
    asked: list[str] = []

    async def recover(error: ProviderError) -> bool:
        asked.append(error.kind)
        stage.agent.messages[:] = [UserMessage.of("summary")]
        return True

    overflow = Turn([Fail("context_overflow", "too long")])
    stage = Stage([overflow, overflow, Turn([Say("never")])], recover=recover)
    end = await stage.prompt()
    assert end.reason == "error"
    assert asked == ["context_overflow"]
    assert stage.asked(1) == ["user:summary"]


async def test_other_failures_are_not_taken_for_an_overflow() -> None:
    async def recover(_: ProviderError) -> bool:
        raise AssertionError("must not be asked")

    stage = Stage([Turn([Fail("rate_limit", "Too many tokens")]), Turn([Say("ok")])], recover=recover)
    assert (await stage.prompt()).reason == "done"
