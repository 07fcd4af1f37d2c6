"""Brings files back to an earlier state, without overwriting what the person changed since."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

from anyio.to_thread import run_sync

from ..agent.frozen import frozen
from .shadow_git import Blob, Change, ShadowGit, SnapshotError
from .snapshots import SnapshotRecord

Kind: TypeAlias = Literal["create", "change", "delete"]


@frozen
class FileStep:
    """What is to be done to one path (relative, with ``/``): from what stands there now to what shall."""

    path: str
    current: Blob | None
    wanted: Blob | None

    @property
    def kind(self) -> Kind:
        if self.wanted is None:
            return "delete"
        return "create" if self.current is None else "change"


@frozen
class RestorePlan:
    """`steps` are safe; `conflicts` are paths that someone else changed meanwhile, which stay as they are."""

    steps: tuple[FileStep, ...]
    conflicts: tuple[str, ...]


async def plan_restore(
    git: ShadowGit, undo: Sequence[SnapshotRecord], redo: Sequence[SnapshotRecord] = ()
) -> RestorePlan:
    """What it takes to undo some records (given oldest first) and then do others. Raises `SnapshotError`.

    A path conflicts if it is now neither what the records left nor what is wanted, or if it was changed by someone
    else between two of the records.
    """
    undone = [change for record in undo for change in await git.changes(record.before, record.after)]
    redone = [change for record in redo for change in await git.changes(record.before, record.after)]
    old, new = _by_path(undone), _by_path(redone)
    names = sorted({*old, *new})
    current = await git.hash_files(names)
    steps: list[FileStep] = []
    conflicts: list[str] = []
    for name in names:
        wanted = new[name][-1].after if name in new else old[name][0].before
        expected = old[name][-1].after if name in old else new[name][0].before
        if current[name] == wanted:
            continue
        is_ours = current[name] == expected and _is_unbroken(old.get(name, [])) and _is_unbroken(new.get(name, []))
        if is_ours and _is_reachable(git.project, name):
            steps.append(FileStep(name, current[name], wanted))
        else:
            conflicts.append(name)
    return RestorePlan(tuple(steps), tuple(conflicts))


def _by_path(changes: Iterable[Change]) -> dict[str, list[Change]]:
    grouped: dict[str, list[Change]] = {}
    for change in changes:
        grouped.setdefault(change.path, []).append(change)
    return grouped


def _is_unbroken(changes: Sequence[Change]) -> bool:
    """Whether each change of a path began where the one before it ended."""
    return all(first.after == second.before for first, second in pairwise(changes))


def _is_reachable(project: Path, name: str) -> bool:
    """Whether the path leads into the project through real folders only: a link could lead anywhere."""
    folder = project
    for part in Path(name).parts[:-1]:
        folder = folder / part
        try:
            mode = folder.lstat().st_mode
        except FileNotFoundError:
            return True
        except NotADirectoryError:
            return False
        if not stat.S_ISDIR(mode):
            return False
    return not (project / name).is_dir() or (project / name).is_symlink()


async def apply_restore(git: ShadowGit, plan: RestorePlan, *, skip_conflicts: bool = False) -> SnapshotRecord:
    """Carry out a plan; the record that undoes it again, to be kept in the session.

    Raises `SnapshotError`, before anything is changed, if there are conflicts (unless they may be skipped) or a file
    changed since the plan was made.
    """
    if plan.conflicts and not skip_conflicts:
        raise SnapshotError(f"changed by someone else since: {', '.join(plan.conflicts)}")
    names = [step.path for step in plan.steps]
    now = await git.hash_files(names)
    late = [step.path for step in plan.steps if now[step.path] != step.current]
    if late:
        raise SnapshotError(f"changed by someone else just now: {', '.join(late)}")
    contents = await git.read([step.wanted for step in plan.steps if step.wanted is not None])
    before = await git.write_tree(names)
    for step in plan.steps:
        try:
            await run_sync(_apply, git.project, step, contents[step.wanted.id] if step.wanted else None)
        except OSError as error:
            raise SnapshotError(f"{step.path} cannot be restored: {error.strerror or error}") from error
    return SnapshotRecord(before, await git.write_tree(names))


def _apply(project: Path, step: FileStep, content: bytes | None) -> None:
    path = project / step.path
    if content is None or step.wanted is None:
        path.unlink(missing_ok=True)
        _remove_empty(path.parent, project)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        if step.wanted.mode == "120000":
            os.symlink(os.fsdecode(content), temporary)
        else:
            _write(temporary, content, _permissions(path, step.wanted.mode))
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _write(path: Path, content: bytes, mode: int) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    path.chmod(mode)


def _permissions(path: Path, mode: str) -> int:
    """The file's own permissions where it is there, with the execute bits that the state had."""
    try:
        kept = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        kept = 0o644
    return kept | (kept & 0o444) >> 2 if mode == "100755" else kept & ~0o111


def _remove_empty(folder: Path, project: Path) -> None:
    while folder != project and folder.is_relative_to(project):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent
