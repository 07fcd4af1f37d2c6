"""Pasting what the clipboard holds: a picture, files or a text."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from ...agent.messages import ImageContent
from ...widgets.editor.editor import Editor
from ...widgets.editor.text_editor import TextEditor
from ..conversation.job import Job
from ..prompt.pictures import PictureError, prepare_picture
from ..terminal.clipboard_reading import Clip, ClipboardError, read_clipboard
from .copying import tell

if TYPE_CHECKING:
    from ..tui import PyAgentApp

NO_PICTURE_HERE = "A picture can only go with a prompt"
UNKNOWN_PICTURE = "The picture is not attached: it is of no kind that can be read"


async def paste_into(app: PyAgentApp, field: TextEditor) -> None:
    """Paste it at the caret, as the terminal would; why that cannot be stands above the editor for a while."""
    try:
        pasted = await app.jobs.run("reading the clipboard", _read)
    except ClipboardError as error:
        tell(app, str(error), app.view.rule)
    except PictureError as error:
        tell(app, f"The picture is not attached: {error}", app.view.rule)
    else:
        if pasted is not None:
            _put(app, field, pasted)


def _put(app: PyAgentApp, field: TextEditor, pasted: ImageContent | str) -> None:
    if isinstance(pasted, str):
        field.paste(pasted)
    elif isinstance(field, Editor):
        field.attach(pasted)
    else:
        tell(app, NO_PICTURE_HERE, app.view.rule)


def _read(job: Job) -> ImageContent | str | None:
    """The picture, else the text, ready to be pasted; None if it is not wanted any more.

    Blocks; raises `ClipboardError` and `PictureError`.
    """
    clip = read_clipboard()
    pasted = _picture_of(clip.image) if clip.image else _text_of(clip)
    return None if job.is_cancelled else pasted


def _picture_of(data: bytes) -> ImageContent:
    picture = prepare_picture(data)
    if picture is None:
        raise ClipboardError(UNKNOWN_PICTURE)
    return ImageContent(picture.data, picture.mime_type)


def _text_of(clip: Clip) -> str:
    """Files as a terminal writes those that are dropped: the editor attaches the pictures among them."""
    quoted = (f'"{path}"' if os.name == "nt" else shlex.quote(path) for path in clip.files)
    return " ".join(quoted) or clip.text
