"""Commands of the linear mode about sessions: another one, this one, what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...agent.messages import AssistantMessage
from ...sessions.listing import SessionSummary
from ...sessions.statistics import statistics_of
from ...sessions.tree import SessionTree
from ...widgets.text.numbers import format_plural
from ..ages import format_age
from ..conversation.job import Job
from ..sessions.changes import changes_of_session
from ..sessions.choice import open_path
from ..sessions.export import as_stored, export_target, write_export
from ..sessions.report import report
from ..start_error import StartError
from ..terminal.clipboard import copy_text
from .choosing import composition_of, pick
from .results import patch_rows

if TYPE_CHECKING:
    from .talk import LinearTalk


async def _new(talk: LinearTalk, _: str) -> None:
    talk.stop()
    await talk.settle()
    await talk.start(talk.elsewhere())


async def _resume(talk: LinearTalk, _: str) -> None:
    await resume(talk)


async def resume(talk: LinearTalk) -> bool:
    """Let the person choose a session of this folder and go on with it; False if they chose none."""
    store, here = talk.store(), _place(talk)
    found = await asyncio.to_thread(lambda: sorted(store.summaries("folder", here), key=_age, reverse=True))
    current = None if talk.composition is None else talk.composition.session.path
    offered = [summary for summary in found if summary.path != current]
    if not offered:
        raise StartError("There is no other session of this folder.")
    picked = await pick(talk, "Which session?", [f"{each.title} ({format_age(each.modified)})" for each in offered])
    if picked is None:
        return False
    opened = await asyncio.to_thread(open_path, store, offered[picked].path)
    talk.stop()
    await talk.settle()
    await talk.start(talk.elsewhere(), opened)
    return True


async def _name(talk: LinearTalk, name: str) -> None:
    session = composition_of(talk).session
    if name:
        session.set_name(name)
    talk.output.line("status", f"the session is named {session.name}" if session.name else "the session has no name")


async def _session(talk: LinearTalk, _: str) -> None:
    session = composition_of(talk).session
    tree = SessionTree(session.tree)
    statistics = await asyncio.to_thread(statistics_of, tree)
    talk.output.line("status", "this session", report(session, statistics).split("\n"))


async def _compact(talk: LinearTalk, instructions: str) -> None:
    await talk.compact(instructions)


async def _retry(talk: LinearTalk, _: str) -> None:
    talk.retry()


async def _copy(talk: LinearTalk, _: str) -> None:
    """With a tool of the system only: the linear mode sends a terminal no sequences."""
    messages = composition_of(talk).agent.messages
    text = next((each.text for each in reversed(messages) if isinstance(each, AssistantMessage) and each.text), "")
    if not text:
        raise StartError("There is no answer to copy yet.")
    unsent: list[str] = []
    outcome = await asyncio.to_thread(copy_text, text, unsent.append)
    if unsent:
        raise StartError("Not copied: no tool such as wl-copy, xclip or pbcopy works here. /export writes a file.")
    talk.output.line("status", outcome)


async def _export(talk: LinearTalk, given: str) -> None:
    composition = composition_of(talk)
    session = await asyncio.to_thread(as_stored, composition.session, is_running=talk.is_running)
    target = export_target(given, composition.cwd, composition.session)
    redact = composition.agent.setup.pipeline.redactors[0]
    await asyncio.to_thread(write_export, session, target, redact, Job("exporting"))
    talk.output.line("status", f"written to {target}")


async def _diff(talk: LinearTalk, _: str) -> None:
    changes = await changes_of_session(composition_of(talk))
    if changes.note:
        talk.output.line("note", changes.note)
    added, removed = sum(file.added for file in changes.files), sum(file.removed for file in changes.files)
    counts = f", +{added} -{removed}" if changes.files else ""
    talk.output.line("status", f"this session has changed {format_plural(len(changes.files), 'file')}{counts}")
    for file in changes.files:
        rows = [*([file.note] if file.note else []), *patch_rows(file)]
        kind = ", new" if file.created else ""
        talk.output.line("change", f"{file.path}{kind}, +{file.added} -{file.removed}", rows)


def _place(talk: LinearTalk) -> str | Path:
    return Path.cwd() if talk.composition is None else talk.composition.place


def _age(summary: SessionSummary) -> int:
    return summary.modified


SESSION_COMMANDS: Mapping[str, Callable[[LinearTalk, str], Awaitable[object]]] = {
    "retry": _retry,
    "new": _new,
    "resume": _resume,
    "name": _name,
    "session": _session,
    "diff": _diff,
    "compact": _compact,
    "copy": _copy,
    "export": _export,
}
"""By the command's name."""
