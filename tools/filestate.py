"""What this session has seen of each file: the guard against changing what nobody read."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

from ..agent.frozen import frozen
from .operations import FileStat

MAX_KEPT = 256 * 1024
"""Bytes of a file up to which its content is kept, to say later what changed."""

MAX_KEPT_TOTAL = 32 * 1024 * 1024
MAX_REMEMBERED = 10_000
"""Files of which the hash is kept."""


def new_digest() -> hashlib.blake2b:
    """The hash that tells contents apart."""
    return hashlib.blake2b(digest_size=20)


def digest_of(data: bytes) -> str:
    """The hash of a whole content."""
    digest = new_digest()
    digest.update(data)
    return digest.hexdigest()


@frozen
class Seen:
    """A file as it was last read or written; `content` is None if it was not kept."""

    digest: str
    content: bytes | None


class Earlier(Protocol):
    """What the conversation tells of files that were seen in it."""

    async def digest(self, path: str) -> str | None:
        """The hash of what was last seen of the file with this real path, None for never."""
        ...

    async def content(self, path: str) -> bytes | None:
        """What was last seen of it, as far as that can be told for sure."""
        ...

    def start_over(self) -> None:
        """The conversation is another one now."""
        ...


class FileState:
    """Remembers contents by real path, and by identity for files with several names.

    Shared by `read`, `edit` and `write` of one session. `keys` are those of one file, see `keys_of`. What was seen
    before this program began is asked of `earlier`.
    """

    def __init__(self, earlier: Earlier | None = None) -> None:
        self._earlier = earlier
        self._seen: OrderedDict[str, Seen] = OrderedDict()
        self._kept = 0

    def start_over(self) -> None:
        """The conversation stands at another place of its tree: what counts is what is told there."""
        self._seen.clear()
        self._kept = 0
        if self._earlier is not None:
            self._earlier.start_over()

    def remember(self, keys: Sequence[str], content: bytes) -> str:
        """This is what the model has seen, or what we wrote for it; its hash."""
        digest = digest_of(content)
        self.remember_digest(keys, digest, content if len(content) <= MAX_KEPT else None)
        return digest

    def remember_digest(self, keys: Sequence[str], digest: str, content: bytes | None = None) -> None:
        """The same for a content that is known by its hash."""
        seen = Seen(digest, content)
        for key in keys:
            self._forget(key)
            self._seen[key] = seen
            self._kept += len(content or b"")
        while len(self._seen) > MAX_REMEMBERED:
            self._forget(next(iter(self._seen)))
        self._release_contents()

    async def digest(self, keys: Sequence[str]) -> str | None:
        """The hash of what was last seen of the file, None for never."""
        seen = self._last(keys)
        if seen is not None:
            return seen.digest
        return None if self._earlier is None else await self._earlier.digest(keys[0])

    async def content(self, keys: Sequence[str]) -> bytes | None:
        """What was last seen of the file, as far as it is still known."""
        seen = self._last(keys)
        if seen is not None and seen.content is not None:
            return seen.content
        content = None if self._earlier is None else await self._earlier.content(keys[0])
        return content if content is not None and len(content) <= MAX_KEPT else None

    def _last(self, keys: Sequence[str]) -> Seen | None:
        return next((self._seen[key] for key in reversed(keys) if key in self._seen), None)

    def _forget(self, key: str) -> None:
        seen = self._seen.pop(key, None)
        if seen is not None:
            self._kept -= len(seen.content or b"")

    def _release_contents(self) -> None:
        for key in list(self._seen):
            if self._kept <= MAX_KEPT_TOTAL:
                return
            seen = self._seen[key]
            self._kept -= len(seen.content or b"")
            self._seen[key] = Seen(seen.digest, None)


def keys_of(real_path: str, stat: FileStat) -> list[str]:
    """What a file is remembered under: its path, and what all its hard links share."""
    return [real_path, f"file {stat.identity}"] if stat.links > 1 else [real_path]
