"""What happens in a run: the closed vocabulary that the loop emits, in order, through one synchronous function.

An event never carries a growing message: `MessageUpdate` holds one delta, so the cost of a token stays flat.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from .frozen import frozen
from .measures import RunMeasures
from .messages import AssistantMessage, JsonObject, Message, ToolResultMessage
from .permission import Permission
from .provider import StreamEvent
from .tool import ToolResult

EndReason: TypeAlias = Literal["done", "error", "aborted", "limit"]


@frozen
class AgentStart:
    pass


@frozen
class TurnStart:
    pass


@frozen
class MessageStart:
    """A message appears. A reply starts with stop reason `pending` and no content."""

    message: Message


@frozen
class MessageUpdate:
    """One delta of the reply that streams."""

    event: StreamEvent


@frozen
class MessageEnd:
    """The message is whole and final: what is kept."""

    message: Message


@frozen
class ToolExecutionStart:
    """A call is taken up; `arguments` are the model's own, before preparation and validation."""

    tool_call_id: str
    tool_name: str
    arguments: JsonObject


@frozen
class ToolExecutionUpdate:
    tool_call_id: str
    tool_name: str
    partial_result: ToolResult


@frozen
class ToolExecutionEnd:
    """The call is settled. `duration_ms` is None if the tool never ran, `permission` if nobody had to decide."""

    tool_call_id: str
    tool_name: str
    result: ToolResult
    outcome: Literal["ok", "failed", "blocked", "invalid", "aborted"]
    duration_ms: int | None
    permission: Permission | None = None

    @property
    def is_error(self) -> bool:
        return self.result.is_error


@frozen
class TurnEnd:
    """One reply with its calls is done; results in call order."""

    message: AssistantMessage
    tool_results: tuple[ToolResultMessage, ...]


@frozen
class AgentEnd:
    """The run is over; `messages` are the new ones. From here on the agent is idle."""

    messages: tuple[Message, ...]
    reason: EndReason
    measures: RunMeasures


@frozen
class QueueUpdate:
    """What waits, in order of delivery."""

    steering: tuple[str, ...]
    follow_up: tuple[str, ...]


@frozen
class AutoRetryStart:
    """A request failed and is tried again after `delay_ms`; `attempt` counts from 1."""

    attempt: int
    max_attempts: int
    delay_ms: int
    error_message: str


@frozen
class AutoRetryEnd:
    success: bool
    attempt: int
    final_error: str | None = None


@frozen
class CompactionStart:
    reason: Literal["manual", "threshold", "overflow"]


@frozen
class CompactionEnd:
    reason: Literal["manual", "threshold", "overflow"]
    summary: str | None
    aborted: bool
    will_retry: bool
    error_message: str | None = None


@frozen
class AgentNotice:
    """Something the person should know that is no message: a limit reached, a call repeated. Never sent to the model."""

    level: Literal["info", "warning", "error"]
    text: str


AgentEvent: TypeAlias = (
    AgentStart
    | TurnStart
    | MessageStart
    | MessageUpdate
    | MessageEnd
    | ToolExecutionStart
    | ToolExecutionUpdate
    | ToolExecutionEnd
    | TurnEnd
    | AgentEnd
    | QueueUpdate
    | AutoRetryStart
    | AutoRetryEnd
    | CompactionStart
    | CompactionEnd
    | AgentNotice
)

Emit: TypeAlias = Callable[[AgentEvent], None]
"""Takes one event: synchronous, in order, must not raise."""
