"""What stands above the editor for a while is taken back by whoever said it, and by nobody else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pyagent_tui.app.conversation.job import Job
from pyagent_tui.app.conversation.jobs import TICK, Jobs
from pyagent_tui.tests.stage_app import open_app, say
from pyagent_tui.widgets.hint_rule import HintRule

pytestmark = pytest.mark.anyio


async def test_a_job_that_ends_takes_back_its_own_words() -> None:
    rule, seen = HintRule(), list[str]()

    async def work(_: Job) -> None:
        while not rule.notice:
            await asyncio.sleep(TICK)
        seen.append(rule.notice)

    await Jobs(rule).follow("reading the project", work)
    assert "reading the project" in seen[0]
    assert rule.notice == ""


async def test_a_job_that_ends_leaves_what_somebody_else_has_said() -> None:
    rule = HintRule()

    async def work(_: Job) -> None:
        rule.notice = "the selection: copied"

    await Jobs(rule).follow("reading the project", work)
    assert rule.notice == "the selection: copied"


async def test_leaving_a_way_of_reading_leaves_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("hello")]) as stage:
        rule, transcript = stage.app.view.rule, stage.app.view.transcript
        transcript.tell_mode()
        rule.notice = "the selection: copied"
        await stage.pilot.pause()
        assert rule.notice == "the selection: copied"
