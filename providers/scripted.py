"""A provider that plays a script instead of asking a model: for the demo, for tests, for screenshots."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from ..agent.frozen import frozen
from ..agent.messages import (
    AssistantMessage,
    StopReason,
    TextContent,
    ThinkingContent,
    ToolCall,
    Usage,
)
from ..agent.model import Model, ModelRequest, Prices
from ..agent.provider import (
    ErrorKind,
    ProviderError,
    StreamDone,
    StreamEvent,
    StreamStart,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from .arguments import parse_arguments

SCRIPTED_MODEL = Model(
    provider="scripted",
    id="scripted",
    api="scripted",
    name="Scripted model",
    context_window=200_000,
    max_output=32_000,
    vision=True,
    thinking_levels={"low": "low", "medium": "medium", "high": "high"},
    prices=Prices(),
)
"""The model that a `ScriptedProvider` stands for."""


@frozen
class Say:
    """Text in deltas of `chunk` characters (None: one), `delay` seconds before each."""

    text: str
    chunk: int | None = None
    delay: float = 0.0


@frozen
class Think:
    """Reasoning, streamed as `Say` is."""

    text: str
    chunk: int | None = None
    delay: float = 0.0
    signature: str | None = None


@frozen
class Call:
    """A tool call whose JSON comes in deltas of `fragment` characters (None: one), `delay` seconds before each.

    `id` None makes one that the session does not have yet. `raw`, where given, is sent instead of `arguments`.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    id: str | None = None
    fragment: int | None = None
    delay: float = 0.0
    raw: str | None = None


@frozen
class Fail:
    """The request ends here with a `ProviderError`; as the first part, before the reply has begun."""

    kind: ErrorKind
    message: str
    retry_after: float | None = None


@frozen
class Stall:
    """Nothing comes for so many seconds."""

    seconds: float


Part: TypeAlias = Say | Think | Call | Fail | Stall


@frozen
class Turn:
    """One reply. `stop_reason` None: `toolUse` if it calls, else `stop`. `first_delay` in seconds, before anything."""

    parts: Sequence[Part] = ()
    usage: Usage | None = None
    stop_reason: StopReason | None = None
    first_delay: float = 0.0
    stop_detail: str | None = None
    error_message: str | None = None


TurnSource: TypeAlias = Turn | Callable[[ModelRequest], Turn]
"""A turn, or what makes one from the request."""


class ScriptedProvider:
    """Plays `turns`, one per request; `requests` are those it got. Raises `ProviderError` when the script is over."""

    def __init__(self, turns: Sequence[TurnSource], name: str = "scripted") -> None:
        self._turns = list(turns)
        self._name = name
        self.requests: list[ModelRequest] = []

    @property
    def name(self) -> str:
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        turn = self._next_turn(request)
        await _pause(turn.first_delay)
        if not (turn.parts and isinstance(turn.parts[0], Fail)):
            yield StreamStart(response_id=f"scripted-{len(self.requests)}", response_model=request.model.id)
        ids = _fresh_ids(request)
        index = 0
        for part in turn.parts:
            if isinstance(part, Fail):
                raise ProviderError(part.kind, part.message, retry_after=part.retry_after)
            if isinstance(part, Stall):
                await _pause(part.seconds)
                continue
            for event in _events_of(part, index, ids):
                if isinstance(event, TextDelta | ThinkingDelta | ToolCallDelta):
                    await _pause(part.delay)
                yield event
            index += 1
        yield _done(turn)

    def _next_turn(self, request: ModelRequest) -> Turn:
        self.requests.append(request)
        number = len(self.requests)
        if number > len(self._turns):
            message = f"The script is over: it has {len(self._turns)} turns and this is request {number}."
            raise ProviderError("bad_request", message)
        turn = self._turns[number - 1]
        return turn if isinstance(turn, Turn) else turn(request)


async def _pause(seconds: float) -> None:
    import anyio

    # A sleep of 0 still lets others run and still notices a cancellation, as a socket would.
    await anyio.sleep(max(seconds, 0.0))


def _fresh_ids(request: ModelRequest) -> Iterator[str]:
    taken = {
        call.id for message in request.messages if isinstance(message, AssistantMessage) for call in message.tool_calls
    }
    number = len(taken)
    while True:
        number += 1
        if f"call_{number}" not in taken:
            yield f"call_{number}"


def _events_of(part: Say | Think | Call, index: int, ids: Iterator[str]) -> Iterator[StreamEvent]:
    if isinstance(part, Say):
        yield TextStart(index)
        for piece in _pieces(part.text, part.chunk):
            yield TextDelta(index, piece)
        yield TextEnd(index, TextContent(part.text))
    elif isinstance(part, Think):
        yield ThinkingStart(index)
        for piece in _pieces(part.text, part.chunk):
            yield ThinkingDelta(index, piece)
        yield ThinkingEnd(index, ThinkingContent(part.text, part.signature))
    else:
        yield from _call_events(part, index, part.id or next(ids))


def _call_events(part: Call, index: int, call_id: str) -> Iterator[StreamEvent]:
    text = json.dumps(dict(part.arguments), ensure_ascii=False) if part.raw is None else part.raw
    parsed = parse_arguments(text)
    yield ToolCallStart(index, call_id, part.name)
    for piece in _pieces(text, part.fragment):
        yield ToolCallDelta(index, piece)
    raw = text if parsed.error is not None else None
    yield ToolCallEnd(index, ToolCall(call_id, part.name, parsed.value, raw, parsed.error))


def _pieces(text: str, size: int | None) -> Iterator[str]:
    step = size or len(text) or 1
    return (text[start : start + step] for start in range(0, len(text), step))


def _done(turn: Turn) -> StreamDone:
    calls = any(isinstance(part, Call) for part in turn.parts)
    reason: StopReason = turn.stop_reason or ("toolUse" if calls else "stop")
    return StreamDone(reason, turn.usage or Usage(), turn.stop_detail, turn.error_message)
