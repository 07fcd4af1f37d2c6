"""What this session has seen of each file: the guard against changing what nobody read."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence

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


class FileState:
    """Remembers contents by real path, and by identity for files with several names.

    Shared by `read`, `edit` and `write` of one session. `keys` are those of one file, see `keys_of`.
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[str, Seen] = OrderedDict()
        self._kept = 0

    def remember(self, keys: Sequence[str], content: bytes) -> None:
        """This is what the model has seen, or what we wrote for it."""
        self.remember_digest(keys, digest_of(content), content if len(content) <= MAX_KEPT else None)

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

    def seen(self, keys: Sequence[str]) -> Seen | None:
        """What was last seen of the file, None for never."""
        return next((self._seen[key] for key in reversed(keys) if key in self._seen), None)

    def is_current(self, keys: Sequence[str], content: bytes) -> bool:
        """Whether this is the content that was last seen."""
        seen = self.seen(keys)
        return seen is not None and seen.digest == digest_of(content)

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
