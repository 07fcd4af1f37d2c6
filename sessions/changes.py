"""What a session has changed in the project's files: as they were before it, and as they are now."""

from __future__ import annotations

from collections.abc import Sequence

from anyio.to_thread import run_sync

from ..agent.frozen import frozen
from .shadow_git import LARGE_FILE_BYTES, Blob, ShadowGit
from .snapshots import SnapshotRecord

LINK = "120000"
"""The mode of a symbolic link; its content is where it leads."""


@frozen
class FileState:
    """A file at one time: its mode as git writes it, and its content; None for the content of one above 5 MB."""

    mode: str
    content: bytes | None


@frozen
class FileChange:
    """A path (relative, with ``/``) before the session touched it and now; None: it was or is not there."""

    path: str
    before: FileState | None
    after: FileState | None


async def changes_of(git: ShadowGit, records: Sequence[SnapshotRecord]) -> list[FileChange]:
    """The files that some records (oldest first) name and that are not now what they were before, by path.

    Raises `SnapshotError` if the store has lost what it takes.
    """
    before: dict[str, Blob | None] = {}
    for record in records:
        for change in await git.changes(record.before, record.after):
            before.setdefault(change.path, change.before)
    large = await run_sync(_large_files, git, sorted(before))
    now = await git.hash_files([name for name in sorted(before) if name not in large])
    changed = [name for name in sorted(before) if name in large or now[name] != before[name]]
    blobs = [blob for name in changed for blob in (before[name], now.get(name)) if blob is not None and blob.id]
    contents = await git.read(blobs)

    def state(blob: Blob | None) -> FileState | None:
        return None if blob is None or not blob.mode else FileState(blob.mode, contents[blob.id])

    return [
        FileChange(name, state(before[name]), FileState("100644", None) if name in large else state(now[name]))
        for name in changed
    ]


def _large_files(git: ShadowGit, names: Sequence[str]) -> set[str]:
    large: set[str] = set()
    for name in names:
        try:
            if (git.project / name).lstat().st_size > LARGE_FILE_BYTES:
                large.add(name)
        except OSError:
            continue
    return large
