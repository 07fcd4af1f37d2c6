"""Where this program's sessions are: made, found, opened, copied. Everything here reads disk: use a thread."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from ...agent.frozen import frozen
from ...sessions.file import SessionFileError
from ...sessions.folders import place_of, project_folder
from ...sessions.locate import files_with_id, latest_file, project_folders
from ...sessions.lock import try_lock
from ...sessions.progress import Tell, go_on
from ...sessions.session import Session, ignore
from ...sessions.writer import SessionLockedError, Warn
from ..arguments import Arguments
from ..paths import Paths
from ..settings.model import Settings
from ..start_error import StartError

if TYPE_CHECKING:
    from ...sessions.listing import SessionSummary

Scope: TypeAlias = Literal["folder", "all"]

Way: TypeAlias = Literal["go_on", "fork", "read_only"]
"""How a session is opened: to write on, as a copy, or to look at."""


@frozen
class Opened:
    """An existing session and the folder to work in (this machine's, also if the session's is on another one).

    `has_own_model`: its own model shall answer, if it can be had.
    """

    session: Session
    cwd: Path
    has_own_model: bool = True


@frozen
class SessionStore:
    """`own` is a folder that the person chose for all sessions, `data` holds the usual ones. `warn` hears of trouble on
    disk, from any thread."""

    data: Path
    own: Path | None = None
    warn: Warn = ignore

    @classmethod
    def of(cls, arguments: Arguments, settings: Settings, paths: Paths, warn: Warn = ignore) -> SessionStore:
        """As the command line and the settings say."""
        folder = arguments.session_dir or settings.session_dir
        return cls(paths.data, Path(folder).expanduser().absolute() if folder else None, warn)

    # Making and opening

    def new(self, cwd: str | Path, name: str | None = None, parent: Path | None = None) -> Session:
        """A new session of the project at `cwd`; nothing is written yet."""
        return Session.start(cwd, self.data, name, folder=self.own, parent=parent, on_warning=self.warn)

    def open(self, path: Path, way: Way = "go_on", cwd: str | Path | None = None) -> Session:
        """The session in a file; a copy belongs to the project at `cwd`. Raises `SessionLockedError` and `StartError`."""
        try:
            if way == "fork":
                source = Session.open(path, read_only=True)
                return self.fork(source, source.leaf_id, cwd)
            return Session.open(path, read_only=way == "read_only", on_warning=self.warn)
        except (SessionFileError, OSError) as error:
            raise StartError(str(error)) from None

    def fork(self, source: Session, leaf_id: str | None, cwd: str | Path | None = None) -> Session:
        """A new session with the branch of `source` that ends at `leaf_id`; it is on disk unless nothing was said in it."""
        from ...sessions.fork import fork_session

        fork = fork_session(source, leaf_id, self.data, cwd=cwd, folder=self.own, on_warning=self.warn)
        if any(entry.type == "message" for entry in fork.tree):
            fork.write_now()
        return fork

    def add(self, source: Path, cwd: str | Path, tell: Tell = go_on) -> Path | None:
        """Copy a session file among those of the project at `cwd`; its new place, None if `tell` stopped it.

        Raises `StartError`.
        """
        from ...sessions.fork import import_session

        try:
            return import_session(source, self.data, cwd, folder=self.own, tell=tell)
        except (SessionFileError, OSError) as error:
            raise StartError(str(error)) from None

    # Finding

    def find(self, wanted: str) -> Path:
        """A file, or that of the only session whose id begins so. Raises `StartError`."""
        path = Path(wanted).expanduser()
        if path.is_file():
            return path.absolute()
        found = list(files_with_id(self.folders, wanted))
        if len(found) == 1:
            return found[0]
        if found:
            raise StartError(f"{len(found)} sessions have an id that begins with {wanted!r}: give more of it.")
        raise StartError(f"There is no session {wanted!r}: neither a file nor the beginning of an id.")

    def latest(self, cwd: str | Path) -> Path | None:
        """The session of the project at `cwd` that was written last."""
        return latest_file(self.own, cwd) if self.own else latest_file(project_folder(self.data, cwd))

    @property
    def folders(self) -> list[Path]:
        """Every folder that holds sessions."""
        return project_folders(self.data) if self.own is None else [self.own]

    def summaries(self, scope: Scope, cwd: str | Path) -> Iterator[SessionSummary]:
        """The sessions of the project at `cwd` or of all, read one by one, newest file first within each folder."""
        from ...sessions.listing import iter_sessions

        if self.own is None:
            return iter_sessions([project_folder(self.data, cwd)] if scope == "folder" else self.folders)
        found = iter_sessions([self.own])
        here = place_of(cwd)
        return found if scope == "all" else (each for each in found if place_of(each.cwd) == here)

    # Changing one that no conversation has open

    def rename(self, path: Path, name: str) -> None:
        """Give it another name; empty takes the name away. Raises `StartError`."""
        try:
            session = self.open(path)
        except SessionLockedError:
            raise StartError("Another instance has this session open: rename it there.") from None
        session.set_name(name)
        if session.close():
            raise StartError(f"The name cannot be saved: {path} cannot be written.")

    def delete(self, path: Path) -> Path:
        """Move it to the trash; where it is now. Raises `StartError`."""
        from ...sessions.trash import move_to_trash

        try:
            if _is_in_use(path):
                raise StartError("Another instance has this session open, so it stays.")
            return move_to_trash(path, self.data)
        except OSError as error:
            raise StartError(f"The session cannot be moved to the trash: {error.strerror or error}") from None


def _is_in_use(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDWR)
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)
