"""OpenAI Chat Completions and every compatible server, the request: https://platform.openai.com/docs/api-reference/chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..agent.frozen import frozen
from ..agent.json_values import dump_json
from ..agent.messages import (
    AssistantMessage,
    ImageContent,
    JsonObject,
    ModelMessage,
    TextContent,
    ThinkingContent,
    ToolResultMessage,
    UserMessage,
)
from ..agent.model import Model, ModelRequest, ToolSpec
from .chat_reply import ChatParser
from .compat import Compat
from .encoded import MessageCache, is_blank, is_own, result_text, split_content, wire_arguments, wire_id, wire_name
from .output_limit import output_limit
from .pairing import paired
from .reasoning_details import parse_details
from .thinking import fitting_word, wire_word
from .wire import ReplyParser, Wire


@frozen
class _Piece:
    """One message, or nothing; `images` are a result's pictures, which follow the whole batch in a user message."""

    message: bytes
    role: str
    images: tuple[bytes, ...] = ()
    chars: int = 0


class ChatWire(Wire):
    """Writes Chat Completions requests."""

    api = "openai-completions"

    def __init__(self) -> None:
        self._cache: MessageCache[_Piece] = MessageCache()

    def path(self, request: ModelRequest, base_url: str) -> str:
        return "/chat/completions"

    def parser(self, request: ModelRequest) -> ReplyParser:
        return ChatParser(request.messages)

    def body(self, request: ModelRequest, compat: Compat) -> bytes:
        model = request.model
        key = self._cache.number((model.provider, model.id, model.vision, compat))
        encode = partial(_encode, model=model, compat=compat)
        pieces = [self._cache.get(message, key, encode) for message in paired(request.messages)]
        messages = _ordered([piece for piece in pieces if piece.message], compat)
        if not is_blank(request.system_prompt):
            messages.insert(0, _system(request.system_prompt, compat))
        if compat.cache_markers:
            _mark(messages)
        chars = len(request.system_prompt) + sum(piece.chars for piece in pieces)
        head = [b'{"model":', dump_json(model.id)]
        if request.tools:
            tools = [_tool(tool, compat) for tool in request.tools]
            head += [b',"tools":', dump_json(tools)]
        settings = dump_json(_settings(request, compat, chars))
        return b"".join([*head, b',"messages":[', b",".join(messages), b"],", settings[1:]])


def _settings(request: ModelRequest, compat: Compat, chars: int) -> dict[str, Any]:
    settings: dict[str, Any] = {"stream": True}
    if compat.stream_usage:
        settings["stream_options"] = {"include_usage": True}
    if request.max_output:
        settings[compat.max_tokens_field] = output_limit(request, chars)
    if compat.prompt_cache_key and request.session_id:
        settings["prompt_cache_key"] = request.session_id[:64]
    return {**settings, **_reasoning(request, compat), **compat.extra}


def _reasoning(request: ModelRequest, compat: Compat) -> Mapping[str, Any]:
    if not request.model.thinking_levels or compat.thinking == "none":
        return {}
    word = fitting_word(wire_word(request.model, request.thinking_level), compat.efforts)
    match compat.thinking:
        case "effort":
            word = word or fitting_word(compat.off_word, compat.efforts)
            return {"reasoning_effort": word} if word else {}
        case "openrouter":
            return {"reasoning": {"effort": word} if word else {"enabled": False}}
        case "switch":
            return {"thinking": {"type": "enabled" if word else "disabled"}}
        case "switch_effort":
            effort = {"reasoning_effort": word} if word else {}
            return {"thinking": {"type": "enabled" if word else "disabled"}, **effort}
        case "enable_thinking":
            return {"enable_thinking": bool(word)}


def _tool(tool: ToolSpec, compat: Compat) -> JsonObject:
    function: JsonObject = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    if compat.strict_field:
        function["strict"] = False
    return {"type": "function", "function": function}


def _system(text: str, compat: Compat) -> bytes:
    return dump_json({"role": compat.system_role, "content": _content([text], [], compat)})


