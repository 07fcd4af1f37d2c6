"""Which session the conversation goes into: a new one, the last one, a named one, or none on disk."""

from __future__ import annotations

from pathlib import Path

from ..sessions.file import SessionFileError
from ..sessions.locate import files_with_id, project_folders
from ..sessions.session import Session
from ..sessions.writer import SessionLockedError
from .arguments import Arguments
from .paths import Paths
from .settings import Settings
from .start_error import StartError


def choose_session(arguments: Arguments, settings: Settings, paths: Paths, cwd: Path) -> Session:
    """The session that the command line asks for. Raises `StartError` with what can be done."""
    if arguments.no_session or arguments.demo:
        return Session.in_memory(cwd, arguments.name)
    folder = _folder(arguments, settings)
    try:
        session = _existing(arguments, paths, cwd, folder)
    except SessionLockedError as error:
        raise StartError(f"{error} Start without --continue or --session for a new one.") from None
    except (SessionFileError, OSError) as error:
        raise StartError(str(error)) from None
    if session is None:
        return Session.start(cwd, paths.data, arguments.name, folder=folder)
    if arguments.name:
        session.set_name(arguments.name)
    return session


def _folder(arguments: Arguments, settings: Settings) -> Path | None:
    folder = arguments.session_dir or settings.session_dir
    return Path(folder).expanduser().absolute() if folder else None


def _existing(arguments: Arguments, paths: Paths, cwd: Path, folder: Path | None) -> Session | None:
    if arguments.session is not None:
        return Session.open(_path_of(arguments.session, paths, folder))
    if arguments.continue_last or arguments.resume:
        return Session.latest(cwd, paths.data, folder=folder)
    return None


def _path_of(wanted: str, paths: Paths, folder: Path | None) -> Path:
    """A file, or the only session whose id begins so."""
    path = Path(wanted).expanduser()
    if path.is_file():
        return path
    found = list(files_with_id([folder] if folder else project_folders(paths.data), wanted))
    if len(found) == 1:
        return found[0]
    if found:
        raise StartError(f"{len(found)} sessions have an id that begins with {wanted!r}: give more of it.")
    raise StartError(f"There is no session {wanted!r}: neither a file nor the beginning of an id.")
