"""What the commands about sessions do."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...sessions.context import entry_message
from ...sessions.entries import SessionEntry
from ...sessions.identifiers import milliseconds_of
from ...sessions.navigation import destination_of, user_entries
from ...sessions.outline import outline_of
from ...sessions.session import Session
from ...sessions.snapshots import records_between
from ...sessions.statistics import SessionStatistics, statistics_of
from ...sessions.tree import SessionTree
from ..arguments import Arguments
from ..conversation.conversation import READ_ONLY
from ..conversation.job import Job
from ..screens.ask import ask
from ..screens.prompts import Prompt, PromptsScreen
from ..screens.usage import UsageScreen
from ..sessions.choice import remote_of
from ..sessions.export import as_stored, export_target, write_export
from ..sessions.opening import choose_file, open_session, rename_open
from ..sessions.report import report
from ..sessions.rewind import FileMove
from ..sessions.store import Opened
from ..start_error import StartError
from ..terminal.clipboard import copy_text

if TYPE_CHECKING:
    from ..conversation.composition import Composition
    from ..tui import PyAgentApp


async def act(app: PyAgentApp, name: str, argument: str) -> None:
    """Do what the command `name` says; what cannot be done is said in the transcript."""
    await app.conversation.started()
    try:
        await ACTIONS[name](app, argument)
    except StartError as error:
        app.view.transcript.add_note("error", str(error))


def composition_of(app: PyAgentApp) -> Composition:
    """The conversation that goes on. Raises `StartError` if there is none yet."""
    composition = app.conversation.composition
    if composition is None:
        raise StartError("There is no session yet.")
    return composition


def say(app: PyAgentApp, text: str) -> None:
    """Put a line into the transcript."""
    app.view.transcript.add_note("info", text)


# Going on elsewhere


async def switch(app: PyAgentApp, opened: Opened) -> None:
    """Go on in another session; what runs is stopped first."""
    arguments = going_on(app, opened)
    await app.conversation.leave()
    await app.prepare(arguments, opened).wait()


def going_on(app: PyAgentApp, opened: Opened) -> Arguments:
    """The command line for another session of this program: approval stays as it is now, and so does the model unless
    the session has its own."""
    arguments = replace(
        app.arguments.for_another_session(),
        demo=False,
        demo_without_model=False,
        remote=remote_of(opened.session),
    )
    composition = app.conversation.composition
    if composition is None:
        return arguments
    arguments = replace(arguments, approval=composition.approval.mode)
    if opened.has_own_model:
        return replace(arguments, model=None) if opened.session.tree.path() else arguments
    setup = composition.agent.setup
    name = f"{setup.model.provider}/{setup.model.id}"
    return replace(arguments, model=name, provider=None, thinking=setup.thinking_level)


async def _new(app: PyAgentApp, _: str) -> None:
    """An empty session, on the machine where this one is."""
    composition = app.conversation.composition
    machine = None if composition is None else composition.machine
    remote = app.arguments.remote if machine is None else machine.remote
    arguments = replace(app.arguments, continue_last=False, resume=False, session=None, fork=None, remote=remote)
    await app.conversation.leave()
    app.prepare(replace(arguments, messages=(), files=()))


async def _resume(app: PyAgentApp, _: str) -> None:
    path = await choose_file(app)
    if path is None:
        return
    composition = app.conversation.composition
    if composition is not None and composition.session.path == path:
        say(app, "This session is open already.")
        return
    opened = await open_session(app, path)
    if opened is not None:
        await switch(app, opened)


async def _fork(app: PyAgentApp, _: str) -> None:
    """A new session up to before one of the person's messages, which comes back into the editor."""
    session = forkable(app)
    prompts = prompts_of(user_entries(session.tree))
    if not prompts:
        raise StartError("You have not said anything here yet.")
    entry_id = await ask(app, PromptsScreen("Fork before which of your messages?", prompts, "forks before it"))
    destination = None if entry_id is None else destination_of(session.tree, entry_id)
    if entry_id is None or destination is None:
        return
    await app.conversation.settle()
    await _copy_into_new(app, session, destination.leaf_id)
    give_back(app, destination.text or "")


async def _clone(app: PyAgentApp, _: str) -> None:
    session = forkable(app)
    await app.conversation.settle()
    await _copy_into_new(app, session, session.leaf_id)
    say(app, "This is a copy; the session it was made of stays as it is.")


async def _copy_into_new(app: PyAgentApp, source: Session, leaf_id: str | None) -> None:
    store = app.conversation.store_for(app.arguments)
    fork = await asyncio.to_thread(store.fork, source, leaf_id, app.place)
    FileMove(*records_between(source.tree, source.leaf_id, leaf_id)).keep_files(fork)
    await switch(app, Opened(fork, app.cwd, has_own_model=False))
    if source.warning:
        app.view.transcript.add_note("warning", f"The session this was copied from is damaged: {source.warning}")