def _ordered(pieces: Sequence[_Piece], compat: Compat) -> list[bytes]:
    """The messages, with the pictures of a batch of results right after the batch."""
    messages: list[bytes] = []
    images: list[bytes] = []
    previous = ""
    for piece in pieces:
        if previous == "tool" and piece.role != "tool":
            messages += _after_batch(images, compat, piece.role)
            images = []
        messages.append(piece.message)
        images += piece.images
        previous = piece.role
    return messages + (_after_batch(images, compat, "") if previous == "tool" else [])


def _after_batch(images: list[bytes], compat: Compat, next_role: str) -> list[bytes]:
    bridge = [dump_json({"role": "assistant", "content": "OK"})] if compat.bridge_after_results else []
    if not images:
        return bridge if next_role == "user" else []
    intro = dump_json({"type": "text", "text": "The pictures of the results above:"})
    return [*bridge, b'{"role":"user","content":[%b]}' % b",".join([intro, *images])]


def _mark(messages: list[bytes]) -> None:
    """Put cache marks on the system prompt and on the newest message (both hold lists of parts, see `_content`)."""
    marker = b',"cache_control":{"type":"ephemeral"}'
    for number in {0, len(messages) - 1}:
        if messages and messages[number].endswith(b"}]}"):
            messages[number] = messages[number][:-3] + marker + b"}]}"


def _encode(message: ModelMessage, model: Model, compat: Compat) -> _Piece:
    if isinstance(message, ToolResultMessage):
        return _result(message, model, compat)
    if isinstance(message, UserMessage):
        texts, images = split_content(message.content, model.vision)
        texts = [text for text in texts if not is_blank(text)]
        if not texts and not images:
            return _Piece(b"", "user")
        encoded = dump_json({"role": "user", "content": _content(texts, images, compat)})
        return _Piece(encoded, "user", chars=sum(map(len, texts)))
    return _assistant(message, model, compat)


def _content(texts: list[str], images: list[ImageContent], compat: Compat) -> str | list[JsonObject]:
    """A plain string where that is enough, because many servers know nothing else."""
    if not images and not compat.cache_markers:
        return "\n".join(texts)
    parts: list[JsonObject] = [{"type": "text", "text": text} for text in texts]
    return parts + [_image(image) for image in images]


def _image(image: ImageContent) -> JsonObject:
    return {"type": "image_url", "image_url": {"url": f"data:{image.mime_type};base64,{image.data}"}}


def _result(message: ToolResultMessage, model: Model, compat: Compat) -> _Piece:
    texts, images = split_content(message.content, model.vision)
    text = result_text(texts, message.is_error, bool(images))
    call_id = wire_id(message.tool_call_id, compat.call_ids)
    encoded = dump_json({"role": "tool", "tool_call_id": call_id, "content": _content([text], [], compat)})
    return _Piece(encoded, "tool", tuple(dump_json(_image(image)) for image in images), len(text))


def _assistant(message: AssistantMessage, model: Model, compat: Compat) -> _Piece:
    texts = [block.text for block in message.content if isinstance(block, TextContent) and block.text]
    text = "".join(texts)
    calls = [
        {
            "id": wire_id(call.id, compat.call_ids),
            "type": "function",
            "function": {"name": wire_name(call.name), "arguments": dump_json(wire_arguments(call)).decode()},
        }
        for call in message.tool_calls
    ]
    if is_blank(text) and not calls:
        return _Piece(b"", "assistant")
    body: JsonObject = {"role": "assistant", "content": text}
    if is_blank(text):
        body["content"] = "" if compat.empty_content == "text" else None
    body.update(_reasoning_back(message, is_own(message, model), compat))
    if calls:
        body["tool_calls"] = calls
    encoded = dump_json(body)
    return _Piece(encoded, "assistant", chars=len(encoded))


def _reasoning_back(message: AssistantMessage, own: bool, compat: Compat) -> JsonObject:
    """What a server wants back of the reasoning that it gave. `reasoning_content` must be there even when empty."""
    blocks = [block for block in message.content if isinstance(block, ThinkingContent)] if own else []
    if compat.reasoning_field == "reasoning_content":
        return {"reasoning_content": "".join(block.thinking for block in blocks)}
    if compat.reasoning_field == "reasoning_details":
        details = [detail for block in blocks for detail in parse_details(block.signature)]
        return {"reasoning_details": details} if details else {}
    if compat.reasoning_field == "reasoning" and blocks:
        return {"reasoning": "".join(block.thinking for block in blocks)}
    return {}
