"""The contract between the HTTP provider and a wire protocol: how a request is written, how a reply is read."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from ..agent.json_values import MAX_DEPTH, is_deep
from ..agent.messages import JsonObject, ModelMessage, StopReason
from ..agent.model import ModelRequest
from ..agent.provider import ProviderError, StreamEvent
from .compat import Compat
from .reply import Reply
from .usage import Tokens


class ReplyParser(ABC):
    """Reads one reply, payload by payload.

    `is_whole`: nothing that matters can follow. `is_ended`: the server said that this was all. `error`: what the
    server reported inside the stream; the events taken so far still count.
    """

    def __init__(self, messages: Iterable[ModelMessage] = ()) -> None:
        self.reply = Reply(messages)
        self.tokens = Tokens()
        self.is_whole = False
        self.is_ended = False
        self.error: ProviderError | None = None
        self.seen = 0

    def feed(self, payload: str) -> list[StreamEvent]:
        """The events that a payload makes. Raises `ProviderError` for what is no JSON object of the protocol."""
        self.seen += 1
        if payload.strip() == "[DONE]":
            self.is_whole = self.is_ended = True
        else:
            self.read(_load(payload))
        return self.reply.take()

    @abstractmethod
    def read(self, document: Any) -> None:
        """Take in one decoded payload."""

    @abstractmethod
    def stop(self) -> tuple[StopReason, str | None, str | None]:
        """Why it stopped: reason, detail, message of an error."""

    def prepare_end(self) -> None:
        """Settle what is still held back, before the blocks are closed."""
        return None

    def finish(self) -> list[StreamEvent]:
        """The last events but `StreamDone`. Raises `ProviderError` if the reply is not whole."""
        if self.error is not None:
            raise self.error
        if not self.seen or (self.is_ended and not self.is_started):
            words = "The server answered with an empty reply. Some local servers do so when the prompt is too long."
            raise ProviderError("protocol", words, retryable=True)
        if not self.is_whole:
            raise ProviderError("network", "The connection ended before the reply was complete.")
        self.prepare_end()
        self.reply.close_all()
        return self.reply.take()

    @property
    def can_leave(self) -> bool:
        """Whether the end of the connection need not be awaited any more."""
        return self.is_whole

    @property
    def is_started(self) -> bool:
        """Whether anything of a reply has come."""
        return self.reply.is_started


class Wire(ABC):
    """One wire protocol for one provider; keeps the bytes of messages that it has already written."""

    api: str

    @abstractmethod
    def path(self, request: ModelRequest, base_url: str) -> str:
        """Where the request goes, below the base URL, beginning with a slash."""

    @abstractmethod
    def body(self, request: ModelRequest, compat: Compat) -> bytes:
        """The JSON body. Messages come last but for settings, and a longer history begins with the same bytes."""

    @abstractmethod
    def parser(self, request: ModelRequest) -> ReplyParser:
        """A new parser for the reply."""

    def headers(self, request: ModelRequest, compat: Compat) -> Mapping[str, str]:
        """Headers that depend on the request."""
        return {}


def _load(payload: str) -> Any:
    try:
        document = json.loads(payload, strict=False)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        words = f"The server sent something that is not JSON ({error}): {payload[:300]}"
        # A chunk that was damaged on the way is not the rule: another try may do.
        raise ProviderError("protocol", words, retryable=True) from None
    if payload.count("{") + payload.count("[") > MAX_DEPTH and is_deep(document):
        raise _too_deep()
    return document


def _too_deep() -> ProviderError:
    return ProviderError("protocol", "The server sent JSON that is nested too deeply.")


def require_object(document: object) -> JsonObject:
    """`document` if it is an object. Raises `ProviderError`."""
    if isinstance(document, dict):
        return document  # pyright: ignore[reportUnknownVariableType]
    raise ProviderError("protocol", f"The server sent a JSON {type(document).__name__} instead of an object.")
