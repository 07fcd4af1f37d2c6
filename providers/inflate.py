"""Unpacking a compressed body in pieces of bounded size, whatever it claims to hold."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from ..agent.provider import ProviderError

PIECE = 65_536
"""Bytes of one unpacked piece, at most."""


class Inflater:
    """Takes apart ``gzip`` and ``deflate`` bodies. Raises `ProviderError` for other encodings and broken data."""

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise ProviderError("protocol", f"The server sent the encoding {name!r}, which nobody asked for.")
        # 32 + 15: the largest window, and gzip or zlib by what the header says.
        self._inflate = None if name in ("", "identity") else zlib.decompressobj(47)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The unpacked pieces of `chunk`."""
        if self._inflate is None:
            yield chunk
            return
        while chunk:
            try:
                piece = self._inflate.decompress(chunk, PIECE)
            except zlib.error as error:
                raise ProviderError("protocol", f"The compressed answer is broken: {error}.") from None
            if piece:
                yield piece
            chunk = self._inflate.unconsumed_tail
