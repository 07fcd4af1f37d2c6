"""Removes a session in a way that can be taken back."""

from __future__ import annotations

import os
import sys
import time
from itertools import count
from pathlib import Path
from urllib.parse import quote

from .folders import make_private_folder, open_private


def move_to_trash(path: Path, data_dir: Path) -> Path:
    """Move a file to the person's trash (freedesktop.org trash specification 1.0; ``~/.Trash`` on macOS).

    Where there is none on the same file system, to ``trash`` in `data_dir`. Returns its new place; raises `OSError`.
    """
    for trash in _home_trash():
        try:
            return _into(trash, path)
        except OSError:
            continue
    folder = data_dir / "trash"
    make_private_folder(folder)
    return _rename(path, folder)


def _home_trash() -> list[Path]:
    home = Path.home()
    if sys.platform == "darwin":
        return [home / ".Trash"]
    if sys.platform == "win32":
        return []
    return [Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "Trash"]


def _into(trash: Path, path: Path) -> Path:
    if sys.platform == "darwin":
        return _rename(path, trash)
    files, info = trash / "files", trash / "info"
    make_private_folder(files)
    make_private_folder(info)
    target = _free(files, path)
    note = info / f"{target.name}.trashinfo"
    descriptor = open_private(note, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    deleted = time.strftime("%Y-%m-%dT%H:%M:%S")
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(f"[Trash Info]\nPath={quote(str(path.absolute()))}\nDeletionDate={deleted}\n")
    try:
        path.rename(target)
    except OSError:
        note.unlink(missing_ok=True)
        raise
    return target


def _rename(path: Path, folder: Path) -> Path:
    return path.rename(_free(folder, path))


def _free(folder: Path, path: Path) -> Path:
    names = (path.name if not number else f"{path.stem}.{number}{path.suffix}" for number in count())
    return next(folder / name for name in names if not (folder / name).exists())
