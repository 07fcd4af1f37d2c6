"""What a tool result *is*, for the screen and the session.

A tool's `content` is for the model; its `details` name their kind, and the kind chooses the widget (never the tool's
name does). None of them carries secrets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar, Literal, TypeAlias

from .frozen import frozen


@frozen
class Truncation:
    """How a text was cut. Counts are of the whole text (`total_…`) and of what was kept (`output_…`), in lines and bytes.

    `last_line_partial`: the one kept line is itself cut. `first_line_exceeds_limit`: nothing fitted.
    """

    truncated_by: Literal["lines", "bytes"]
    total_lines: int
    total_bytes: int
    output_lines: int
    output_bytes: int
    last_line_partial: bool = False
    first_line_exceeds_limit: bool = False


@frozen
class SeenContent:
    """The content of a file that the model knows after a call: the file's real path, and the hash of its bytes."""

    path: str
    digest: str


@frozen
class DiffDetails:
    """A change of one file, as a unified patch (4 lines of context; empty for a binary or huge file).

    `first_changed_line` counts from 1 in the new file. `created`: the file did not exist before. `note` says in words
    what the patch cannot (such as why it is missing). `seen` is the new content, once it is written.
    """

    kind: ClassVar[str] = "diff"
    path: str
    patch: str
    added: int
    removed: int
    first_changed_line: int | None = None
    created: bool = False
    note: str | None = None
    seen: SeenContent | None = None


@frozen
class OutputDetails:
    """A command and how it ended. `output` is the text for the screen, colours (SGR codes) included, bounded like content.

    `exit_code` is None while it runs or when a signal ended it (`signal` is its name, such as ``SIGTERM``).
    `left_running` counts processes that outlived the shell. `confined`: it ran in a sandbox. `total_lines` counts all output lines.
    """

    kind: ClassVar[str] = "output"
    command: str
    output: str = ""
    exit_code: int | None = None
    signal: str | None = None
    timed_out: bool = False
    aborted: bool = False
    total_lines: int = 0
    truncation: Truncation | None = None
    full_output_path: str | None = None
    left_running: int = 0
    confined: bool = False


@frozen
class FileDetails:
    """Part of a text file: `lines` lines from `start_line` (from 1) of `total_lines` (None: not counted).

    `seen` is the whole content, None for a file that is too large to be changed.
    """

    kind: ClassVar[str] = "file"
    path: str
    start_line: int
    lines: int
    total_lines: int | None = None
    truncation: Truncation | None = None
    seen: SeenContent | None = None


@frozen
class ListingDetails:
    """A list of paths or matches: `count` shown, of which `noun` says what they are (matches, files, entries)."""

    kind: ClassVar[str] = "listing"
    path: str
    count: int
    noun: str
    limit_reached: int | None = None
    truncation: Truncation | None = None


@frozen
class ImageDetails:
    """A picture: its size in pixels as shown, and its original size where it was shrunk."""

    kind: ClassVar[str] = "image"
    path: str
    mime_type: str
    width: int
    height: int
    original_width: int | None = None
    original_height: int | None = None


@frozen
class NoteDetails:
    """A few words about what happened."""

    kind: ClassVar[str] = "note"
    text: str


@frozen
class OtherDetails:
    """Details of a kind that this version does not know (an extension's, or a newer file's): drawn plainly, kept whole."""

    kind: str
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])


Details: TypeAlias = (
    DiffDetails | OutputDetails | FileDetails | ListingDetails | ImageDetails | NoteDetails | OtherDetails
)
