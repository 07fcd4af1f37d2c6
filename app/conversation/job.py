"""What a long work tells of itself while it goes on, and whether it shall go on."""

from __future__ import annotations


class Job:
    """What a thread tells of its work, and whether it shall stop. `total` 0: not known yet."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.done = 0
        self.total = 0
        self.unit = ""
        self.is_cancelled = False

    def report(self, done: int, total: int) -> None:
        """How far it is; from any thread."""
        self.done, self.total = done, total

    def goes_on(self, done: int, total: int) -> bool:
        """The same, and whether it shall go on."""
        self.report(done, total)
        return not self.is_cancelled

    def megabytes(self, done: int, total: int) -> bool:
        """The same for bytes."""
        self.unit = " MB"
        return self.goes_on(done // 1_000_000, total // 1_000_000)

    def asked_to_stop(self) -> bool:
        """Whether the person does not want it any more; from any thread."""
        return self.is_cancelled

    def __str__(self) -> str:
        far = f" {self.done:,} of {self.total:,}{self.unit}" if self.total else ""
        return f"{self.words}{far}"
