"""A widget's own keys, run in the order in which they arrive.

Textual lets a key bubble up to the app before its binding runs, so that a letter typed after it may overtake it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress

from textual.actions import parse
from textual.binding import Binding
from textual.dom import DOMNode
from textual.widget import Widget

from .key_labels import short_label

DRAIN_SECONDS = 0.5
"""Seconds after which a widget that is busy with earlier keys is waited for no longer."""


async def drained(widget: Widget | None) -> None:
    """Wait until a widget has done with the keys that it was given."""
    done = asyncio.Event()
    if widget is not None and widget.call_later(done.set):
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(done.wait(), DRAIN_SECONDS)


def own_bindings(widget: DOMNode, key: str) -> Sequence[Binding]:
    """The bindings of this widget for a key, as the app's key map has them."""
    own, keymap = widget._bindings, _keymap(widget)  # pyright: ignore[reportPrivateUsage]
    if not keymap:
        return own.key_to_bindings.get(key, ())
    # Not `BindingsMap.apply_keymap`: it takes a key from all who share it.
    return [binding for default, binding in own if _holds(keymap.get(binding.id or "", default), key)]


def bindings_for(node: DOMNode, table: Sequence[Binding], key: str) -> Sequence[Binding]:
    """The bindings of a table that is nobody's own for a key, as the app's key map has them."""
    keymap = _keymap(node)
    return [binding for binding in table if _holds(keymap.get(binding.id or "", binding.key), key)]


def first_key(node: DOMNode, binding_id: str) -> str:
    """The first key of one of the node's own bindings, as a hint spells it; empty if it has none."""
    if keys := _keymap(node).get(binding_id):
        return short_label(keys)
    own = node._bindings  # pyright: ignore[reportPrivateUsage]
    return short_label(",".join(key for key, binding in own if binding.id == binding_id))


def key_hint(node: DOMNode, ids: str, words: str) -> str:
    """Keys and what they do, such as ``esc stops``; empty if there is no key.

    `ids` are one or more of the node's own bindings, parted by commas; where the app knows more keys, it says so.
    """
    keys = " ".join(key for each in ids.split(",") if (key := first_key(node, each)))
    return f"{keys} {words}" if keys else ""


def run_own(widget: Widget, key: str) -> bool:
    """Run the widget's own action for a key, if it has one that applies now."""
    for binding in own_bindings(widget, key):
        _, name, parameters = parse(binding.action)
        if widget.check_action(name, parameters):
            getattr(widget, f"action_{name}")(*parameters)
            return True
    return False


def _holds(keys: str, key: str) -> bool:
    return key in keys and key in keys.split(",")


def _keymap(node: DOMNode) -> Mapping[str, str]:
    return node.app._keymap  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType]
