"""Paths of pictures in what was pasted: as terminals and file managers write what is dropped on them."""

from __future__ import annotations

import re
from urllib.parse import unquote

from ...agent.frozen import frozen

ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
MOST = 20
"""Pictures that one drop may hold; more are a list that somebody has copied."""

_WORD = re.compile(r"""(?:\\.|"[^"\n]*"|'[^'\n]*'|\S)+""")
_ESCAPED = re.compile(r"""\\([ ()\[\]{}'"&;!$`#*?<>|~,=])""")
_DRIVE = re.compile(r"/[A-Za-z]:/")
_ABSOLUTE = re.compile(r"[/~]|[A-Za-z]:[\\/]")


@frozen
class Dropped:
    """The path of a picture, and where it stands in the text that was pasted."""

    path: str
    start: int
    end: int

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.replace("\\", "/").rpartition("/")[2]


def dropped_pictures(text: str) -> list[Dropped]:
    """The pictures that a paste names, in order; none if there is anything in it but paths, or too many.

    Paths are parted by blanks or line breaks, each in quotes, with backslashes before its blanks or as an address; one
    that has a line to itself may have bare blanks.
    """
    found: list[Dropped] = []
    start = 0
    for line in text.split("\n"):
        paths = _paths_of(line, start)
        if paths is None:
            return []
        found += paths
        start += len(line) + 1
        if len(found) > MOST:
            return []
    return [each for each in found if _is_picture(each.path)]


def _paths_of(line: str, start: int) -> list[Dropped] | None:
    """The paths in a line of the text; None if it is no line of paths."""
    words = [(_path(match[0]), match) for match in _WORD.finditer(line)]
    written = [path for path, _ in words]
    if not words:
        return []
    if all(_ABSOLUTE.match(path) for path in written) or all(map(_is_picture, written)):
        return [Dropped(path, start + match.start(), start + match.end()) for path, match in words]
    whole = line.strip()
    at = start + line.index(whole)
    return [Dropped(_path(whole), at, at + len(whole))] if _is_picture(_path(whole)) else None


def _is_picture(path: str) -> bool:
    return path.lower().endswith(ENDINGS)


def _path(written: str) -> str:
    """The path itself, without quotes and backslashes, or out of a ``file://`` address."""
    path = written
    if len(path) > 1 and path[0] == path[-1] and path[0] in "'\"":
        path = path[1:-1].replace("'\\''", "'")
    elif not _is_address(path):
        return _ESCAPED.sub(r"\1", path)
    return _path_of_address(path) if _is_address(path) else path


def _is_address(path: str) -> bool:
    return path[:7].lower() == "file://"


def _path_of_address(address: str) -> str:
    """The path in a ``file://`` address: percent codes decoded, the host's name (this machine's) left out (RFC 8089)."""
    path = unquote(address[7:])
    if not path.startswith("/"):
        path = path[path.find("/") :] if "/" in path else ""
    return path[1:] if _DRIVE.match(path) else path
