"""Opening a session that exists, with the person's help where that takes a decision."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...sessions.listing import SessionSummary
from ...sessions.locate import read_header
from ...sessions.search import SearchError, SearchIndex
from ...sessions.session import Session
from ...sessions.writer import SessionLockedError
from ...tools.remote import is_address
from ..arguments import Arguments
from ..conversation.conversation import READ_ONLY
from ..screens.ask import ask
from ..screens.choice import Answer, ChoiceScreen
from ..screens.resume import ResumeActions, ResumeScreen
from ..start_error import StartError
from .choice import elsewhere, fork_place, wanted_file
from .store import Opened, SessionStore, Way

if TYPE_CHECKING:
    from ..tui import PyAgentApp


async def open_wanted(app: PyAgentApp, arguments: Arguments) -> tuple[Arguments, Opened | None]:
    """The session that the command line asks to go on with; None for a new one.

    If it cannot be had, that is said, and what was to be said in it comes back into the editor.
    """
    store = app.conversation.store_for(arguments)
    try:
        if arguments.resume:
            path, way = await choose_file(app), "go_on"
        else:
            path, way = await asyncio.to_thread(wanted_file, arguments, store, app.place)
        opened = None if path is None else await open_session(app, path, way)
        if opened is not None and arguments.remote and (fault := elsewhere(opened.session, str(app.place))):
            await asyncio.to_thread(opened.session.close)
            raise StartError(fault)
    except StartError as error:
        app.view.transcript.add_note("error", str(error), "This is a new session.")
        app.view.editor.restore(arguments.messages)
        return replace(arguments, messages=(), files=()), None
    if opened is not None and arguments.name and not opened.session.is_read_only:
        opened.session.set_name(arguments.name)
    return arguments, opened


async def choose_file(app: PyAgentApp) -> Path | None:
    """Let the person choose among all sessions; None: none of them."""
    session = None if app.conversation.composition is None else app.conversation.composition.session
    store = app.conversation.store_for(app.arguments)

    async def rename(summary: SessionSummary, name: str) -> None:
        if session is not None and summary.path == session.path:
            rename_open(app, session, name)
        else:
            await asyncio.to_thread(store.rename, summary.path, name)

    async def delete(summary: SessionSummary) -> None:
        await asyncio.to_thread(store.delete, summary.path)

    async def said(query: str) -> frozenset[Path]:
        return await asyncio.to_thread(files_with_words, store, query)

    actions = ResumeActions(lambda scope: store.summaries(scope, app.place), rename, delete, said)
    chosen = await ask(app, ResumeScreen(actions, app.view.title.folder, session.path if session else None))
    return None if chosen is None else chosen.path


def rename_open(app: PyAgentApp, session: Session, name: str) -> None:
    """Give the session of the conversation another name. Raises `StartError`."""
    if session.is_read_only:
        raise StartError(READ_ONLY)
    session.set_name(name)
    app.conversation.show_standing()


def files_with_words(store: SessionStore, query: str) -> frozenset[Path]:
    """The files of sessions in which these words were said, as far as the search index knows."""
    try:
        return frozenset(hit.path for hit in SearchIndex(store.data).search(query, limit=500) if hit.entry_id)
    except SearchError:
        return frozenset()


async def open_session(app: PyAgentApp, path: Path, way: Way = "go_on") -> Opened | None:
    """Open it, after asking what to do if its folder is gone or another instance writes it; None: the person gave up.

    Raises `StartError`.
    """
    header = await asyncio.to_thread(read_header, path)
    if header is None:
        raise StartError(f"{path} is not a session file.")
    cwd = app.cwd if way == "fork" or is_address(header.cwd) else Path(header.cwd)
    address = str(app.place) if way == "fork" and is_address(str(app.place)) else None
    if not cwd.is_dir():
        answer = await ask(app, _folder_question(cwd, app.cwd))
        if answer is None:
            return None
        cwd = app.cwd
        way = "fork" if answer == "f" else way
    try:
        return await _open(app, path, way, cwd, address)
    except SessionLockedError:
        answer = await ask(app, _locked_question())
        return None if answer is None else await _open(app, path, "fork" if answer == "f" else "read_only", cwd)


async def _open(app: PyAgentApp, path: Path, way: Way, cwd: Path, address: str | None = None) -> Opened:
    store = app.conversation.store_for(app.arguments)
    place = await asyncio.to_thread(fork_place, path, cwd, address)
    return Opened(await asyncio.to_thread(store.open, path, way, place), cwd)


def _folder_question(gone: Path, here: Path) -> ChoiceScreen:
    answers = (Answer("g", "go on with it here"), Answer("f", "go on here with a copy of it"))
    return ChoiceScreen("The folder of this session is gone.", answers, f"It was {gone}\nhere is {here}")


def _locked_question() -> ChoiceScreen:
    answers = (Answer("f", "go on with a copy of it"), Answer("r", "only read it"))
    about = "Two writers would mix their messages, so only one may go on with it."
    return ChoiceScreen("Another instance has this session open.", answers, about)
