"""Where sessions live, and folders and files that only their owner may read."""

from __future__ import annotations

import os
import re
from pathlib import Path

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


def place_of(cwd: str | Path) -> str:
    """What a project's folder is known by: its real path; one on another machine by its address (``ssh://…``)."""
    text = str(cwd)
    return text if text.startswith("ssh://") else os.path.realpath(text)


def project_folder(data_dir: Path, cwd: str | Path) -> Path:
    """The folder of the sessions of a project: its real path with separators made dashes, so that links lead to it too."""
    real = place_of(cwd)
    name = re.sub(r"[/\\:]", "-", re.sub(r"^[/\\]", "", real))
    return data_dir / "sessions" / f"--{name}--"


def session_file_name(timestamp: str, session_id: str) -> str:
    """The file name of a session: when it began (UTC text) and its id."""
    return f"{re.sub(r'[:.]', '-', timestamp)}_{session_id}.jsonl"


def make_private_folder(folder: Path) -> None:
    """Make the folder and its missing parents for their owner only, whatever the umask. Raises `OSError`."""
    missing: list[Path] = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir(PRIVATE_FOLDER, exist_ok=True)
        path.chmod(PRIVATE_FOLDER)


def open_private(path: Path, flags: int) -> int:
    """`os.open` with the owner's rights only, whatever the umask, if the file is new. Raises `OSError`."""
    binary = getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags | binary, PRIVATE_FILE)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, PRIVATE_FILE)
    return descriptor


def sync_folder(folder: Path) -> None:
    """Make a new or renamed file's name durable, where the system can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)
