"""HTTP to a model API: the one place that knows httpx.

A body is posted, the status checked first, and what comes back is handed on as payloads: the data of each server-sent
event, each line of NDJSON, or one whole JSON document. Everything that goes wrong is a `ProviderError`.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from ..agent.provider import ProviderError
from .address import check_headers, check_url, host_of, join_url
from .inflate import Inflater
from .limits import Limits
from .sse import PayloadDecoder, format_of

if TYPE_CHECKING:
    import httpx

SLICE = 0.01
"""Seconds of parsing after which others on the event loop get their turn."""

LINGER = 0.05
"""Seconds for which the end of a body is awaited whose reply is whole: a connection read to its end serves again, and
a new one takes longer than that over a network."""


class Transport:
    """Requests to one base address over one connection pool, opened on first use.

    `headers` go with each request and to no other host: redirects are refused. Loopback never goes through a proxy.
    """

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        *,
        allow_http: bool = False,
    ) -> None:
        self.base_url = base_url
        self.limits = limits or Limits()
        self._headers = dict(headers or {})
        self._allow_http = allow_http
        self._client: httpx.AsyncClient | None = None

    async def post(
        self,
        path: str,
        body: bytes,
        headers: Mapping[str, str] | None = None,
        is_whole: Callable[[], bool] = lambda: False,
    ) -> AsyncGenerator[str, None]:
        """Yield the payloads of the streamed answer to a JSON body. Consume inside `aclosing`.

        Once `is_whole()` says that the reply is complete, its end is awaited for `Limits.grace` only.
        """
        response = await self._send("POST", path, body, headers)
        payloads = self._payloads(response, is_whole)
        try:
            if response.status_code != 200:
                raise await self._refusal(response)
            async for payload in payloads:
                yield payload
        finally:
            if is_whole():
                await _read_out(payloads)
            await _close(response)

    async def get(self, path: str, headers: Mapping[str, str] | None = None) -> object:
        """The JSON document at `path`."""
        response = await self._send("GET", path, None, headers)
        try:
            if response.status_code != 200:
                raise await self._refusal(response)
            text = await self._read(response, self.limits.line)
        finally:
            await _close(response)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise ProviderError("protocol", f"{response.url} did not answer with JSON.") from None

    async def warm(self) -> None:
        """Do now what the first request would have to wait for: imports and certificates. Raises nothing."""
        with suppress(ProviderError):
            await self._opened()

    async def aclose(self) -> None:
        """Close the connections; the next request opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _send(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str] | None
    ) -> httpx.Response:
        check_url(self.base_url, self._allow_http)
        all_headers = {"accept": "text/event-stream, application/json", "accept-encoding": "identity", **self._headers}
        all_headers.update(headers or {})
        if body is not None:
            all_headers["content-type"] = "application/json"
        check_headers(all_headers)
        client = await self._opened()
        from .connection import as_provider_error, transport_errors

        try:
            request = client.build_request(method, join_url(self.base_url, path), content=body, headers=all_headers)
            return await client.send(request, stream=True)
        except transport_errors() as error:
            raise as_provider_error(error, self.base_url, self.limits) from error

    async def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            import anyio.to_thread

            # Importing httpx and reading the certificates takes a tenth of a second: not on the event loop.
            client = await anyio.to_thread.run_sync(_open_client, self.base_url, self.limits)
            self._client = self._client or client
        return self._client

    async def _payloads(self, response: httpx.Response, is_whole: Callable[[], bool]) -> AsyncGenerator[str, None]:
        import anyio

        content_type = response.headers.get("content-type", "")
        chunks = self._chunks(response, is_whole)
        head = b"" if format_of(content_type, b"") else await _first_bytes(chunks)
        form = format_of(content_type, head)
        if form is None and head.strip():
            raise await self._not_a_stream(response, head, chunks)
        decoder = PayloadDecoder(form or "sse", self.limits.line, self.limits.reply, self.limits.empty_lines)
        began = time.monotonic()
        async for chunk in _prepend(head, chunks):
            for payload in decoder.feed(chunk):
                yield payload
                if time.monotonic() - began > SLICE:
                    await anyio.sleep(0)
                    began = time.monotonic()
            self._check_progress(decoder)
        for payload in decoder.flush():
            yield payload

    async def _chunks(self, response: httpx.Response, is_whole: Callable[[], bool]) -> AsyncGenerator[bytes, None]:
        from anyio import move_on_after

        from .connection import as_provider_error, transport_errors

        inflater = Inflater(response.headers.get("content-encoding", ""))
        raw = response.aiter_raw()
        while True:
            chunk: bytes | None = None
            try:
                if is_whole():
                    with move_on_after(self.limits.grace):
                        chunk = await anext(raw, None)
                else:
                    chunk = await anext(raw, None)
            except transport_errors() as error:
                if is_whole():
                    return
                raise as_provider_error(error, self.base_url, self.limits) from error
            if chunk is None:
                return
            for piece in inflater.feed(chunk):
                yield piece

    def _check_progress(self, decoder: PayloadDecoder) -> None:
        if self.limits.idle and time.monotonic() - decoder.last_line > self.limits.idle:
            raise ProviderError("network", f"{self._host} sent no complete line for {self.limits.idle:g} s.")

    async def _refusal(self, response: httpx.Response) -> ProviderError:
        if response.is_redirect:
            target = response.headers.get("location", "")
            words = (
                f"{self._host} redirects to {target[:300]!r}. Set that as the base URL if you trust it with the key."
            )
            return ProviderError("protocol", words, status=response.status_code)
        from .errors import classify  # with the patterns of many refusals

        return classify(response.status_code, response.headers, await self._read(response, self.limits.error_body))

    async def _not_a_stream(self, response: httpx.Response, head: bytes, chunks: AsyncIterator[bytes]) -> ProviderError:
        body = head
        async for chunk in chunks:
            body += chunk
            if len(body) > self.limits.error_body:
                break
        from .errors import plain_text

        kind = response.headers.get("content-type", "no content type")
        words = plain_text(body.decode("utf-8", "replace"))[:500]
        return ProviderError("protocol", f"{self._host} answered with {kind} instead of a stream of events: {words}")

    async def _read(self, response: httpx.Response, limit: int) -> bytes:
        body = b""
        async for chunk in self._chunks(response, lambda: False):
            body += chunk
            if len(body) > limit:
                break
        return body[:limit]

    @property
    def _host(self) -> str:
        return host_of(self.base_url)


def _open_client(url: str, limits: Limits) -> httpx.AsyncClient:
    from .connection import open_client

    return open_client(url, limits)


async def _first_bytes(chunks: AsyncIterator[bytes]) -> bytes:
    """Enough to see how a body is written: 8 bytes after leading blanks, or all of it."""
    head = b""
    async for chunk in chunks:
        head += chunk
        if len(head.lstrip()) >= 8 or len(head) > 1_000:
            break
    return head


async def _prepend(head: bytes, chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    if head:
        yield head
    async for chunk in chunks:
        yield chunk


async def _read_out(payloads: AsyncIterator[str]) -> None:
    from anyio import move_on_after

    with move_on_after(LINGER), suppress(ProviderError):
        async for _ in payloads:
            pass


async def _close(response: httpx.Response) -> None:
    from anyio import move_on_after

    with move_on_after(2, shield=True):
        await response.aclose()
