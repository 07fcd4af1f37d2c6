"""The log: what libraries write to stdout, stderr, warnings and logging, which must never reach the screen."""

from __future__ import annotations

import logging
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 1 << 20
"""A larger log is put aside (``.1``) when the program starts."""

OPEN = os.O_WRONLY | os.O_CREAT | os.O_APPEND


class LogFile(logging.Handler):
    """Appends to a private file, made when there is something to write. A log that cannot be written is no reason to stop."""

    def __init__(self, path: Path) -> None:
        super().__init__(logging.WARNING)
        self.path = path
        self.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))

    def take_logging(self) -> None:
        """From here on warnings and what is logged go to the file, in this process."""
        with suppress(OSError):
            if self.path.stat().st_size > MOST_BYTES:
                self.path.replace(self.path.with_name(f"{self.path.name}.1"))
        logging.getLogger().addHandler(self)
        logging.captureWarnings(True)

    def write(self, text: str) -> None:
        """Add text, with the time and the process."""
        if text.strip():
            stamp = time.strftime("%Y-%m-%d %H:%M:%S")
            with suppress(OSError):
                descriptor = self.open()
                with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
                    file.write(f"{stamp} [{os.getpid()}] {text.rstrip()}\n")

    def emit(self, record: logging.LogRecord) -> None:
        self.write(self.format(record))

    def open(self) -> int:
        """A descriptor to append to it. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(self.path, OPEN, 0o600)


class StrayOutput:
    """While caught, what anything in this process writes to descriptors 1 and 2 goes to the log."""

    def __init__(self, log: LogFile) -> None:
        self._log = log
        self._kept: list[tuple[int, int]] = []

    def catch(self) -> None:
        """Begin. Does nothing if it is caught already."""
        if self._kept:
            return
        try:
            target = self._log.open()
        except OSError:
            target = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.__stdout__, sys.__stderr__):
            if stream is not None:
                stream.flush()
        self._kept = [(number, os.dup(number)) for number in (1, 2)]
        for number in (1, 2):
            os.dup2(target, number)
        os.close(target)

    def release(self) -> None:
        """Give them back."""
        kept, self._kept = self._kept, []
        for number, descriptor in kept:
            os.dup2(descriptor, number)
            os.close(descriptor)
