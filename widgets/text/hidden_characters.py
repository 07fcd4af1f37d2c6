"""What deceives the eye: invisible characters, ones that turn the text around, look-alikes, text pushed out of sight.

Rules after Unicode Technical Report 36 and Standard 39, cut down to what a person can act on.
"""

from __future__ import annotations

import re
import unicodedata

from .outside_text import has_hidden, outside_name, outside_text

_BLANK = re.compile("[\u00a0\u115f\u1160\u1680\u2000-\u200a\u200d\u202f\u205f\u2800\u3000\u3164\ufe00-\ufe0f\uffa0]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_CALLED = {"\x1b": "escape", "\n": "line break", "\t": "tab", "\r": "carriage return"}
_FAR_RIGHT = re.compile(r"(?<=\S)[ \t]{40,}(?=\S)")
_FAR_RIGHT_IN_PROSE = re.compile(r"(?<=\S)[ \t]{100,}(?=\S)")
_FAR_DOWN = re.compile(r"(?<=\S)(?:[ \t]*\n){7,}(?=[ \t]*\S)")
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "FULLWIDTH")
SHOWN = 60
"""Characters that a warning shows of a text that stands out of sight."""

_LOOKS_LATIN = frozenset("аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЈЅοορνικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")


def show_hidden(text: str) -> str:
    """The text with everything invisible made visible, odd blanks included, as ``⟨U+00A0⟩``."""
    return outside_text(_show_blanks(text))


def show_name(text: str) -> str:
    """`show_hidden` of a path or another name, in one row: a line break or a tab in it is made visible too."""
    return outside_name(_show_blanks(text))


def _show_blanks(text: str) -> str:
    return _BLANK.sub(lambda match: f"⟨U+{ord(match.group()):04X}⟩", text)


def warnings_about(text: str, *, is_prose: bool = False, is_name: bool = False) -> list[str]:
    """What a reader should know before trusting a command or a path, one sentence each; none for ordinary text.

    In prose (`is_prose`: a file's text) a whole word of another script is nothing odd, a word of several is. In a name
    (`is_name`: a path) a line break or a tab is a hidden character.
    """
    found: list[str] = []
    if names := _names(text, "" if is_name else "\n\t"):
        found.append(f"hidden characters: {names}")
    if words := [word for word in _WORD.findall(text) if _is_look_alike(word, is_prose=is_prose)]:
        shown = ", ".join(dict.fromkeys(f"{word} ({_odd_letters(word)})" for word in words))
        found.append(f"letters that look like others: {shown}")
    if far := (_FAR_RIGHT_IN_PROSE if is_prose else _FAR_RIGHT).search(text):
        found.append(f"text far to the right, behind {len(far.group())} blanks: {_start_of(text[far.end() :])}")
    if not is_prose and (far := _FAR_DOWN.search(text)):
        lines = far.group().count("\n") - 1
        found.append(f"text far below, behind {lines} empty lines: {_start_of(text[far.end() :])}")
    return found


def _start_of(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return show_name(line if len(line) <= SHOWN else f"{line[:SHOWN]}…")


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


def _is_look_alike(word: str, *, is_prose: bool = False) -> bool:
    """Letters of several scripts in one word, or a whole word of letters that look Latin and are not."""
    if word.isascii():
        return False
    scripts = {script for character in word if (script := _script(character))}
    return len(scripts) > 1 or (not is_prose and len(word) > 1 and all(character in _LOOKS_LATIN for character in word))


def _script(character: str) -> str:
    name = unicodedata.name(character, "")
    return next((script for script in _SCRIPTS if name.startswith(script)), "")


def _odd_letters(word: str) -> str:
    """The letters of a word that are not Latin, with their script."""
    odd = dict.fromkeys(character for character in word if not character.isascii() and _script(character) != "LATIN")
    return ", ".join(f"U+{ord(character):04X} {_script(character).lower()}".rstrip() for character in odd)
