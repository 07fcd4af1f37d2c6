"""JSON of entries and of the header, both ways; reading is tolerant of what other versions wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never, cast, get_args

from ..agent.encoding import content_to_json, usage_from_json, usage_to_json, user_content_from_json
from ..agent.json_values import drop_none, integer, is_true, object_of, text_of, text_or_none
from ..agent.messages import JsonObject, ThinkingLevel, Usage
from .entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomEntry,
    CustomMessageEntry,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    OtherEntry,
    SessionEntry,
    SessionHeader,
    SessionInfoEntry,
    ThinkingLevelChangeEntry,
    UsageEntry,
)
from .line import Line

_THINKING_LEVELS = frozenset(get_args(ThinkingLevel))


def header_to_json(header: SessionHeader) -> JsonObject:
    """The first line of a file."""
    return drop_none(
        {
            "type": "session",
            "version": header.version,
            "id": header.id,
            "timestamp": header.timestamp,
            "cwd": header.cwd,
            "parentSession": header.parent_session,
        }
    )


def header_from_json(data: JsonObject) -> SessionHeader | None:
    """The header, or None if the object is none. A file without a version is of version 1."""
    if data.get("type") != "session" or not isinstance(data.get("id"), str):
        return None
    parent = text_or_none(data.get("parentSession")) or text_or_none(data.get("branchedFrom"))
    version = integer(data.get("version")) or 1
    return SessionHeader(data["id"], text_of(data.get("timestamp")), text_of(data.get("cwd")), parent, version)


def entry_to_json(entry: SessionEntry) -> JsonObject:
    """A new entry as it is stored. For a `MessageEntry` the caller puts in `message`."""
    base = {"type": entry.type, "id": entry.id, "parentId": entry.parent_id, "timestamp": entry.timestamp}
    return {**base, **_fields_to_json(entry)}


def _fields_to_json(entry: SessionEntry) -> JsonObject:
    match entry:
        case MessageEntry() | OtherEntry():
            return {}
        case ModelChangeEntry():
            return {"provider": entry.provider, "modelId": entry.model_id}
        case ThinkingLevelChangeEntry():
            return {"thinkingLevel": entry.thinking_level}
        case CompactionEntry():
            kept = {"firstKeptEntryId": entry.first_kept_entry_id, "tokensBefore": entry.tokens_before}
            return {"summary": entry.summary, **kept, **_summary_extras(entry.details, entry.usage, entry.from_hook)}
        case BranchSummaryEntry():
            extras = _summary_extras(entry.details, entry.usage, entry.from_hook)
            return {"fromId": entry.from_id, "summary": entry.summary, **extras}
        case ContextEditEntry():
            return {"targetId": entry.target_id, "replacement": entry.replacement}
        case CustomEntry():
            return drop_none({"customType": entry.custom_type, "data": entry.data})
        case CustomMessageEntry():
            content = [content_to_json(block) for block in entry.content]
            shown = {"display": entry.display, "details": entry.details}
            return drop_none({"customType": entry.custom_type, "content": content, **shown})
        case LabelEntry():
            return drop_none({"targetId": entry.target_id, "label": entry.label})
        case SessionInfoEntry():
            return {"name": entry.name}
        case UsageEntry():
            about = {"kind": entry.kind, "provider": entry.provider, "model": entry.model}
            return drop_none({**about, "usage": usage_to_json(entry.usage), "note": entry.note})
        case _:
            assert_never(entry)


def _summary_extras(details: JsonObject | None, usage: Usage | None, from_hook: bool) -> JsonObject:
    spent = None if usage is None else usage_to_json(usage)
    return drop_none({"details": details, "usage": spent, "fromHook": from_hook or None})


def entry_from_json(data: JsonObject, line: Line) -> SessionEntry | None:
    """The entry that a line holds; None for what cannot stand in a tree (no id)."""
    id_ = data.get("id")
    if not isinstance(id_, str) or not id_:
        return None
    parent = text_or_none(data.get("parentId")) or None
    base = {"id": id_, "parent_id": parent, "timestamp": text_of(data.get("timestamp")), "line": line}
    reader = _READERS.get(text_of(data.get("type")), _other)
    return reader(data, base)


def _optional_usage(data: JsonObject) -> Usage | None:
    usage = data.get("usage")
    return usage_from_json(cast("JsonObject", usage)) if isinstance(usage, dict) else None


def _optional_object(value: object) -> JsonObject | None:
    return cast("JsonObject", value) if isinstance(value, dict) else None


def _summary_fields(data: JsonObject) -> dict[str, Any]:
    return {
        "summary": text_of(data.get("summary")),
        "details": _optional_object(data.get("details")),
        "usage": _optional_usage(data),
        "from_hook": is_true(data.get("fromHook")),
    }


def _message(data: JsonObject, base: dict[str, Any]) -> SessionEntry:
    return MessageEntry(**base, role=text_of(object_of(data.get("message")).get("role")))


def _model_change(data: JsonObject, base: dict[str, Any]) -> SessionEntry:
    return ModelChangeEntry(**base, provider=text_of(data.get("provider")), model_id=text_of(data.get("modelId")))


def _thinking_level_change(data: JsonObject, base: dict[str, Any]) -> SessionEntry:
    level = data.get("thinkingLevel")
    known = cast("ThinkingLevel", level) if level in _THINKING_LEVELS else "off"
    return ThinkingLevelChangeEntry(**base, thinking_level=known)


def _compaction(data: JsonObject, base: dict[str, Any]) -> SessionEntry:
    kept, tokens = text_of(data.get("firstKeptEntryId")), integer(data.get("tokensBefore"))
    return CompactionEntry(**base, **_summary_fields(data), first_kept_entry_id=kept, tokens_before=tokens)


def _branch_summary(data: JsonObject, base: dict[str, Any]) -> SessionEntry:
    return BranchSummaryEntry(**base, **_summary_fields(data), from_id=text_of(data.get("fromId")))


def _context_edit(data: JsonObject, base: dict[str, Any]) -> SessionEntry:
    replacement = _optional_object(data.get("replacement"))
    return ContextEditEntry(**base, target_id=text_of(data.get("targetId")), replacement=replacement)


def _custom(data: JsonObject, base: dict[str, Any]) -> SessionEntry:
    return CustomEntry(**base, custom_type=text_of(data.get("customType")), data=data.get("data"))


def _custom_message(data: JsonObject, base: dict[str, Any]) -> SessionEntry:
    return CustomMessageEntry(
        **base,
        custom_type=text_of(data.get("customType")),
        content=user_content_from_json(data.get("content")),
        display=data.get("display") is not False,
        details=_optional_object(data.get("details")),
    )


def _label(data: JsonObject, base: dict[str, Any]) -> SessionEntry:
    return LabelEntry(**base, target_id=text_of(data.get("targetId")), label=text_of(data.get("label")) or None)


def _session_info(data: JsonObject, base: dict[str, Any]) -> SessionEntry:
    return SessionInfoEntry(**base, name=text_of(data.get("name")))


def _usage(data: JsonObject, base: dict[str, Any]) -> SessionEntry:
    return UsageEntry(
        **base,
        kind=text_of(data.get("kind")),
        provider=text_of(data.get("provider")),
        model=text_of(data.get("model")),
        usage=usage_from_json(object_of(data.get("usage"))),
        note=text_or_none(data.get("note")),
    )


def _other(data: JsonObject, base: dict[str, Any]) -> SessionEntry:
    return OtherEntry(**base, other_type=text_of(data.get("type")))


_READERS: dict[str, Callable[[JsonObject, dict[str, Any]], SessionEntry]] = {
    "message": _message,
    "model_change": _model_change,
    "thinking_level_change": _thinking_level_change,
    "compaction": _compaction,
    "branch_summary": _branch_summary,
    "context_edit": _context_edit,
    "custom": _custom,
    "custom_message": _custom_message,
    "label": _label,
    "session_info": _session_info,
    "usage": _usage,
}
