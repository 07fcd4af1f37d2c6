"""Which body a result gets: chosen by the kind of its details, never by the tool's name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ...agent.details import (
    Details,
    DiffDetails,
    FileDetails,
    ImageDetails,
    ListingDetails,
    NoteDetails,
    OtherDetails,
    OutputDetails,
)
from ..text.lines import Line
from ..text.look import Look
from ..text.marks import marks
from ..text.numbers import format_plural
from ..text.output import coloured
from ..text.outside_text import outside_copy, outside_line, outside_text
from ..text.plain_output import output_lines, plain_output, without_codes
from ..text.syntax import highlight_or_plain
from .body import Body, TextBody
from .diff_body import DiffBody
from .picture import PictureBody

OUTPUT_LIMIT = 5
FILE_LIMIT = 10
MATCHES_LIMIT = 15
ENTRIES_LIMIT = 20
PLAIN_LIMIT = 10


def body_of(details: Details | None, text: str, *, is_error: bool = False, image: str = "") -> Body:
    """The body for a result: `details` say what it is, `text` and `image` (base64) are what the model got."""
    make = None if details is None else BODIES.get(details.kind)
    if make is None or (is_error and not isinstance(details, OutputDetails)):
        return error_body(text) if is_error else plain_body(details, text)
    return image_body(details, image) if isinstance(details, ImageDetails) else make(details, text)


def error_body(text: str) -> Body:
    """Why a call failed, in the words that the model got."""
    return TextBody(_lines(text), PLAIN_LIMIT, style="error", words=True, source=text)


def plain_body(details: Details | None, text: str) -> Body:
    """The body of a kind that has none: the text, or else the data as it is."""
    if not text.strip() and isinstance(details, OtherDetails) and details.data:
        text = json.dumps(dict(details.data), indent=2, ensure_ascii=False, default=str)
    return TextBody(_lines(text), PLAIN_LIMIT, source=text)


class OutputBody(TextBody):
    """Output of a command: its last rows, in its own colours."""

    def __init__(self, details: OutputDetails) -> None:
        super().__init__(
            output_lines(details.output),
            OUTPUT_LIMIT,
            keeps_end=True,
            hidden_before=_not_held(details),
            notes=_output_notes(details),
        )

    def plain(self, index: int) -> str:
        return plain_output(self.lines[index])

    def copied(self) -> str:
        return outside_copy("\n".join(map(without_codes, self.lines)))

    def styled(self, start: int, stop: int, look: Look) -> list[Line]:
        return coloured(self.lines, start, stop, look)


class FileBody(TextBody):
    """Part of a file, in the colours of its language."""

    def __init__(self, details: FileDetails, text: str) -> None:
        super().__init__(_lines(text), FILE_LIMIT, source=text)
        self._path = details.path

    def styled(self, start: int, stop: int, look: Look) -> list[Line]:
        code = "\n".join(self.lines[start:stop])
        return highlight_or_plain(code, self._path, look, look.style("output"))


def _not_held(details: OutputDetails) -> int:
    """Earlier lines of a command that still runs: its updates hold only the last ones. A result says it in a note."""
    if details.truncation is not None or not details.output:
        return 0
    return max(details.total_lines - details.output.count("\n") - 1, 0)


def _output_notes(details: OutputDetails) -> list[str]:
    notes: list[str] = []
    if details.truncation is not None:
        kept = format_plural(details.truncation.output_lines, "line")
        notes.append(f"the last {kept} of {details.truncation.total_lines:,} are kept")
    if details.full_output_path:
        notes.append(f"full output: {outside_line(details.full_output_path)}")
    if details.left_running:
        notes.append(f"{format_plural(details.left_running, 'process')} left running")
    if details.confined and details.exit_code:
        notes.append("it ran confined: it could write only in the project, temporary and cache folders")
    return notes


def _output(details: Any, text: str) -> Body:
    return OutputBody(details)


def _diff(details: Any, text: str) -> Body:
    return DiffBody(details)


def _file(details: Any, text: str) -> Body:
    return FileBody(details, text)


def _listing(details: ListingDetails, text: str) -> Body:
    return TextBody(_lines(text), MATCHES_LIMIT if details.noun.startswith("match") else ENTRIES_LIMIT, source=text)


def image_body(details: ImageDetails, data: str) -> Body:
    """A picture: its kind and size, open itself."""
    size = f"{details.width}{marks().times}{details.height}"
    was = f", was {details.original_width}{marks().times}{details.original_height}" if details.original_width else ""
    return PictureBody(f"[{outside_line(details.mime_type)} {size}{was}]", data, details.width * details.height)


def _image(details: Any, text: str) -> Body:
    return image_body(details, "")


def _note(details: NoteDetails, text: str) -> Body:
    return TextBody(_lines(details.text), PLAIN_LIMIT, words=True)


BODIES: dict[str, Callable[[Any, str], Body]] = {
    DiffDetails.kind: _diff,
    OutputDetails.kind: _output,
    FileDetails.kind: _file,
    ListingDetails.kind: _listing,
    ImageDetails.kind: _image,
    NoteDetails.kind: _note,
}
"""The body of each kind of details; any other kind gets `plain_body`."""


def _lines(text: str) -> list[str]:
    return outside_text(text).rstrip("\n").split("\n") if text.strip() else []
