"""Anthropic Messages, the reply: https://docs.anthropic.com/en/docs/build-with-claude/streaming."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Any

from ..agent.json_values import count_of, object_of, text_of
from ..agent.messages import JsonObject, ModelMessage, StopReason
from ..agent.mutable import mutable
from .arguments import parse_arguments
from .errors import classify_stream
from .reply import Block, CallBlock, TextBlock, ThinkingBlock
from .wire import ReplyParser, require_object


@mutable
class _ServerBlock:
    """A block of a tool that runs at the provider; its input comes in pieces like ours."""

    data: JsonObject
    parts: list[str] = field(default_factory=list[str])


class AnthropicParser(ReplyParser):
    """Blocks are kept by the wire's own index; a proxy may send `message_start` twice, or leave out a block's end."""

    def __init__(self, messages: Iterable[ModelMessage] = ()) -> None:
        super().__init__(messages)
        self._blocks: dict[int, Block | _ServerBlock] = {}
        self._word: str | None = None
        self._explanation = ""
        self._counts: dict[str, int] = {}

    def read(self, document: Any) -> None:
        event = require_object(document)
        match event.get("type"):
            case "content_block_delta":
                self._delta(_index(event), object_of(event.get("delta")))
            case "content_block_start":
                self._open(_index(event), object_of(event.get("content_block")))
            case "content_block_stop":
                self._close(_index(event))
            case "message_start":
                message = object_of(event.get("message"))
                self.reply.start(message.get("id"), message.get("model"))
                self._count(message.get("usage"))
            case "message_delta":
                self._stopped(event)
            case "message_stop":
                self.is_whole = self.is_ended = True
            case _:
                if event.get("type") == "error" or "error" in event:
                    self.error = classify_stream(event)

    def stop(self) -> tuple[StopReason, str | None, str | None]:
        word = self._word
        if word == "refusal":
            return "error", "refusal", self._explanation or "The model refused to answer."
        if word in ("max_tokens", "model_context_window_exceeded"):
            return "length", None if word == "max_tokens" else word, None
        if self.reply.has_calls:
            return "toolUse", None, None
        if word == "pause_turn":
            return "stop", "pause", None
        return "stop", None if word in ("end_turn", "stop_sequence", "tool_use", None) else word, None

    def _open(self, index: int, block: JsonObject) -> None:
        match block.get("type"):
            case "text":
                self._add(self._text(index), text_of(block.get("text")))
            case "thinking":
                opened = self._thinking(index)
                opened.signature = text_of(block.get("signature")) or None
                self._add(opened, text_of(block.get("thinking")))
            case "redacted_thinking":
                opened = self._thinking(index)
                opened.redacted = True
                opened.signature = text_of(block.get("data"))
            case "tool_use":
                call = self._call(index)
                self.reply.name_call(call, text_of(block.get("name")), text_of(block.get("id")))
                call.value = block.get("input") or None
            case _:
                self._blocks[index] = _ServerBlock(block)

    def _delta(self, index: int, delta: JsonObject) -> None:
        kind = delta.get("type")
        block = self._blocks.get(index)
        if kind == "text_delta":
            self._add(block or self._text(index), text_of(delta.get("text")))
        elif kind == "thinking_delta":
            self._add(block or self._thinking(index), text_of(delta.get("thinking")))
        elif kind == "input_json_delta":
            self._add(block or self._call(index), text_of(delta.get("partial_json")))
        elif kind == "signature_delta" and isinstance(block, ThinkingBlock):
            block.signature = (block.signature or "") + text_of(delta.get("signature"))

    def _add(self, block: Block | _ServerBlock, text: str) -> None:
        if isinstance(block, _ServerBlock):
            block.parts.append(text)
            return
        if isinstance(block, CallBlock) and text:
            # A call that begins with its whole input and then streams it means what it streams.
            block.value = None
        self.reply.add(block, text)

    def _close(self, index: int) -> None:
        block = self._blocks.pop(index, None)
        if isinstance(block, _ServerBlock):
            self._end_server_block(block)
        elif block is not None:
            self.reply.close(block)

    def _end_server_block(self, block: _ServerBlock) -> None:
        data = block.data
        if text := "".join(block.parts):
            data["input"] = parse_arguments(text).value
        self.reply.server_tool(text_of(data.get("type")) or "unknown", data)

    def _stopped(self, event: JsonObject) -> None:
        delta = object_of(event.get("delta"))
        self._word = text_of(delta.get("stop_reason")) or self._word
        self._explanation = text_of(object_of(delta.get("stop_details")).get("explanation"))
        self.is_whole = self._word is not None
        self._count(event.get("usage"))

    def _count(self, report: Any) -> None:
        """Counts are cumulative; a later one that is not null wins, because proxies correct the input at the end."""
        usage = object_of(report)
        for name, value in usage.items():
            if (count := count_of(value)) is not None:
                self._counts[name] = count
        thinking = count_of(object_of(usage.get("output_tokens_details")).get("thinking_tokens"))
        self.tokens.reasoning = self.tokens.reasoning if thinking is None else thinking
        self.tokens.input = self._counts.get("input_tokens")
        self.tokens.output = self._counts.get("output_tokens")
        self.tokens.cache_read = self._counts.get("cache_read_input_tokens", 0)
        self.tokens.cache_write = self._counts.get("cache_creation_input_tokens", 0)

    def _text(self, index: int) -> TextBlock:
        block = self._blocks[index] = self.reply.open_text()
        return block

    def _thinking(self, index: int) -> ThinkingBlock:
        block = self._blocks[index] = self.reply.open_thinking()
        return block

    def _call(self, index: int) -> CallBlock:
        block = self._blocks[index] = self.reply.open_call()
        return block


def _index(event: JsonObject) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0
