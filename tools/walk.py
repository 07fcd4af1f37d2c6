"""All files below a folder that no ignore file hides, in ripgrep's order (``--sort path``)."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Sequence

import anyio.to_thread

from .ignore import IGNORE_FILES, IgnoreRules, IgnoreScope
from .operations import DirectoryEntry, Operations, read_whole

BATCH = 32
"""Folders that are listed at once."""

MAX_IGNORE_FILE = 4 * 1024 * 1024
"""Bytes of an ignore file that are taken seriously."""

IN_THREAD = 1000
"""Entries above which a folder is sorted and filtered off the event loop."""


class _Folder:
    """A folder that is still to be walked, with its entries once they are known."""

    def __init__(self, path: str, scope: IgnoreScope) -> None:
        self.path = path
        self.scope = scope
        self.entries: list[DirectoryEntry] | None = None


async def walk_files(operations: Operations, root: str) -> AsyncGenerator[str, None]:
    """The paths of all files, relative to `root`, hidden ones included; ``.git`` and links are left out.

    A folder that cannot be read is passed over; if that is `root` itself, its `OSError` is raised.
    """
    pending: list[_Folder | str] = [_Folder("", await _scopes_above(operations, root))]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
            continue
        if item.entries is None:
            await _list_next(operations, root, item, pending)
        pending.extend(reversed(await _contents(operations, root, item)))


async def _list_next(operations: Operations, root: str, folder: _Folder, pending: Sequence[_Folder | str]) -> None:
    """List this folder and, on the same trip, the next ones whose turn will come."""
    wanted = [folder]
    for item in reversed(pending):
        if len(wanted) == BATCH:
            break
        if isinstance(item, _Folder) and item.entries is None:
            wanted.append(item)
    listings = await operations.list([_join(root, item.path) for item in wanted])
    for item, listing in zip(wanted, listings, strict=True):
        if isinstance(listing, OSError):
            if not item.path:
                raise listing
            listing = []
        item.entries = listing


async def _contents(operations: Operations, root: str, folder: _Folder) -> list[_Folder | str]:
    """What is in a folder and not ignored, in order."""
    entries, folder.entries = folder.entries or [], None
    scope = await _scope(operations, root, folder, entries)

    def choose() -> list[_Folder | str]:
        return [
            _Folder(f"{scope.prefix}{entry.name}", scope)
            if entry.kind == "directory"
            else f"{scope.prefix}{entry.name}"
            for entry in sorted(entries, key=_order)
            if _is_wanted(entry, scope)
        ]

    return choose() if len(entries) <= IN_THREAD else await anyio.to_thread.run_sync(choose)


def _order(entry: DirectoryEntry) -> bytes:
    return os.fsencode(entry.name)


def _is_wanted(entry: DirectoryEntry, scope: IgnoreScope) -> bool:
    if entry.kind not in ("file", "directory") or entry.name == ".git":
        return False
    return not scope.ignores(f"{scope.prefix}{entry.name}", is_directory=entry.kind == "directory")


async def _scope(operations: Operations, root: str, folder: _Folder, entries: list[DirectoryEntry]) -> IgnoreScope:
    present = [entry.name for entry in entries if entry.name in IGNORE_FILES and (entry.target or entry.kind) == "file"]
    prefix = f"{folder.path}/" if folder.path else ""
    rules = {name: await _read_rules(operations, _join(root, prefix + name)) for name in present}
    return IgnoreScope(folder.scope, prefix, "", rules)


async def _scopes_above(operations: Operations, root: str) -> IgnoreScope:
    """The ignore files of all folders above the start."""
    scope = IgnoreScope(None)
    parts = [part for part in root.split("/") if part]
    for depth in range(len(parts)):
        folder = "/" + "/".join(parts[:depth])
        rules: dict[str, IgnoreRules] = {}
        for name in IGNORE_FILES:
            try:
                rules[name] = IgnoreRules((await read_whole(operations, _join(folder, name), MAX_IGNORE_FILE))[0])
            except OSError:
                continue
        if rules:
            scope = IgnoreScope(scope, "", "/".join(parts[depth:]) + "/", rules)
    return scope


async def _read_rules(operations: Operations, path: str) -> IgnoreRules:
    try:
        content, _ = await read_whole(operations, path, MAX_IGNORE_FILE)
    except OSError:
        content = b""
    return IgnoreRules(content)


def _join(folder: str, name: str) -> str:
    if not name:
        return folder
    return f"{folder}{name}" if folder.endswith("/") else f"{folder}/{name}"
