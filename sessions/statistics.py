"""What a session used: tokens and money per message, model and session, over all branches; the context meter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field

from ..agent.frozen import frozen
from ..agent.messages import AssistantMessage, Message, ToolResultMessage, Usage
from ..agent.mutable import mutable
from .context import context_messages, entry_message
from .entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    MessageEntry,
    SessionEntry,
    UsageEntry,
)
from .estimate import estimate_tokens
from .identifiers import milliseconds_of
from .tree import SessionTree


@frozen
class Spending:
    """One thing that used a model. `kind`: ``reply``, ``tool``, ``compaction``, ``branch_summary`` or a usage entry's own.

    `timestamp` in ms since the epoch; `model` is (provider, id), empty strings where the entry does not say.
    `context_tokens`: for a reply, the size of the context after it; else None.
    """

    entry_id: str
    kind: str
    model: tuple[str, str]
    usage: Usage
    timestamp: int
    context_tokens: int | None = None


@mutable
class SessionStatistics:
    """Sums over every entry, abandoned branches and compacted history included.

    `total.cost` is the sum of what is known; `has_unknown_cost` says that something is missing in it.
    """

    messages: Counter[str] = field(default_factory=Counter[str])
    tool_calls: int = 0
    total: Usage = field(default_factory=Usage)
    by_model: dict[tuple[str, str], Usage] = field(default_factory=dict[tuple[str, str], Usage])
    spendings: list[Spending] = field(default_factory=list[Spending])
    has_unknown_cost: bool = False

    def add(self, spending: Spending) -> None:
        self.spendings.append(spending)
        self.total += spending.usage
        known = self.by_model.get(spending.model)
        self.by_model[spending.model] = spending.usage if known is None else known + spending.usage
        self.has_unknown_cost |= spending.usage.cost is None and spending.usage.total_tokens > 0

    @property
    def cache_hit(self) -> float | None:
        """The part of all prompt tokens that came from the cache, 0 to 1; None without a prompt."""
        return self.total.cache_hit


def statistics_of(tree: SessionTree) -> SessionStatistics:
    """Read every entry once. Takes as long as parsing the file: run it in a thread for a long session."""
    statistics = SessionStatistics()
    model = ("", "")
    for entry in tree:
        if isinstance(entry, MessageEntry):
            statistics.messages[entry.role] += 1
            message = entry.message
            if isinstance(message, AssistantMessage):
                model = (message.provider, message.model)
                statistics.tool_calls += len(message.tool_calls)
        spending = _spending(entry, model)
        if spending is not None:
            statistics.add(spending)
    return statistics


def _spending(entry: SessionEntry, model: tuple[str, str]) -> Spending | None:
    """What an entry spent; summaries and tools are counted under the model of the last reply before them."""
    time = milliseconds_of(entry.timestamp)
    match entry:
        case MessageEntry():
            return _message_spending(entry, model)
        case UsageEntry():
            return Spending(entry.id, entry.kind, (entry.provider, entry.model), entry.usage, time)
        case CompactionEntry(usage=usage) | BranchSummaryEntry(usage=usage) if usage is not None:
            return Spending(entry.id, entry.type, model, usage, time)
        case _:
            return None


def _message_spending(entry: MessageEntry, model: tuple[str, str]) -> Spending | None:
    message = entry.message
    if isinstance(message, AssistantMessage):
        context = message.usage.total_tokens if is_trusted(message) else None
        return Spending(entry.id, "reply", model, message.usage, message.timestamp, context)
    if isinstance(message, ToolResultMessage) and message.usage is not None:
        return Spending(entry.id, "tool", model, message.usage, message.timestamp)
    return None


# The context meter


def is_trusted(message: Message) -> bool:
    """Whether a reply's usage tells the size of the context: it ended well and counted something."""
    return (
        isinstance(message, AssistantMessage)
        and message.stop_reason not in ("aborted", "error")
        and message.usage.total_tokens > 0
    )


def context_tokens(path: Sequence[SessionEntry]) -> int | None:
    """The size of the context at the end of a path, for the meter: the last trusted usage and an estimate of the rest.

    None while nobody knows it: after a compaction or an edit of the context, until the next reply. Reads only the
    messages behind that reply.
    """
    return _known_context(reversed(path))


def _known_context(upwards: Iterable[SessionEntry]) -> int | None:
    later = 0
    for entry in upwards:
        if isinstance(entry, (CompactionEntry, ContextEditEntry)):
            return None
        message = entry_message(entry)
        if message is None:
            continue
        if isinstance(message, AssistantMessage) and is_trusted(message):
            return message.usage.total_tokens + later
        later += estimate_tokens(message)
    return later


def estimated_context(path: Sequence[SessionEntry]) -> int:
    """The same, estimated where nobody knows it: for the decision whether to compact."""
    known = context_tokens(path)
    return known if known is not None else sum(estimate_tokens(message) for _, message in context_messages(path))


def leaf_context(tree: SessionTree) -> int:
    """`estimated_context` at the leaf; where a reply tells it, as cheap in a long session as in a short one."""
    known = _known_context(tree.upwards())
    return known if known is not None else estimated_context(tree.path())
