"""Looking into JSON that others wrote: nothing is assumed to be there, or to be of the right kind."""

from __future__ import annotations

import json
from typing import Any, TypeGuard, cast

from ..agent.messages import JsonObject

MAX_DEPTH = 128
"""Levels of nesting; deeper values break whatever walks them later."""


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Whether `value` is a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether `value` is a JSON list."""
    return isinstance(value, list)


def as_object(value: object) -> JsonObject:
    """`value` if it is an object, else an empty one."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """`value` if it is a list, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def as_text(value: object) -> str:
    """`value` if it is a text, else the empty one."""
    return value if isinstance(value, str) else ""


def as_count(value: object) -> int | None:
    """`value` as a number of things (0 or more), else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 1e15 else None


def is_deep(value: object) -> bool:
    """Whether `value` is nested deeper than `MAX_DEPTH`."""
    layer: list[object] = [value]
    for _ in range(MAX_DEPTH + 1):
        layer = [child for item in layer for child in _children(item)]
        if not layer:
            return False
    return True


def _children(value: object) -> list[object]:
    if is_object(value):
        return list(value.values())
    return value if is_list(value) else []


def replace_surrogates(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate, so that it can be encoded; pairs become their character."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def dump_json(value: object) -> bytes:
    """`value` as compact JSON in UTF-8; the same value gives the same bytes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return replace_surrogates(text).encode()


def parse_object(text: str | None) -> JsonObject:
    """The JSON object that `text` holds, an empty one if it holds none."""
    try:
        return as_object(json.loads(text or "{}"))
    except (ValueError, RecursionError):
        return {}
