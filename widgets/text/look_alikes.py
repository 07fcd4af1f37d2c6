"""Letters that look like others: found in words, named, and marked where they stand.

After the mixed-script rule of Unicode Technical Standard 39, cut down to what a person can act on.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from .marks import marks

_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "FULLWIDTH")
_LOOKS_LATIN = frozenset("аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЈЅοορνικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")


def look_alikes(text: str, *, is_prose: bool = False) -> list[str]:
    """Words with letters of several scripts, or wholly of letters that look Latin and are not.

    In prose (`is_prose`: a file's text) a whole word of another script is nothing odd.
    """
    if text.isascii():
        return []
    return [word for word in _WORD.findall(text) if _is_look_alike(word, is_prose=is_prose)]


def mark_look_alikes(text: str, *, is_prose: bool = False) -> str:
    """The text with such letters marked where they stand: ``p⟨а⟩sswd``."""
    if text.isascii():
        return text

    def marked(match: re.Match[str]) -> str:
        word = match.group()
        return _marked(word) if _is_look_alike(word, is_prose=is_prose) else word

    return _WORD.sub(marked, text)


def odd_letters(word: str) -> str:
    """The letters of a word that are not Latin, by code and script."""
    odd = dict.fromkeys(character for character in word if _is_odd(character))
    return ", ".join(f"U+{ord(character):04X} {_script(character).lower()}".rstrip() for character in odd)


def _marked(word: str) -> str:
    begin, end = ("⟨", "⟩") if marks().bad == "\ufffd" else ("<", ">")
    parts: list[str] = []
    is_within = False
    for character in word:
        if _is_odd(character) != is_within:
            parts.append(end if is_within else begin)
            is_within = not is_within
        parts.append(character)
    return "".join(parts) + (end if is_within else "")


def _is_odd(character: str) -> bool:
    return not character.isascii() and _script(character) != "LATIN"


def _is_look_alike(word: str, *, is_prose: bool) -> bool:
    if word.isascii():
        return False
    scripts = {script for character in word if (script := _script(character))}
    return len(scripts) > 1 or (not is_prose and len(word) > 1 and all(character in _LOOKS_LATIN for character in word))


@lru_cache(maxsize=4096)
def _script(character: str) -> str:
    name = unicodedata.name(character, "")
    return next((script for script in _SCRIPTS if name.startswith(script)), "")
