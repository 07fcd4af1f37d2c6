"""Values of unknown type, as JSON brings them, read as the type that is wanted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeGuard, cast

from .messages import JsonObject

Json: TypeAlias = Mapping[str, Any]

MAX_DEPTH = 128
"""Levels of nesting; deeper values break whatever walks them later."""


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Whether `value` is a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether `value` is a JSON list."""
    return isinstance(value, list)


def text_of(value: object) -> str:
    """The string, or an empty one."""
    return value if isinstance(value, str) else ""


def text_or_none(value: object) -> str | None:
    """The string, or None for anything else."""
    return value if isinstance(value, str) else None


def number(value: object) -> float:
    """The finite or infinite number, or 0 (NaN included)."""
    return value if isinstance(value, (int, float)) and value == value else 0


def integer(value: object) -> int:
    """The whole number, or 0."""
    return integer_or_none(value) or 0


def integer_or_none(value: object) -> int | None:
    """The whole number (JSON may spell it ``3.0``), or None."""
    if isinstance(value, int):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else None


def count_of(value: object) -> int | None:
    """`value` as a number of things (0 or more), else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 1e15 else None


def is_true(value: object) -> bool:
    """Whether it is true itself; nothing else counts."""
    return value is True


def object_of(value: object) -> JsonObject:
    """The object, or an empty one."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """`value` if it is a list, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def objects_of(value: object) -> list[JsonObject]:
    """The objects among the items of a list, or nothing."""
    if not isinstance(value, list):
        return []
    return [cast("JsonObject", item) for item in cast("list[object]", value) if isinstance(item, dict)]


def drop_none(data: JsonObject) -> JsonObject:
    """The pairs whose value is not None."""
    return {key: value for key, value in data.items() if value is not None}


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
        return object_of(json.loads(text or "{}"))
    except (ValueError, RecursionError):
        return {}
