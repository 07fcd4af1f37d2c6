"""Is a command line one simple command? Read more strictly than any shell does: what is not plainly so is not."""

from __future__ import annotations

import re

_PLAIN = r"[A-Za-z0-9_./:@,+-][A-Za-z0-9_./:=@,+-]*"
# All of printable ASCII but what ends the quotes or means something in them. (Said as exceptions to all of Unicode,
# it takes a hundred times longer to compile.)
_SINGLE = r"'[ -&(-\[\]-~]*'"
_DOUBLE = r'"[ #%-\[\]-_a-~]*"'
_WORD = re.compile(rf"(?P<plain>{_PLAIN})?(?:(?P<single>{_SINGLE})|(?P<double>{_DOUBLE}))?")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_LINE = re.compile(r"[\x20-\x7e]+")

_RESERVED = (
    "if then elif else fi for while until do done case esac select function time coproc in and or not begin end "
    "eval exec source command builtin alias unalias export declare typeset local readonly set unset trap return exit "
    "break continue shift cd pushd popd read mapfile readarray printf enable hash let test history fc bind noglob "
    "nocorrect repeat foreach"
)
RESERVED = frozenset(_RESERVED.split())
"""Words of shells that change how the rest is read, or what later commands do."""


def split_simple(command: str) -> tuple[str, ...] | None:
    """The words of a command line that is one simple command to every shell, else None.

    Only ASCII on one line, words parted by blanks; a word is plain (letters, digits, ``_./:=@,+-``), or ends in one
    quoted part without ``\\``, ``$``, a backquote or ``!``. No operator, redirection, expansion, pattern, comment,
    assignment or reserved word stands in it.
    """
    if not _LINE.fullmatch(command):
        return None
    words: list[str] = []
    for raw in command.split(" ") if "'" not in command and '"' not in command else _split_quoted(command):
        if not raw:
            continue
        word = _value(raw)
        if word is None:
            return None
        words.append(word)
    if not words or not _NAME.fullmatch(command.lstrip(" ").partition(" ")[0]) or words[0] in RESERVED:
        return None
    return tuple(words)


def _split_quoted(command: str) -> list[str]:
    """The raw words, blanks in quotes kept; a quote that is not closed stays in its word, which then has no value."""
    return re.findall(r"""(?:[^ '"]|'[^']*'|"[^"]*"|['"])+""", command)


def _value(raw: str) -> str | None:
    match = _WORD.fullmatch(raw)
    if match is None:
        return None
    quoted = match["single"] or match["double"] or ""
    return (match["plain"] or "") + quoted[1:-1]
