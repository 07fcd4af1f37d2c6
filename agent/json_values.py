"""Values of unknown type, as JSON brings them, read as the type that is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

from .messages import JsonObject

Json: TypeAlias = Mapping[str, Any]


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


def is_true(value: object) -> bool:
    """Whether it is true itself; nothing else counts."""
    return value is True


def object_of(value: object) -> JsonObject:
    """The object, or an empty one."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def objects_of(value: object) -> list[JsonObject]:
    """The objects among the items of a list, or nothing."""
    if not isinstance(value, list):
        return []
    return [cast("JsonObject", item) for item in cast("list[object]", value) if isinstance(item, dict)]


def drop_none(data: JsonObject) -> JsonObject:
    """The pairs whose value is not None."""
    return {key: value for key, value in data.items() if value is not None}
