"""An agent on a script, with tools that tests steer, and what happened as short strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import anyio
from pydantic import BaseModel, ConfigDict

from pyagent_tui.agent.agent import Agent
from pyagent_tui.agent.events import (
    AgentEnd,
    AgentEvent,
    AgentNotice,
    AgentStart,
    AutoRetryEnd,
    AutoRetryStart,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    QueueUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnEnd,
    TurnStart,
)
from pyagent_tui.agent.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from pyagent_tui.agent.pipeline import Pipeline
from pyagent_tui.agent.retry import RetryPolicy
from pyagent_tui.agent.run import Setup
from pyagent_tui.agent.tool import AnyTool, ExecutionMode, Tool, ToolContext, ToolResult
from pyagent_tui.providers.scripted import SCRIPTED_MODEL, ScriptedProvider, TurnSource


class Empty(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = ""
    count: int | None = None


class ScriptTool(Tool[Empty]):
    """A tool that does what its test says: `body(arguments, context)`."""

    name = "tool"
    label = "tool"
    description = "Does what the test says."
    Arguments = Empty
    execution_mode: ClassVar[ExecutionMode] = "parallel"

    def __init__(
        self,
        name: str = "tool",
        body: Callable[[Empty, ToolContext], Any] | None = None,
        *,
        mode: ExecutionMode = "parallel",
    ) -> None:
        self.name = name  # pyright: ignore[reportAttributeAccessIssue]
        self.execution_mode = mode  # pyright: ignore[reportAttributeAccessIssue]
        self.runs: list[Empty] = []
        self._body = body

    async def execute(self, call_id: str, arguments: Empty, context: ToolContext) -> ToolResult:
        self.runs.append(arguments)
        result = None if self._body is None else await self._body(arguments, context)
        return result if isinstance(result, ToolResult) else ToolResult.of(f"{self.name} done")


class Recorder:
    """Collects events; `on` runs a function at the first event that a short form names."""

    def __init__(self) -> None:
        self.events: list[AgentEvent] = []
        self._actions: dict[str, Callable[[], None]] = {}

    def on(self, name: str, action: Callable[[], None]) -> None:
        self._actions[name] = action

    def __call__(self, event: AgentEvent) -> None:
        self.events.append(event)
        action = self._actions.pop(short(event), None)
        if action is not None:
            action()

    def names(self, *, updates: bool = False) -> list[str]:
        """The events as short strings; without the deltas of replies unless `updates`."""
        return [short(event) for event in self.events if updates or not isinstance(event, MessageUpdate)]


def short(event: AgentEvent) -> str:
    match event:
        case MessageStart() | MessageEnd():
            side = "start" if isinstance(event, MessageStart) else "end"
            return f"message_{side} {_who(event.message)}"
        case MessageUpdate():
            return f"update {type(event.event).__name__}"
        case ToolExecutionStart():
            return f"start {event.tool_call_id}"
        case ToolExecutionUpdate():
            return f"update {event.tool_call_id}"
        case ToolExecutionEnd():
            return f"end {event.tool_call_id} {event.outcome}"
        case AgentStart():
            return "agent_start"
        case TurnStart():
            return "turn_start"
        case TurnEnd():
            return "turn_end"
        case AgentEnd():
            return f"agent_end {event.reason}"
        case QueueUpdate():
            return f"queue {list(event.steering)} {list(event.follow_up)}"
        case AutoRetryStart():
            return f"retry {event.attempt}"
        case AutoRetryEnd():
            return f"retry_end {event.success}"
        case AgentNotice():
            return f"notice {event.level}"
        case _:
            return type(event).__name__


def _who(message: Message) -> str:
    match message:
        case UserMessage():
            return f"user:{message.text}"
        case AssistantMessage():
            return f"assistant:{message.stop_reason}"
        case ToolResultMessage():
            return f"result:{message.tool_call_id}"
        case _:
            return type(message).__name__


class Stage:
    """An agent on a script: `agent`, `provider`, `seen` (the recorder)."""

    def __init__(
        self,
        turns: Sequence[TurnSource],
        tools: Sequence[AnyTool] = (),
        messages: Sequence[Message] = (),
        **options: Any,
    ) -> None:
        self.provider = ScriptedProvider(turns)
        self.seen = Recorder()
        modes = {key: options.pop(key) for key in ("steering_mode", "follow_up_mode") if key in options}
        hooks = {key: options.pop(key) for key in ("before", "after", "redactors") if key in options}
        pipeline = Pipeline({tool.name: tool for tool in tools}, **hooks)
        options.setdefault("retry", RetryPolicy(base_delay_ms=1))
        setup = Setup(
            self.provider, SCRIPTED_MODEL, "Be good.", pipeline, tuple(tool.spec for tool in tools), **options
        )
        self.agent = Agent(setup, self.seen, messages, **modes)

    async def prompt(self, text: str = "go") -> AgentEnd:
        with anyio.fail_after(30):
            return await self.agent.prompt(UserMessage.of(text))

    @property
    def results(self) -> list[ToolResultMessage]:
        return [message for message in self.agent.messages if isinstance(message, ToolResultMessage)]

    def asked(self, index: int) -> list[str]:
        """What the request number `index` held, as short strings."""
        return [_who(message) for message in self.provider.requests[index].messages]
