"""What the model is given of a branch: its messages, with compaction and edits applied; its model and thinking level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..agent.encoding import message_from_json
from ..agent.frozen import frozen
from ..agent.json_values import object_of
from ..agent.messages import (
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    JsonObject,
    Message,
    ThinkingLevel,
)
from .entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomMessageEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionEntry,
    ThinkingLevelChangeEntry,
)
from .identifiers import milliseconds_of
from .tree import SessionTree

_EDITABLE = ("user", "assistant", "toolResult", "custom")


@frozen
class SessionContext:
    """`messages[i]` comes from the entry `entry_ids[i]`. `model` is (provider, id), None if the branch names none."""

    messages: tuple[Message, ...]
    entry_ids: tuple[str, ...]
    model: tuple[str, str] | None
    thinking_level: ThinkingLevel


def build_context(tree: SessionTree, leaf_id: str | None = None) -> SessionContext:
    """The context at an entry (the leaf unless given). Raises `UnknownEntryError`."""
    path = tree.path(leaf_id)
    pairs = list(context_messages(path))
    model, level = settings_of(path)
    return SessionContext(tuple(message for _, message in pairs), tuple(entry.id for entry, _ in pairs), model, level)


def context_messages(path: Sequence[SessionEntry]) -> Iterator[tuple[SessionEntry, Message]]:
    """The entries of a path that the model sees, each with its message as edited."""
    kept = context_entries(path)
    edits = {entry.target_id: entry for entry in kept if isinstance(entry, ContextEditEntry)}
    for index, entry in enumerate(kept):
        if isinstance(entry, CompactionEntry) and index > 0:
            continue
        message = _edited(entry, edits[entry.id].replacement) if entry.id in edits else entry_message(entry)
        if message is not None:
            yield entry, message


def context_entries(path: Sequence[SessionEntry]) -> Sequence[SessionEntry]:
    """The path without what its latest compaction replaced: the compaction first, then what it kept, then the rest."""
    index = max((i for i, entry in enumerate(path) if isinstance(entry, CompactionEntry)), default=None)
    if index is None:
        return path
    compaction = path[index]
    assert isinstance(compaction, CompactionEntry)
    first = next((i for i, entry in enumerate(path[:index]) if entry.id == compaction.first_kept_entry_id), index)
    return [compaction, *path[first:index], *path[index + 1 :]]


def entry_message(entry: SessionEntry) -> Message | None:
    """The message that an entry stands for in the conversation; None for bookkeeping."""
    match entry:
        case MessageEntry():
            return entry.message
        case CustomMessageEntry():
            time = milliseconds_of(entry.timestamp)
            return CustomMessage(entry.custom_type, entry.content, entry.display, entry.details, time)
        case BranchSummaryEntry(summary=summary) if summary:
            return BranchSummaryMessage(summary, entry.from_id, milliseconds_of(entry.timestamp))
        case CompactionEntry():
            return CompactionSummaryMessage(entry.summary, entry.tokens_before, milliseconds_of(entry.timestamp))
        case _:
            return None


def _edited(entry: SessionEntry, replacement: JsonObject | None) -> Message | None:
    """The message with the content of a context edit; None where the edit hides it."""
    if isinstance(entry, CustomMessageEntry):
        stored: JsonObject = {**entry.stored, "role": "custom", "timestamp": milliseconds_of(entry.timestamp)}
    elif isinstance(entry, MessageEntry) and entry.role in _EDITABLE:
        stored = object_of(entry.stored.get("message"))
    else:
        return entry_message(entry)
    return None if replacement is None else message_from_json({**stored, "content": replacement.get("content")})


def settings_of(path: Sequence[SessionEntry]) -> tuple[tuple[str, str] | None, ThinkingLevel]:
    """The model and the thinking level in force at the end of a path: the last ones chosen or used.

    Read from the end, so that only few messages have to be read.
    """
    model: tuple[str, str] | None = None
    level: ThinkingLevel | None = None
    for entry in reversed(path):
        if level is None and isinstance(entry, ThinkingLevelChangeEntry):
            level = entry.thinking_level
        if model is None:
            model = _model_of(entry)
        if model and level:
            break
    return model, level or "off"


def _model_of(entry: SessionEntry) -> tuple[str, str] | None:
    if isinstance(entry, ModelChangeEntry):
        return entry.provider, entry.model_id
    if isinstance(entry, MessageEntry) and entry.role == "assistant":
        message = entry.message
        if isinstance(message, AssistantMessage) and message.model:
            return message.provider, message.model
    return None
