"""How keys are spelled for people; `keys.toml` understands every spelling that is shown."""

from __future__ import annotations

import string

from textual.keys import _character_to_key  # pyright: ignore[reportPrivateUsage]

from ..text.marks import marks

UNBOUND = "unbound"
"""Stands in the app's key map for an action without a key: no terminal sends it."""

NAMES = {"newline": "", UNBOUND: "", "pageup": "pgup", "pagedown": "pgdn", "backspace": "bksp", "escape": "esc"}
"""Keys that are spelled otherwise than Textual names them; an empty one is not shown."""

CHARACTERS: dict[str, str] = {_character_to_key(character): character for character in string.punctuation}
"""What stands on a key with a long name, such as ``question_mark``."""

ARROWS = {"up": "↑", "down": "↓", "left": "←", "right": "→"}


def key_label(keys: str) -> str:
    """Keys, parted by commas, as people write them: ``alt+enter · ctrl+q``. Empty if there is none."""
    return f" {marks().dot} ".join(key_labels(keys))


def key_labels(keys: str) -> list[str]:
    """Each of the keys, parted by commas, as people write it."""
    labels = dict.fromkeys(_label(key) for key in keys.split(","))
    return [label for label in labels if label]


def short_label(keys: str) -> str:
    """The first of the keys, for a hint: arrows are drawn. Empty if there is none."""
    label = next((label for key in keys.split(",") if (label := _label(key))), "")
    if marks().up.isascii():
        return label
    modifiers, plus, key = label.rpartition("+") if len(label) > 1 else ("", "", label)
    return f"{modifiers}{plus}{ARROWS.get(key, key)}"


def _label(key: str) -> str:
    *modifiers, name = key.strip().split("+")
    name = NAMES.get(name, CHARACTERS.get(name, name))
    if modifiers and len(name) == 1 and name.isupper():
        modifiers, name = [*modifiers, "shift"], name.lower()
    return "+".join([*modifiers, name]) if name else ""
