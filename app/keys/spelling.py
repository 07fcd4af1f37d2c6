"""From what people write for a key to the names under which it arrives."""

from __future__ import annotations

from textual._keyboard_protocol import FUNCTIONAL_KEYS
from textual.keys import _character_to_key, key_to_character  # pyright: ignore[reportPrivateUsage]

from ...widgets.terminal.key_labels import CHARACTERS

MODIFIERS = {
    "alt": "alt", "option": "alt", "opt": "alt", "ctrl": "ctrl", "control": "ctrl", "shift": "shift",
    "super": "super", "cmd": "super", "win": "super", "hyper": "hyper", "meta": "meta",
}  # fmt: skip

SAME = {
    "esc": "escape", "return": "enter", "pgup": "pageup", "page_up": "pageup", "pgdn": "pagedown", "pgdown": "pagedown",
    "page_down": "pagedown", "bksp": "backspace", "del": "delete", "ins": "insert",
    "↑": "up", "↓": "down", "←": "left", "→": "right",
}  # fmt: skip

ONE_KEY = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+left_square_bracket": "escape", "ctrl+at": "ctrl+space"}
"""What a terminal cannot tell from another key."""

NAMED = frozenset({*FUNCTIONAL_KEYS.values(), "space", "newline"}) | {f"f{number}" for number in range(1, 25)}


def parse_key(text: str) -> tuple[str, ...]:
    """The names under which a key such as ``Ctrl+X``, ``?`` or ``pgdn`` may arrive; none if it is no key."""
    *modifiers, name = _parts(text.strip())
    known = {MODIFIERS.get(modifier.lower(), "") for modifier in modifiers}
    if "" in known or not name:
        return ()
    if len(name) == 1 and name.isprintable():
        return _character(name, known)
    name = SAME.get(name.lower(), name.lower())
    return (_joined(known, name),) if name in NAMED or name in CHARACTERS else ()


def types_letter(key: str) -> bool:
    """Whether a key, by its name, types a character."""
    character = CHARACTERS.get(key) or key_to_character(key)
    return character is not None and character.isprintable()


def _parts(text: str) -> list[str]:
    """Parted at the plus signs; a plus at the end is the key itself."""
    if text.endswith("+"):
        return [*filter(None, text[:-1].rstrip("+").split("+")), "+"]
    return text.split("+")


def _character(character: str, modifiers: set[str]) -> tuple[str, ...]:
    """A key with a character on it. Shift makes a letter a capital one, as terminals do; with Alt they differ."""
    if character in SAME:
        return (_joined(modifiers, SAME[character]),)
    if modifiers - {"shift"}:
        character = character.lower()
    if "shift" not in modifiers:
        key = _joined(modifiers, _character_to_key(character))
        return (ONE_KEY.get(key, key),)
    if not character.isalpha():
        return ()
    if modifiers == {"shift"}:
        return (character.upper(),)
    names = (_joined(modifiers, character.lower()),)
    return (_joined({"alt"}, character.upper()), *names) if modifiers == {"alt", "shift"} else names


def _joined(modifiers: set[str], name: str) -> str:
    return "+".join([*sorted(modifiers), name])
