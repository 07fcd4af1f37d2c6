"""Arguments of a call: the right shape or a clear refusal.

Strict about shape (unknown fields and required nulls are errors), lenient where models are known to slip: an
optional null counts as absent, a numeric string as a number.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from .messages import JsonObject, ToolCall
from .tool import AnyTool

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

RECEIVED_LIMIT = 2_000
"""Characters of the received arguments that an error shows."""


class InvalidArguments(Exception):
    """The arguments do not fit; the text tells the model which field, why, and what came in."""


def validate(tool: AnyTool, call: ToolCall) -> BaseModel:
    """The call's arguments as an instance of `tool.Arguments`.

    Raises `InvalidArguments` if their JSON did not parse or they do not fit the tool's schema. Whatever
    `tool.prepare_arguments` raises passes through.
    """
    if call.parse_error is not None:
        raise InvalidArguments(
            f"The arguments of {call.name} are not valid JSON, so the call did not run: {call.parse_error}\n"
            f"Received:\n{_clip(call.raw_arguments or '')}"
        )
    return validate_arguments(tool, tool.prepare_arguments(call.arguments))


def validate_arguments(tool: AnyTool, arguments: JsonObject) -> BaseModel:
    """Like `validate`, for arguments that are already prepared (a hook's rewrite)."""
    from pydantic import ValidationError  # for a call, not for a start

    schema = tool.spec.parameters
    cleaned = _drop_optional_nulls(schema, arguments, schema.get("$defs", {}))
    try:
        return tool.Arguments.model_validate(cleaned)
    except ValidationError as error:
        raise InvalidArguments(_explain(tool.name, error, arguments)) from None


def _drop_optional_nulls(schema: JsonObject, value: Any, definitions: JsonObject) -> Any:
    schema = _resolve(schema, definitions)
    if isinstance(value, dict):
        properties: JsonObject = schema.get("properties", {})
        required = schema.get("required", ())
        return {
            key: _drop_optional_nulls(properties.get(key, {}), item, definitions)
            for key, item in cast("JsonObject", value).items()
            if not (item is None and key in properties and key not in required)
        }
    if isinstance(value, list):
        items: JsonObject = schema.get("items", {})
        return [_drop_optional_nulls(items, item, definitions) for item in cast("list[Any]", value)]
    return value


def _resolve(schema: JsonObject, definitions: JsonObject) -> JsonObject:
    """Follow `$ref`, and the one branch of an `anyOf` that is not null."""
    for _ in range(8):
        reference, branches = schema.get("$ref"), cast("list[JsonObject]", schema.get("anyOf", []))
        wanted = [branch for branch in branches if branch.get("type") != "null"]
        if reference is not None:
            schema = cast("JsonObject", definitions.get(str(reference).rsplit("/", 1)[-1], {}))
        elif wanted:
            schema = wanted[0]
        else:
            break
    return schema


def _explain(name: str, error: ValidationError, received: JsonObject) -> str:
    lines = [f"Invalid arguments for {name}:"]
    for problem in error.errors(include_url=False, include_context=False):
        path = ".".join(str(part) for part in problem["loc"]) or "(arguments)"
        lines.append(f"- {path}: {_reason(problem['type'], problem['msg'])}")
    lines.append("Received:")
    lines.append(_clip(json.dumps(received, indent=2, ensure_ascii=False, default=str)))
    return "\n".join(lines)


def _reason(kind: str, message: str) -> str:
    match kind:
        case "missing":
            return "missing"
        case "extra_forbidden":
            return "unknown field"
        case _:
            return message[:1].lower() + message[1:]


def _clip(text: str) -> str:
    hidden = len(text) - RECEIVED_LIMIT
    return text if hidden <= 0 else f"{text[:RECEIVED_LIMIT]}\n… {hidden} more characters"
