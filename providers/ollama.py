"""Ollama's own chat API, lines of JSON: https://docs.ollama.com/api/chat."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Any

from ..agent.json_values import count_of, dump_json, list_of, object_of, text_of
from ..agent.messages import (
    AssistantMessage,
    JsonObject,
    ModelMessage,
    StopReason,
    TextContent,
    ThinkingContent,
    ToolResultMessage,
)
from ..agent.model import Model, ModelRequest
from .compat import Compat
from .encoded import MessageCache, is_blank, is_own, result_text, split_content, wire_arguments, wire_name
from .errors import classify_stream
from .output_limit import output_limit
from .pairing import paired
from .reply import TextBlock, ThinkingBlock
from .thinking import wire_word
from .usage import Tokens
from .wire import ReplyParser, Wire, require_object


class OllamaWire(Wire):
    """Writes ``/api/chat`` requests; the window that models.toml gives a model is asked for, or Ollama cuts at its own."""

    api = "ollama-chat"

    def __init__(self) -> None:
        self._cache: MessageCache[bytes] = MessageCache()

    def path(self, request: ModelRequest, base_url: str) -> str:
        return "/api/chat"

    def parser(self, request: ModelRequest) -> ReplyParser:
        return OllamaParser(request.messages)

    def body(self, request: ModelRequest, compat: Compat) -> bytes:
        model = request.model
        key: Hashable = (model.provider, model.id, model.vision)
        encode = partial(_encode, model=model)
        encoded = [self._cache.get(message, key, encode) for message in paired(request.messages)]
        messages = [message for message in encoded if message]
        if not is_blank(request.system_prompt):
            messages.insert(0, dump_json({"role": "system", "content": request.system_prompt}))
        head = [b'{"model":', dump_json(model.id)]
        if request.tools:
            tools = [
                {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
                for tool in request.tools
            ]
            head += [b',"tools":', dump_json([{"type": "function", "function": tool} for tool in tools])]
        settings = dump_json(_settings(request, compat, sum(map(len, messages))))
        return b"".join([*head, b',"messages":[', b",".join(messages), b"],", settings[1:]])


def _settings(request: ModelRequest, compat: Compat, chars: int) -> dict[str, Any]:
    options: JsonObject = {}
    if request.model.context_window:
        options["num_ctx"] = request.model.context_window
    if request.max_output:
        options["num_predict"] = output_limit(request, chars)
    settings: dict[str, Any] = {"stream": True, **({"options": options} if options else {})}
    if request.model.thinking_levels:
        settings["think"] = bool(wire_word(request.model, request.thinking_level))
    return {**settings, **compat.extra}


def _encode(message: ModelMessage, model: Model) -> bytes:
    if isinstance(message, AssistantMessage):
        return _assistant(message, is_own(message, model))
    texts, images = split_content(message.content, model.vision)
    body: JsonObject = {"role": "user", "content": "\n".join(texts)}
    if isinstance(message, ToolResultMessage):
        text = result_text(texts, message.is_error, bool(images))
        body = {"role": "tool", "tool_name": wire_name(message.tool_name), "content": text}
    elif is_blank(body["content"]) and not images:
        return b""
    if images:
        body["images"] = [image.data for image in images]
    return dump_json(body)


def _assistant(message: AssistantMessage, own: bool) -> bytes:
    text = "".join(block.text for block in message.content if isinstance(block, TextContent))
    calls = [
        {"function": {"name": wire_name(call.name), "arguments": wire_arguments(call)}} for call in message.tool_calls
    ]
    if is_blank(text) and not calls:
        return b""
    body: JsonObject = {"role": "assistant", "content": text}
    thinking = "".join(block.thinking for block in message.content if isinstance(block, ThinkingContent))
    if own and thinking:
        body["thinking"] = thinking
    return dump_json({**body, "tool_calls": calls} if calls else body)


class OllamaParser(ReplyParser):
    """Calls come whole and without ids; the last line carries the counts."""

    def __init__(self, messages: Any = ()) -> None:
        super().__init__(messages)
        self._current: TextBlock | ThinkingBlock | None = None
        self._word = ""

    def read(self, document: Any) -> None:
        line = require_object(document)
        if "error" in line:
            self.error = classify_stream(line)
            return
        self.reply.start(None, line.get("model"))
        message = object_of(line.get("message"))
        self._grow(text_of(message.get("thinking")), ThinkingBlock)
        self._grow(text_of(message.get("content")), TextBlock)
        for call in map(object_of, list_of(message.get("tool_calls"))):
            self._call(object_of(call.get("function")), text_of(call.get("id")))
        if line.get("done"):
            self._done(line)

    def stop(self) -> tuple[StopReason, str | None, str | None]:
        if self._word == "length":
            return "length", None, None
        if self.reply.has_calls:
            return "toolUse", None, None
        return "stop", None if self._word in ("stop", "") else self._word, None

    def _grow(self, text: str, kind: type[TextBlock] | type[ThinkingBlock]) -> None:
        if not text:
            return
        if not isinstance(self._current, kind):
            self._close()
            self._current = self.reply.open_text() if kind is TextBlock else self.reply.open_thinking()
        self.reply.add(self._current, text)

    def _call(self, function: JsonObject, wire_id: str) -> None:
        self._close()
        block = self.reply.open_call()
        self.reply.name_call(block, text_of(function.get("name")), wire_id)
        block.value = function.get("arguments")
        self.reply.add(block, dump_json(block.value or {}).decode())
        self.reply.close(block)

    def _close(self) -> None:
        if self._current is not None:
            self.reply.close(self._current)
        self._current = None

    def _done(self, line: JsonObject) -> None:
        self._word = text_of(line.get("done_reason"))
        prompt, output = count_of(line.get("prompt_eval_count")), count_of(line.get("eval_count"))
        if prompt is not None or output is not None:
            self.tokens = Tokens(prompt or 0, output or 0)
        self.is_whole = self.is_ended = True
