"""The rules that are kept: a TOML file of the person's, 0600, from projects to what goes there without a question."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from ..agent.frozen import frozen
from .prefixes import prefix_of
from .rules import AnyCall, ChangeFile, ChangeFolder, CommandPrefix, ExactCall, ExactCommand, Rule, in_words
from .store import PRIVATE, locked, replace

HEAD = """\
# What goes without a question, by project: made by "always allow" (w) at a question, listed and removed by /rules.
# The program writes this file anew; comments of your own are lost.
"""


class RuleError(Exception):
    """The file of rules cannot be read or written; it was left as it is. `str(error)` names it and the reason."""


@frozen
class KeptRule:
    """A rule and the real path of the project in which it counts."""

    rule: Rule
    project: str

    def __str__(self) -> str:
        return in_words(self.rule, self.project, "project")


class RuleStore:
    """Reads the file again when it has changed; several windows may add to it. Every method blocks for the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int, int] | None = None
        self._rules: tuple[KeptRule, ...] = ()

    def rules(self, project: str | None = None) -> tuple[KeptRule, ...]:
        """The rules of a project (None: of all), oldest first. Raises `RuleError`: then none of them counts."""
        state = self._state()
        if state != self._seen:
            self._seen, self._rules = None, ()
            self._rules = tuple(self._read())
            self._seen = state
        return tuple(kept for kept in self._rules if project in (None, kept.project))

    def add(self, kept: KeptRule) -> None:
        """Keep a rule, once. Raises `RuleError`."""
        self._change(lambda rules: rules if kept in rules else (*rules, kept))

    def remove(self, kept: KeptRule) -> None:
        """Keep it no longer. Raises `RuleError`."""
        self._change(lambda rules: tuple(rule for rule in rules if rule != kept))

    def _change(self, edit: Callable[[tuple[KeptRule, ...]], tuple[KeptRule, ...]]) -> None:
        import tomllib

        try:
            with locked(self.path):
                rules = edit(tuple(self._read()))
                text = HEAD + "".join(f"\n{_entry(kept)}" for kept in rules)
                if tuple(_kept(entry) for entry in tomllib.loads(text).get("rule", [])) != rules:
                    raise RuleError("This rule cannot be written down; it holds for this session only")
                replace(self.path, text.encode(), mode=PRIVATE)
        except (OSError, UnicodeEncodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise RuleError(f"{self.path} could not be written: {reason}") from error

    def _state(self) -> tuple[int, int, int]:
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return 0, 0, 0
        except OSError as error:
            raise RuleError(f"{self.path} could not be read: {error.strerror or error}") from error
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _read(self) -> Iterator[KeptRule]:
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise RuleError(f"{self.path} could not be read: {error.strerror or error}") from error
        import tomllib

        try:
            found = tomllib.loads(text.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise RuleError(f"{self.path} is no TOML: {error}; mend or remove it") from error
        entries = found.get("rule", [])
        for number, entry in enumerate(cast("list[Any]", entries) if isinstance(entries, list) else [entries], 1):
            kept = _kept(entry)
            if kept is None:
                raise RuleError(f"{self.path}: rule {number} is none that this program knows; mend or remove it")
            yield kept


def _kept(entry: Any) -> KeptRule | None:
    """The rule of an entry; None unless every key and value is one that is known."""
    if not isinstance(entry, dict):
        return None
    fields = cast("dict[str, Any]", entry)
    project = fields.get("project")
    if not isinstance(project, str) or not os.path.isabs(project):
        return None
    rule = _rule({key: value for key, value in fields.items() if key != "project"})
    return None if rule is None else KeptRule(rule, project)


def _rule(fields: Mapping[str, Any]) -> Rule | None:
    match dict(fields):
        case {"tool": str(tool), "exact": str(command), **rest} if not rest:
            return ExactCommand(tool, command)
        case {"tool": str(tool), "prefix": [*words], **rest} if not rest and all(
            isinstance(word, str) for word in words
        ):
            prefix = tuple(cast("list[str]", words))
            return CommandPrefix(tool, prefix) if prefix_of(prefix) == prefix else None
        case {"tool": str(tool), "arguments": str(arguments), **rest} if not rest:
            return ExactCall(tool, arguments)
        case {"tool": str(tool), "any": True, **rest} if not rest:
            return AnyCall(tool)
        case {"file": str(path), **rest} if not rest and os.path.isabs(path):
            return ChangeFile(path)
        case {"folder": str(path), **rest} if not rest and os.path.isabs(path):
            return ChangeFolder(path)
        case _:
            return None


def _entry(kept: KeptRule) -> str:
    lines = [f"{key} = {_toml(value)}" for key, value in (("project", kept.project), *_fields(kept.rule))]
    return "\n".join(["[[rule]]", *lines, ""])


def _fields(rule: Rule) -> tuple[tuple[str, object], ...]:
    match rule:
        case ExactCommand(tool, command):
            return ("tool", tool), ("exact", command)
        case CommandPrefix(tool, words):
            return ("tool", tool), ("prefix", list(words))
        case ExactCall(tool, arguments):
            return ("tool", tool), ("arguments", arguments)
        case AnyCall(tool):
            return ("tool", tool), ("any", True)
        case ChangeFile(path):
            return (("file", path),)
        case ChangeFolder(path):
            return (("folder", path),)


def _toml(value: object) -> str:
    """A text, a list of texts or true as TOML has them: JSON's spelling, but for U+007F, which TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
