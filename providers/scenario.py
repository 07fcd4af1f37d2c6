"""Scenario files: a script of turns for the scripted provider, in TOML or JSON.

    [[turns]]
    first_delay = 0.2
    usage = { input = 1200, output = 40 }

    [[turns.parts]]
    say = "Let me look."
    chunk = 4
    delay = 0.02

    [[turns.parts]]
    call = "read"
    arguments = { path = "{cwd}/app.py" }

A part has exactly one of the keys `say`, `think`, `call`, `fail`, `stall`, and the fields of the class of that name.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast, get_args

from ..agent.json_values import is_list, is_object
from ..agent.messages import StopReason, Usage
from ..agent.provider import ErrorKind
from .scripted import Call, Fail, Part, Say, Stall, Think, Turn

_NUMBER = (int, float)
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")

_TURN_FIELDS: Mapping[str, Any] = {
    "parts": list,
    "usage": dict,
    "stop_reason": str,
    "first_delay": _NUMBER,
    "stop_detail": str,
    "error_message": str,
}
_USAGE_FIELDS: Mapping[str, Any] = dict.fromkeys(("input", "output", "cache_read", "cache_write", "reasoning"), int)
_PART_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "say": {"say": str, "chunk": int, "delay": _NUMBER},
    "think": {"think": str, "chunk": int, "delay": _NUMBER, "signature": str},
    "call": {"call": str, "arguments": dict, "id": str, "fragment": int, "delay": _NUMBER, "raw": str},
    "fail": {"fail": str, "message": str, "retry_after": _NUMBER},
    "stall": {"stall": _NUMBER},
}


class ScenarioError(Exception):
    """A scenario cannot be played; the text names the file and the place in it."""


def load_scenario(path: Path | str, values: Mapping[str, str] | None = None) -> list[Turn]:
    """Read the turns of a scenario file; `{name}` in any of its texts becomes `values[name]` where that is given.

    Raises `ScenarioError`.
    """
    path = Path(path)
    try:
        document = _read(path)
        turns = _typed(document, {"turns": list}, "top level").get("turns")
        if not turns:
            raise ScenarioError("no turns: write at least one [[turns]]")
        filled = cast("list[object]", _fill(turns, values or {}))
        return [_turn(item, f"turns[{number}]") for number, item in enumerate(filled)]
    except ScenarioError as error:
        raise ScenarioError(f"{path}: {error}") from None


def _read(path: Path) -> object:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ScenarioError(error.strerror or str(error)) from None
    except UnicodeDecodeError as error:
        raise ScenarioError(f"not UTF-8 (byte {error.start})") from None
    load: Callable[[str], object] = json.loads if path.suffix.lower() == ".json" else tomllib.loads
    try:
        return load(text)
    except (ValueError, RecursionError) as error:
        raise ScenarioError(str(error)) from None


def _fill(value: object, values: Mapping[str, str]) -> object:
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), value)
    if is_object(value):
        return {key: _fill(item, values) for key, item in value.items()}
    if is_list(value):
        return [_fill(item, values) for item in value]
    return value


def _turn(item: object, place: str) -> Turn:
    fields = _typed(item, _TURN_FIELDS, place)
    parts = [_part(part, f"{place}.parts[{number}]") for number, part in enumerate(fields.pop("parts", []))]
    if "usage" in fields:
        fields["usage"] = Usage(**_typed(fields["usage"], _USAGE_FIELDS, f"{place}.usage"))
    if "stop_reason" in fields:
        _one_of(fields["stop_reason"], get_args(StopReason), f"{place}.stop_reason")
    return Turn(tuple(parts), **fields)


def _part(item: object, place: str) -> Part:
    keys = [key for key in _PART_FIELDS if is_object(item) and key in item]
    if len(keys) != 1:
        raise ScenarioError(f"{place}: a part needs exactly one of {', '.join(_PART_FIELDS)}")
    kind = keys[0]
    fields = _typed(item, _PART_FIELDS[kind], place)
    head = fields.pop(kind)
    if kind == "say":
        return Say(head, **fields)
    if kind == "think":
        return Think(head, **fields)
    if kind == "call":
        return Call(head, **fields)
    if kind == "stall":
        return Stall(head)
    _one_of(head, get_args(ErrorKind), f"{place}.fail")
    return Fail(head, fields.pop("message", f"scripted failure: {head}"), **fields)


def _typed(item: object, allowed: Mapping[str, Any], place: str) -> dict[str, Any]:
    if not is_object(item):
        raise ScenarioError(f"{place}: must be a table")
    for key, value in item.items():
        if key not in allowed:
            raise ScenarioError(f"{place}: unknown key {key!r}; known are {', '.join(allowed)}")
        if isinstance(value, bool) or not isinstance(value, allowed[key]):
            raise ScenarioError(f"{place}.{key}: must be {_name(allowed[key])}, not {value!r}")
        if allowed[key] in (int, _NUMBER) and value < 0:
            raise ScenarioError(f"{place}.{key}: must not be negative")
    return dict(item)


def _one_of(value: str, allowed: tuple[str, ...], place: str) -> None:
    if value not in allowed:
        raise ScenarioError(f"{place}: {value!r} is none of {', '.join(allowed)}")


def _name(kind: object) -> str:
    names = {str: "a text", int: "a whole number", list: "a list", dict: "a table"}
    return names.get(cast("type", kind), "a number")
