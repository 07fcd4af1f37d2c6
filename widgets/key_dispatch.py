"""A widget's own keys, run in the order in which they arrive.

Textual lets a key bubble up to the app before its binding runs, so that a letter typed after it may overtake it.
"""

from __future__ import annotations

from textual.actions import parse
from textual.binding import Binding
from textual.widget import Widget


def own_binding(widget: Widget, key: str) -> Binding | None:
    """The binding of this widget for a key, as the app's key map has it."""
    bindings = widget._bindings  # pyright: ignore[reportPrivateUsage]
    keymap = widget.app._keymap  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType]
    if keymap:
        bindings = bindings.copy()
        bindings.apply_keymap(keymap)
    found = bindings.key_to_bindings.get(key)
    return found[0] if found else None


def run_own(widget: Widget, key: str) -> bool:
    """Run the widget's own action for a key, if it has one that applies now."""
    binding = own_binding(widget, key)
    if binding is None:
        return False
    _, name, parameters = parse(binding.action)
    if not widget.check_action(name, parameters):
        return False
    getattr(widget, f"action_{name}")(*parameters)
    return True
