"""OpenAI Responses and compatible servers, the reply."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..agent.json_values import count_of, dump_json, list_of, object_of, text_of
from ..agent.messages import JsonObject, ModelMessage, StopReason
from .errors import classify_stream
from .reply import Block, CallBlock, TextBlock, ThinkingBlock
from .usage import Tokens
from .wire import ReplyParser, require_object


class ResponsesParser(ReplyParser):
    """Items are kept by their output index, or else by their id: ids may change with each event, and items overlap."""

    def __init__(self, messages: Iterable[ModelMessage] = ()) -> None:
        super().__init__(messages)
        self._blocks: dict[object, Block] = {}
        self._done: set[object] = set()
        self._refusal: list[str] = []
        self._incomplete = ""

    def read(self, document: Any) -> None:
        event = require_object(document)
        kind = text_of(event.get("type"))
        if kind.endswith(".delta"):
            self._delta(kind.removeprefix("response.").removesuffix(".delta"), event)
        elif kind == "response.output_item.added":
            self._added(_key(event), object_of(event.get("item")))
        elif kind == "response.output_item.done":
            self._item_done(_key(event), object_of(event.get("item")))
        elif kind in ("response.completed", "response.incomplete", "response.done"):
            self._completed(object_of(event.get("response")))
        elif kind in ("response.created", "response.in_progress"):
            response = object_of(event.get("response"))
            self.reply.start(response.get("id"), response.get("model"))
        elif kind == "response.failed":
            self.error = classify_stream(object_of(event.get("response")))
        elif kind == "error" or (not kind and "error" in event):
            self.error = classify_stream(event)
        elif event.get("object") == "response":
            # A server that ignores `stream` answers with the whole response.
            self._completed(event)

    def stop(self) -> tuple[StopReason, str | None, str | None]:
        if self._refusal:
            return "error", "refusal", "".join(self._refusal)
        if self._incomplete == "content_filter":
            return "error", "content_filter", "The provider's content filter stopped the reply."
        if self._incomplete:
            return "length", None if self._incomplete == "max_output_tokens" else self._incomplete, None
        return "toolUse" if self.reply.has_calls else "stop", None, None

    def _delta(self, what: str, event: JsonObject) -> None:
        key = _key(event)
        delta = text_of(event.get("delta"))
        if what == "output_text":
            self.reply.add(self._text(key), delta)
        elif what in ("reasoning_summary_text", "reasoning_text"):
            self._think(key, event, delta)
        elif what == "function_call_arguments":
            self.reply.add(self._call(key), delta)
        elif what == "refusal":
            self._refusal.append(delta)

    def _think(self, key: object, event: JsonObject, delta: str) -> None:
        block = self._thinking(key)
        part = event.get("summary_index")
        if part and part != block.key and block.parts:
            self.reply.add(block, "\n\n")
        block.key = part
        self.reply.add(block, delta)

    def _added(self, key: object, item: JsonObject) -> None:
        kind = item.get("type")
        if kind == "reasoning":
            self._thinking(key)
        elif kind == "function_call":
            self.reply.name_call(self._call(key), text_of(item.get("name")), text_of(item.get("call_id")))

    def _item_done(self, key: object, item: JsonObject) -> None:
        """An item is whole; what did not stream of it is taken from here."""
        if key in self._done:
            return
        self._done.add(key)
        kind = item.get("type")
        if kind == "message":
            self._message_done(key, item)
        elif kind == "reasoning":
            self._reasoning_done(key, item)
        elif kind == "function_call":
            self._call_done(key, item)
        elif kind:
            self.reply.server_tool(text_of(kind), item)

    def _message_done(self, key: object, item: JsonObject) -> None:
        parts = [object_of(part) for part in list_of(item.get("content"))]
        if not self._refusal:
            self._refusal += [text_of(part.get("refusal")) for part in parts if part.get("type") == "refusal"]
        text = "".join(text_of(part.get("text")) for part in parts)
        if not text and key not in self._blocks:
            return
        block = self._text(key)
        if not block.parts:
            self.reply.add(block, text)
        if item.get("phase"):
            block.signature = dump_json({"id": item.get("id"), "phase": item["phase"]}).decode()
        self.reply.close(block)

    def _reasoning_done(self, key: object, item: JsonObject) -> None:
        block = self._thinking(key)
        if not block.parts:
            texts = list_of(item.get("summary")) or list_of(item.get("content"))
            self.reply.add(block, "\n\n".join(text_of(object_of(part).get("text")) for part in texts))
        if item.get("encrypted_content"):
            kept = {"id": item.get("id"), "summary": list_of(item.get("summary"))}
            block.signature = dump_json({**kept, "encrypted_content": item["encrypted_content"]}).decode()
        self.reply.close(block)

    def _call_done(self, key: object, item: JsonObject) -> None:
        block = self._call(key)
        self.reply.name_call(block, text_of(item.get("name")), text_of(item.get("call_id")))
        block.signature = text_of(item.get("id")) or None
        if not block.parts:
            self.reply.add(block, text_of(item.get("arguments")))
        self.reply.close(block)

    def _completed(self, response: JsonObject) -> None:
        self.reply.start(response.get("id"), response.get("model"))
        if response.get("error") or response.get("status") == "failed":
            self.error = classify_stream(response)
        if not self._done:
            for number, item in enumerate(map(object_of, list_of(response.get("output")))):
                self._item_done(number, item)
        self._incomplete = text_of(object_of(response.get("incomplete_details")).get("reason"))
        if response.get("status") == "incomplete":
            self._incomplete = self._incomplete or "incomplete"
        if usage := object_of(response.get("usage")):
            self.tokens = _tokens(usage)
        self.is_whole = self.is_ended = True

    def _text(self, key: object) -> TextBlock:
        block = self._blocks.get(key)
        if not isinstance(block, TextBlock):
            block = self._blocks[key] = self.reply.open_text()
        return block

    def _thinking(self, key: object) -> ThinkingBlock:
        block = self._blocks.get(key)
        if not isinstance(block, ThinkingBlock):
            block = self._blocks[key] = self.reply.open_thinking()
        return block

    def _call(self, key: object) -> CallBlock:
        block = self._blocks.get(key)
        if not isinstance(block, CallBlock):
            block = self._blocks[key] = self.reply.open_call()
        return block


def _key(event: JsonObject) -> object:
    index = event.get("output_index")
    if isinstance(index, int):
        return index
    return text_of(event.get("item_id")) or text_of(object_of(event.get("item")).get("id"))


def _tokens(report: JsonObject) -> Tokens:
    """Input tokens include the cached ones, output tokens the reasoning."""
    prompt = count_of(report.get("input_tokens")) or 0
    details = object_of(report.get("input_tokens_details"))
    read = min(count_of(details.get("cached_tokens")) or 0, prompt)
    written = min(count_of(details.get("cache_write_tokens")) or 0, prompt - read)
    reasoning = count_of(object_of(report.get("output_tokens_details")).get("reasoning_tokens")) or 0
    return Tokens(prompt - read - written, count_of(report.get("output_tokens")) or 0, read, written, reasoning)
