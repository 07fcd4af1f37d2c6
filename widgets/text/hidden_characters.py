"""What deceives the eye: invisible characters, ones that turn the text around, look-alikes, text pushed out of sight.

Rules after Unicode Technical Report 36 and Standard 39, cut down to what a person can act on.
"""

from __future__ import annotations

import re
import unicodedata

from .look_alikes import look_alikes, mark_look_alikes, odd_letters
from .marks import marks
from .outside_text import has_hidden, outside_name, outside_text

_BLANK = re.compile("[\u00a0\u115f\u1160\u1680\u2000-\u200a\u200d\u202f\u205f\u2800\u3000\u3164\ufe00-\ufe0f\uffa0]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_CALLED = {"\x1b": "escape", "\n": "line break", "\t": "tab", "\r": "carriage return"}
_FAR_RIGHT = re.compile(r"(?<=\S)[ \t]{40,}(?=\S)")
_FAR_RIGHT_IN_PROSE = re.compile(r"(?<=\S)[ \t]{100,}(?=\S)")
_FAR_DOWN = re.compile(r"(?<=\S)(?:[ \t]*\n){7,}(?=[ \t]*\S)")
SHOWN = 60
"""Characters that a warning shows of a text that stands out of sight."""

_EMOJI = "[\U0001f000-\U0001faff\u2190-\u2bff\u00a9\u00ae\u203c\u2049\u2122\u2139\u3030\u303d\u3297\u3299]"
_IN_EMOJI = re.compile(
    f"(?<={_EMOJI})\ufe0f?\u200d(?={_EMOJI})|(?<={_EMOJI})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)"
)
"""What joins emoji or chooses their form (Unicode Technical Standard 51) is drawn, and hides nothing."""


def show_hidden(text: str, *, is_prose: bool = False) -> str:
    """The text with everything invisible made visible, odd blanks included, as ``⟨U+00A0⟩``, and look-alikes marked.

    `is_prose` as in `warnings_about`.
    """
    return outside_text(_show_blanks(mark_look_alikes(text, is_prose=is_prose)))


def show_name(text: str) -> str:
    """`show_hidden` of a path or another name, in one row: a line break or a tab in it is made visible too."""
    return outside_name(_show_blanks(mark_look_alikes(text)))


def _show_blanks(text: str) -> str:
    if text.isascii():
        return text
    usual = {at for match in _IN_EMOJI.finditer(text) for at in range(*match.span())}
    return _BLANK.sub(
        lambda match: match.group() if match.start() in usual else f"⟨U+{ord(match.group()):04X}⟩",
        text,
    )


def warnings_about(text: str, *, is_prose: bool = False, is_name: bool = False) -> list[str]:
    """What a reader should know before trusting a command or a path, one sentence each; none for ordinary text.

    In prose (`is_prose`: a file's text) a whole word of another script is nothing odd, a word of several is. In a name
    (`is_name`: a path) a line break or a tab is a hidden character.
    """
    found: list[str] = []
    if names := _names(text if text.isascii() else _IN_EMOJI.sub("", text), "" if is_name else "\n\t"):
        found.append(f"hidden characters: {names}")
    if words := look_alikes(text, is_prose=is_prose):
        shown = ", ".join(dict.fromkeys(f"{mark_look_alikes(word)} ({odd_letters(word)})" for word in words))
        found.append(f"letters that look like others: {shown}")
    if far := (_FAR_RIGHT_IN_PROSE if is_prose else _FAR_RIGHT).search(text):
        found.append(f"text far to the right, behind {len(far.group())} blanks: {_start_of(text[far.end() :])}")
    if not is_prose and (far := _FAR_DOWN.search(text)):
        lines = far.group().count("\n") - 1
        found.append(f"text far below, behind {lines} empty lines: {_start_of(text[far.end() :])}")
    return found


def _start_of(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return show_name(line if len(line) <= SHOWN else f"{line[:SHOWN]}{marks().ellipsis}")


def _names(text: str, usual: str) -> str:
    """Each hidden character once, by code and name, but for the `usual` ones."""
    if not (has_hidden(text) or _BLANK.search(text) or _CONTROL.search(text)):
        return ""
    hidden = dict.fromkeys(
        character
        for character in text
        if character not in usual and (has_hidden(character) or _BLANK.match(character) or _CONTROL.match(character))
    )
    return ", ".join(f"U+{ord(character):04X} {_name(character)}".rstrip() for character in hidden)


def _name(character: str) -> str:
    if character in _CALLED:
        return _CALLED[character]
    return unicodedata.name(character, "control" if ord(character) < 0xA0 else "").lower()
