"""Where another machine and a folder on it are named."""

from __future__ import annotations

import re

from ..agent.frozen import frozen

SCHEME = "ssh://"

_SHORT = re.compile(
    r"(?P<destination>(?:[^\s:@/\[-][^\s:@/]*@)?\[[0-9a-fA-F:]+\]|[^\s:/\[-][^\s:/\[]*)(?::(?P<folder>.*))?"
)
_ADDRESS = re.compile(
    r"ssh://(?P<destination>(?:[\w.%+\\][\w.%+\\-]*@)?(?:\[[0-9a-fA-F:]+\]|[\w.][\w.-]*))(?P<port>:\d{1,5})?(?P<folder>/.*)?"
)


@frozen
class Remote:
    """Where ``--remote`` points: what `ssh` takes as its destination, and the folder there."""

    destination: str
    folder: str

    @property
    def host(self) -> str:
        """The destination as one says it."""
        return self.destination.removeprefix(SCHEME)

    @property
    def address(self) -> str:
        """One name for the folder, which must be absolute: ``ssh://user@host/path``."""
        user, at, host = self.host.rpartition("@")
        is_plain = not self.destination.startswith(SCHEME)
        return f"{SCHEME}{user}{at}{f'[{host}]' if is_plain and ':' in host else host}{self.folder}"

    def __str__(self) -> str:
        return f"{self.host}:{self.folder}"


def parse_remote(text: str) -> Remote:
    """``user@host:/path``, ``host:folder``, ``host`` or ``ssh://user@host:port/path``.

    Raises `ValueError` for anything else, and for what `ssh` would take as an option.
    """
    match = _ADDRESS.fullmatch(text)
    if match is not None:
        destination, port = match["destination"], match["port"] or ""
        plain = destination.replace("[", "").replace("]", "")
        folder = re.sub("^/(?=~)", "", match["folder"] or "~")
        return Remote(f"{SCHEME}{destination}{port}" if port else plain, folder)
    match = None if text.startswith(SCHEME) else _SHORT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no remote folder; it looks like user@host:/path")
    return Remote(match["destination"].replace("[", "").replace("]", ""), match["folder"] or "~")


def is_address(folder: str) -> bool:
    """Whether a folder's name is that of a folder on another machine, as `Remote.address` makes it."""
    return folder.startswith(SCHEME)
