"""Characters that deceive the eye: invisible ones, ones that turn the text around, letters that look like others.

Rules after Unicode Technical Report 36 and Standard 39, cut down to what a person can act on.
"""

from __future__ import annotations

import re
import unicodedata

from .outside_text import has_hidden, outside_text

_BLANK = re.compile("[\u00a0\u115f\u1160\u1680\u2000-\u200a\u200d\u202f\u205f\u2800\u3000\u3164\ufe00-\ufe0f\uffa0]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "FULLWIDTH")
_LOOKS_LATIN = frozenset("аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЈЅοορνικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")


def show_hidden(text: str) -> str:
    """The text with everything invisible made visible, odd blanks included, as ``⟨U+00A0⟩``."""
    return outside_text(_BLANK.sub(lambda match: f"⟨U+{ord(match.group()):04X}⟩", text))


def warnings_about(text: str, *, is_prose: bool = False) -> list[str]:
    """What a reader should know before trusting a command or a path, one sentence each; none for ordinary text.

    In prose (`is_prose`: a file's text) a whole word of another script is nothing odd, a word of several is.
    """
    found: list[str] = []
    if has_hidden(text) or _BLANK.search(text) or _CONTROL.search(text):
        found.append(f"hidden characters: {_names(text)}")
    if words := [word for word in _WORD.findall(text) if _is_look_alike(word, is_prose=is_prose)]:
        shown = ", ".join(dict.fromkeys(f"{word} ({_odd_letters(word)})" for word in words))
        found.append(f"letters that look like others: {shown}")
    return found


def _names(text: str) -> str:
    """Each hidden character once, by code and name."""
    hidden = dict.fromkeys(
        character
        for character in text
        if character not in "\n\t" and (has_hidden(character) or _BLANK.match(character) or _CONTROL.match(character))
    )
    return ", ".join(f"U+{ord(character):04X} {_name(character)}".rstrip() for character in hidden)


def _name(character: str) -> str:
    if character == "\x1b":
        return "escape"
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
