"""OpenAI Responses and compatible servers, the request: https://platform.openai.com/docs/api-reference/responses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ..agent.frozen import frozen
from ..agent.json_values import dump_json, parse_object
from ..agent.messages import (
    AssistantContent,
    AssistantMessage,
    ImageContent,
    JsonObject,
    ModelMessage,
    ServerToolContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from ..agent.model import Model, ModelRequest, ToolSpec
from .compat import Compat
from .encoded import MessageCache, is_blank, is_own, result_text, split_content, wire_arguments, wire_id, wire_name
from .output_limit import output_limit
from .pairing import paired
from .responses_reply import ResponsesParser
from .thinking import fitting_word, wire_word
from .wire import ReplyParser, Wire


@frozen
class _Piece:
    """The input items of one message."""

    items: tuple[bytes, ...]
    chars: int = 0


class ResponsesWire(Wire):
    """Writes Responses requests that leave no state on the server: reasoning travels back encrypted."""

    api = "openai-responses"

    def __init__(self) -> None:
        self._cache: MessageCache[_Piece] = MessageCache()

    def path(self, request: ModelRequest, base_url: str) -> str:
        return "/responses"

    def parser(self, request: ModelRequest) -> ReplyParser:
        return ResponsesParser(request.messages)

    def body(self, request: ModelRequest, compat: Compat) -> bytes:
        model = request.model
        key = self._cache.number((model.provider, model.id, model.vision, compat))
        encode = partial(_encode, model=model, compat=compat)
        pieces = [self._cache.get(message, key, encode) for message in paired(request.messages)]
        head = [b'{"model":', dump_json(model.id)]
        if not is_blank(request.system_prompt):
            head += [b',"instructions":', dump_json(request.system_prompt)]
        if request.tools:
            head += [b',"tools":', dump_json([_tool(tool, compat) for tool in request.tools])]
        items = b",".join(item for piece in pieces for item in piece.items)
        chars = len(request.system_prompt) + sum(piece.chars for piece in pieces)
        settings = dump_json(_settings(request, compat, chars))
        return b"".join([*head, b',"input":[', items, b"],", settings[1:]])


def _settings(request: ModelRequest, compat: Compat, chars: int) -> dict[str, Any]:
    settings: dict[str, Any] = {"stream": True, "store": False}
    if request.max_output:
        settings["max_output_tokens"] = output_limit(request, chars)
    if compat.prompt_cache_key and request.session_id:
        settings["prompt_cache_key"] = request.session_id[:64]
    if request.model.thinking_levels:
        if compat.thinking != "none":
            settings.update(_reasoning_wish(request, compat))
        if compat.encrypted_reasoning:
            settings["include"] = ["reasoning.encrypted_content"]
    return {**settings, **compat.extra}


def _reasoning_wish(request: ModelRequest, compat: Compat) -> JsonObject:
    word = wire_word(request.model, request.thinking_level) or compat.off_word
    word = fitting_word(word, compat.efforts)
    if word in ("", "none"):
        return {"reasoning": {"effort": word}} if word else {}
    return {"reasoning": {"effort": word, "summary": "auto"}}


def _tool(tool: ToolSpec, compat: Compat) -> JsonObject:
    described: JsonObject = {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    if compat.strict_field:
        described["strict"] = False
    return described


def _encode(message: ModelMessage, model: Model, compat: Compat) -> _Piece:
    if isinstance(message, ToolResultMessage):
        return _result(message, model, compat)
    if isinstance(message, UserMessage):
        return _user(message, model)
    items = _assistant_items(message, is_own(message, model), compat)
    encoded = tuple(dump_json(item) for item in items)
    return _Piece(encoded, sum(map(len, encoded)))


def _user(message: UserMessage, model: Model) -> _Piece:
    texts, images = split_content(message.content, model.vision)
    parts = _parts([text for text in texts if not is_blank(text)], images)
    items = (dump_json({"role": "user", "content": parts}),) if parts else ()
    return _Piece(items, sum(map(len, texts)))


def _parts(texts: Sequence[str], images: Sequence[ImageContent]) -> list[JsonObject]:
    parts: list[JsonObject] = [{"type": "input_text", "text": text} for text in texts]
    for image in images:
        url = f"data:{image.mime_type};base64,{image.data}"
        parts.append({"type": "input_image", "detail": "auto", "image_url": url})
    return parts


def _result(message: ToolResultMessage, model: Model, compat: Compat) -> _Piece:
    texts, images = split_content(message.content, model.vision)
    text = result_text(texts, message.is_error, bool(images))
    output: JsonObject = {
        "type": "function_call_output",
        "call_id": wire_id(message.tool_call_id, compat.call_ids),
        "output": _parts([text], images) if images else text,
    }
    return _Piece((dump_json(output),), len(text))


def _assistant_items(message: AssistantMessage, own: bool, compat: Compat) -> list[JsonObject]:
    """The items of a reply. Reasoning goes back only before an item that follows it, or the API refuses."""
    items: list[JsonObject] = []
    reasoning: list[JsonObject] = []
    for block in message.content:
        if isinstance(block, ThinkingContent):
            if own and compat.encrypted_reasoning and (item := _reasoning(block)):
                reasoning.append(item)
            continue
        item = _item(block, own, compat)
        if item:
            items += [*reasoning, item]
            reasoning = []
    return items


def _reasoning(block: ThinkingContent) -> JsonObject:
    kept = parse_object(block.signature)
    return {"type": "reasoning", **kept} if kept.get("encrypted_content") else {}


def _item(block: AssistantContent, own: bool, compat: Compat) -> JsonObject:
    match block:
        case TextContent() if not is_blank(block.text):
            return _text(block, parse_object(block.signature) if own and compat.encrypted_reasoning else {})
        case ToolCall():
            call: JsonObject = {
                "type": "function_call",
                "call_id": wire_id(block.id, compat.call_ids),
                "name": wire_name(block.name),
                "arguments": dump_json(wire_arguments(block)).decode(),
            }
            if own and compat.encrypted_reasoning and block.signature:
                call["id"] = block.signature
            return call
        case ServerToolContent():
            return block.data if own and compat.encrypted_reasoning else {}
        case _:
            return {}


def _text(block: TextContent, kept: JsonObject) -> JsonObject:
    message: JsonObject = {"type": "message", "role": "assistant"}
    if "id" not in kept:
        # The one form that both OpenAI and llama.cpp take from others.
        return {**message, "content": block.text}
    content: list[JsonObject] = [{"type": "output_text", "text": block.text, "annotations": []}]
    return {**message, "status": "completed", "content": content, **kept}
