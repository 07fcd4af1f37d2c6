"""Instructions that a project, its parents and the person keep in files of the AGENTS.md family."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ..agent.frozen import frozen

NAMES = ("AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")
"""Per folder the first that exists counts."""

LIMIT = 32 * 1024
"""Bytes of one file that go to the model."""


@frozen
class ContextFile:
    """One file of instructions: its absolute path and its text, cut after the limit with a line that says so."""

    path: Path
    text: str
    truncated: bool = False


@frozen
class ProjectFiles:
    """What was found, outermost first, and what the person should know (cut, unreadable or passed over)."""

    files: tuple[ContextFile, ...] = ()
    notices: tuple[str, ...] = ()


def find_project_files(cwd: Path | None, config_dir: Path | None = None, limit: int = LIMIT) -> ProjectFiles:
    """Read the instructions for work in `cwd`: those of `config_dir`, then from the file system's root down to `cwd`
    (None: the work is not on this machine).

    Each text comes once, however many paths lead to it. Reads disk; never raises for what it finds there.
    """
    files: list[ContextFile] = []
    notices: list[str] = []
    real_paths: set[str] = set()
    texts: set[str] = set()
    for path in _candidates(cwd, config_dir, notices):
        real_path = os.path.realpath(path)
        if real_path in real_paths:
            continue
        real_paths.add(real_path)
        file = _read(path, limit, notices)
        if file is None or not file.text.strip() or file.text in texts:
            continue
        texts.add(file.text)
        files.append(file)
        if file.truncated:
            notices.append(f"{path} is longer than {limit // 1024} KiB: the model is given its beginning")
    return ProjectFiles(tuple(files), tuple(notices))


def _candidates(cwd: Path | None, config_dir: Path | None, notices: list[str]) -> Iterator[Path]:
    if config_dir is not None and (own := _first_name(config_dir)):
        yield own
    if cwd is None:
        return
    cwd = Path(os.path.abspath(cwd))
    twin = _main_twin(cwd)
    owners = _trusted_owners(cwd)
    for folder in reversed((cwd, *cwd.parents)):
        path = _first_name(folder)
        if path is None or folder == twin:
            continue
        if folder != cwd and owners is not None and path.stat().st_uid not in owners:
            notices.append(f"{path} belongs to another user and was not read")
            continue
        yield path


def _first_name(folder: Path) -> Path | None:
    return next((folder / name for name in NAMES if _is_file(folder / name)), None)


def _is_file(path: Path) -> bool:
    """False also for what cannot be looked at, such as a file in a closed folder."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _trusted_owners(cwd: Path) -> set[int] | None:
    """Whose files above the project may speak: anybody can put an AGENTS.md into a shared folder such as /tmp."""
    if os.name == "nt":
        return None
    owners = {0, os.getuid()}
    with suppress(OSError):
        owners.add(cwd.stat().st_uid)
    return owners


def _read(path: Path, limit: int, notices: list[str]) -> ContextFile | None:
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        notices.append(f"{path} could not be read: {error.strerror or error}")
        return None
    return context_file(path, data, size, limit)


def context_file(path: Path, data: bytes, size: int, limit: int = LIMIT) -> ContextFile:
    """What the model is given of a file of `size` bytes, of which `data` are the first: one more than `limit` shows that
    it is longer."""
    truncated = len(data) > limit
    text = _decode(_whole_lines(data[:limit]) if truncated else data)
    if truncated:
        text += f"\n[Cut here: the file has {size:,} bytes. Read {path} for the rest.]"
    return ContextFile(path, text, truncated)


def _whole_lines(data: bytes) -> bytes:
    """Up to the last line end; of one endless line as much as there is."""
    end = data.rfind(b"\n")
    return data[:end] if end > 0 else data


def _decode(data: bytes) -> str:
    """Bytes that are no UTF-8 become replacement characters: this text is read, never written back."""
    return data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").rstrip()


def _main_twin(cwd: Path) -> Path | None:
    """The root of the main working tree, if `cwd` is in a linked worktree inside it that has its own instructions.

    A linked worktree's ``.git`` is a file ``gitdir: MAIN/.git/worktrees/NAME`` (gitrepository-layout).
    """
    for folder in (cwd, *cwd.parents):
        marker = folder / ".git"
        if not _is_file(marker):
            continue
        git_dir = _git_dir(marker)
        if git_dir is None or git_dir.parent.name != "worktrees" or _first_name(folder) is None:
            return None
        main = git_dir.parent.parent.parent
        return next((parent for parent in folder.parents if os.path.realpath(parent) == str(main)), None)
    return None


def _git_dir(marker: Path) -> Path | None:
    try:
        text = marker.read_bytes()[:4096].decode(errors="replace")
    except OSError:
        return None
    if not text.startswith("gitdir:"):
        return None
    return Path(os.path.realpath(marker.parent / text.removeprefix("gitdir:").strip()))
