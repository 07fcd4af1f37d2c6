"""The keys of a small screen and what they do, in one quiet line."""

from __future__ import annotations

from textual.content import Content
from textual.dom import DOMNode

from ...widgets.terminal.key_dispatch import first_key


def key_line(node: DOMNode, *hints: tuple[str, str]) -> Content:
    """Ids of the node's own bindings, and what they do; one that has no key is left out.

    Two ids that belong together are parted by a comma.
    """
    shown = [(" ".join(first_key(node, each) for each in ids.split(",")), words) for ids, words in hints]
    return Content.styled("      ".join(f"{key}  {words}" for key, words in shown if key), "dim")
