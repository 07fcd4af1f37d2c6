"""OpenAI Chat Completions and every compatible server, the reply. Nothing is assumed to be there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..agent.json_values import list_of, object_of, text_of
from ..agent.messages import JsonObject, ModelMessage, StopReason
from ..agent.provider import ProviderError
from .errors import classify_stream
from .reasoning_details import ReasoningDetails, details_text
from .reply import CallBlock, TextBlock, ThinkingBlock
from .think_tags import ThinkTags
from .usage import from_openai
from .wire import ReplyParser, require_object


class ChatParser(ReplyParser):
    """Calls are kept by the wire's index, or else by id, or else the last one grows; only choice 0 counts."""

    def __init__(self, messages: Iterable[ModelMessage] = ()) -> None:
        super().__init__(messages)
        self._current: TextBlock | ThinkingBlock | None = None
        self._calls: list[CallBlock] = []
        self._details = ReasoningDetails()
        self._tags = ThinkTags()
        self._refusal: list[str] = []
        self._word: str | None = None

    def read(self, document: Any) -> None:
        chunk = require_object(document)
        self._count(chunk)
        if chunk.get("error") or chunk.get("object") == "error":
            self.error = classify_stream(chunk)
            return
        choices = list_of(chunk.get("choices"))
        if choices and not self.reply.is_started:
            self.reply.start(chunk.get("id"), chunk.get("model"))
        for choice in map(object_of, choices):
            if not choice.get("index"):
                self._choice(choice)

    def stop(self) -> tuple[StopReason, str | None, str | None]:
        word = self._word
        if self._refusal:
            return "error", "refusal", "".join(self._refusal)
        if word == "content_filter":
            return "error", "content_filter", "The provider's content filter stopped the reply."
        if word in ("length", "max_tokens"):
            return "length", None, None
        if self.reply.has_calls:
            return "toolUse", None, None
        return "stop", None if word in ("stop", "eos", "end_turn", "tool_calls", "function_call", None) else word, None

    def prepare_end(self) -> None:
        thinking, text = self._tags.flush()
        self._think(thinking)
        self._say(text)
        self._switch(None)
        if (details := self._details.take()) is not None:
            block = self.reply.open_thinking()
            block.redacted, block.signature = True, details
            self.reply.close(block)

    def _choice(self, choice: JsonObject) -> None:
        # A server that ignores `stream` answers with a whole message.
        delta = object_of(choice.get("delta") or choice.get("message"))
        if delta:
            self._delta(delta)
        word = choice.get("finish_reason")
        if isinstance(word, str) and word:
            self._finished(word)

    def _finished(self, word: str) -> None:
        self._word = word
        self.is_whole = True
        if word in ("error", "insufficient_system_resource"):
            self.error = ProviderError("overloaded", f"The provider stopped the reply with {word!r}.")

    def _delta(self, delta: JsonObject) -> None:
        details = delta.get("reasoning_details")
        reasoning = text_of(delta.get("reasoning_content")) or text_of(delta.get("reasoning"))
        if reasoning or details:
            self._think(reasoning or details_text(details))
        if details:
            self._details.add(details)
        if content := delta.get("content"):
            self._content(content)
        if refusal := text_of(delta.get("refusal")):
            self._refusal.append(refusal)
        calls = delta.get("tool_calls")
        if calls:
            for call in map(object_of, list_of(calls)):
                self._call(call)
        elif (legacy := delta.get("function_call")) and not any(call.key != "legacy" for call in self._calls):
            self._call({"index": "legacy", "function": legacy})

    def _content(self, content: Any) -> None:
        if isinstance(content, str):
            thinking, text = self._tags.feed(content)
            self._think(thinking)
            self._say(text)
            return
        for part in map(object_of, list_of(content)):
            if part.get("type") == "thinking":
                self._think(_part_text(part.get("thinking")))
            else:
                self._say(_part_text(part.get("text")))

    def _think(self, text: str) -> None:
        if text:
            self.reply.add(
                self._current if isinstance(self._current, ThinkingBlock) else self._switch("thinking"), text
            )

    def _say(self, text: str) -> None:
        if text:
            self.reply.add(self._current if isinstance(self._current, TextBlock) else self._switch("text"), text)

    def _switch(self, kind: str | None) -> Any:
        """End the block that grows, begin another."""
        if isinstance(self._current, ThinkingBlock):
            self._current.signature = self._details.take()
        if self._current is not None:
            self.reply.close(self._current)
        self._current = None
        if kind is not None:
            self._current = self.reply.open_thinking() if kind == "thinking" else self.reply.open_text()
        return self._current

    def _call(self, piece: JsonObject) -> None:
        function = object_of(piece.get("function"))
        call_id, name = text_of(piece.get("id")), text_of(function.get("name"))
        block = self._block(piece.get("index"), call_id, name)
        self.reply.name_call(block, name, call_id)
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            self.reply.add(block, arguments)
        elif isinstance(arguments, dict):
            block.value = arguments

    def _block(self, index: Any, call_id: str, name: str) -> CallBlock:
        if index is not None:
            known = next((call for call in self._calls if call.key == index), None)
        elif call_id:
            known = next((call for call in self._calls if call.wire_id == call_id), None)
        else:
            known = self._calls[-1] if self._calls and not name else None
        if known is None:
            self._switch(None)
            known = self.reply.open_call(index)
            self._calls.append(known)
        return known

    def _count(self, chunk: JsonObject) -> None:
        """The last report counts: some send one with each chunk, some send it twice."""
        report = chunk.get("usage") or object_of(chunk.get("x_groq")).get("usage")
        if not report:
            report = next(
                (choice["usage"] for choice in map(object_of, list_of(chunk.get("choices"))) if choice.get("usage")),
                None,
            )
        if report:
            self.tokens = from_openai(object_of(report))


def _part_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "".join(text_of(object_of(part).get("text")) for part in list_of(value))
