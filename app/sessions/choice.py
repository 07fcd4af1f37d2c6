"""Which session the conversation goes into, where nobody is asked: a new one, the last one, a named one, a copy, none."""

from __future__ import annotations

from pathlib import Path

from ...sessions.locate import read_header
from ...sessions.session import Session
from ...sessions.writer import SessionLockedError
from ...tools.remote import Remote, is_address, parse_remote
from ..arguments import Arguments
from ..start_error import StartError
from .store import Opened, SessionStore, Way


def new_session(arguments: Arguments, store: SessionStore, cwd: str | Path) -> Session:
    """A new session of the project at `cwd`."""
    if arguments.no_session or arguments.demo:
        return Session.in_memory(cwd, arguments.name)
    return store.new(cwd, arguments.name)


def existing_session(arguments: Arguments, store: SessionStore, cwd: Path, address: str | None = None) -> Opened | None:
    """The session that the command line asks to go on with, None for a new one. Raises `StartError` with what can be done.

    `address` is that of the folder on another machine where the command line wants to work.
    """
    if arguments.resume:
        raise StartError("--resume needs a screen to choose on: use --continue or --session ID instead.")
    path, way = wanted_file(arguments, store, address or cwd)
    if path is None:
        return None
    opened = open_path(store, path, way, cwd, address)
    if arguments.name:
        opened.session.set_name(arguments.name)
    return opened


def open_path(
    store: SessionStore, path: Path, way: Way = "go_on", cwd: Path | None = None, address: str | None = None
) -> Opened:
    """The session in a file, and its folder. Raises `StartError` with what can be done.

    `cwd` is where one is, `address` that of the folder on another machine where one wants to work.
    """
    here = cwd or Path.cwd()
    try:
        session = store.open(path, way, fork_place(path, here, address) if way == "fork" else None)
    except SessionLockedError as error:
        raise StartError(f"{error} Use --fork to go on with a copy of it.") from None
    place = here if is_address(session.cwd) else Path(session.cwd)
    if fault := elsewhere(session, address):
        session.close()
        raise StartError(fault)
    if not place.is_dir():
        session.close()
        raise StartError(f"The folder of this session is gone: {place}. Use --fork to go on here with a copy of it.")
    return Opened(session, place)


def remote_of(session: Session) -> Remote | None:
    """Where a session's folder is, if it is on another machine. Raises `StartError` for an address that is none."""
    if not is_address(session.cwd):
        return None
    try:
        return parse_remote(session.cwd)
    except ValueError as error:
        raise StartError(str(error)) from None


def fork_place(path: Path, cwd: Path, address: str | None) -> str | Path:
    """Where a copy of the session in a file belongs: where one is, but a copy of one on another machine stays there."""
    header = read_header(path)
    return address or (header.cwd if header is not None and is_address(header.cwd) else cwd)


def elsewhere(session: Session, address: str | None) -> str | None:
    """Why a session cannot go on at the folder that the command line names, None if it can."""
    if address is None or session.cwd == address:
        return None
    return f"That session belongs to {session.cwd}. Leave --remote out, or use --fork to go on there with a copy of it."


def wanted_file(arguments: Arguments, store: SessionStore, cwd: str | Path) -> tuple[Path | None, Way]:
    """The file that the command line names, and how it is to be opened; None for a new session. Raises `StartError`."""
    if arguments.fork is not None:
        return store.find(arguments.fork), "fork"
    if arguments.session is not None:
        return store.find(arguments.session), "go_on"
    return (store.latest(cwd) if arguments.continue_last else None), "go_on"
