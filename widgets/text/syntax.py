"""Syntax colours: source code to runs, by pygments, which is imported when the first code is seen."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.style import Style

from .languages import lexer_of_file, lexer_of_language
from .lines import Line
from .look import Look

if TYPE_CHECKING:
    from pygments.lexer import Lexer

MAX_CHARACTERS = 60_000
"""Longer pieces are shown without colours: lexing them would hold up the keys."""

_STYLE_NAMES = (
    ("Comment", "code-comment"),
    ("Keyword", "code-keyword"),
    ("Literal.String", "code-string"),
    ("Literal.Number", "code-number"),
    ("Name.Function", "code-function"),
    ("Name.Class", "code-type"),
    ("Name.Builtin", "code-type"),
    ("Name.Decorator", "code-function"),
    ("Name.Tag", "code-keyword"),
    ("Name.Attribute", "code-function"),
    ("Operator.Word", "code-keyword"),
    ("Generic.Heading", "code-keyword"),
    ("Generic.Inserted", "code-string"),
    ("Generic.Deleted", "code-number"),
)


def highlight(code: str, language: str, look: Look, under: Style | None = None) -> list[Line] | None:
    """The lines of `code` as runs; `language` is a name such as ``python`` or a file name. None: no colours known.

    `code` is literal text already. `under` is the style on which the colours are laid.
    """
    if not language or len(code) > MAX_CHARACTERS or (lexer := find_lexer(language)) is None:
        return None
    base = look.style("code") if under is None else under
    lines: list[Line] = [[]]
    for kind, value in lexer.get_tokens(code):
        name = _style_name(kind)
        style = base if name is None else look.attributes(name, base)
        first, *others = value.split("\n")
        if first:
            lines[-1].append((first, style))
        for piece in others:
            lines.append([(piece, style)] if piece else [])
    return _fit(lines, code.count("\n") + 1)


def highlight_or_plain(code: str, language: str, look: Look, under: Style | None = None) -> list[Line]:
    """As `highlight`, in one colour where no language is known."""
    base = look.style("code") if under is None else under
    return highlight(code, language, look, under) or [[(line, base)] for line in code.split("\n")]


@lru_cache(maxsize=64)
def find_lexer(language: str) -> Lexer | None:
    """The lexer for a language's name or, with a dot in it, a file's name; None if there is none."""
    is_file = "." in language or "/" in language
    lexer = lexer_of_file(language) if is_file else lexer_of_language(language)
    return None if lexer is None else lexer(stripnl=False, ensurenl=False)


@lru_cache(maxsize=512)
def _style_name(kind: object) -> str | None:
    name = str(kind).removeprefix("Token.")
    return next((style for prefix, style in _STYLE_NAMES if name.startswith(prefix)), None)


def _fit(lines: list[Line], count: int) -> list[Line]:
    """Exactly as many lines as the source has: lexers may add or drop an empty one at the end."""
    del lines[count:]
    lines.extend([] for _ in range(count - len(lines)))
    return lines
