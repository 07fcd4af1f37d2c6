"""Encoding history once: the bytes of a message are kept as long as the message lives."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from ..agent.messages import AssistantMessage, ImageContent, ModelMessage, TextContent, ToolCall
from ..agent.model import Model
from .compat import CallIds

EncodedT = TypeVar("EncodedT")

NO_OUTPUT = "(no output)"
"""What stands for an empty result."""

_NOT_WORD = re.compile(r"[^A-Za-z0-9_-]")


class MessageCache(Generic[EncodedT]):
    """Keeps what was made of each message, by identity and by `key` (whatever else the bytes depend on)."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[ModelMessage], dict[Hashable, EncodedT]]] = {}
        self._numbers: dict[Hashable, int] = {}

    def number(self, key: Hashable) -> int:
        """A number that stands for `key`, so that a long one is hashed once for all messages of a request."""
        return self._numbers.setdefault(key, len(self._numbers))

    def get(self, message: ModelMessage, key: Hashable, make: Callable[[ModelMessage], EncodedT]) -> EncodedT:
        """What `make(message)` gave when it was first needed under `key`."""
        identity = id(message)
        entry = self._entries.get(identity)
        if entry is None:
            reference = weakref.ref(message, lambda _: self._entries.pop(identity, None))
            entry = self._entries[identity] = (reference, {})
        made = entry[1].get(key)
        if made is None:
            made = entry[1][key] = make(message)
        return made

    def __len__(self) -> int:
        return len(self._entries)


def is_own(message: AssistantMessage, model: Model) -> bool:
    """Whether `model` itself wrote the message: only then do opaque signatures go back."""
    return (message.provider, message.model, message.api) == (model.provider, model.id, model.api)


def is_blank(text: str) -> bool:
    """Whether a text block says nothing, which several servers refuse."""
    return not text.strip()


def wire_id(call_id: str, form: CallIds) -> str:
    """`call_id` in a form that the server takes; the same id always gives the same form, so results find their call."""
    if form == "free":
        return call_id
    from hashlib import sha256

    digest = sha256(call_id.encode("utf-8", "replace")).hexdigest()
    if form == "alnum9":
        return call_id if len(call_id) == 9 and call_id.isalnum() and call_id.isascii() else digest[:9]
    size = 40 if form == "word40" else 64
    word = _NOT_WORD.sub("_", call_id)
    return call_id if word == call_id and 0 < len(call_id) <= size else f"{word[: size - 9]}_{digest[:8]}"


def wire_name(name: str) -> str:
    """A tool name that every API takes; models invent others, and one would spoil each later request."""
    return _NOT_WORD.sub("_", name)[:64] or "unknown"


def wire_arguments(call: ToolCall) -> dict[str, object]:
    """The arguments as an object; what did not parse is told to the model in the result, not here."""
    return {} if call.parse_error is not None else call.arguments


def result_text(texts: list[str], is_error: bool, has_images: bool) -> str:
    """The text of a result for an API that has no flag for errors."""
    text = "\n".join(text for text in texts if text)
    text = text or ("(see the image)" if has_images else NO_OUTPUT)
    return f"Error: {text}" if is_error and not text.lower().startswith("error") else text


def split_content(
    content: tuple[TextContent | ImageContent, ...], vision: bool
) -> tuple[list[str], list[ImageContent]]:
    """Texts and pictures; for a model that cannot see, a sentence stands for each picture."""
    texts = [block.text for block in content if isinstance(block, TextContent)]
    images = [block for block in content if isinstance(block, ImageContent)]
    if images and not vision:
        texts += ["[A picture was left out: this model cannot see pictures.]"] * len(images)
        images = []
    return texts, images
