"""Key names, as Textual spells them, from the codes of the kitty keyboard protocol and of xterm's modifyOtherKeys.

Sources: https://sw.kovidgoyal.net/kitty/keyboard-protocol/ and xterm's ctlseqs.
"""

from __future__ import annotations

import unicodedata

from textual._keyboard_protocol import FUNCTIONAL_KEYS, MODIFIER_FUNCTIONAL_KEYS
from textual.events import Key
from textual.keys import _character_to_key  # pyright: ignore[reportPrivateUsage]

SHIFT, ALT, CTRL, SUPER, HYPER, META, CAPS_LOCK = 1, 2, 4, 8, 16, 32, 64

_MODIFIERS = ((ALT, "alt"), (CTRL, "ctrl"), (SUPER, "super"), (HYPER, "hyper"), (META, "meta"), (SHIFT, "shift"))
_LOCKS = {"caps_lock", "scroll_lock", "num_lock"}
_SILENT = MODIFIER_FUNCTIONAL_KEYS | _LOCKS

_KEYPAD = {57399 + digit: str(digit) for digit in range(10)} | {
    57409: ".", 57410: "/", 57411: "*", 57412: "-", 57413: "+", 57415: "=", 57416: ",",
}  # fmt: skip

_SPECIAL = {9: "tab", 13: "enter", 27: "escape", 127: "backspace", 8: "backspace", 57414: "enter"}
_SPECIAL_CHARACTERS = {"tab": "\t", "enter": "\r", "escape": "\x1b", "backspace": "\x7f"}

_RUSSIAN = dict(zip("йцукенгшщзхъфывапролджэячсмитьбю", "qwertyuiop[]asdfghjkl;'zxcvbnm,.", strict=True))
"""The Latin letter on the key of a Russian one, for terminals that do not tell it."""

_SAME_AS = {"ctrl+left_square_bracket": "escape", "ctrl+m": "enter", "ctrl+i": "tab"}


def key_of_code(code: int, modifiers: int, *, shifted: int = 0, base: int = 0, text: str = "") -> list[Key]:
    """The keys for a key code with modifier bits (`SHIFT` …, locks ignored); none for a bare modifier or lock.

    `shifted` and `base` are the codes of the same key with Shift and on a Latin layout, `text` is what it types.
    """
    if code in _KEYPAD:
        text, code = _KEYPAD[code] if not modifiers & (CTRL | ALT) else "", ord(_KEYPAD[code])
    if code in _SPECIAL:
        return [_named(_SPECIAL[code], modifiers)]
    if (name := FUNCTIONAL_KEYS.get(f"{code}u")) is not None:
        return [] if name in _SILENT else [_named(name, modifiers)]
    if modifiers & (ALT | CTRL | SUPER | HYPER | META) and not text:
        return [_chord(code, modifiers, base)]
    return [typed(character) for character in (text or _character(code, modifiers, shifted)) if is_text(character)]


def key_of_function(number: int, end: str, modifiers: int) -> list[Key]:
    """The key for ``CSI number ; modifiers end`` with a letter or ``~`` at its end; none if it is unknown."""
    name = FUNCTIONAL_KEYS.get(f"{number}{end}")
    return [] if name is None or name in _SILENT else [_named(name, modifiers)]


def typed_text(key: Key) -> str:
    """What a key types; empty for a key that types nothing."""
    return key.character if key.character and is_text(key.character) else ""


def is_text(character: str) -> bool:
    """Whether a character is written rather than obeyed: all but control codes and lone surrogates.

    `str.isprintable` leaves out what people type: joiners (family emoji, Persian), no-break and ideographic spaces.
    """
    return unicodedata.category(character) not in ("Cc", "Cs")


def typed(character: str) -> Key:
    """A key that types a character."""
    return Key(_character_to_key(character), character)


def with_alt(character: str) -> Key:
    """Alt and a character, as terminals send it behind an escape byte."""
    if (name := _SPECIAL.get(ord(character))) is not None:
        return Key(f"alt+{name}", None)
    if ord(character) < 0x20:
        letter = chr(ord(character) | 0x40).lower() if character != "\x00" else " "
        return Key(f"alt+ctrl+{_character_to_key(letter)}", None)
    return Key(f"alt+{_character_to_key(character)}", None)


def _named(name: str, modifiers: int) -> Key:
    if modifiers & SHIFT and name == "space":
        modifiers &= ~SHIFT
    full = _join(name, modifiers)
    return Key(full, _SPECIAL_CHARACTERS.get(full))


def _chord(code: int, modifiers: int, base: int) -> Key:
    character = chr(code)
    if not character.isascii():
        character = chr(base) if base else _RUSSIAN.get(character.lower(), character)
    name = _join(_character_to_key(character.lower()), modifiers)
    same = _SAME_AS.get(name, name)
    return Key(same, _SPECIAL_CHARACTERS.get(same))


def _character(code: int, modifiers: int, shifted: int) -> str:
    if modifiers & SHIFT and shifted:
        return chr(shifted)
    character = chr(code)
    return character.upper() if modifiers & (SHIFT | CAPS_LOCK) else character


def _join(name: str, modifiers: int) -> str:
    return "+".join([*sorted(word for bit, word in _MODIFIERS if modifiers & bit), name])
