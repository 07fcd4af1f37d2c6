"""Paths as models and people write them, made absolute."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import unquote, urlsplit

from .operations import Operations

_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"'})


async def resolve_path(operations: Operations, cwd: str, path: str) -> str:
    """The absolute path that `path` means in `cwd`: a leading ``@``, ``~`` and ``file://`` are understood.

    Raises `ValueError` for a path that cannot be one. A name that exists as written is never read as anything else.
    """
    if not path or "\0" in path:
        raise ValueError("The path is empty." if not path else "A path cannot contain a NUL character.")
    *others, likeliest = [os.path.normpath(os.path.join(cwd, each)) for each in await _readings(operations, path)]
    for absolute in others:
        if await exists(operations, absolute):
            return absolute
    return likeliest


async def _readings(operations: Operations, path: str) -> list[str]:
    """What `path` can mean, the literal reading first, the likeliest for a new file last."""
    readings = [path]
    if path.startswith("file://"):
        return [unquote(urlsplit(path).path)]
    if path.startswith("@") and len(path) > 1:
        readings.append(path[1:])
    last = readings[-1]
    if last == "~" or last.startswith(("~/", "~\\")):
        home = await operations.home()
        readings.append(os.path.join(home, last[2:]) if len(last) > 1 else home)
    spaced = _SPACES.sub(" ", readings[-1])
    if spaced != readings[-1]:
        readings.append(spaced)
    return readings


async def exists(operations: Operations, path: str) -> bool:
    """Whether there is something by that name, a dead link included."""
    try:
        await operations.stat(path, follow=False)
    except OSError:
        return False
    return True


async def find_look_alike(operations: Operations, path: str) -> str | None:
    """The one existing file whose name differs only in what keyboards cannot tell apart; None if there is not one.

    Compared are the composition of accents (NFC, NFD), kinds of blanks and kinds of quotes, in the last part of the path.
    """
    folder, name = os.path.split(path)
    [entries] = await operations.list([folder])
    if isinstance(entries, OSError):
        return None
    wanted = plain_name(name)
    found = [entry.name for entry in entries if plain_name(entry.name) == wanted]
    return os.path.join(folder, found[0]) if len(found) == 1 else None


def plain_name(name: str) -> str:
    """A name with accents composed, every blank a space and every quote a straight one."""
    return _SPACES.sub(" ", unicodedata.normalize("NFC", name)).translate(_QUOTES)


def shown_path(path: str, cwd: str) -> str:
    """The path relative to `cwd` where it lies inside, otherwise as it is."""
    try:
        relative = PurePath(path).relative_to(cwd)
    except ValueError:
        return path
    return str(relative)


def nearest_names(name: str, names: list[str], count: int = 3) -> list[str]:
    """The existing names most like `name`, best first."""
    return list(_nearest(name, names, count))


def _nearest(name: str, names: list[str], count: int) -> Iterator[str]:
    import difflib

    folded = {candidate.casefold(): candidate for candidate in names}
    for match in difflib.get_close_matches(name.casefold(), list(folded), count, 0.6):
        yield folded[match]
