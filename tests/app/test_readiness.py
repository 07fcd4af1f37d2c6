"""What a tool call needs is loaded when one comes, not for a start."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel, ConfigDict

from pyagent_tui.agent.events import AgentEvent, AgentStart, MessageUpdate
from pyagent_tui.agent.provider import TextDelta, ToolCallStart
from pyagent_tui.agent.tool import Tool, ToolContext, ToolResult
from pyagent_tui.app.conversation.readiness import Readiness
from pyagent_tui.tools.keeper import ProcessKeeper

pytestmark = pytest.mark.anyio


def tool_and_model() -> tuple[Tool[Any], type[BaseModel]]:
    class Late(BaseModel):
        model_config = ConfigDict(defer_build=True)

    class LateTool(Tool[Late]):
        name: ClassVar[str] = "late"
        Arguments = Late

        async def execute(self, call_id: str, arguments: Late, context: ToolContext) -> ToolResult:
            return ToolResult.of("")

    return LateTool(), Late


async def test_it_is_loaded_once_when_the_first_call_begins_to_come_in() -> None:
    tool, model = tool_and_model()
    shown: list[AgentEvent] = []
    works: list[Coroutine[Any, Any, None]] = []
    show = Readiness([tool], None).watching(shown.append, works.append)
    events = [AgentStart(), MessageUpdate(TextDelta(0, "a"))]
    for event in events:
        show(event)
    assert works == []
    calls = [MessageUpdate(ToolCallStart(index, f"c{index}", "late")) for index in range(2)]
    for event in calls:
        show(event)
    assert shown == [*events, *calls]
    assert model.__pydantic_complete__ is False
    (work,) = works
    await work
    assert model.__pydantic_complete__ is True


@pytest.mark.skipif(not Path("/proc").exists(), reason="the supervisor is Linux's")
async def test_the_process_that_starts_commands_is_started() -> None:
    keeper = ProcessKeeper()
    supervisor = keeper._supervisor
    assert supervisor is not None
    readiness = Readiness([], keeper)
    assert not supervisor.is_started
    try:
        await readiness.make()
        assert supervisor.is_started
    finally:
        keeper.close()
