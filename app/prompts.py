"""What the command line and stdin say to the model, as messages."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..agent.messages import ImageContent, UserMessage
from .prompt.pictures import PictureError, prepare_picture
from .start_error import StartError

if TYPE_CHECKING:
    from ..tools.images import Picture


def first_messages(words: Sequence[str], files: Sequence[str], cwd: Path, piped: str = "") -> list[UserMessage]:
    """The messages to send, in order: what was piped, the files and the first word go together, then each further word.

    Raises `StartError` for a file that cannot be read.
    """
    texts, images = read_files(files, cwd)
    first = "\n".join(part for part in (piped.rstrip("\n"), *texts, *words[:1]) if part)
    messages = [UserMessage.of(first, tuple(images))] if first or images else []
    return [*messages, *(UserMessage.of(word) for word in words[1:])]


def read_piped() -> str:
    """All of stdin if something is piped into it, as UTF-8 with replacement marks."""
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return ""
    return sys.stdin.buffer.read().decode("utf-8-sig", errors="replace")


def read_files(files: Sequence[str], cwd: Path) -> tuple[list[str], list[ImageContent]]:
    """Text files as blocks that name them, pictures as such; empty files are left out. Raises `StartError`."""
    texts: list[str] = []
    images: list[ImageContent] = []
    for name in files:
        path = Path(os.path.abspath(cwd / Path(name).expanduser()))
        data = _read(path)
        if (picture := _picture(path, data)) is not None:
            images.append(ImageContent(picture.data, picture.mime_type))
            texts.append(f'<file name="{path}">{picture.note}</file>')
        elif data:
            text = data.decode("utf-8-sig", errors="replace").rstrip("\n")
            texts.append(f'<file name="{path}">\n{text}\n</file>')
    return texts, images


def _picture(path: Path, data: bytes) -> Picture | None:
    try:
        return prepare_picture(data)
    except PictureError as error:
        raise StartError(f"{path} cannot be attached: {error}") from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StartError(f"{path} cannot be read: {error.strerror or error}") from None
