"""Finds session files by folder, age and id, reading no more than their first line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .codec import header_from_json
from .entries import SessionHeader
from .folders import place_of
from .line import parse_object

HEADER_BYTES = 1024 * 1024


def session_files(folder: Path) -> list[tuple[Path, float]]:
    """The session files of one folder with their time of change (s), newest first; empty if there is no such folder."""
    found: list[tuple[Path, float]] = []
    try:
        with os.scandir(folder) as items:
            found.extend((Path(item.path), item.stat().st_mtime) for item in items if item.name.endswith(".jsonl"))
    except OSError:
        pass
    return sorted(found, key=lambda pair: (pair[1], pair[0].name), reverse=True)


def read_header(path: Path) -> SessionHeader | None:
    """The header, looked for in the first MiB; None if the file is unreadable or no session."""
    try:
        with path.open("rb") as file:
            for line in file.read(HEADER_BYTES).split(b"\n"):
                data = parse_object(line.strip(b" \t\r\0"))
                if data is not None:
                    return header_from_json(data)
    except OSError:
        pass
    return None


def latest_file(folder: Path, cwd: str | Path | None = None) -> Path | None:
    """The newest valid session of a folder, made in `cwd` where that is given (a folder may hold those of many)."""
    wanted = None if cwd is None else place_of(cwd)
    for path, _ in session_files(folder):
        header = read_header(path)
        if header and (wanted is None or place_of(header.cwd) == wanted):
            return path
    return None


def project_folders(data_dir: Path) -> list[Path]:
    """Every project's folder of sessions."""
    try:
        with os.scandir(data_dir / "sessions") as items:
            return sorted(Path(item.path) for item in items if item.is_dir())
    except OSError:
        return []


def files_with_id(folders: list[Path], id_start: str) -> Iterator[Path]:
    """The sessions whose id begins so. The file name ends with the id, so that hardly a file is opened."""
    for folder in folders:
        for path, _ in session_files(folder):
            named = path.stem.rpartition("_")[2].startswith(id_start)
            if named and (header := read_header(path)) and header.id.startswith(id_start):
                yield path
