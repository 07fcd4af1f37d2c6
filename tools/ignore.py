"""Ignore files (``.gitignore``, ``.ignore``, ``.rgignore``) as ripgrep understands them."""

from __future__ import annotations

import os
import re
from dataclasses import field

from ..agent.frozen import frozen
from .glob import InvalidGlob, glob_regex

IGNORE_FILES = (".rgignore", ".ignore", ".gitignore")
"""By precedence: a rule of an earlier kind, from whatever folder, beats all rules of a later kind."""


@frozen
class _Rule:
    regex: re.Pattern[str]
    is_whitelist: bool
    only_directories: bool


class IgnoreRules:
    """The rules of one file; paths are relative to its folder."""

    def __init__(self, content: bytes) -> None:
        self._rules: list[_Rule] = []
        expressions: list[str] = []
        for line in _lines(content):
            rule = _parse(line)
            if rule is not None:
                self._rules.append(rule)
                expressions.append(rule.regex.pattern)
        self._any = re.compile("|".join(f"(?:{text})" for text in expressions), re.DOTALL) if expressions else None

    def decide(self, path: str, *, is_directory: bool) -> bool | None:
        """True: ignored, False: wanted by a ``!`` rule, None: no rule says anything."""
        path = _as_bytes(path)
        if self._any is None or self._any.fullmatch(path) is None:
            return None
        for rule in reversed(self._rules):
            if (is_directory or not rule.only_directories) and rule.regex.fullmatch(path):
                return not rule.is_whitelist
        return None


def _as_bytes(text: str) -> str:
    """One character per byte: in these rules ``?`` and ``[!a]`` stand for bytes, not for characters."""
    return text if text.isascii() else os.fsencode(text).decode("latin-1")


def _lines(content: bytes) -> list[str]:
    lines: list[str] = []
    for raw in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        try:
            lines.append(raw.decode("utf-8"))
        except UnicodeDecodeError:
            # ripgrep reads such a file up to here.
            break
    return lines


def _parse(line: str) -> _Rule | None:
    if line.startswith("#"):
        return None
    if not line.endswith("\\ "):
        line = line.rstrip()
    if not line:
        return None
    is_whitelist = is_absolute = False
    if line.startswith(("\\!", "\\#")):
        line = line[1:]
    else:
        is_whitelist = line.startswith("!")
        line = line.removeprefix("!")
        is_absolute = line.startswith("/")
        line = line.removeprefix("/")
    only_directories = line.endswith("/")
    line = line.removesuffix("/")
    if not is_absolute and "/" not in line and not line.startswith("**/"):
        line = f"**/{line}"
    if line.endswith("/**"):
        line = f"{line}/*"
    try:
        return _Rule(re.compile(glob_regex(_as_bytes(line)), re.DOTALL), is_whitelist, only_directories)
    except (InvalidGlob, re.error):
        return None


@frozen
class IgnoreScope:
    """What is ignored in one folder: its own ignore files by kind, and the scope of the folder above.

    `prefix` is the folder's path relative to the search, with a final ``/`` (empty for the start). For folders above
    the start, `above` is the path from there down to the start instead.
    """

    parent: IgnoreScope | None
    prefix: str = ""
    above: str = ""
    rules: dict[str, IgnoreRules] = field(default_factory=dict[str, IgnoreRules])

    def ignores(self, path: str, *, is_directory: bool) -> bool:
        """Whether the path (relative to the start of the search) is to be left out."""
        for kind in IGNORE_FILES:
            scope: IgnoreScope | None = self
            while scope is not None:
                rules = scope.rules.get(kind)
                if rules is not None:
                    verdict = rules.decide(scope.relative(path), is_directory=is_directory)
                    if verdict is not None:
                        return verdict
                scope = scope.parent
        return False

    def relative(self, path: str) -> str:
        """The path as this folder's rules see it."""
        return self.above + path if self.above else path[len(self.prefix) :]