def forkable(app: PyAgentApp) -> Session:
    """The session, if it can be copied. Raises `StartError`."""
    session = composition_of(app).session
    if session.path is None:
        raise StartError("This session is kept in memory only, so it cannot be copied.")
    if not any(entry.type == "message" for entry in session.tree.path()):
        raise StartError("Nothing was said here yet.")
    return session


def prompts_of(entries: Sequence[SessionEntry]) -> list[Prompt]:
    """What the person said, for a list."""
    said = ((entry, entry_message(entry)) for entry in entries)
    return [
        Prompt(entry.id, outline_of(message).removeprefix("user: "), milliseconds_of(entry.timestamp))
        for entry, message in said
        if message is not None
    ]


def give_back(app: PyAgentApp, text: str) -> None:
    """Put a text into the editor, unless the person has written something there."""
    if app.view.editor.is_empty and text:
        app.view.editor.set_text(text)


# About this session


async def _name(app: PyAgentApp, name: str) -> None:
    session = composition_of(app).session
    if name:
        rename_open(app, session, name)
    say(app, f"The session is named {session.name}." if session.name else "The session has no name yet.")


async def _session(app: PyAgentApp, _: str) -> None:
    session = composition_of(app).session
    say(app, report(session, await _statistics(session)))


async def _usage(app: PyAgentApp, _: str) -> None:
    statistics = await _statistics(composition_of(app).session)
    if not statistics.spendings:
        raise StartError("No model has answered here yet.")
    model = app.conversation.model
    entry_id = await ask(app, UsageScreen(statistics, model.context_window if model else None))
    if entry_id is not None:
        await show_entry(app, entry_id)


async def show_entry(app: PyAgentApp, entry_id: str) -> None:
    """Bring an entry to the top of the window. Raises `StartError` if it is on another branch."""
    path = composition_of(app).session.tree.path()
    if all(entry.id != entry_id for entry in path):
        raise StartError("That was on another branch; /tree leads there.")
    await app.conversation.session_view.show_entry(entry_id)


async def _statistics(session: Session) -> SessionStatistics:
    # The tree may grow while a thread reads it, so it reads a copy.
    tree = SessionTree(session.tree)
    return await asyncio.to_thread(statistics_of, tree)


async def _compact(app: PyAgentApp, instructions: str) -> None:
    if composition_of(app).session.is_read_only:
        raise StartError(READ_ONLY)
    await app.conversation.compact(instructions)


async def _copy(app: PyAgentApp, _: str) -> None:
    text = app.view.transcript.last_answer()
    if not text:
        raise StartError("There is no answer to copy yet.")
    say(app, await copy(app, text))


async def copy(app: PyAgentApp, text: str) -> str:
    """Copy a text; what is known of the outcome."""
    loop = asyncio.get_running_loop()

    def through_terminal(text: str) -> None:
        loop.call_soon_threadsafe(app.copy_to_clipboard, text)

    return await asyncio.to_thread(copy_text, text, through_terminal)


# Files


async def _export(app: PyAgentApp, given: str) -> None:
    composition = composition_of(app)
    session = await asyncio.to_thread(as_stored, composition.session, is_running=app.conversation.is_running)
    target = export_target(given, app.cwd, composition.session)
    redact = composition.agent.setup.pipeline.redactors[0]
    is_done = await app.jobs.run("exporting", lambda job: write_export(session, target, redact, job))
    say(app, f"Written to {target}" if is_done else "Export stopped; nothing was written.")


async def _import(app: PyAgentApp, given: str) -> None:
    if not given:
        raise StartError("Which file? /import PATH")
    source = Path(os.path.normpath(app.cwd / Path(given.strip("\"'")).expanduser()))
    store = app.conversation.store_for(app.arguments)

    def work(job: Job) -> Path | None:
        return store.add(source, app.place, job.megabytes)

    path = await app.jobs.run("importing", work)
    if path is None:
        say(app, "Import stopped; nothing was copied.")
        return
    opened = await open_session(app, path)
    if opened is not None:
        await switch(app, opened)
        say(app, f"Imported from {source}; the file itself stays as it is.")


ACTIONS: dict[str, Callable[[PyAgentApp, str], Awaitable[None]]] = {
    "new": _new,
    "resume": _resume,
    "fork": _fork,
    "clone": _clone,
    "name": _name,
    "session": _session,
    "usage": _usage,
    "compact": _compact,
    "copy": _copy,
    "export": _export,
    "import": _import,
}
"""By the command's name."""
