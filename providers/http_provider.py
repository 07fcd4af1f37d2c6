"""A model API over HTTP: a wire protocol, a transport and a key make a provider."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from ..agent.messages import Usage
from ..agent.model import ModelRequest
from ..agent.provider import ProviderError, StreamDone, StreamEvent, StreamUsage
from .compat import compat_for
from .transport import Transport
from .usage import estimate
from .wire import ReplyParser, Wire

MAX_SILENT = 100_000
"""Payloads in a row that may say nothing."""


class HttpProvider:
    """Streams replies of one provider; `overrides` are switches of `Compat` that win over the table."""

    def __init__(self, name: str, wire: Wire, transport: Transport, overrides: Mapping[str, Any] | None = None) -> None:
        self._name = name
        self._wire = wire
        self._overrides = overrides
        self.transport = transport

    @property
    def name(self) -> str:
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        compat = compat_for(request.model, self.transport.base_url, self._overrides)
        body = self._wire.body(request, compat)
        parser = self._wire.parser(request)
        headers = self._wire.headers(request, compat)
        path = self._wire.path(request)
        silent = 0
        async with aclosing(self.transport.post(path, body, headers, lambda: parser.is_whole)) as payloads:
            async for payload in payloads:
                events = parser.feed(payload)
                for event in events:
                    yield event
                silent = 0 if events else silent + 1
                if silent > MAX_SILENT:
                    raise ProviderError("protocol", f"The server sent {MAX_SILENT:,} events that say nothing.")
                if parser.is_ended or parser.error is not None:
                    break
        usage = _usage(parser, request, len(body))
        if parser.error is not None and parser.tokens.is_known:
            yield StreamUsage(usage)
        for event in parser.finish():
            yield event
        reason, detail, message = parser.stop()
        yield StreamDone(reason, usage, detail, message)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.transport.aclose()


def _usage(parser: ReplyParser, request: ModelRequest, prompt_chars: int) -> Usage:
    if parser.tokens.is_known:
        return parser.tokens.usage(request.model)
    return estimate(request.model, prompt_chars, parser.reply.output_chars)
