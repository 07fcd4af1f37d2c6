"""The output of the linear mode: labelled lines, one after the other, nothing ever moved or painted over."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import IO

from ...widgets.text.outside_text import outside_line, outside_text

INDENT = "  "

UNSURE = 0.15
"""Seconds that a line may take from the key to this program."""

HELD = 160
"""Characters of a line that streams in which are held back until it has ended or has a blank."""


class LinearOutput:
    """Writes to a stream of bytes in `encoding`.

    Every thing begins at the margin with its label; its further lines are indented. So nothing that a model or a file says
    can look like a line of this program. All text is literal and free of control codes.

    `is_terminal`: what the person types stands in this output too. `wrote` is when something was written last (s,
    monotonic). `lost` is called once when nobody reads any more.
    """

    def __init__(self, stream: IO[bytes], encoding: str, *, is_terminal: bool, lost: Callable[[], object]) -> None:
        self.is_terminal = is_terminal
        self.is_lost = False
        self.wrote = time.monotonic()
        self._stream = stream
        self._encoding = encoding
        self._lost = lost
        self._is_mid_line = False
        self._prompt = ""
        self._label = ""
        self._pending = ""

    # Whole lines

    def line(self, label: str, text: str, rows: Iterable[str] = ()) -> None:
        """A thing of its own: its label, its text, then rows that belong to it."""
        prompt = self._prompt
        self._fresh()
        first, *more = outside_text(text.strip("\n")).split("\n")
        lines = [f"{outside_line(label)}: {first}", *(INDENT + row for row in more)]
        lines += [INDENT + row for text in rows for row in outside_text(text).split("\n")]
        self._write("".join(f"{line.rstrip()}\n" for line in lines))
        if prompt:
            self.prompt(prompt)

    def prompt(self, label: str) -> None:
        """Where the person writes. Only on a terminal, where what they write follows it."""
        if self.is_terminal and not self._prompt:
            self._fresh()
            self._write(f"{label}: ")
            self._prompt = label

    def typed(self, label: str, text: str) -> None:
        """The person has ended a line. A log, which has not seen it, gets it, unless `label` is empty."""
        if self.is_terminal:
            # What was written a moment ago stands behind the line's end, so it is unknown where the cursor is.
            is_unsure = time.monotonic() - self.wrote < UNSURE
            self._is_mid_line = is_unsure and (self._is_mid_line or bool(self._prompt))
            self._prompt = ""
        elif label:
            self.line(label, text)

    def interrupted(self) -> None:
        """The terminal has written something of its own, such as ``^C``."""
        self._is_mid_line = self._is_mid_line or self.is_terminal
        self._prompt = ""

    # Text that streams

    def begin(self, label: str) -> None:
        """From here on `feed` adds to a new thing with this label."""
        self._fresh()
        self._label = label
        self._pending = ""

    def feed(self, text: str) -> None:
        """More of it. Lines are written when they have ended, long ones in parts, so that a reader hears whole words."""
        pending = self._pending + text
        if self._label:
            pending = pending.lstrip("\n")
        cut = pending.rfind("\n") + 1
        if len(pending) - cut > HELD:
            cut = max(cut, pending.rfind(" ") + 1)
        self._pending = pending[cut:]
        self._stream_text(pending[:cut])

    def end(self) -> None:
        """It has ended."""
        rest, self._pending = self._pending.rstrip("\n"), ""
        self._stream_text(rest)
        self._fresh()
        self._label = ""

    def _stream_text(self, text: str) -> None:
        if not text:
            return
        if self._prompt:
            self._fresh()
        pieces: list[str] = []
        for row in outside_text(text).splitlines(keepends=True):
            if not self._is_mid_line and row != "\n":
                pieces.append(f"{self._label}: " if self._label else INDENT)
                self._label = ""
            pieces.append(row)
            self._is_mid_line = not row.endswith("\n")
        self._write("".join(pieces))

    # Parts

    def _fresh(self) -> None:
        """Go to the margin."""
        if self._is_mid_line or self._prompt:
            self._write("\n")
        self._is_mid_line = False
        self._prompt = ""

    def _write(self, text: str) -> None:
        if self.is_lost:
            return
        self.wrote = time.monotonic()
        try:
            self._stream.write(text.encode(self._encoding, "replace"))
            self._stream.flush()
        except (OSError, ValueError):
            self.is_lost = True
            self._lost()
