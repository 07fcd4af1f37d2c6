"""What was sent before, kept over starts: one JSON line per prompt, shared by every program that runs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import cast

from ...policy.store import PRIVATE, locked, replace

MOST_LINES = 1_000
"""Prompts that are kept."""

SLACK = 200
"""Prompts beyond `MOST_LINES` after which the oldest are dropped."""

MOST_BYTES = 256 * 1024
"""A longer prompt is in its session only."""


class PromptHistory:
    """The file `<config>/history`, readable by its owner alone. Every method blocks for the disk and may raise OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._count = 0

    def load(self) -> list[str]:
        """The newest prompts, oldest first. A line that is damaged is left out; no file: nothing."""
        try:
            lines = self._path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        self._count = len(lines) - 1
        prompts = (_prompt(line) for line in lines[-MOST_LINES - 1 :])
        return [prompt for prompt in prompts if prompt is not None]

    def add(self, prompt: str) -> None:
        """Append one prompt. Raises TimeoutError if another program keeps the file locked."""
        line = json.dumps({"prompt": prompt}, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        if len(line) > MOST_BYTES:
            return
        with locked(self._path):
            _append(self._path, line)
            self._count += 1
            if self._count > MOST_LINES + SLACK:
                self._shorten()

    def _shorten(self) -> None:
        lines = self._path.read_bytes().splitlines(keepends=True)[-MOST_LINES:]
        replace(self._path, b"".join(lines), mode=PRIVATE)
        self._count = len(lines)


def _append(path: Path, line: bytes) -> None:
    """One write; a last line that was cut off is ended first, so that it does not spoil this one."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), PRIVATE)
    with os.fdopen(handle, "r+b", buffering=0) as file:
        if hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), PRIVATE)
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            line = line if file.read(1) == b"\n" else b"\n" + line
        file.write(line)


def _prompt(line: bytes) -> str | None:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    prompt = cast("dict[str, object]", value).get("prompt") if isinstance(value, dict) else None
    return prompt if isinstance(prompt, str) and prompt.strip() else None
