"""JSON of tool details. Unknown kinds stay whole; the reference system's own details, which have no kind, are recognised."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, cast

from .details import (
    Details,
    DiffDetails,
    FileDetails,
    ImageDetails,
    ListingDetails,
    NoteDetails,
    OtherDetails,
    OutputDetails,
    SeenContent,
    Truncation,
)
from .foreign_details import diff_from_foreign
from .json_values import Json, integer, integer_or_none, is_true, object_of, text_of, text_or_none
from .messages import JsonObject


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _flat_to_json(value: Any) -> JsonObject:
    """The fields of a dataclass that differ from their default, in camelCase."""
    pairs = ((field, getattr(value, field.name)) for field in fields(value))
    return {
        _camel(field.name): _flat_to_json(item) if isinstance(item, Truncation | SeenContent) else item
        for field, item in pairs
        if field.default is MISSING or item != field.default
    }


@cache
def _plan(type_: type) -> tuple[tuple[str, str, Callable[[object], object], bool], ...]:
    """How each field of a details class is read: its name, its key, its reader, whether it must be there."""
    return tuple(
        (field.name, _camel(field.name), _READERS[cast("str", field.type)], field.default is MISSING)
        for field in fields(type_)
    )


def _flat_from_json(type_: Callable[..., Any], data: Json) -> Any:
    values: JsonObject = {}
    for name, key, reader, is_required in _plan(cast("type", type_)):
        value = data.get(key)
        if value is not None or is_required:
            values[name] = reader(value)
    return type_(**values)


def _truncation_from_json(value: object) -> Truncation | None:
    data = object_of(value)
    if data.get("truncatedBy") not in ("lines", "bytes"):
        return None
    numbers = (integer(data.get(key)) for key in ("totalLines", "totalBytes", "outputLines", "outputBytes"))
    partial, exceeds = is_true(data.get("lastLinePartial")), is_true(data.get("firstLineExceedsLimit"))
    return Truncation(data["truncatedBy"], *numbers, last_line_partial=partial, first_line_exceeds_limit=exceeds)


def _seen_from_json(value: object) -> SeenContent | None:
    data = object_of(value)
    path, digest = text_of(data.get("path")), text_of(data.get("digest"))
    return SeenContent(path, digest) if path and digest else None


_READERS: dict[str, Callable[[object], object]] = {
    "str": text_of,
    "str | None": text_or_none,
    "int": integer,
    "int | None": integer_or_none,
    "bool": is_true,
    "Truncation | None": _truncation_from_json,
    "SeenContent | None": _seen_from_json,
}

_DETAILS = (DiffDetails, OutputDetails, FileDetails, ListingDetails, ImageDetails, NoteDetails)
_DETAILS_BY_KIND: dict[str, Callable[..., Details]] = {type_.kind: type_ for type_ in _DETAILS}


def details_to_json(details: Details) -> JsonObject:
    """Details as an object whose `kind` names what they are; fields at their default are left out."""
    if isinstance(details, OtherDetails):
        return {**details.data, "kind": details.kind} if details.kind else dict(details.data)
    return {"kind": details.kind, **_flat_to_json(details)}


def details_from_json(data: Json, tool_name: str = "") -> Details:
    """Details of any version: an unknown kind stays whole; the reference's edit and bash details have no kind."""
    kind = text_of(data.get("kind"))
    if kind in _DETAILS_BY_KIND:
        return cast("Details", _flat_from_json(_DETAILS_BY_KIND[kind], data))
    if not kind and (diff := diff_from_foreign(data)):
        return diff
    if not kind and (tool_name == "bash" or "fullOutputPath" in data):
        truncation = _truncation_from_json(data.get("truncation"))
        path = text_or_none(data.get("fullOutputPath"))
        total = truncation.total_lines if truncation else 0
        return OutputDetails("", truncation=truncation, full_output_path=path, total_lines=total)
    return OtherDetails(kind, {key: value for key, value in data.items() if key != "kind"})


_EXIT_NOTE = re.compile(r"\n*Command exited with code (\d+)\s*$")
_BASH_ENDS = (
    ("timed_out", re.compile(r"\n*Command timed out after .*$")),
    ("aborted", re.compile(r"\n*Command aborted$")),
)


def result_details(data: Json, text: str) -> Details | None:
    """The details of a stored tool result whose content is `text`."""
    raw = data.get("details")
    if raw is None:
        return None
    if not isinstance(raw, dict):
        return OtherDetails("", {"value": raw})
    details = details_from_json(cast("JsonObject", raw), text_of(data.get("toolName")))
    foreign = isinstance(details, OutputDetails) and "kind" not in raw
    return _foreign_output(cast("OutputDetails", details), text, is_true(data.get("isError"))) if foreign else details


def _foreign_output(details: OutputDetails, text: str, is_error: bool) -> OutputDetails:
    """The reference keeps a command's output and end in its content only."""
    code = _EXIT_NOTE.search(text)
    exit_code = int(code[1]) if code else None if is_error else 0
    ends = {name: bool(pattern.search(text)) for name, pattern in _BASH_ENDS}
    return OutputDetails(
        "",
        output=_EXIT_NOTE.sub("", text),
        exit_code=exit_code,
        timed_out=ends["timed_out"],
        aborted=ends["aborted"],
        total_lines=details.total_lines or len(text.splitlines()),
        truncation=details.truncation,
        full_output_path=details.full_output_path,
    )
