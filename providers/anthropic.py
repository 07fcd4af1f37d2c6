"""Anthropic Messages, the request: https://docs.anthropic.com/en/api/messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from ..agent.frozen import frozen
from ..agent.json_values import dump_json
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
from .anthropic_reply import AnthropicParser
from .compat import Compat
from .encoded import NO_OUTPUT, MessageCache, is_blank, is_own, split_content, wire_arguments, wire_id, wire_name
from .output_limit import IMAGE_CHARS, output_limit
from .pairing import paired
from .thinking import fitting_word, wire_word
from .wire import ReplyParser, Wire

VERSION = "2023-06-01"
"""The API version that every compatible server knows."""

BINDING = "thinking-binding-controls-2026-08-01"
"""The beta feature by which the server leaves out thinking that it can't check."""

DEFAULT_OUTPUT = 8_192
MOST_OUTPUT = 64_000
ANSWER = 1_024
"""Tokens that a thinking budget must leave for the answer."""


@frozen
class _Piece:
    """One message: its blocks, and those that must follow all results of its turn. `chars` without picture data."""

    role: Literal["user", "assistant"]
    blocks: tuple[bytes, ...]
    late: tuple[bytes, ...] = ()
    chars: int = 0


class AnthropicWire(Wire):
    """Writes Messages requests."""

    api = "anthropic-messages"

    def __init__(self) -> None:
        self._cache: MessageCache[_Piece] = MessageCache()

    def path(self, request: ModelRequest, base_url: str) -> str:
        # The version belongs to the path here, but people give it with the address.
        return "/messages" if base_url.rstrip("/").endswith("/v1") else "/v1/messages"

    def parser(self, request: ModelRequest) -> ReplyParser:
        return AnthropicParser(request.messages)

    def headers(self, request: ModelRequest, compat: Compat) -> Mapping[str, str]:
        headers = {"anthropic-version": VERSION}
        betas = (*compat.betas, BINDING) if compat.drop_unbound and _effort(request, compat) else compat.betas
        return {**headers, "anthropic-beta": ",".join(betas)} if betas else headers

    def body(self, request: ModelRequest, compat: Compat) -> bytes:
        messages = paired(request.messages)
        if compat.drop_unbound and not _effort(request, compat):
            # Only with adaptive thinking can the server be told to leave out what it can't check.
            compat = replace(compat, thinking_back=False)
        pieces = self._pieces(messages, request.model, compat)
        marker = _marker(compat)
        head = [b'{"model":', dump_json(request.model.id)]
        if not is_blank(request.system_prompt):
            head += [b',"system":[', _marked(_text_block(request.system_prompt), marker), b"]"]
        if request.tools:
            head += [b',"tools":[', _tools(request.tools, compat, marker), b"]"]
        chars = len(request.system_prompt) + sum(piece.chars for piece in pieces)
        settings = _settings(request, compat, messages, chars)
        return b"".join([*head, b',"messages":[', _turns(pieces, marker), b"],", dump_json(settings)[1:]])

    def _pieces(self, messages: Sequence[ModelMessage], model: Model, compat: Compat) -> list[_Piece]:
        key = self._cache.number((model.provider, model.id, model.vision, compat))
        encode = partial(_encode, model=model, compat=compat)
        pieces = [self._cache.get(message, key, encode) for message in messages]
        return [piece for piece in pieces if piece.blocks or piece.late]


def _settings(request: ModelRequest, compat: Compat, messages: Sequence[ModelMessage], chars: int) -> dict[str, Any]:
    limit = output_limit(request, chars) or DEFAULT_OUTPUT
    limit = limit if request.max_output else min(limit, MOST_OUTPUT)
    settings: dict[str, Any] = {"max_tokens": limit, "stream": True}
    if request.model.thinking_levels and compat.thinking != "none":
        settings.update(_thinking_wish(request, compat, messages, limit))
    return {**settings, **compat.extra}


