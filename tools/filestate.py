"""What this session has seen of each file: the guard against changing what nobody read."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was last read or written; `content` is None if it was not kept."""

    digest: str
    content: bytes | None


class FileState:
    """Remembers contents by real path. Shared by `read`, `edit` and `write` of one session."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, Seen] = OrderedDict()
        self._kept = 0

    def remember(self, real_path: str, content: bytes) -> None:
        """This is what the model has seen, or what we wrote for it."""
        self.remember_digest(real_path, digest_of(content), content if len(content) <= MAX_KEPT else None)

    def remember_digest(self, real_path: str, digest: str, content: bytes | None = None) -> None:
        """The same for a content that is known by its hash."""
        self.forget(real_path)
        self._seen[real_path] = Seen(digest, content)
        self._kept += len(content or b"")
        if len(self._seen) > MAX_REMEMBERED:
            self.forget(next(iter(self._seen)))
        self._release_contents()

    def forget(self, real_path: str) -> None:
        """Nothing is known of the file any more."""
        seen = self._seen.pop(real_path, None)
        if seen is not None:
            self._kept -= len(seen.content or b"")

    def seen(self, real_path: str) -> Seen | None:
        """What was last seen of it, None for never."""
        return self._seen.get(real_path)

    def is_current(self, real_path: str, content: bytes) -> bool:
        """Whether this is the content that was last seen."""
        seen = self._seen.get(real_path)
        return seen is not None and seen.digest == digest_of(content)

    def _release_contents(self) -> None:
        for path in list(self._seen):
            if self._kept <= MAX_KEPT_TOTAL:
                return
            seen = self._seen[path]
            self._kept -= len(seen.content or b"")
            self._seen[path] = Seen(seen.digest, None)
