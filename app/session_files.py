"""What can be done to a session's file while no conversation has it open. Everything here reads disk: use a thread."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from ..sessions.file import SessionFileError
from ..sessions.folders import project_folder
from ..sessions.listing import SessionSummary, iter_sessions
from ..sessions.locate import project_folders
from ..sessions.lock import try_lock
from ..sessions.session import Session
from ..sessions.trash import move_to_trash
from ..sessions.writer import SessionLockedError
from .start_error import StartError

Scope: TypeAlias = Literal["folder", "all"]


@dataclass(frozen=True, slots=True)
class SessionPlaces:
    """Where sessions are. `own` is a folder that the person chose for all of them, `data` the usual place."""

    data: Path
    cwd: Path
    own: Path | None = None

    def sessions(self, scope: Scope) -> Iterator[SessionSummary]:
        """The sessions of this project or of all, newest file first within each folder."""
        if self.own is None:
            folders = [project_folder(self.data, self.cwd)] if scope == "folder" else project_folders(self.data)
            return iter_sessions(folders)
        found = iter_sessions([self.own])
        return found if scope == "all" else self._of_this_project(found)

    def _of_this_project(self, found: Iterator[SessionSummary]) -> Iterator[SessionSummary]:
        here = os.path.realpath(self.cwd)
        return (session for session in found if os.path.realpath(session.cwd) == here)

    @property
    def folders(self) -> list[Path]:
        """Every folder that holds sessions."""
        return project_folders(self.data) if self.own is None else [self.own]


def rename_session(path: Path, name: str) -> None:
    """Give a session that nobody has open another name. Raises `StartError`."""
    try:
        session = Session.open(path)
    except SessionLockedError:
        raise StartError("Another instance has this session open: rename it there.") from None
    except (SessionFileError, OSError) as error:
        raise StartError(str(error)) from None
    session.set_name(name)
    if session.close():
        raise StartError(f"The name cannot be saved: {path} cannot be written.")


def delete_session(path: Path, data: Path) -> Path:
    """Move a session that nobody has open to the trash; where it is now. Raises `StartError`."""
    try:
        if _is_in_use(path):
            raise StartError("Another instance has this session open, so it stays.")
        return move_to_trash(path, data)
    except OSError as error:
        raise StartError(f"The session cannot be moved to the trash: {error.strerror or error}") from None


def _is_in_use(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDWR)
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)
