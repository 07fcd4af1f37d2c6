"""Where the sequences that terminals send begin and end.

Grammar: ECMA-48 5.4 (control sequences) and 5.6 (strings), but of each only what a terminal sends to a program: the
same bytes are what it sends for Alt with ``[ O ] P _``, and what follows those may have been typed. Strings are
answers to queries, known by how they begin (xterm's ctlseqs; kitty's graphics protocol).
"""

from __future__ import annotations

import re

ESC = "\x1b"

_CONTENT = r"[^\x00-\x1f\x7f]{0,1000000}+"
_DCS = r"P(?:\d?[$+][ru]|[>!]\||\d{1,5}!~)"
_APC = "_G[iIp]="
_STRING = rf"(?:\]\d{{1,4}};|{_DCS}|{_APC}){_CONTENT}"
_STRING_BEGINNING = r"(?:\]\d{0,4}|P(?:\d{0,5}[$+!]?|>)|_(?:G[iIp]?)?)"
_MOUSE = r"\[<[\dNa;.\-]{0,40}"

_SEQUENCE = re.compile(
    "\x1b(?:"
    rf"{_MOUSE}[Mm]"  # a mouse report, however broken
    r"|\[M[\s\S]{3}"  # an old mouse report
    r"|\[\[[A-E]"  # function keys of the Linux console
    r"|\[[A-IOPQRSZa-d~]"  # keys, the focus
    r"|\[[?>]?\d[0-?]*(?:\$y|[A-Za-z~@^])"  # keys, answers
    r"|\[\d+\$(?!y|\Z)"  # keys of rxvt
    r"|O[A-FHIMP-SXa-dj-y]"
    rf"|{_STRING}(?:\x07|\x1b\\)"
    ")"
)
_UNFINISHED = re.compile(
    "\x1b(?:"
    rf"{_MOUSE}|\[M[\s\S]{{0,2}}|\[\[?|\[[?>]?(?:\d[0-?]*\$?)?"
    rf"|O?|{_STRING}\x1b?|{_STRING_BEGINNING}"
    r")\Z"
)
_CERTAIN = re.compile(
    "\x1b(?:"
    rf"\[<\d[\dNa;.\-]*|\[M[\s\S]{{0,2}}|\[(?:[?>]\d|\d+[:;$])[ -?]*"
    rf"|(?:\](?:4;\d+|1\d);rgb|\]52;|{_DCS}|{_APC}){_CONTENT}"
    ")"
)


def whole_sequence(text: str, position: int = 0) -> str:
    """The sequence that begins with the escape byte at `position` and has all its parts; empty if there is none."""
    match = _SEQUENCE.match(text, position)
    return match.group() if match else ""


def is_unfinished(text: str, position: int) -> bool:
    """Whether the rest of the text, from an escape byte on, is a sequence whose end may still come."""
    return _UNFINISHED.match(text, position) is not None


def certain_part(text: str, position: int = 0) -> str:
    """What there is of a sequence without its end that cannot have been typed; empty if it can."""
    match = _CERTAIN.match(text, position)
    return match.group() if match else ""
