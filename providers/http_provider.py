"""A model API over HTTP: a wire protocol, a transport and a key make a provider."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from typing import Any

from ..agent.model import Model, ModelRequest
from ..agent.provider import ProviderError, StreamDone, StreamEvent, StreamUsage
from .catalogue import near_models
from .compat import Compat, compat_for
from .config import ProviderConfig
from .counting import Counting
from .keys import Key, missing_key, reveal_key
from .limits import Limits
from .transport import Transport
from .wire import Wire
from .wires import make_wire

MAX_SILENT = 100_000
"""Payloads in a row that may say nothing."""


class HttpProvider:
    """Streams replies of the provider that `config` describes, in the protocol that each model names."""

    def __init__(
        self,
        config: ProviderConfig,
        key: Key | None = None,
        limits: Limits | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.config = config
        self.transport = Transport(config.base_url, config.headers, limits, allow_http=config.allow_http)
        self._key = key
        self._environment = os.environ if environment is None else environment
        self._wires: dict[str, Wire] = {}
        self._learned: dict[str, dict[str, Any]] = {}

    @property
    def name(self) -> str:
        return self.config.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        begun, taught = False, set[str]()
        while True:
            compat = self._compat(request.model)
            try:
                async with aclosing(self._attempt(request, compat)) as events:
                    async for event in events:
                        begun = True
                        yield event
                return
            except ProviderError as error:
                from .lessons import lesson  # with the patterns of many refusals

                changes = lesson(error, compat, request.model.api)
                # Each switch once for a request: a server that refuses both ways must not be asked for ever.
                if begun or not changes.keys() - taught:
                    raise self._with_advice(error, request.model) from error
                taught |= changes.keys()
                self._learned[request.model.id] = {**self._learned.get(request.model.id, {}), **changes}

    async def _attempt(self, request: ModelRequest, compat: Compat) -> AsyncGenerator[StreamEvent, None]:
        wire = self._wire(request.model.api)
        headers = {**wire.headers(request, compat), **await self.auth_headers()}
        body = wire.body(request, compat)
        path = wire.path(request, self.config.base_url)
        parser = wire.parser(request)
        counting = Counting(request, len(body), parser)
        silent = 0
        async with aclosing(self.transport.post(path, body, headers, lambda: parser.can_leave)) as payloads:
            async for payload in payloads:
                events = parser.feed(payload)
                for event in events:
                    yield event
                if (usage := counting.news()) is not None:
                    # Said early, so that it is known of a reply that is broken off.
                    yield StreamUsage(usage)
                _check_size(parser.reply.output_chars, self.transport.limits.output)
                silent = 0 if events else silent + 1
                if silent > MAX_SILENT:
                    raise ProviderError("protocol", f"The server sent {MAX_SILENT:,} events that say nothing.")
                if parser.is_ended or parser.error is not None:
                    break
        usage = counting.total()
        if parser.error is not None and parser.tokens.is_known:
            yield StreamUsage(usage)
        for event in parser.finish():
            yield event
        reason, detail, message = parser.stop()
        yield StreamDone(reason, usage, detail, message)

    def _with_advice(self, error: ProviderError, model: Model) -> ProviderError:
        """The error with what the person may not know: which of several keys was refused, which models there are."""
        if error.kind == "auth" and error.status == 401 and self._key is not None:
            advice = f"The key is from {self._key.source}; /login checks and stores another one."
        elif error.kind == "not_found" and (near := near_models(model)):
            advice = f"Models with a name like it: {', '.join(near)}. /model lists what there is."
        else:
            return error
        return ProviderError(
            error.kind,
            f"{error} {advice}",
            status=error.status,
            retry_after=error.retry_after,
            retryable=error.retryable,
        )

    def _wire(self, api: str) -> Wire:
        if api not in self._wires:
            self._wires[api] = make_wire(api)
        return self._wires[api]

    def _compat(self, model: Model) -> Compat:
        changes = {**self.config.compat, **self._learned.get(model.id, {})}
        return compat_for(model, self.config.base_url, changes)

    async def auth_headers(self) -> dict[str, str]:
        """The headers that carry the key, and those that the environment adds. Raises `ProviderError`."""
        variables = self.config.header_env.items()
        headers = {name: value for name, variable in variables if (value := self._environment.get(variable))}
        if self._key is None:
            if self.config.key_required:
                raise missing_key(self.config)
            return headers
        text = await self._revealed(self._key)
        if self._key.bearer or self.config.auth == "bearer":
            return {**headers, "authorization": f"Bearer {text}"}
        return {**headers, self.config.auth: text}

    async def warm(self, model: Model) -> None:
        """Do now, in threads, what the first request to `model` would have to wait for. Raises nothing."""
        from anyio import to_thread

        with suppress(ProviderError):
            wire = await to_thread.run_sync(make_wire, model.api)
            self._wires.setdefault(model.api, wire)
        await self.transport.warm()

    async def aclose(self) -> None:
        """Close the connections."""
        await self.transport.aclose()

    async def _revealed(self, key: Key) -> str:
        if not key.is_command:
            return reveal_key(key, self._environment)
        from anyio import to_thread

        return await to_thread.run_sync(reveal_key, key, self._environment)


def _check_size(chars: int, limit: int) -> None:
    """Whatever shows and keeps a reply needs many times its size in memory."""
    if chars > limit:
        raise ProviderError("protocol", f"The server sent more than {limit:,} characters in one reply.")
