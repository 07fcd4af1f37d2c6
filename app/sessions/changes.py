"""What `/diff` shows: the changes of a session, file by file, from its snapshots or else from its edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from anyio import to_thread

from ...agent.details import DiffDetails
from ...agent.frozen import frozen
from ...agent.messages import ToolResultMessage
from ...sessions.changes import LINK, FileChange, FileState
from ...sessions.context import entry_message
from ...sessions.entries import SessionEntry
from ...sessions.shadow_git import SnapshotError
from ...tools.diff import diff_details
from ...tools.textfile import NotText, TextFile

if TYPE_CHECKING:
    from ..conversation.composition import Composition


@frozen
class SessionChanges:
    """`files` in the order in which they are shown; `note` says what they leave out, empty if nothing."""

    files: tuple[DiffDetails, ...]
    note: str = ""


async def changes_of_session(composition: Composition) -> SessionChanges:
    """All changes of the branch. Git and the comparison run beside the event loop."""
    path = composition.session.tree.path()
    project = str(composition.cwd)
    edits = await to_thread.run_sync(edits_of, path)
    rewinder = composition.rewinder
    reason = "nothing of this session is kept on disk"
    if composition.machine is not None:
        reason = "the files are on another machine"
    if rewinder is not None:
        try:
            changes = await rewinder.changes()
        except SnapshotError as error:
            reason = str(error)
        else:
            files = await to_thread.run_sync(lambda: [details_of(change) for change in changes])
            elsewhere = [edit for edit in edits if _is_outside(edit.path, project)]
            return SessionChanges((*files, *elsewhere))
    note = f"Only what the tools edit and write did, step by step: {reason}." if edits else ""
    return SessionChanges(tuple(edits), note)


def edits_of(path: Sequence[SessionEntry]) -> list[DiffDetails]:
    """What the results of a branch say of changed files, in order."""
    messages = (entry_message(entry) for entry in path)
    return [
        message.details
        for message in messages
        if isinstance(message, ToolResultMessage) and isinstance(message.details, DiffDetails) and not message.is_error
    ]


def details_of(change: FileChange) -> DiffDetails:
    """A change as its diff; what is no text is said in a note."""
    old, new = change.before, change.after
    is_new = old is None
    if _is_unreadable(old) or _is_unreadable(new):
        return _noted(change, f"Too large to be shown: {_size(old)} before, {_size(new)} now.")
    try:
        old_text, new_text = _text(old), _text(new)
    except NotText:
        return _noted(change, f"No text: {_size(old)} before, {_size(new)} now.")
    details = diff_details(change.path, old_text, new_text or "")
    if new is None:
        lines = details.patch.split("\n", 2)
        gone = "\n".join([lines[0], "+++ /dev/null", *lines[2:]]) if details.patch else ""
        return replace(details, patch=gone, note=details.note or "The file is gone.")
    if not details.patch and details.note is None:
        note = "An empty file." if is_new else "Only its mode, line endings or encoding changed."
        return replace(details, note=note)
    if LINK in (new.mode, "" if old is None else old.mode):
        return replace(details, note="A link: its text is where it leads.")
    return details


def _text(state: FileState | None) -> str | None:
    if state is None or state.content is None:
        return None
    return TextFile(state.content).text


def _is_unreadable(state: FileState | None) -> bool:
    return state is not None and state.content is None


def _noted(change: FileChange, note: str) -> DiffDetails:
    gone = " The file is gone." if change.after is None else ""
    return DiffDetails(change.path, "", 0, 0, created=change.before is None, note=note + gone)


def _size(state: FileState | None) -> str:
    if state is None:
        return "nothing"
    return "more than 5 MB" if state.content is None else f"{len(state.content):,} bytes"


def _is_outside(path: str, project: str) -> bool:
    return path.startswith("/") and not path.startswith(project.rstrip("/") + "/")
