"""Values of settings in words: what is wrong with one, and how it is written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

from ...widgets.text.marks import marks
from ..spelling import did_you_mean
from .model import SETTINGS


def value_fault(key: str, value: object) -> str | None:
    """What is wrong with this value of a known setting; None if nothing is."""
    rule = SETTINGS[key].rule
    if rule.accepts(value):
        return None
    hint = did_you_mean(value, rule.choices) if isinstance(value, str) else ""
    return f"{key} must be {rule.expected}, not {shown_value(value)}{hint}"


def shown_value(value: object) -> str:
    """A value as one writes it in TOML, cut to one short line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        shown = f"[{', '.join(shown_value(item) for item in cast('Sequence[object]', value))}]"
    else:
        shown = f'"{value}"' if isinstance(value, str) else str(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}{marks().ellipsis}"


def toml_value(value: object) -> str:
    """A value as one writes it in TOML, whole; empty for none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return f"[{', '.join(toml_value(item) for item in cast('Sequence[object]', value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
