"""Completion: what may follow the caret, asked of injected sources, and the menu that shows it."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ...agent.frozen import frozen

MENU_ROWS = 5

CompletionKind: TypeAlias = Literal["command", "argument", "file", "path", "history"]


@frozen
class Completion:
    """One candidate: `text` replaces the query, `label` is shown (the text if empty), `detail` explains.

    `stays_open` asks again after it was taken (a folder); otherwise a blank follows, unless `text` ends in one.
    `sends`: taken with Enter it is sent at once (a command without arguments).
    """

    text: str
    label: str = ""
    detail: str = ""
    stays_open: bool = False
    sends: bool = False


CompleteNow: TypeAlias = Callable[[str], Sequence[Completion]]
"""Takes the query, answers at once (commands: under a millisecond)."""

CompleteLater: TypeAlias = Callable[[str], Awaitable[Sequence[Completion]]]
"""Takes the query; cancelled when a newer one supersedes it. Must not block the event loop."""

CompleteAsFound: TypeAlias = Callable[[str], AsyncGenerator[Sequence[Completion]]]
"""The same with answers one after the other, each in place of the one before; only the last one may be empty."""


@frozen
class CompletionQuery:
    """What is to be completed: the last `length` code points before the caret, of which `text` is asked for."""

    kind: CompletionKind
    text: str
    length: int
    is_shell: bool = False
    """Whether it stands in a command of the person's, where more than blanks must be quoted."""


_FILE_QUERY = re.compile(r"(?:^|(?<=[\s(\[{<\"'=,;:]))@(\"[^\"]*|[^\s\"]*)\Z")
_UNQUOTED = re.compile(r"[^\s\"'`]*\Z")
_UNQUOTED_IN_SHELL = re.compile(r"(?:\\.|[^\s\"'`\\()|&;<>$])*\Z")
_QUOTE = re.compile(r"\\.|(\")")
_OPENING = "([{<"
_SHELL_MARK = re.compile("!{1,2}")
_SAFE_IN_SHELL = re.compile(r"[\w/.,:@%+=~^-]*")
_NOT_IN_QUOTES = re.compile(r"([\\\"$`])")
_ESCAPED = re.compile(r"\\(.)")


def find_query(before: str, *, is_first_line: bool) -> CompletionQuery | None:
    """What the text before the caret asks for by itself: a ``/command`` (or its argument) or an ``@file``."""
    if is_first_line and before.startswith("/") and "/" not in before[1:].partition(" ")[0]:
        return CompletionQuery("argument" if " " in before else "command", before, len(before))
    if match := _FILE_QUERY.search(before):
        return CompletionQuery("file", match[1].removeprefix('"'), len(match[1]))
    return None


def find_path_query(before: str, *, is_first_line: bool = False) -> CompletionQuery:
    """The path that Tab completes: from an open quote on, else the last word, without brackets or ``name=`` before it."""
    mark = _SHELL_MARK.match(before) if is_first_line else None
    rest = before[mark.end() :] if mark else before
    quotes = [match.start() for match in _QUOTE.finditer(rest) if match[1]]
    opened = quotes[-1] if len(quotes) % 2 else len(rest)
    match = (_UNQUOTED_IN_SHELL if mark else _UNQUOTED).search(rest, 0, opened)
    word = match.group().lstrip(_OPENING).rpartition("=")[2] if match else ""
    found = word + rest[opened:]
    text = word + rest[opened + 1 :]
    return CompletionQuery("path", _ESCAPED.sub(r"\1", text) if mark else text, len(found), is_shell=mark is not None)


@dataclass
class CompletionMenu:
    """The candidates on show; `selected` is -1 while none is highlighted.

    `height` never shrinks while it is open, so that the screen stays calm.
    """

    query: CompletionQuery | None = None
    items: Sequence[Completion] = field(default_factory=tuple[Completion, ...])
    selected: int = 0
    height: int = 0

    @property
    def is_open(self) -> bool:
        return bool(self.items)

    @property
    def current(self) -> Completion | None:
        """The highlighted candidate."""
        return self.items[self.selected] if self.items and self.selected >= 0 else None

    @property
    def first(self) -> int:
        """The index of the topmost candidate on show."""
        return max(0, min(self.selected - MENU_ROWS // 2, len(self.items) - MENU_ROWS))

    @property
    def visible(self) -> Sequence[Completion]:
        return self.items[self.first : self.first + MENU_ROWS]

    def show(self, query: CompletionQuery, items: Sequence[Completion]) -> None:
        """Put candidates on show, the best one highlighted unless it is a guess: Enter takes what is highlighted.

        What was chosen with the arrows stays chosen when more answers to the same question come.
        """
        chosen = self.current.text if self.current is not None and self.selected > 0 and query == self.query else None
        self.query = query
        self.items = items
        first = -1 if _is_guess(query, items) else 0
        self.selected = next((index for index, item in enumerate(items) if item.text == chosen), first)
        self.height = max(self.height, min(len(items), MENU_ROWS))

    def close(self) -> None:
        """Show nothing."""
        self.query = None
        self.items = ()
        self.selected = self.height = 0

    def move(self, rows: int) -> None:
        """Highlight another candidate; past either end it goes round."""
        if self.items:
            start = -1 if self.selected < 0 < rows else max(0, self.selected)
            self.selected = (start + rows) % len(self.items)

    def is_typed(self) -> bool:
        """Whether a candidate stands in the editor already, letter by letter."""
        return self.query is not None and any(item.text.rstrip() == self.query.text.rstrip() for item in self.items)


def _is_guess(query: CompletionQuery, items: Sequence[Completion]) -> bool:
    """Whether the first candidate may not be what was meant: a command may do much.

    A command must hold what was typed as it stands there; a value must be the only one that fits.
    """
    if query.kind == "argument":
        return len(items) != 1
    return query.kind == "command" and bool(items) and query.text[1:].lower() not in items[0].text.lower()


def replacement(query: CompletionQuery, item: Completion) -> str:
    """What is written in place of the query: paths with blanks in quotes, a blank behind what is complete.

    In a shell's command everything that means something to it is quoted; a ``~`` is not, so that it keeps its meaning.
    """
    text = item.text
    if query.is_shell:
        text = _quoted_for_shell(text, is_open=item.stays_open)
    elif query.kind in ("file", "path") and any(character.isspace() for character in text):
        text = f'"{text}' if item.stays_open else f'"{text}"'
    return text if item.stays_open or item.sends or text.endswith(" ") else f"{text} "


def _quoted_for_shell(path: str, *, is_open: bool) -> str:
    if _SAFE_IN_SHELL.fullmatch(path):
        return path
    home, path = ("~/", path[2:]) if path.startswith("~/") else ("", path)
    return f'{home}"' + _NOT_IN_QUOTES.sub(r"\\\1", path) + ("" if is_open else '"')
