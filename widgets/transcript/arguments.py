"""The one argument that tells what a call is about, found in whole arguments or in the head of their JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..text.outside_text import outside_line, outside_name

HEAD_SIZE = 4096
"""Characters of streamed arguments that are looked at; what comes later is only counted."""

_TELLING = ("command", "path", "file_path", "file", "url", "query", "name", "prompt", "text")
_FIRST_PAIRS = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:\s*"((?:[^"\\]|\\.)*)("?)', re.DOTALL)


def telling_argument(arguments: Mapping[str, Any], folder: str = "") -> str:
    """What a call is about, in one literal row: its command, its path, or what it looks for and where."""
    path = arguments.get("path")
    pattern = arguments.get("pattern")
    if isinstance(pattern, str):
        place = (
            f" in {outside_name(relative_path(path, folder))}"
            if isinstance(path, str) and path not in ("", ".")
            else ""
        )
        return outside_line(pattern) + place
    for name in _TELLING:
        value = arguments.get(name)
        if isinstance(value, str) and value:
            return outside_name(relative_path(value, folder)) if "path" in name else outside_line(value)
    return _first_value(arguments)


def _first_value(arguments: Mapping[str, Any]) -> str:
    for name, value in arguments.items():
        if isinstance(value, str | int | float | bool) and value != "":
            return outside_line(f"{name}={value}")[:200]
    return ""


def relative_path(path: str, folder: str) -> str:
    """The path from `folder`, where it lies in there."""
    if folder and path.startswith(folder.rstrip("/") + "/"):
        return path[len(folder.rstrip("/")) + 1 :]
    return path


class ArgumentsHead:
    """Arguments that stream in as JSON text: the telling one is read from the first `HEAD_SIZE` characters only."""

    def __init__(self) -> None:
        self._head = ""
        self.size = 0
        self._is_settled = False
        self._value = ""

    def feed(self, fragment: str) -> bool:
        """Add a fragment; whether the telling argument changed. Cost does not grow with what came before."""
        self.size += len(fragment)
        if self._is_settled:
            return False
        self._head += fragment[: HEAD_SIZE - len(self._head)]
        before = self._value
        self._read()
        self._is_settled = self._is_settled or len(self._head) >= HEAD_SIZE
        return self._value != before

    def value(self, folder: str = "") -> str:
        """The telling argument as far as it came."""
        return telling_argument(self._pairs, folder) if self._value else ""

    def _read(self) -> None:
        self._pairs: dict[str, Any] = {}
        for name, value, end in _FIRST_PAIRS.findall(self._head):
            self._pairs[_unescape(name)] = _unescape(value)
            # the value of the first telling name is whole: nothing that follows can be more telling
            self._is_settled = self._is_settled or (bool(end) and name in _TELLING)
        self._value = telling_argument(self._pairs)


def _unescape(text: str) -> str:
    """A JSON string's text; an escape that has not ended is left out."""
    if "\\" not in text:
        return text
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return re.sub(r"\\u?[0-9a-fA-F]{0,3}$", "", text).replace("\\n", "\n").replace('\\"', '"')
