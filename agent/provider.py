"""The contract of a model API: `Provider`, the stream events it yields, the error it raises."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Literal, Protocol, TypeAlias

from .frozen import frozen
from .messages import ServerToolContent, StopReason, TextContent, ThinkingContent, ToolCall, Usage
from .model import ModelRequest

ErrorKind: TypeAlias = Literal[
    "auth",
    "quota",
    "rate_limit",
    "overloaded",
    "context_overflow",
    "bad_request",
    "not_found",
    "network",
    "protocol",
]
"""`network`: no or broken connection, timeouts. `protocol`: the server answered something that is not its protocol."""

RETRYABLE: frozenset[ErrorKind] = frozenset({"rate_limit", "overloaded", "network"})


class ProviderError(Exception):
    """A request failed. `str(error)` is for the person: the server's own words, and what to do.

    `retry_after` is the wait in seconds that the server asked for. `status` is the HTTP status where there was one.
    `retryable` is whether the same request may succeed later; it follows from `kind` unless given.
    """

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        retryable: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.status = status
        self.retry_after = retry_after
        self.retryable = kind in RETRYABLE if retryable is None else retryable


@frozen
class StreamStart:
    """The server has accepted the request. `content_index` of what follows counts blocks from 0."""

    response_id: str | None = None
    response_model: str | None = None


@frozen
class TextStart:
    content_index: int


@frozen
class TextDelta:
    content_index: int
    delta: str


@frozen
class TextEnd:
    """The block as it stands; its text is authoritative over the deltas."""

    content_index: int
    content: TextContent


@frozen
class ThinkingStart:
    content_index: int


@frozen
class ThinkingDelta:
    content_index: int
    delta: str


@frozen
class ThinkingEnd:
    content_index: int
    content: ThinkingContent


@frozen
class ToolCallStart:
    content_index: int
    id: str
    name: str


@frozen
class ToolCallDelta:
    """A fragment of the arguments' JSON text."""

    content_index: int
    delta: str


@frozen
class ToolCallEnd:
    content_index: int
    tool_call: ToolCall


@frozen
class ServerTool:
    """A whole block of a tool that ran at the provider."""

    content_index: int
    content: ServerToolContent


@frozen
class StreamUsage:
    """What is known of the usage so far; a later report replaces it. Not shown as an update."""

    usage: Usage


@frozen
class StreamDone:
    """The reply is whole. Always the last event of a stream that did not raise."""

    stop_reason: StopReason
    usage: Usage
    stop_detail: str | None = None
    error_message: str | None = None


@frozen
class StreamError:
    """The stream failed. Made by the loop from a `ProviderError` or an abort, never by a provider."""

    reason: Literal["error", "aborted"]
    message: str


StreamEvent: TypeAlias = (
    StreamStart
    | TextStart
    | TextDelta
    | TextEnd
    | ThinkingStart
    | ThinkingDelta
    | ThinkingEnd
    | ToolCallStart
    | ToolCallDelta
    | ToolCallEnd
    | ServerTool
    | StreamUsage
    | StreamDone
    | StreamError
)


class Provider(Protocol):
    """A model API that streams."""

    @property
    def name(self) -> str:
        """The provider's id, such as ``anthropic``; `Model.provider` of its models."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """Yield the reply's events in order: `StreamStart`, blocks (each start, deltas, end; they may interleave), `StreamDone`.

        Raises `ProviderError` for everything that goes wrong, and only that. No cancel scope, task group or timeout
        stands around a `yield`: consume it inside `contextlib.aclosing`, cancel by a scope around the consumer.
        """
        ...
