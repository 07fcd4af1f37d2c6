"""The output of one command while it passes: tail kept, everything counted, the whole of it in a file if it is long."""

from __future__ import annotations

import codecs
import os
import tempfile
from collections import deque

from ..agent.details import Truncation
from ..agent.frozen import frozen
from .screen import interpret
from .truncation import MAX_BYTES, MAX_LINES, byte_length, keep_tail, size_in_words

TAIL_BYTES = 1 << 20
"""Raw bytes kept for the result: enough for the lines of a result with their colours."""

LIVE_BYTES = 16 * 1024
LIVE_LINES = 100

MAX_COLOURED = 4 * MAX_BYTES
"""Bytes of colour codes and text for the screen; beyond, the colours are left out."""


@frozen
class Excerpt:
    """What is shown of an output. `first_line` counts from 1; `coloured` has SGR codes, `text` none."""

    text: str
    coloured: str
    first_line: int
    total_lines: int
    truncation: Truncation | None


class OutputLog:
    """Takes the bytes of an output in order. Memory is bounded whatever passes.

    As soon as the output is longer than a result may be, all of it goes to a file that only its owner can read, in
    `folder` (made when it is needed; None: among the temporary files).
    """

    def __init__(self, prefix: str = "pyagent-bash-", folder: str | None = None) -> None:
        self.path: str | None = None
        self.size = 0
        self._prefix = prefix
        self._folder = folder
        self._descriptor = -1
        self._line_breaks = 0
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._failed: str | None = None

    @property
    def file_error(self) -> str | None:
        """Why the file is not complete, if it is not."""
        return self._failed

    def add(self, chunk: bytes) -> None:
        """Take the next bytes."""
        self.size += len(chunk)
        self._line_breaks += chunk.count(b"\n")
        if self._descriptor >= 0:
            self._write(chunk)
        self._tail.append(chunk)
        self._tail_size += len(chunk)
        if self._descriptor < 0 and self.path is None and self._is_long:
            self._start_file()
        self._shorten()

    @property
    def _is_long(self) -> bool:
        return self.size > MAX_BYTES or self._line_breaks > MAX_LINES

    def _start_file(self) -> None:
        try:
            if self._folder is not None:
                for folder in (os.path.dirname(self._folder), self._folder):
                    os.makedirs(folder, 0o700, exist_ok=True)
            self._descriptor, self.path = tempfile.mkstemp(".log", self._prefix, self._folder)
        except OSError as error:
            self._failed = str(error)
            return
        self._write(b"".join(self._tail))

    def _write(self, data: bytes) -> None:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._descriptor, view) :]
        except OSError as error:
            # A full disk must not end the command: say so in the result, go on with the tail.
            self._failed = error.strerror or str(error)
            self.close()

    def _shorten(self) -> None:
        while self._tail_size - len(self._tail[0]) >= TAIL_BYTES:
            self._tail_size -= len(self._tail.popleft())
        if self._tail_size > 2 * TAIL_BYTES:
            last = self._tail[0][-TAIL_BYTES:]
            self._tail_size += len(last) - len(self._tail[0])
            self._tail[0] = last

    def fail(self, error: OSError) -> None:
        """The file is not where it should be."""
        self._failed = error.strerror or str(error)

    def close(self) -> None:
        """Close the file; may be called twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def live(self) -> Excerpt:
        """The last lines as they look now; cheap."""
        return self._excerpt(LIVE_BYTES, LIVE_LINES, LIVE_BYTES, is_final=False)

    def final(self) -> Excerpt:
        """The last lines that a result may hold."""
        return self._excerpt(TAIL_BYTES, MAX_LINES, MAX_BYTES, is_final=True)

    def _excerpt(self, raw_bytes: int, max_lines: int, max_bytes: int, *, is_final: bool) -> Excerpt:
        raw, line_breaks_before = self._end(raw_bytes)
        # While it runs, half a character at the end is one whose rest is still to come.
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(raw, final=is_final)
        shown = interpret(text, max_lines + 1)
        total = line_breaks_before + shown.total
        plain = shown.plain[-max_lines:]
        cut = keep_tail(plain, max_lines, max_bytes)
        kept = cut.truncation.output_lines if cut.truncation else len(plain)
        coloured = "\n".join(shown.coloured[len(shown.coloured) - kept :])
        is_partial = cut.truncation is not None and cut.truncation.last_line_partial
        if is_partial or len(coloured) > MAX_COLOURED:
            coloured = cut.text
        truncation = cut.truncation
        if truncation is not None or total > kept:
            by = truncation.truncated_by if truncation else "lines"
            truncation = Truncation(by, total, self.size, kept, byte_length(cut.text), is_partial)
        return Excerpt(cut.text, coloured, total - kept + 1, total, truncation)

    def _end(self, limit: int) -> tuple[bytes, int]:
        """At most `limit` of the last bytes, beginning with a whole line if there is one; line breaks before them."""
        pieces: list[bytes] = []
        size = 0
        for chunk in reversed(self._tail):
            pieces.append(chunk[-(limit - size) :])
            size += len(pieces[-1])
            if size >= limit:
                break
        raw = b"".join(reversed(pieces))
        if len(raw) < self.size:
            start = raw.find(b"\n") + 1
            while start == 0 and raw and raw[0] & 0xC0 == 0x80:
                raw = raw[1:]
            if 0 < start < len(raw):
                raw = raw[start:]
        return raw, self._line_breaks - raw.count(b"\n")


def describe_cut(excerpt: Excerpt, log: OutputLog, where: str | None) -> str | None:
    """The sentence that tells the model what is not shown, None if all is."""
    truncation = excerpt.truncation
    if truncation is None:
        return None
    if truncation.last_line_partial:
        what = f"The last {size_in_words(truncation.output_bytes)} of line {excerpt.total_lines}"
    else:
        what = f"Lines {excerpt.first_line}-{excerpt.total_lines} of {excerpt.total_lines}"
    limit = f" (limit {size_in_words(MAX_BYTES)})" if truncation.truncated_by == "bytes" else ""
    if log.file_error is not None:
        return f"[{what} shown{limit}. The full output could not be kept: {log.file_error}]"
    return f"[{what} shown{limit}. Full output: {where}]"
