"""Globs, with the syntax that ripgrep's ignore files have: ``*`` and ``?`` stay within a folder, ``**`` does not."""

from __future__ import annotations

import re

from ..agent.mutable import mutable

_SPANS_FOLDERS = re.compile(r"[{\[][^}\]]*/")


class InvalidGlob(ValueError):
    """The glob cannot be understood; the message says why."""


@mutable
class _Parser:
    """Turns one glob into the text of a regular expression, token by token."""

    glob: str
    place: int = 0
    depth: int = 0

    def parse(self) -> str:
        tokens: list[str] = []
        while self.place < len(self.glob):
            tokens.append(self._token(tokens))
        if self.depth:
            raise InvalidGlob("a { has no }")
        return "".join(tokens)

    def _token(self, before: list[str]) -> str:
        character = self.glob[self.place]
        self.place += 1
        match character:
            case "?":
                return "[^/]"
            case "*":
                return self._star(before)
            case "[":
                return self._character_class()
            case "{":
                self.depth += 1
                return "(?:"
            case "}" if self.depth:
                self.depth -= 1
                return ")"
            case "," if self.depth:
                return "|"
            case "\\":
                if self.place >= len(self.glob):
                    raise InvalidGlob("it ends in a \\")
                self.place += 1
                return re.escape(self.glob[self.place - 1])
            case _:
                return re.escape(character)

    def _star(self, before: list[str]) -> str:
        if not self.glob.startswith("*", self.place):
            return "[^/]*"
        self.place += 1
        rest = self.glob[self.place : self.place + 1]
        if not before and rest in ("", "/"):
            self.place += len(rest)
            return "(?:.*/)?" if rest else ".*"
        is_after_slash = bool(before) and before[-1] == "/"
        if is_after_slash and rest == "/":
            self.place += 1
            before.pop()
            return "(?:/|/.*/)"
        if is_after_slash and rest == "":
            before.pop()
            return "/.*"
        return "[^/]*[^/]*"

    def _character_class(self) -> str:
        start = self.place
        is_negated = self.glob[start : start + 1] in ("!", "^") and self.glob[start : start + 1] != ""
        start += is_negated
        end = self.glob.find("]", start + 1)
        if end < 0:
            raise InvalidGlob("a [ has no ]")
        self.place = end + 1
        body = re.sub(r"([\\\[\]^&~|])", r"\\\1", self.glob[start:end])
        expression = f"[{'^' if is_negated else ''}{body}]"
        try:
            re.compile(expression)
        except re.error as error:
            raise InvalidGlob(str(error)) from None
        return expression


def glob_regex(glob: str) -> str:
    """The text of a regular expression for whole paths with ``/`` between their parts; `InvalidGlob`."""
    return _Parser(glob).parse()


class PathGlob:
    """A glob over relative paths, as `find` and `grep` take it.

    Without a ``/`` it matches names in any folder; with one it is anchored at the start. A leading ``!`` turns it round.
    If it has no upper-case letter, case does not matter (`smart_case`). Raises `InvalidGlob`.
    """

    def __init__(self, glob: str, *, smart_case: bool = False) -> None:
        self.is_negated = glob.startswith("!")
        glob = glob.removeprefix("!").removeprefix("./")
        anchored = self._anchored = glob.removeprefix("/")
        self._by_name = "/" not in glob.rstrip("/")
        ignore_case = smart_case and glob == glob.lower()
        self.only_directories = anchored.endswith("/")
        try:
            self._regex = re.compile(
                glob_regex(anchored.rstrip("/")), re.DOTALL | (re.IGNORECASE if ignore_case else 0)
            )
        except re.error as error:
            raise InvalidGlob(str(error)) from None

    @property
    def name_glob(self) -> str | None:
        """A glob for the file name alone that fits at least what this one fits; None if there is none that is sure."""
        name = self._anchored.rpartition("/")[2]
        if (
            self.is_negated
            or self.only_directories
            or "**" in name
            or name in ("", "*")
            # Elsewhere these stand for a byte, here for a character.
            or "?" in name
            or "[" in name
            or _SPANS_FOLDERS.search(self._anchored)
        ):
            return None
        return name

    def matches(self, path: str, *, is_directory: bool = False) -> bool:
        """Whether the relative path (without a final ``/``) fits."""
        subject = path.rpartition("/")[2] if self._by_name else path
        fits = self._regex.fullmatch(subject) is not None and (is_directory or not self.only_directories)
        return fits is not self.is_negated
