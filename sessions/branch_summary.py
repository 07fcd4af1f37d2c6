"""A summary of the branch that is left, so that what was learnt there is not lost on the other one."""

from __future__ import annotations

from collections.abc import Sequence

from ..agent.frozen import frozen
from ..agent.messages import JsonObject, Usage
from .context import entry_message
from .entries import BranchSummaryEntry, CompactionEntry, SessionEntry
from .serialise import conversation_text
from .session import Session
from .summary import BRANCH_SUMMARY, Summariser
from .touched import TouchedFiles
from .tree import SessionTree

PREAMBLE = (
    "The person went along another branch of this conversation and came back here. This is what happened there:\n\n"
)


@frozen
class BranchSummary:
    """A finished summary of the branch that was left at `from_id`."""

    summary: str
    from_id: str
    details: JsonObject
    usage: Usage


def left_entries(tree: SessionTree, from_id: str | None, to_id: str | None) -> list[SessionEntry]:
    """What is left when the leaf moves from one entry to another: the path behind their common ancestor, oldest first."""
    if from_id is None:
        return []
    path = tree.path(from_id)
    ancestor = tree.common_ancestor(from_id, to_id)
    start = next((index + 1 for index, entry in enumerate(path) if entry.id == ancestor), 0)
    return path[start:]


async def summarise_branch(
    entries: Sequence[SessionEntry], summariser: Summariser, instructions: str = "", *, replaces: bool = False
) -> BranchSummary:
    """Summarise left entries; touches no session. Raises `SummaryError`; cancelling it is safe at any time.

    `instructions` are the person's own words: beside ours, or (with `replaces`) in their place.
    """
    messages = [message for entry in entries if (message := entry_message(entry)) is not None]
    files = TouchedFiles()
    files.add_messages(messages)
    for entry in entries:
        if isinstance(entry, (BranchSummaryEntry, CompactionEntry)):
            files.add_summary(entry)
    transcript = conversation_text(messages, summariser.input_characters)
    extra = f"\n\nThe person asks in addition: {instructions}" if instructions.strip() else ""
    asked = instructions if replaces and instructions.strip() else BRANCH_SUMMARY + extra
    text, usage = await summariser.ask(transcript, asked)
    return BranchSummary(PREAMBLE + text + files.text, entries[-1].id, files.details, usage)


def move_with_summary(session: Session, to_id: str | None, summary: BranchSummary, label: str | None = None) -> str:
    """Move the leaf and put the summary there; the label, if any, goes on it. The new entry's id."""
    session.branch(to_id)
    entry_id = session.append_branch_summary(summary.summary, summary.from_id, summary.details, summary.usage)
    if label:
        session.set_label(entry_id, label)
    return entry_id
