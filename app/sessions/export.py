"""A session written to a file for others: HTML, Markdown or JSON Lines, by the file's ending."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ...agent.hooks import Redactor
from ...policy.environment import known_secrets
from ...policy.secrets import make_redactor
from ...sessions.export_html import ExportCancelledError, export_html
from ...sessions.export_markdown import export_markdown
from ...sessions.file import SessionFileError
from ...sessions.fork import export_jsonl
from ...sessions.session import Session
from ..arguments import Arguments
from ..conversation.job import Job
from ..paths import find_paths
from ..settings.reading import load_settings
from ..start_error import StartError
from .store import SessionStore


def run_export(arguments: Arguments) -> int:
    """``--export IN [OUT]``: write it, print where; the exit status."""
    wanted, *given = arguments.export or [""]
    paths = find_paths()
    try:
        store = SessionStore.of(arguments, load_settings(paths.config)[0], paths)
        session = read_session(store.find(wanted))
        target = export_target(given[0] if given else "", Path.cwd(), session)
        write_export(session, target, make_redactor(known_secrets(os.environ)), Job(""))
    except StartError as error:
        sys.stderr.write(f"pyagent-tui: {error}\n")
        return 1
    sys.stdout.write(f"{target}\n")
    return 0


def read_session(path: Path) -> Session:
    """A session to look at, whoever writes it. Raises `StartError`."""
    try:
        return Session.open(path, read_only=True)
    except (SessionFileError, OSError) as error:
        raise StartError(str(error)) from None


def as_stored(session: Session, *, is_running: bool) -> Session:
    """The session as a thread may read it while the conversation goes on: what is on disk. Raises `StartError`."""
    if session.is_saved and session.path is not None:
        stored = read_session(session.path)
        stored.branch(session.leaf_id if session.leaf_id in stored.tree else stored.leaf_id)
        return stored
    if is_running:
        raise StartError("This session is not on disk; it can be exported when the run is done.")
    return session


def export_target(given: str, cwd: Path, session: Session) -> Path:
    """The file to write: the one that is given, or an HTML file in `cwd`. Raises `StartError` for an unknown ending."""
    stem = session.path.stem if session.path else f"session-{session.id}"
    given = given.strip("\"'")
    target = cwd / Path(given).expanduser() if given else cwd / f"{stem}.html"
    if target.is_dir():
        target = target / f"{stem}.html"
    if target.suffix.lower() not in (".html", ".htm", ".md", ".jsonl"):
        raise StartError(f"{target.name} should end in .html, .md or .jsonl, which says what to write.")
    if session.path is not None and target.exists() and os.path.samefile(target, session.path):
        raise StartError("That is the session's own file.")
    return target


def write_export(session: Session, target: Path, redact: Redactor, job: Job) -> bool:
    """Write it, whole or not at all; False if the person stopped it. Raises `StartError`. Blocks: use a thread."""
    try:
        if target.suffix.lower() == ".jsonl":
            export_jsonl(session, target)
        elif target.suffix.lower() == ".md":
            export_markdown(session, target, redact)
        else:
            export_html(session, target, redact, job.report, job.asked_to_stop)
    except ExportCancelledError:
        return False
    except OSError as error:
        raise StartError(f"{target} cannot be written: {error.strerror or error}") from None
    return True
