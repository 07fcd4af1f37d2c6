"""Search patterns: one dialect, whether ripgrep or Python does the matching.

It is ripgrep's default syntax (Rust's regex crate) as far as Python's has the same; the worker process imports this
file by its path, so it imports nothing of ours.
"""

from __future__ import annotations

import re
import warnings

_POSIX = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r" \t\n\r\f\v",
    "blank": r" \t",
    "punct": r"!-/:-@\[-`{-~",
    "word": r"\w",
    "xdigit": "0-9A-Fa-f",
    "cntrl": r"\x00-\x1f\x7f",
}
_QUANTIFIER = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_PIECE = re.compile(r"\\[pPxuU]\{[^}]*\}|\\b\{[^}]*\}|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|.", re.DOTALL)
_LOOK_AROUND = re.compile(r"\(\?(?:<?[=!]|\()")


class InvalidPattern(ValueError):
    """The pattern cannot be understood; the message says why."""


def tolerant(pattern: str) -> str:
    """The pattern with every brace escaped that is no quantifier: models search for ``func() {``."""
    out: list[str] = []
    place = 0
    for match in _PIECE.finditer(pattern):
        if match.start() < place:
            continue
        piece = match.group()
        if piece == "{":
            quantifier = _QUANTIFIER.match(pattern, match.start())
            if quantifier is None or not out:
                piece = r"\{"
            else:
                piece = quantifier.group()
        place = match.start() + len(piece.removeprefix("\\") if piece == r"\{" else piece)
        out.append(piece)
    return "".join(out)


def compile_pattern(pattern: str, *, literal: bool, ignore_case: bool) -> re.Pattern[str]:
    """A compiled pattern that matches within one line; `InvalidPattern` for what ripgrep would refuse as well."""
    flags = re.IGNORECASE if ignore_case else 0
    if "\n" in pattern:
        raise InvalidPattern("a pattern cannot span lines")
    if literal:
        return re.compile(re.escape(pattern), flags)
    translated = "".join(map(_translate, _PIECE.findall(tolerant(pattern))))
    if _LOOK_AROUND.search(translated):
        raise InvalidPattern("look-around, including look-ahead and look-behind, is not supported")
    translated = translated.replace("(?<", "(?P<")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)
            return re.compile(translated, flags)
    except (re.error, FutureWarning, OverflowError, RecursionError) as error:
        raise InvalidPattern(str(error)) from None


def _translate(piece: str) -> str:
    if piece.startswith("["):
        return re.sub(r"\[:(\w+):\]", lambda match: _POSIX.get(match[1], match[0]), piece)
    if len(piece) > 1 and piece[0] == "\\":
        return _translate_escape(piece)
    return piece


def _translate_escape(piece: str) -> str:
    match piece[1]:
        case "n":
            raise InvalidPattern("a pattern cannot span lines")
        case character if character.isdigit():
            raise InvalidPattern("backreferences are not supported")
        case "z":
            return r"\Z"
        case "<":
            return r"\b(?:(?=\w))"
        case ">":
            return r"\b(?:(?<=\w))"
        case "x" | "u" | "U" if piece[2:3] == "{":
            return re.escape(chr(int(piece[3:-1], 16)))
        case _:
            return piece
