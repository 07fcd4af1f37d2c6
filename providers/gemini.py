"""Google Gemini, the request: https://ai.google.dev/api/generate-content."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal
from urllib.parse import quote

from ..agent.frozen import frozen
from ..agent.json_values import dump_json
from ..agent.messages import (
    AssistantMessage,
    ImageContent,
    JsonObject,
    ModelMessage,
    ServerToolContent,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from ..agent.model import Model, ModelRequest
from .compat import Compat
from .encoded import NO_OUTPUT, MessageCache, is_blank, is_own, split_content, wire_arguments, wire_id, wire_name
from .gemini_reply import GeminiParser
from .output_limit import output_limit
from .pairing import paired
from .thinking import fitting_word, wire_word
from .wire import ReplyParser, Wire

UNSIGNED = "skip_thought_signature_validator"
"""Google's documented stand-in for the signature of a call that another model made."""


@frozen
class _Piece:
    """One message: its parts, and pictures that must follow all results of its turn."""

    role: Literal["user", "model"]
    parts: tuple[bytes, ...]
    late: tuple[bytes, ...] = ()
    chars: int = 0


class GeminiWire(Wire):
    """Writes `streamGenerateContent` requests."""

    api = "google-generative-ai"

    def __init__(self) -> None:
        self._cache: MessageCache[_Piece] = MessageCache()

    def path(self, request: ModelRequest, base_url: str) -> str:
        model = quote(request.model.id.removeprefix("models/"), safe="")
        return f"/models/{model}:streamGenerateContent?alt=sse"

    def parser(self, request: ModelRequest) -> ReplyParser:
        return GeminiParser(request.messages)

    def body(self, request: ModelRequest, compat: Compat) -> bytes:
        model = request.model
        key = self._cache.number((model.provider, model.id, model.vision, compat))
        encode = partial(_encode, model=model, compat=compat)
        pieces = [self._cache.get(message, key, encode) for message in paired(request.messages)]
        head: JsonObject = {}
        if not is_blank(request.system_prompt):
            head["systemInstruction"] = {"parts": [{"text": request.system_prompt}]}
        if request.tools:
            head["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in request.tools]}]
        chars = len(request.system_prompt) + sum(piece.chars for piece in pieces)
        config = dump_json(_generation_config(request, compat, chars))
        start = dump_json(head)[:-1] + (b"," if head else b"")
        return b'%b"contents":[%b],"generationConfig":%b}' % (start, _turns(pieces), config)


def _declaration(tool: Any) -> JsonObject:
    # `parametersJsonSchema` takes any JSON Schema; the older `parameters` only a part of OpenAPI's.
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}


def _generation_config(request: ModelRequest, compat: Compat, chars: int) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if request.max_output:
        config["maxOutputTokens"] = output_limit(request, chars)
    if request.model.thinking_levels:
        word = fitting_word(wire_word(request.model, request.thinking_level), compat.efforts)
        if compat.thinking != "none" and (thinking := _thinking_config(word or compat.off_word, bool(word))):
            config["thinkingConfig"] = thinking
    return {**config, **compat.extra}


def _thinking_config(word: str, show: bool) -> JsonObject:
    if not word:
        return {}
    amount: JsonObject = {"thinkingBudget": int(word)} if word.isdecimal() else {"thinkingLevel": word}
    return {**amount, "includeThoughts": True} if show else amount


def _turns(pieces: Sequence[_Piece]) -> bytes:
    """Neighbours of one role become one turn, and so all results of a batch stand together."""
    turns: list[tuple[str, list[bytes], list[bytes]]] = []
    for piece in pieces:
        if not piece.parts and not piece.late:
            continue
        if not turns or turns[-1][0] != piece.role:
            turns.append((piece.role, [], []))
        turns[-1][1].extend(piece.parts)
        turns[-1][2].extend(piece.late)
    return b",".join(
        b'{"role":"%b","parts":[%b]}' % (role.encode(), b",".join([*parts, *late])) for role, parts, late in turns
    )


def _encode(message: ModelMessage, model: Model, compat: Compat) -> _Piece:
    if isinstance(message, ToolResultMessage):
        return _result(message, model, compat)
    if isinstance(message, UserMessage):
        texts, images = split_content(message.content, model.vision)
        parts = [dump_json({"text": text}) for text in texts if not is_blank(text)]
        parts += [_image(image) for image in images]
        return _Piece("user", tuple(parts), chars=sum(map(len, texts)))
    parts = [dump_json(part) for part in _model_parts(message, is_own(message, model), compat)]
    return _Piece("model", tuple(parts), chars=sum(map(len, parts)))


def _image(image: ImageContent) -> bytes:
    return dump_json({"inlineData": {"mimeType": image.mime_type, "data": image.data}})


def _result(message: ToolResultMessage, model: Model, compat: Compat) -> _Piece:
    texts, images = split_content(message.content, model.vision)
    text = "\n".join(text for text in texts if text) or ("(see the picture)" if images else NO_OUTPUT)
    response: JsonObject = {
        "name": wire_name(message.tool_name),
        "response": {"error" if message.is_error else "output": text},
    }
    if compat.call_id_in_parts:
        response["id"] = wire_id(message.tool_call_id, compat.call_ids)
    encoded = dump_json(response)
    pictures = tuple(_image(image) for image in images)
    if compat.result_images and pictures:
        encoded = b'%b,"parts":[%b]}' % (encoded[:-1], b",".join(pictures))
        pictures = ()
    return _Piece("user", (b'{"functionResponse":%b}' % encoded,), pictures, len(text))


def _model_parts(message: AssistantMessage, own: bool, compat: Compat) -> list[JsonObject]:
    """The parts as they go back, each with its own signature: to the model that gave it, and to no other."""
    parts: list[JsonObject] = []
    for block in message.content:
        match block:
            case TextContent():
                part: JsonObject = {"text": block.text}
                signature = block.signature if own else None
                if is_blank(block.text) and not signature:
                    continue
            case ToolCall():
                part = {"functionCall": _call(block, compat)}
                signature = block.signature if own else None
                first = not any("functionCall" in each for each in parts)
                if signature is None and first and compat.signed_calls:
                    signature = UNSIGNED
            case ServerToolContent() if own:
                part, signature = block.data, None
            case _:
                continue
        parts.append({**part, "thoughtSignature": signature} if signature else part)
    return parts


def _call(call: ToolCall, compat: Compat) -> JsonObject:
    body: JsonObject = {"name": wire_name(call.name), "args": wire_arguments(call)}
    return {**body, "id": wire_id(call.id, compat.call_ids)} if compat.call_id_in_parts else body
