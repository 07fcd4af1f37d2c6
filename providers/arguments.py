"""The arguments of a tool call: from the text a model wrote to an object, or to a reason why not."""

from __future__ import annotations

import json
import re
from dataclasses import field
from typing import Any, NoReturn, cast

from ..agent.frozen import frozen
from ..agent.json_values import MAX_DEPTH, is_deep, is_list, is_object, replace_surrogates
from ..agent.messages import JsonObject

_BACKSLASH = re.compile(r'\\(["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')


@frozen
class ParsedArguments:
    """`error` is None exactly if the text was understood; then `value` is what it says."""

    value: JsonObject = field(default_factory=dict[str, Any])
    error: str | None = None


def parse_arguments(text: str) -> ParsedArguments:
    """Read a JSON object. Nothing, blanks and null mean no arguments.

    Raw control characters and backslashes that escape nothing are accepted, because models write both.
    """
    if not text.strip():
        return ParsedArguments()
    value, error = _load(text)
    if error is None and isinstance(value, str):
        value, error = _load(value)
    if error is not None:
        return ParsedArguments(error=error)
    return check_arguments(value)


def check_arguments(value: object) -> ParsedArguments:
    """Accept a value that is already parsed: an object, or null for no arguments."""
    if value is None:
        return ParsedArguments()
    if not is_object(value):
        return ParsedArguments(error=f"arguments must be a JSON object, got {_kind(value)}")
    if is_deep(value):
        return ParsedArguments(error=f"arguments are nested deeper than {MAX_DEPTH} levels")
    return ParsedArguments(cast("JsonObject", _clean(value)))


def _load(text: str) -> tuple[object, str | None]:
    try:
        return _decode(text), None
    except RecursionError:
        return None, "invalid JSON: nested too deeply"
    except ValueError as error:
        reason = f"invalid JSON: {error}"
    if "\\" in text:
        try:
            return _decode(_BACKSLASH.sub(lambda match: match[0] if match[1] else "\\\\", text)), None
        except (ValueError, RecursionError):
            pass
    return None, reason


def _decode(text: str) -> object:
    return json.loads(text, strict=False, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _clean(value: object) -> object:
    if isinstance(value, str):
        return replace_surrogates(value)
    if is_object(value):
        return {replace_surrogates(key): _clean(item) for key, item in value.items()}
    if is_list(value):
        return [_clean(item) for item in value]
    return value


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "a number"
