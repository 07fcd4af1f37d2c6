"""A branch of a session copied into a file of its own: fork, clone, import, JSON Lines export."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from .codec import entry_from_json, entry_to_json, header_to_json
from .entries import VERSION, LabelEntry, SessionEntry
from .file import SessionFileError
from .folders import make_private_folder, open_private, project_folder, sync_folder
from .identifiers import iso_now, new_entry_id
from .line import Line, dump_line
from .locate import read_header
from .progress import Tell, go_on
from .session import Session, ignore
from .tree import SessionTree
from .writer import Durable, Warn

_PART_BYTES = 1 << 20


def fork_session(
    source: Session,
    leaf_id: str | None,
    data_dir: Path,
    *,
    cwd: str | Path | None = None,
    folder: Path | None = None,
    on_warning: Warn = ignore,
    on_durable: Durable = ignore,
) -> Session:
    """A new session that holds the path to `leaf_id` (None: nothing yet) and names its origin.

    Its project is `cwd`, or the source's. The source is only read. Raises `UnknownEntryError`.
    """
    entries = [] if leaf_id is None else list(copied_entries(source.tree, leaf_id))
    session = Session.start(
        cwd or source.cwd, data_dir, folder=folder, parent=source.path, on_warning=on_warning, on_durable=on_durable
    )
    session.adopt_entries(entries)
    return session


def copied_entries(tree: SessionTree, leaf_id: str | None = None) -> Iterator[SessionEntry]:
    """Copies of the entries of a path, verbatim but chained to each other; the labels on them come last.

    Damaged entries are left out.
    """
    previous: str | None = None
    kept: set[str] = set()
    for entry in tree.path(leaf_id):
        stored = {} if isinstance(entry, LabelEntry) else entry.stored
        if not stored:
            continue
        copy = entry_from_json({**stored, "parentId": previous}, Line(dump_line({**stored, "parentId": previous})))
        if copy is not None:
            yield copy
            previous = copy.id
            kept.add(copy.id)
    for target, label in tree.labels.items():
        if target in kept:
            entry = LabelEntry(
                id=new_entry_id(kept), parent_id=previous, timestamp=iso_now(), target_id=target, label=label
            )
            entry.line = Line(dump_line(entry_to_json(entry)))
            yield entry
            previous = entry.id
            kept.add(entry.id)


def export_jsonl(session: Session, target: Path) -> None:
    """Write the current branch as a session file of its own, private and whole. Raises `OSError`."""
    header = replace(session.header, version=VERSION)
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    descriptor = open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        with open(descriptor, "wb") as file:
            file.write(dump_line(header_to_json(header)) + b"\n")
            file.writelines(entry.line.read() + b"\n" for entry in copied_entries(session.tree))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def import_session(
    source: Path, data_dir: Path, cwd: str | Path, *, folder: Path | None = None, tell: Tell = go_on
) -> Path | None:
    """Copy a session file, with its id and its cwd, among those of the project at `cwd`; its new place.

    `tell` hears of bytes copied and bytes in all; where it says no, nothing is left and the answer is None.
    Raises `SessionFileError` for a file that is no session, `OSError` if it cannot be copied.
    """
    if read_header(source) is None:
        raise SessionFileError(f"{source} is not a session file")
    target_folder = folder or project_folder(data_dir, cwd)
    make_private_folder(target_folder)
    target = _free_name(target_folder, source)
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    is_whole = False
    try:
        if _copy(source, temporary, tell):
            os.replace(temporary, target)
            is_whole = True
    finally:
        for path in (temporary,) if is_whole else (temporary, target):
            path.unlink(missing_ok=True)
    sync_folder(target_folder)
    return target if is_whole else None


def _copy(source: Path, target: Path, tell: Tell) -> bool:
    """Write a private copy, durably; False if it shall not go on."""
    done = 0
    descriptor = open_private(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with source.open("rb") as given, open(descriptor, "wb") as copy:
        total = os.fstat(given.fileno()).st_size
        while part := given.read(_PART_BYTES):
            copy.write(part)
            done += len(part)
            if not tell(done, total):
                return False
        copy.flush()
        os.fsync(copy.fileno())
    return True


def _free_name(folder: Path, source: Path) -> Path:
    for number in count():
        name = source.stem + (f"-{number}" if number else "") + ".jsonl"
        try:
            os.close(open_private(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        return folder / name
    raise AssertionError("count() does not end")
