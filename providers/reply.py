"""Building one reply: blocks open, grow and close, and each step leaves a stream event."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import field
from typing import TypeAlias

from ..agent.messages import (
    AssistantMessage,
    JsonObject,
    ModelMessage,
    ServerToolContent,
    TextContent,
    ThinkingContent,
    ToolCall,
)
from ..agent.mutable import mutable
from ..agent.provider import (
    ServerTool,
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
from .arguments import ParsedArguments, check_arguments, parse_arguments

_PLAIN_ID = re.compile(r"[A-Za-z0-9_.:|-]{1,256}")


@mutable
class TextBlock:
    """An open text block. `key` is where the wire keeps it."""

    index: int
    key: object = None
    parts: list[str] = field(default_factory=list[str])
    signature: str | None = None


@mutable
class ThinkingBlock:
    """An open block of reasoning."""

    index: int
    key: object = None
    parts: list[str] = field(default_factory=list[str])
    signature: str | None = None
    redacted: bool = False


@mutable
class CallBlock:
    """An open tool call; it is announced when its name is known. `value`: arguments that came parsed."""

    index: int
    key: object = None
    name: str = ""
    wire_id: str = ""
    id: str = ""
    parts: list[str] = field(default_factory=list[str])
    value: object = None
    signature: str | None = None


Block: TypeAlias = TextBlock | ThinkingBlock | CallBlock


class Reply:
    """Collects the blocks of one reply; `take` hands out the events since the last time.

    `messages` are what the request carried: the ids in it are taken, so new calls get others.
    """

    def __init__(self, messages: Iterable[ModelMessage] = ()) -> None:
        self._messages = messages
        self._taken: set[str] | None = None
        self._events: list[StreamEvent] = []
        self._open: dict[int, Block] = {}
        self._count = 0
        self.is_started = False
        self.has_calls = False
        self.output_chars = 0

    def take(self) -> list[StreamEvent]:
        events, self._events = self._events, []
        return events

    def start(self, response_id: object = None, response_model: object = None) -> None:
        """Say once that the server has accepted."""
        if not self.is_started:
            self.is_started = True
            model = response_model if isinstance(response_model, str) else None
            self._events.append(StreamStart(response_id if isinstance(response_id, str) else None, model))

    def open_text(self, key: object = None) -> TextBlock:
        block = TextBlock(self._next_index(), key)
        self._open[block.index] = block
        self._events.append(TextStart(block.index))
        return block

    def open_thinking(self, key: object = None) -> ThinkingBlock:
        block = ThinkingBlock(self._next_index(), key)
        self._open[block.index] = block
        self._events.append(ThinkingStart(block.index))
        return block

    def open_call(self, key: object = None) -> CallBlock:
        block = CallBlock(self._next_index(), key)
        self._open[block.index] = block
        self.has_calls = True
        return block

    def name_call(self, block: CallBlock, name: str, wire_id: str) -> None:
        """The first name and id that say something win; with the name the call is announced."""
        block.wire_id = block.wire_id or wire_id
        if name and not block.name:
            block.name = name
            self._announce(block)

    def add(self, block: Block, delta: str) -> None:
        """Let a block grow by a piece of its text, or of its arguments' JSON text."""
        if not delta:
            return
        block.parts.append(delta)
        self.output_chars += len(delta)
        if isinstance(block, TextBlock):
            self._events.append(TextDelta(block.index, delta))
        elif isinstance(block, ThinkingBlock):
            self._events.append(ThinkingDelta(block.index, delta))
        elif block.name:
            self._events.append(ToolCallDelta(block.index, delta))

    def close(self, block: Block) -> None:
        """End a block; a second time does nothing."""
        if self._open.pop(block.index, None) is None:
            return
        text = "".join(block.parts)
        if isinstance(block, TextBlock):
            self._events.append(TextEnd(block.index, TextContent(text, block.signature)))
        elif isinstance(block, ThinkingBlock):
            thinking = ThinkingContent("" if block.redacted else text, block.signature, block.redacted)
            self._events.append(ThinkingEnd(block.index, thinking))
        else:
            self._announce(block)
            self._events.append(ToolCallEnd(block.index, _call_of(block, text)))

    def close_all(self) -> None:
        for block in list(self._open.values()):
            self.close(block)

    def server_tool(self, kind: str, data: JsonObject) -> None:
        self._events.append(ServerTool(self._next_index(), ServerToolContent(kind, data)))

    def _next_index(self) -> int:
        self.start()
        self._count += 1
        return self._count - 1

    def _announce(self, block: CallBlock) -> None:
        if not block.id:
            block.id = self._free_id(block.wire_id)
            self._events.append(ToolCallStart(block.index, block.id, block.name))
            held = "".join(block.parts)
            if held:
                self._events.append(ToolCallDelta(block.index, held))

    def _free_id(self, wire_id: str) -> str:
        if self._taken is None:
            self._taken = _ids_of(self._messages)
        call_id = wire_id
        while not _PLAIN_ID.fullmatch(call_id) or call_id in self._taken:
            call_id = f"call_{os.urandom(12).hex()}"
        self._taken.add(call_id)
        return call_id


def _ids_of(messages: Iterable[ModelMessage]) -> set[str]:
    replies = (message for message in messages if isinstance(message, AssistantMessage))
    return {call.id for reply in replies for call in reply.tool_calls}


def _call_of(block: CallBlock, text: str) -> ToolCall:
    parsed: ParsedArguments = parse_arguments(text) if block.value is None else check_arguments(block.value)
    if parsed.error is None and not block.name:
        parsed = ParsedArguments(error="the call has no name")
    return ToolCall(
        block.id,
        block.name,
        parsed.value,
        raw_arguments=text if parsed.error is not None else None,
        parse_error=parsed.error,
        signature=block.signature,
        wire_id=None if block.id == block.wire_id else block.wire_id,
    )
