"""Which lexer colours some code, by the name of its language or of its file.

Pygments' own search compiles a thousand patterns and asks every installed package for more: 100 ms for the first file
and 30 for each further one, and for each language that it does not know. Here it is a look into a table.
"""

from __future__ import annotations

from dataclasses import field
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING

from ...agent.mutable import mutable

if TYPE_CHECKING:
    from pygments.lexer import Lexer

WHOLE_NAME = 0.5
"""How much more a pattern without wildcards counts, as in `pygments.lexers.find_lexer_class_for_filename`."""


@mutable
class _Patterns:
    """Names of lexers by alias, by ending (``.py``), by whole file name, and with the patterns that are neither."""

    by_alias: dict[str, str] = field(default_factory=dict[str, str])
    by_ending: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    by_name: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    others: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def add(self, pattern: str, lexer: str) -> None:
        ending = pattern[1:]
        if not _has_wildcard(pattern):
            self.by_name.setdefault(pattern, []).append(lexer)
        elif pattern.startswith("*.") and not _has_wildcard(ending):
            self.by_ending.setdefault(ending, []).append(lexer)
        else:
            self.others.append((pattern, lexer))

    def candidates(self, name: str) -> list[tuple[str, float]]:
        """The lexers whose patterns the file name fits, each with what that counts."""
        found = [(lexer, WHOLE_NAME) for lexer in self.by_name.get(name, ())]
        dots = (index for index, character in enumerate(name) if character == ".")
        found += [(lexer, 0.0) for dot in dots for lexer in self.by_ending.get(name[dot:], ())]
        found += [(lexer, 0.0) for pattern, lexer in self.others if fnmatchcase(name, pattern)]
        return found


def lexer_of_language(name: str) -> type[Lexer] | None:
    """The lexer of a language such as ``python``; None if there is none."""
    from pygments.lexers import find_lexer_class

    lexer = _patterns().by_alias.get(name.lower())
    return None if lexer is None else find_lexer_class(lexer)


def lexer_of_file(file_name: str) -> type[Lexer] | None:
    """The lexer that counts most for a file of this name (a path will do); None if there is none."""
    from pygments.lexers import find_lexer_class

    name = file_name.replace("\\", "/").rpartition("/")[2]
    best: tuple[float, str, type[Lexer]] | None = None
    for lexer, bonus in _patterns().candidates(name):
        found: type[Lexer] | None = find_lexer_class(lexer)
        if found is None:
            continue
        rank = (found.priority + bonus, found.__name__, found)
        if best is None or rank[:2] > best[:2]:
            best = rank
    return None if best is None else best[2]


@cache
def _patterns() -> _Patterns:
    from pygments.lexers import get_all_lexers

    patterns = _Patterns()
    for lexer, aliases, names, _ in get_all_lexers(plugins=False):
        for alias in aliases:
            patterns.by_alias.setdefault(alias.lower(), lexer)
        for pattern in names:
            patterns.add(pattern, lexer)
    return patterns


def _has_wildcard(pattern: str) -> bool:
    return any(character in pattern for character in "*?[")
