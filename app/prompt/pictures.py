"""Pictures as attachments: known by their first bytes, upright, shrunk to what a model takes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ...agent.messages import ImageContent, UserMessage
from ...agent.model import Model

if TYPE_CHECKING:
    from ...tools.images import Picture

MOST_BYTES = 100 << 20
"""A larger file is not read."""


class PictureError(Exception):
    """There is a picture, but it cannot be attached; the text says why."""


def prepare_picture(data: bytes) -> Picture | None:
    """The picture in these bytes, ready to be sent; None if they are none. Blocks; raises `PictureError`."""
    from ...tools.images import PROBE, NotAPicture, image_type, prepare_image

    mime_type = image_type(data[:PROBE])
    if mime_type is None:
        return None
    try:
        return prepare_image(data, mime_type)
    except NotAPicture as error:
        raise PictureError(str(error)) from None


def blindness(model: Model, message: UserMessage) -> str:
    """What to know of a message with pictures for a model that cannot see; empty if there is nothing to say."""
    if model.vision or not any(isinstance(block, ImageContent) for block in message.content):
        return ""
    return f"{model.label} cannot see pictures: it is only told that there was one."


class Pictures:
    """Reads what is pasted or dropped into the editor; `warn` is told from any thread what cannot be."""

    def __init__(self, folder: Callable[[], Path], warn: Callable[[str], None]) -> None:
        self._folder = folder
        self._warn = warn

    async def load(self, name: str) -> ImageContent | None:
        """The picture in a file; None if there is no such file or no picture in it."""
        path = Path(os.path.normpath(self._folder() / Path(name).expanduser()))
        return await asyncio.to_thread(self._read, path)

    def _read(self, path: Path) -> ImageContent | None:
        try:
            if not path.is_file():
                return None
            if path.stat().st_size > MOST_BYTES:
                raise PictureError(f"it is larger than {MOST_BYTES >> 20} MiB")
            picture = prepare_picture(path.read_bytes())
        except (OSError, ValueError):
            return None
        except PictureError as error:
            self._warn(f"{path.name} is not attached: {error}")
            return None
        return None if picture is None else ImageContent(picture.data, picture.mime_type)