def _thinking_wish(
    request: ModelRequest, compat: Compat, messages: Sequence[ModelMessage], limit: int
) -> Mapping[str, Any]:
    if effort := _effort(request, compat):
        adaptive: JsonObject = {"type": "adaptive", "display": "summarized"}
        if compat.drop_unbound:
            adaptive["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
        return {"thinking": adaptive, "output_config": {"effort": effort}}
    word = wire_word(request.model, request.thinking_level)
    if not word:
        return {"thinking": {"type": compat.off_word}} if compat.off_word else {}
    budget = min(int(word), limit - ANSWER)
    if budget < ANSWER or _resumes_without_thinking(messages, request.model, compat):
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def _effort(request: ModelRequest, compat: Compat) -> str:
    """The effort of a model that decides itself how much to think; empty for off, and for one that takes a budget."""
    word = wire_word(request.model, request.thinking_level)
    return "" if not word or word.isdecimal() else fitting_word(word, compat.efforts)


def _resumes_without_thinking(messages: Sequence[ModelMessage], model: Model, compat: Compat) -> bool:
    """Whether a tool loop is open whose reply has no thinking of this model: a budget must wait then until it ends."""
    if not messages or not isinstance(messages[-1], ToolResultMessage):
        return False
    last = next((message for message in reversed(messages) if isinstance(message, AssistantMessage)), None)
    if last is None:
        return False
    signed = any(isinstance(block, ThinkingContent) and block.signature for block in last.content)
    return not (signed and compat.thinking_back and is_own(last, model))


def _tools(tools: Sequence[ToolSpec], compat: Compat, marker: bytes) -> bytes:
    encoded = [
        dump_json({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
        for tool in tools
    ]
    return b",".join([*encoded[:-1], _marked(encoded[-1], marker)])


def _turns(pieces: Sequence[_Piece], marker: bytes) -> bytes:
    """Neighbours of one role become one turn; the newest user turn carries the cache mark."""
    turns: list[tuple[str, list[bytes]]] = []
    late: list[bytes] = []
    for piece in pieces:
        if not turns or turns[-1][0] != piece.role:
            if turns:
                turns[-1][1].extend(late)
            late = []
            turns.append((piece.role, []))
        turns[-1][1].extend(piece.blocks)
        late += piece.late
    if turns:
        turns[-1][1].extend(late)
    newest = next((blocks for role, blocks in reversed(turns) if role == "user"), None)
    if newest:
        newest[-1] = _marked(newest[-1], marker)
    return b",".join(b'{"role":"%b","content":[%b]}' % (role.encode(), b",".join(blocks)) for role, blocks in turns)


def _marker(compat: Compat) -> bytes:
    if not compat.cache_markers:
        return b""
    lifetime = b',"ttl":"%b"' % compat.cache_ttl.encode() if compat.cache_ttl else b""
    return b',"cache_control":{"type":"ephemeral"%b}' % lifetime


def _marked(block: bytes, marker: bytes) -> bytes:
    return block[:-1] + marker + b"}"


def _encode(message: ModelMessage, model: Model, compat: Compat) -> _Piece:
    if isinstance(message, ToolResultMessage):
        return _result(message, model, compat)
    if isinstance(message, UserMessage):
        blocks = tuple(_user_blocks(message.content, model.vision))
        return _Piece("user", blocks, chars=_chars(blocks, message.content))
    own = is_own(message, model)
    encoded = (_assistant_block(block, own, compat) for block in message.content)
    blocks = tuple(block for block in encoded if block)
    return _Piece("assistant", blocks, chars=_chars(blocks, ()))


def _result(message: ToolResultMessage, model: Model, compat: Compat) -> _Piece:
    blocks = list(_user_blocks(message.content, model.vision))
    late: list[bytes] = []
    if message.is_error or not compat.result_images:
        # A result marked as an error may hold text only.
        late = [block for block in blocks if block.startswith(b'{"type":"image"')]
        blocks = [block for block in blocks if block not in late]
    content = b",".join(blocks or [_text_block(NO_OUTPUT)])
    call_id = dump_json(wire_id(message.tool_call_id, compat.call_ids))
    flag = b',"is_error":true' if message.is_error else b""
    result = b'{"type":"tool_result","tool_use_id":%b,"content":[%b]%b}' % (call_id, content, flag)
    return _Piece("user", (result,), tuple(late), _chars((result,), message.content))


def _user_blocks(content: Sequence[TextContent | ImageContent], vision: bool) -> Iterator[bytes]:
    texts, images = split_content(tuple(content), vision)
    for text in texts:
        if not is_blank(text):
            yield _text_block(text)
    for image in images:
        source = {"type": "base64", "media_type": image.mime_type, "data": image.data}
        yield dump_json({"type": "image", "source": source})


def _assistant_block(block: AssistantContent, own: bool, compat: Compat) -> bytes:
    """The block as it goes back; nothing for what this model may not see again."""
    match block:
        case TextContent():
            return b"" if is_blank(block.text) else _text_block(block.text)
        case ThinkingContent():
            return _thinking(block) if own and block.signature and compat.thinking_back else b""
        case ServerToolContent():
            return dump_json(block.data) if own else b""
        case ToolCall():
            call_id = wire_id(block.id, compat.call_ids)
            return dump_json(
                {"type": "tool_use", "id": call_id, "name": wire_name(block.name), "input": wire_arguments(block)}
            )


def _thinking(block: ThinkingContent) -> bytes:
    if block.redacted:
        return dump_json({"type": "redacted_thinking", "data": block.signature})
    return dump_json({"type": "thinking", "thinking": block.thinking, "signature": block.signature})


def _text_block(text: str) -> bytes:
    return dump_json({"type": "text", "text": text})


def _chars(blocks: Sequence[bytes], content: Sequence[TextContent | ImageContent]) -> int:
    images = [block for block in content if isinstance(block, ImageContent)]
    return sum(map(len, blocks)) - sum(len(image.data) for image in images) + IMAGE_CHARS * len(images)
