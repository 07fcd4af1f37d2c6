"""What "always allow" can mean: kinds of rules, which of them fit a call, and each in words."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..agent.frozen import frozen
from .guarded import PROJECT_FOLDER
from .prefixes import Words, covers, prefix_of
from .simple_command import split_simple

Scope: TypeAlias = Literal["session", "project"]
"""Until the session ends, or kept for this project."""

PREFIX_TOOLS = frozenset({"bash"})
"""Tools whose command is read by the shells that `split_simple` knows."""

PROTECTED_NAMES = frozenset({".git", PROJECT_FOLDER})
"""Folders in a project whose files decide what programs run: a change in them is always asked about."""

SHORT = 60
"""Characters of a command up to which a rule quotes it; a longer one stands whole above the choice."""


@frozen
class CallFacts:
    """What rules look at: the tool, its arguments as sent, the command if it is one, the real path if it changes a file."""

    tool: str
    arguments: Mapping[str, Any]
    command: str | None = None
    path: str | None = None


@frozen
class ExactCommand:
    """This command to the letter."""

    tool: str
    command: str

    def allows(self, call: CallFacts) -> bool:
        """Whether the rule covers the call."""
        return call.tool == self.tool and call.command == self.command

    def __str__(self) -> str:
        is_short = len(self.command) <= SHORT and "\n" not in self.command
        return f"always run exactly {_quoted(self.command) if is_short else 'this command'}"


@frozen
class CommandPrefix:
    """One simple command that begins with these words (see `prefixes`)."""

    tool: str
    words: Words

    def allows(self, call: CallFacts) -> bool:
        """Whether the rule covers the call."""
        if call.tool != self.tool or call.tool not in PREFIX_TOOLS or call.command is None:
            return False
        words = split_simple(call.command)
        return words is not None and covers(self.words, words)

    def __str__(self) -> str:
        return f"always run {_quoted(shlex.join(self.words) + ' …')} (one command, plain options)"


@frozen
class ExactCall:
    """This call of a tool with the same arguments; `arguments` is their JSON."""

    tool: str
    arguments: str

    def allows(self, call: CallFacts) -> bool:
        """Whether the rule covers the call."""
        return call.tool == self.tool and canonical(call.arguments) == self.arguments

    def __str__(self) -> str:
        return f"always let {self.tool} run with exactly these arguments"


@frozen
class AnyCall:
    """Every call of a tool that is neither a shell nor a change of files here."""

    tool: str

    def allows(self, call: CallFacts) -> bool:
        """Whether the rule covers the call."""
        return call.tool == self.tool and call.command is None and call.path is None

    def __str__(self) -> str:
        return f"always let {self.tool} run, whatever its arguments"


@frozen
class ChangeFile:
    """Changes of one file, by its real path."""

    path: str

    def allows(self, call: CallFacts) -> bool:
        """Whether the rule covers the call."""
        return call.path == self.path

    def __str__(self) -> str:
        return f"always apply changes to {self.path}"


@frozen
class ChangeFolder:
    """Changes of files in one folder and below, by real paths; not in `PROTECTED_NAMES`."""

    path: str

    def allows(self, call: CallFacts) -> bool:
        """Whether the rule covers the call."""
        return call.path is not None and is_below(call.path, self.path) and not is_protected(call.path, self.path)

    def __str__(self) -> str:
        return f"always apply changes in {self.path}/ and below"


Rule: TypeAlias = ExactCommand | CommandPrefix | ExactCall | AnyCall | ChangeFile | ChangeFolder


@frozen
class Offer:
    """A rule that the person may choose, and for how long."""

    rule: Rule
    scope: Scope
    project: str

    def __str__(self) -> str:
        return in_words(self.rule, self.project, self.scope)


def in_words(rule: Rule, project: str, scope: Scope) -> str:
    """What goes without a question, where and for how long; a path in the project as seen from there."""
    words = str(rule).replace(f" {project.rstrip(os.sep)}{os.sep}", " ")
    return f"{words} {'in this session' if scope == 'session' else f'in {short_folder(project)}'}"


def offers_for(call: CallFacts, project: str) -> tuple[Offer, ...]:
    """What "always" can mean for a call in the project with that real path, the narrowest first."""
    rules = [rule for rule in _fitting(call, project) if rule.allows(call)]
    scopes: tuple[Scope, ...] = ("session", "project")
    return tuple(Offer(rule, scope, project) for rule in rules for scope in scopes)


def _fitting(call: CallFacts, project: str) -> Iterator[Rule]:
    if call.command is not None:
        yield ExactCommand(call.tool, call.command)
        words = split_simple(call.command) if call.tool in PREFIX_TOOLS else None
        if words is not None and (prefix := prefix_of(words)) is not None:
            yield CommandPrefix(call.tool, prefix)
    elif call.path is not None:
        if is_below(call.path, project) and not is_protected(call.path, project):
            yield ChangeFile(call.path)
            if (folder := os.path.dirname(call.path)) != project:
                yield ChangeFolder(folder)
    else:
        yield ExactCall(call.tool, canonical(call.arguments))
        yield AnyCall(call.tool)


def is_below(path: str, folder: str) -> bool:
    """Whether a real path is in the folder with that real path, at any depth."""
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def is_protected(path: str, folder: str) -> bool:
    """Whether a path below a folder leads through one of `PROTECTED_NAMES`."""
    return any(part.casefold() in PROTECTED_NAMES for part in Path(os.path.relpath(path, folder)).parts)


def canonical(arguments: Mapping[str, Any]) -> str:
    """Arguments as JSON that is the same for the same arguments."""
    return json.dumps(dict(arguments), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def short_folder(path: str, home: str | None = None) -> str:
    """A folder with the home folder as ``~``."""
    home = os.path.expanduser("~") if home is None else home
    return f"~{path[len(home) :]}" if home not in ("", "/", "~") and f"{path}/".startswith(f"{home}/") else path


def first_that_allows(rules: Sequence[Rule], call: CallFacts) -> Rule | None:
    """The first of these rules that covers the call."""
    return next((rule for rule in rules if rule.allows(call)), None)


def _quoted(text: str) -> str:
    return f"`{text}`"
