"""The keys that choose among the rules of "always allow"."""

from __future__ import annotations

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
"""As many rules as can be offered."""


def rule_key(number: int) -> str:
    """The id of the binding that chooses a rule, counted from 1."""
    return f"approval.rule_{number}"
