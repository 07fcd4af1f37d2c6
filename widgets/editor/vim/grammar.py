"""Vim's grammar: counts, operators, motions and text objects, typed key by key (`:help vim-modes`, `:help operator`).

A key has meanings, each a table of `keys` and a name in it; which of them counts depends on what was typed before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ....agent.frozen import frozen

Meanings: TypeAlias = Sequence[tuple[str, str]]
"""Tables and names that a key has."""

MOST = 9999
DIGITS = 5
"""The highest count, and how many digits of one are looked at."""

WITH_CHARACTER = frozenset({"find", "find_back", "till", "till_back", "replace", "skip"})
"""What takes the next character, whatever it is."""

_MOVES = frozenset({"motion", "operator", "prefix"})
_IN_NORMAL = _MOVES | {"command", "both"}
_BEHIND_OPERATOR = _MOVES | {"reach"}
_IN_VISUAL = _MOVES | {"reach", "both", "visual"}
_BEHIND_G = frozenset({"g_motion", "g_operator"})


@frozen
class Command:
    """A whole command. `name` is a motion, a change, a text object, ``lines`` or ``selection``.

    `count` is 0 where none was typed. `argument` is the character that was typed behind it, or of a text object its
    reach: ``inner`` or ``around``.
    """

    name: str
    count: int = 0
    operator: str = ""
    argument: str = ""

    @property
    def times(self) -> int:
        """The count, 1 where none was typed."""
        return max(self.count, 1)


class Grammar:
    """What was typed of a command. `shown` is how it looks."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.shown = ""
        self._count = self._operator_count = ""
        self._operator = self._operator_key = ""
        self._waits_for = self._name = ""

    @property
    def takes_character(self) -> bool:
        """Whether the next key is meant as a character."""
        return self._waits_for == "character"

    def press(self, meanings: Meanings, character: str, *, is_visual: bool = False) -> Command | None:
        """The command that a key makes whole. None if there is more to come, or if it means nothing here."""
        self.shown += character
        if self.takes_character:
            return self._whole(self._name, argument=character) if character else self.forget()
        if self._operator and character and character == self._operator_key and not self._waits_for:
            return self._whole("lines")
        tables = self._tables(is_visual)
        table, name = next((each for each in meanings if each[0] in tables), ("", ""))
        if character.isdecimal() and not self._waits_for and (self._count or not table):
            self._count = (self._count + character)[:DIGITS]
            return None
        return self._take(table, name, character, is_visual)

    def _tables(self, is_visual: bool) -> frozenset[str]:
        if self._waits_for:
            return _BEHIND_G if self._waits_for == "g" else frozenset({"object"})
        if self._operator:
            return _BEHIND_OPERATOR
        return _IN_VISUAL if is_visual else _IN_NORMAL

    def _take(self, table: str, name: str, character: str, is_visual: bool) -> Command | None:
        match table:
            case "":
                return self.forget()
            case "prefix":
                self._waits_for = "g"
            case "reach":
                self._waits_for = name
            case "operator" | "g_operator":
                return self._take_operator(name, character, is_visual)
            case "object":
                return self._whole(f"object {name}", argument=self._waits_for)
            case _ if name in WITH_CHARACTER:
                self._waits_for, self._name = "character", name
            case _:
                return self._whole(name)
        return None

    def _take_operator(self, name: str, character: str, is_visual: bool) -> Command | None:
        if is_visual:
            self._operator = name
            return self._whole("selection")
        if self._operator:
            return self._whole("lines") if name == self._operator else self.forget()
        self._operator, self._operator_key, self._waits_for = name, character, ""
        self._operator_count, self._count = self._count, ""
        return None

    def _whole(self, name: str, *, argument: str = "") -> Command:
        counts = [int(count) for count in (self._operator_count, self._count) if count]
        count = min(counts[0] * counts[-1] if len(counts) > 1 else sum(counts), MOST)
        command = Command(name, count, self._operator, argument)
        self.forget()
        return command
