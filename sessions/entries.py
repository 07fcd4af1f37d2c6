"""What a session file holds: its header and the entries of its tree.

The format is the reference system's, version 3 (`docs` of its package, page "session format"). Every entry knows its
line, so that what this version does not understand is copied verbatim.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import field
from typing import ClassVar, TypeAlias

from ..agent.encoding import message_from_json
from ..agent.frozen import frozen
from ..agent.messages import JsonObject, Message, ThinkingLevel, Usage, UserContent
from ..agent.mutable import mutable
from .line import Line

VERSION = 3


@frozen
class SessionHeader:
    """The first line. `parent_session` is the file this one was forked from; `version` as found (1 to 3)."""

    id: str
    timestamp: str
    cwd: str
    parent_session: str | None = None
    version: int = VERSION


@mutable(kw_only=True, eq=False)
class Entry:
    """A node of the tree: `parent_id` is None for a root; `timestamp` is UTC text; entries are told apart by identity."""

    type: ClassVar[str] = ""
    id: str
    parent_id: str | None
    timestamp: str
    line: Line = field(default_factory=Line, repr=False)

    @property
    def stored(self) -> JsonObject:
        """The stored object, parsed anew; empty if its text is damaged."""
        return self.line.parse()


@mutable(kw_only=True, eq=False)
class MessageEntry(Entry):
    """A message of any role. The message itself is read when asked for and kept only while someone uses it."""

    type: ClassVar[str] = "message"
    role: str
    _cached: Callable[[], Message | None] | None = field(default=None, repr=False)

    @property
    def message(self) -> Message | None:
        """The message; None if its text is damaged or its role is none of ours (such as ``system``)."""
        cached = self._cached() if self._cached else None
        if cached is not None:
            return cached
        try:
            message = message_from_json(self.stored.get("message") or {})
        except ValueError:
            return None
        self.remember(message)
        return message

    def remember(self, message: Message) -> None:
        """Let `message` stand for this entry as long as someone else holds it."""
        self._cached = weakref.ref(message)


@mutable(kw_only=True, eq=False)
class ModelChangeEntry(Entry):
    type: ClassVar[str] = "model_change"
    provider: str
    model_id: str


@mutable(kw_only=True, eq=False)
class ThinkingLevelChangeEntry(Entry):
    type: ClassVar[str] = "thinking_level_change"
    thinking_level: ThinkingLevel


@mutable(kw_only=True, eq=False)
class CompactionEntry(Entry):
    """The summary that replaces what is before `first_kept_entry_id` (its own id: nothing is kept).

    `details` lists the files read and changed; `tokens_before` is the context size it replaced.
    """

    type: ClassVar[str] = "compaction"
    summary: str
    first_kept_entry_id: str
    tokens_before: int
    details: JsonObject | None = None
    usage: Usage | None = None
    from_hook: bool = False


@mutable(kw_only=True, eq=False)
class BranchSummaryEntry(Entry):
    """What happened on the branch that was left at `from_id`."""

    type: ClassVar[str] = "branch_summary"
    from_id: str
    summary: str
    details: JsonObject | None = None
    usage: Usage | None = None
    from_hook: bool = False


@mutable(kw_only=True, eq=False)
class ContextEditEntry(Entry):
    """What the model sees instead of the entry `target_id` from here on: nothing, or ``{"content": …}``."""

    type: ClassVar[str] = "context_edit"
    target_id: str
    replacement: JsonObject | None


@mutable(kw_only=True, eq=False)
class CustomEntry(Entry):
    """State of an extension (or of ours): never in the model's context."""

    type: ClassVar[str] = "custom"
    custom_type: str
    data: object = None


@mutable(kw_only=True, eq=False)
class CustomMessageEntry(Entry):
    type: ClassVar[str] = "custom_message"
    custom_type: str
    content: tuple[UserContent, ...]
    display: bool = True
    details: JsonObject | None = None


@mutable(kw_only=True, eq=False)
class LabelEntry(Entry):
    """A name for the entry `target_id`; None takes it away."""

    type: ClassVar[str] = "label"
    target_id: str
    label: str | None


@mutable(kw_only=True, eq=False)
class SessionInfoEntry(Entry):
    """The session's name; empty clears it."""

    type: ClassVar[str] = "session_info"
    name: str


@mutable(kw_only=True, eq=False)
class UsageEntry(Entry):
    """Tokens and money that no message accounts for."""

    type: ClassVar[str] = "usage"
    kind: str
    provider: str
    model: str
    usage: Usage
    note: str | None = None


@mutable(kw_only=True, eq=False)
class OtherEntry(Entry):
    """An entry of a type that this version does not know: kept verbatim, not interpreted."""

    other_type: str


SessionEntry: TypeAlias = (
    MessageEntry
    | ModelChangeEntry
    | ThinkingLevelChangeEntry
    | CompactionEntry
    | BranchSummaryEntry
    | ContextEditEntry
    | CustomEntry
    | CustomMessageEntry
    | LabelEntry
    | SessionInfoEntry
    | UsageEntry
    | OtherEntry
)
