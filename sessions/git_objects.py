"""Writes git's objects without git: a program need not be started for a few hundred bytes."""

from __future__ import annotations

import hashlib
import os
import zlib
from dataclasses import field
from pathlib import Path

from ..agent.frozen import frozen
from ..agent.mutable import mutable
from .folders import make_private_folder


@frozen
class Blob:
    """A file's content by its git id, and its mode (``100644``, ``100755``, ``120000`` for a link)."""

    mode: str
    id: str


class ObjectStore:
    """The loose objects of one repository; a content that is there already costs one look. Blocks, raises `OSError`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: set[str] = set()

    def write(self, kind: str, content: bytes) -> str:
        """Keep an object; its id (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects)."""
        data = f"{kind} {len(content)}\0".encode() + content
        id_ = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        if id_ not in self._known:
            self._known.add(id_)
            path = self._folder / id_[:2] / id_[2:]
            if not path.exists():
                self._put(path, zlib.compress(data, 1))
        return id_

    def trust(self, id_: str) -> None:
        """Take for granted that an object is there: git has just said so."""
        self._known.add(id_)

    def _put(self, path: Path, data: bytes) -> None:
        make_private_folder(path.parent)
        temporary = path.with_name(f"tmp_obj_{os.getpid()}_{path.name[:8]}")
        try:
            temporary.write_bytes(data)
            temporary.chmod(0o444)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


@mutable
class Folder:
    """A folder of a state. `id` is that of its git tree, None where something below it has changed since."""

    items: dict[str, Blob | Folder] = field(default_factory=dict[str, "Blob | Folder"])
    id: str | None = None

    def set(self, path: str, blob: Blob | None) -> None:
        """Put a file at a path below (with ``/``) or, for None, take away what is there. Empty folders go."""
        self.id = None
        name, _, rest = path.partition("/")
        if not rest:
            self._put(name, blob)
            return
        folder = self.items.get(name)
        if not isinstance(folder, Folder):
            if blob is None:
                return
            self.items[name] = folder = Folder()
        folder.set(rest, blob)
        if not folder.items:
            del self.items[name]

    def _put(self, name: str, blob: Blob | None) -> None:
        if blob is not None:
            self.items[name] = blob
        elif isinstance(self.items.get(name), Blob):
            del self.items[name]

    def write(self, store: ObjectStore) -> str:
        """Keep the folder and all below it; its id."""
        if self.id is None:
            self.id = store.write("tree", b"".join(self._line(store, *item) for item in sorted(self._named())))
        return self.id

    def _named(self) -> list[tuple[bytes, str]]:
        """Names in git's order, which takes a folder's name with a slash behind it."""
        return [
            (os.fsencode(name) + (b"/" if isinstance(item, Folder) else b""), name) for name, item in self.items.items()
        ]

    def _line(self, store: ObjectStore, _: bytes, name: str) -> bytes:
        item = self.items[name]
        mode, id_ = ("40000", item.write(store)) if isinstance(item, Folder) else (item.mode, item.id)
        return mode.encode() + b" " + os.fsencode(name) + b"\0" + bytes.fromhex(id_)
