"""Makes room in the context: an old part of the branch gives way to a summary of it. History is never changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from ..agent.frozen import frozen
from ..agent.messages import (
    AssistantMessage,
    JsonObject,
    Message,
    ToolResultMessage,
    Usage,
)
from .context import context_entries, context_messages
from .entries import BranchSummaryEntry, CompactionEntry, CustomMessageEntry, MessageEntry, SessionEntry
from .estimate import estimate_tokens
from .serialise import conversation_text
from .session import Session
from .statistics import estimated_context
from .summary import FIRST_SUMMARY, TURN_SUMMARY, UPDATED_SUMMARY, Summariser, SummaryError
from .touched import TouchedFiles


@frozen
class CompactionSettings:
    """`reserve_tokens` stay free for the reply; about `keep_recent_tokens` are kept word for word. Both positive."""

    enabled: bool = True
    reserve_tokens: int = 16_384
    keep_recent_tokens: int = 20_000

    def __post_init__(self) -> None:
        for name in ("reserve_tokens", "keep_recent_tokens"):
            value: object = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
                raise ValueError(f"compaction.{name} must be a positive whole number, not {value!r}")

    def threshold(self, window: int) -> int:
        """The context size (tokens) above which to compact. A reserve never takes more than half of a small window."""
        return window - min(self.reserve_tokens, window // 2)


def should_compact(tokens: int, window: int | None, settings: CompactionSettings) -> bool:
    """Whether a context of so many tokens is too large for the model's window (None: unknown, never)."""
    return settings.enabled and window is not None and tokens > settings.threshold(window)


class NothingToCompactError(Exception):
    """Compaction would change nothing; `str(error)` says why, for the person."""


@frozen
class CompactionPlan:
    """What is summarised (`history`, and `turn_start` where the cut splits a turn) and where the kept part begins."""

    history: tuple[Message, ...]
    turn_start: tuple[Message, ...]
    first_kept_entry_id: str
    tokens_before: int
    previous_summary: str | None
    files: TouchedFiles = field(compare=False)


@frozen
class CompactionResult:
    """A finished summary, as `Session.append_compaction` takes it. `estimated_after` tokens are left in the context."""

    summary: str
    first_kept_entry_id: str
    tokens_before: int
    details: JsonObject
    usage: Usage
    estimated_after: int


def plan_compaction(path: Sequence[SessionEntry], settings: CompactionSettings) -> CompactionPlan:
    """Choose the cut on a branch. Raises `NothingToCompactError`."""
    if path and isinstance(path[-1], CompactionEntry):
        raise NothingToCompactError("This conversation was just compacted.")
    pairs = list(context_messages(path))
    previous = pairs[0][0] if pairs and isinstance(pairs[0][0], CompactionEntry) else None
    pairs = pairs[1:] if previous else pairs
    messages = [message for _, message in pairs]
    cut = find_cut(messages, settings.keep_recent_tokens)
    if cut == 0:
        raise NothingToCompactError("There is too little to compact.")
    turn = _turn_start(messages, cut)
    files = TouchedFiles()
    _carry_files(files, path, previous)
    files.add_messages(messages[:cut])
    return CompactionPlan(
        tuple(messages[:turn]),
        tuple(messages[turn:cut]),
        _with_bookkeeping(path, pairs[cut][0]).id,
        estimated_context(path),
        previous.summary if previous else None,
        files,
    )


def find_cut(messages: Sequence[Message], keep_recent_tokens: int) -> int:
    """The index of the first message to keep: about `keep_recent_tokens` remain; 0 keeps all.

    Never between a call and its result.
    """
    valid = _valid_cuts(messages)
    total = 0
    for index in range(len(messages) - 1, -1, -1):
        total += estimate_tokens(messages[index])
        if total >= keep_recent_tokens:
            later = next((cut for cut in valid if cut >= index), None)
            return later if later is not None else max((cut for cut in valid if cut < index), default=0)
    return 0


def _valid_cuts(messages: Sequence[Message]) -> list[int]:
    """Where no result after the cut belongs to a call before it."""
    last_result = {
        message.tool_call_id: index for index, message in enumerate(messages) if isinstance(message, ToolResultMessage)
    }
    open_until = -1
    valid: list[int] = []
    for index, message in enumerate(messages):
        if index > open_until and not isinstance(message, ToolResultMessage):
            valid.append(index)
        if isinstance(message, AssistantMessage):
            open_until = max([open_until, *(last_result.get(call.id, -1) for call in message.tool_calls)])
    return valid


def _turn_start(messages: Sequence[Message], cut: int) -> int:
    """Where the turn that the cut splits began; the cut itself if it splits none."""
    if not isinstance(messages[cut], AssistantMessage):
        return cut
    for index in range(cut - 1, -1, -1):
        if not isinstance(messages[index], (AssistantMessage, ToolResultMessage)):
            return index
    return cut


def _with_bookkeeping(path: Sequence[SessionEntry], entry: SessionEntry) -> SessionEntry:
    """The first of the entries right before `entry` that only describe what follows (model, labels): they stay with it."""
    index = next(index for index, other in enumerate(path) if other is entry)
    while index > 0 and not isinstance(
        path[index - 1], (MessageEntry, CustomMessageEntry, CompactionEntry, BranchSummaryEntry)
    ):
        index -= 1
    return path[index]


def _carry_files(files: TouchedFiles, path: Sequence[SessionEntry], previous: SessionEntry | None) -> None:
    if isinstance(previous, CompactionEntry):
        files.add_summary(previous)
    for entry in context_entries(path):
        if isinstance(entry, BranchSummaryEntry):
            files.add_summary(entry)


async def summarise_plan(plan: CompactionPlan, summariser: Summariser, instructions: str = "") -> CompactionResult:
    """Have the summaries written; touches no session. Raises `SummaryError`; cancelling it is safe at any time."""
    extra = f"\n\nThe person asks in addition: {instructions}" if instructions.strip() else ""
    limit = summariser.input_characters
    summary, usage = plan.previous_summary or "", Usage()
    if plan.history:
        instruction = UPDATED_SUMMARY if plan.previous_summary else FIRST_SUMMARY
        transcript = conversation_text(plan.history, limit)
        summary, usage = await summariser.ask(transcript, instruction + extra, plan.previous_summary)
    if plan.turn_start:
        part, more = await summariser.ask(conversation_text(plan.turn_start, limit), TURN_SUMMARY + extra)
        heading = "**The beginning of the current turn:**"
        summary, usage = "\n\n---\n\n".join(filter(None, (summary, f"{heading}\n\n{part}"))), usage + more
    summary += plan.files.text
    return CompactionResult(
        summary, plan.first_kept_entry_id, plan.tokens_before, plan.files.details, usage, len(summary) // 4
    )


async def compact(
    session: Session, summariser: Summariser, settings: CompactionSettings, instructions: str = ""
) -> CompactionResult:
    """Compact the current branch of a session.

    Raises `NothingToCompactError` or `SummaryError`, or is cancelled: then the session is as it was. Messages that
    are appended meanwhile stay behind the summary, in order.
    """
    result = await summarise_plan(plan_compaction(session.tree.path(), settings), summariser, instructions)
    if all(entry.id != result.first_kept_entry_id for entry in session.tree.path()):
        raise SummaryError("the conversation moved to another branch meanwhile")
    session.append_compaction(
        result.summary, result.first_kept_entry_id, result.tokens_before, result.details, result.usage
    )
    return result
