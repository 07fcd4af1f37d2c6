"""Which session the conversation goes into, where nobody is asked: a new one, the last one, a named one, a copy, none."""

from __future__ import annotations

from pathlib import Path

from ..sessions.session import Session
from ..sessions.writer import SessionLockedError
from .arguments import Arguments
from .session_store import Opened, SessionStore, Way
from .start_error import StartError


def new_session(arguments: Arguments, store: SessionStore, cwd: Path) -> Session:
    """A new session of the project at `cwd`."""
    if arguments.no_session or arguments.demo:
        return Session.in_memory(cwd, arguments.name)
    return store.new(cwd, arguments.name)


def existing_session(arguments: Arguments, store: SessionStore, cwd: Path) -> Opened | None:
    """The session that the command line asks to go on with, None for a new one. Raises `StartError` with what can be done."""
    if arguments.resume:
        raise StartError("--resume needs a screen to choose on: use --continue or --session ID instead.")
    path, way = wanted_file(arguments, store, cwd)
    if path is None:
        return None
    opened = open_path(store, path, way, cwd)
    if arguments.name:
        opened.session.set_name(arguments.name)
    return opened


def open_path(store: SessionStore, path: Path, way: Way = "go_on", cwd: Path | None = None) -> Opened:
    """The session in a file, and its folder. Raises `StartError` with what can be done."""
    try:
        session = store.open(path, way, cwd)
    except SessionLockedError as error:
        raise StartError(f"{error} Use --fork to go on with a copy of it.") from None
    place = Path(session.cwd)
    if not place.is_dir():
        session.close()
        raise StartError(f"The folder of this session is gone: {place}. Use --fork to go on here with a copy of it.")
    return Opened(session, place)


def wanted_file(arguments: Arguments, store: SessionStore, cwd: Path) -> tuple[Path | None, Way]:
    """The file that the command line names, and how it is to be opened; None for a new session. Raises `StartError`."""
    if arguments.fork is not None:
        return store.find(arguments.fork), "fork"
    if arguments.session is not None:
        return store.find(arguments.session), "go_on"
    return (store.latest(cwd) if arguments.continue_last else None), "go_on"
