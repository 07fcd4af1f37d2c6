"""Which git branch a folder is on, and whether something in it is not committed."""

from __future__ import annotations

import subprocess
from pathlib import Path


def read_branch(folder: Path) -> str:
    """The branch (a short hash where none is checked out), read from ``.git/HEAD``; empty outside a repository."""
    head = _head_file(folder)
    try:
        text = head.read_text(encoding="utf-8", errors="replace").strip() if head else ""
    except OSError:
        return ""
    return text.removeprefix("ref: refs/heads/") if text.startswith("ref:") else text[:8]


def is_dirty(folder: Path) -> bool:
    """Whether git knows of changes that are not committed. Runs git, half a second at most; False if it can't tell."""
    command = [
        "git",
        "-c",
        "core.fsmonitor=false",
        "--no-optional-locks",
        "-C",
        str(folder),
        "status",
        "--porcelain",
        "--untracked-files=no",
    ]
    try:
        done = subprocess.run(command, capture_output=True, timeout=0.5, stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return bool(done.stdout.strip())


def _head_file(folder: Path) -> Path | None:
    """HEAD of the repository around `folder`; a linked worktree's ``.git`` is a file that names its folder."""
    for parent in (folder, *folder.parents):
        marker = parent / ".git"
        try:
            if marker.is_dir():
                return marker / "HEAD"
            if marker.is_file():
                return parent / marker.read_text(encoding="utf-8").strip().removeprefix("gitdir: ") / "HEAD"
        except OSError:
            return None
    return None
