"""Google Gemini, the reply: server-sent events, or one JSON array from a server that was not asked for events."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from ..agent.json_values import count_of, dump_json, is_list, is_object, list_of, object_of, text_of
from ..agent.messages import JsonObject, ModelMessage, StopReason
from .errors import classify_stream
from .reply import CallBlock, TextBlock, ThinkingBlock
from .usage import Tokens
from .wire import ReplyParser, require_object

_FILTERED = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "OTHER", "IMAGE_SAFETY"}
)
_BROKEN = frozenset(
    {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MISSING_THOUGHT_SIGNATURE", "TOO_MANY_TOOL_CALLS"}
)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['([^']*)'\]")


class GeminiParser(ReplyParser):
    """Only the first candidate counts. Calls come whole, or (Vertex) in pieces that name their place in the arguments."""

    def __init__(self, messages: Iterable[ModelMessage] = ()) -> None:
        super().__init__(messages)
        self._current: TextBlock | ThinkingBlock | None = None
        self._call: CallBlock | None = None
        self._arguments: JsonObject = {}
        self._word = ""
        self._words = ""

    @property
    def can_leave(self) -> bool:
        # Some servers write a finish reason into each chunk, so it does not mean that nothing follows.
        return False

    def read(self, document: Any) -> None:
        for chunk in list_of(document) if is_list(document) else [document]:
            self._chunk(require_object(chunk))

    def stop(self) -> tuple[StopReason, str | None, str | None]:
        word = self._word
        if word in _FILTERED:
            return (
                "error",
                "content_filter",
                self._words or f"The provider's content filter stopped the reply ({word}).",
            )
        if word in _BROKEN:
            return "error", word, self._words or f"The model's reply was not usable ({word})."
        if word == "MAX_TOKENS":
            return "length", None, None
        if self.reply.has_calls:
            return "toolUse", None, None
        return "stop", None if word in ("STOP", "") else word, None

    def prepare_end(self) -> None:
        self._end_call()

    def _chunk(self, chunk: JsonObject) -> None:
        self._count(object_of(chunk.get("usageMetadata")))
        if "error" in chunk:
            self.error = classify_stream(chunk)
            return
        self.reply.start(chunk.get("responseId"), chunk.get("modelVersion"))
        blocked = text_of(object_of(chunk.get("promptFeedback")).get("blockReason"))
        if blocked:
            self._word = blocked if blocked in _FILTERED else "SAFETY"
            self._words = f"The provider refused the prompt ({blocked})."
            self.is_whole = True
        candidate = object_of(next(iter(list_of(chunk.get("candidates"))), None))
        for part in list_of(object_of(candidate.get("content")).get("parts")):
            self._part(object_of(part))
        if word := text_of(candidate.get("finishReason")):
            self._word, self._words = word, text_of(candidate.get("finishMessage"))
            self.is_whole = True

    def _part(self, part: JsonObject) -> None:
        signature = text_of(part.get("thoughtSignature")) or None
        if is_object(call := part.get("functionCall")):
            self._function_call(call, signature)
        elif "executableCode" in part or "codeExecutionResult" in part:
            self._switch(None)
            self.reply.server_tool("executableCode" if "executableCode" in part else "codeExecutionResult", part)
        elif "text" in part:
            self._say(text_of(part.get("text")), bool(part.get("thought")), signature)

    def _say(self, text: str, thought: bool, signature: str | None) -> None:
        if not text and not signature:
            return
        kind = ThinkingBlock if thought else TextBlock
        block = self._current if isinstance(self._current, kind) else self._switch(kind)
        block.signature = signature or block.signature
        self.reply.add(block, text)

    def _switch(self, kind: type[TextBlock] | type[ThinkingBlock] | None) -> Any:
        """End the block that grows, begin another."""
        if self._current is not None:
            self.reply.close(self._current)
        self._current = None
        if kind is not None:
            self._current = self.reply.open_thinking() if kind is ThinkingBlock else self.reply.open_text()
        return self._current

    def _function_call(self, call: JsonObject, signature: str | None) -> None:
        name = text_of(call.get("name"))
        if name or self._call is None:
            self._end_call()
            self._switch(None)
            self._call = self.reply.open_call()
            self.reply.name_call(self._call, name, text_of(call.get("id")))
        self._call.signature = self._call.signature or signature
        if is_object(arguments := call.get("args")):
            self._arguments = arguments
        for piece in list_of(call.get("partialArgs")):
            _place(self._arguments, object_of(piece))
        if not call.get("willContinue"):
            self._end_call()

    def _end_call(self) -> None:
        if self._call is None:
            return
        self.reply.add(self._call, dump_json(self._arguments).decode())
        self._call.value = self._arguments
        self.reply.close(self._call)
        self._call, self._arguments = None, {}

    def _count(self, report: JsonObject) -> None:
        """Cumulative in each chunk: the last report counts. Thinking comes on top of the candidates' tokens."""
        prompt = count_of(report.get("promptTokenCount"))
        if prompt is None:
            return
        prompt += count_of(report.get("toolUsePromptTokenCount")) or 0
        cached = min(count_of(report.get("cachedContentTokenCount")) or 0, prompt)
        thoughts = count_of(report.get("thoughtsTokenCount")) or 0
        answer = count_of(report.get("candidatesTokenCount")) or 0
        self.tokens = Tokens(prompt - cached, answer + thoughts, cached, reasoning=thoughts)


def _place(arguments: JsonObject, piece: JsonObject) -> None:
    """Put a piece of an argument where its path says; pieces of a text are joined."""
    path: list[str | int] = [
        int(match[2]) if match[2] else match[1] or match[3] or ""
        for match in _STEP.finditer(text_of(piece.get("jsonPath")))
    ]
    value = next((piece[kind] for kind in ("stringValue", "numberValue", "boolValue") if kind in piece), None)
    if not path or ("nullValue" not in piece and value is None) or len(path) > 64:
        return
    holder: Any = arguments
    for step, following in pairwise(path):
        holder = _child(holder, step, [] if isinstance(following, int) else {})
    before = _child(holder, path[-1], "" if isinstance(value, str) else None)
    _store(holder, path[-1], before + value if isinstance(value, str) and isinstance(before, str) else value)


def _child(holder: Any, step: str | int, empty: Any) -> Any:
    if is_object(holder) and isinstance(step, str):
        return holder.setdefault(step, empty)
    if is_list(holder) and isinstance(step, int):
        if step == len(holder):
            holder.append(empty)
        return holder[step] if step < len(holder) else empty
    return empty


def _store(holder: Any, step: str | int, value: Any) -> None:
    if is_object(holder):
        holder[str(step)] = value
    elif is_list(holder) and isinstance(step, int) and step < len(holder):
        holder[step] = value
