"""The hunks of a unified patch, read here because parsers lose which lines have no end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Literal, TypeAlias

from ...agent.mutable import mutable

Sign: TypeAlias = Literal[" ", "+", "-"]
Line: TypeAlias = tuple[Sign, str]

_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@mutable
class PatchHunk:
    """A hunk of a patch; `begin` and `old_begin` are the indexes (from 0) of its first line in the new and the old file.

    `old` and `new` are its lines on either side, ends included; `lines` are all of them without ends.
    """

    begin: int
    old_begin: int
    old: list[str] = field(default_factory=list[str])
    new: list[str] = field(default_factory=list[str])
    lines: list[Line] = field(default_factory=list[Line])

    @property
    def line(self) -> int:
        """The number (from 1) in the new file at which its first change stands."""
        before = next((index for index, (sign, _) in enumerate(self.lines) if sign != " "), 0)
        return self.begin + 1 + before

    def read(self, lines: Sequence[str], position: int, old: int, new: int) -> int:
        """Take `old` and `new` lines of either side from a patch's lines; the position behind them."""
        while position < len(lines) and (len(self.old) < old or len(self.new) < new):
            sign, text = _sign_of(lines[position]), lines[position][1:]
            position += 1
            has_end = not (position < len(lines) and lines[position].startswith("\\"))
            position += not has_end
            self.lines.append((sign, text))
            if sign != "+":
                self.old.append(text + "\n" * has_end)
            if sign != "-":
                self.new.append(text + "\n" * has_end)
        return position


def patch_hunks(patch: str) -> Iterator[PatchHunk]:
    """The hunks of a patch of one file."""
    lines = patch.split("\n")
    position = 0
    while position < len(lines):
        header = _HEADER.match(lines[position])
        position += 1
        if header:
            old_start, old, start, new = (1 if group is None else int(group) for group in header.groups())
            hunk = PatchHunk(start - 1 if new else start, old_start - 1 if old else old_start)
            position = hunk.read(lines, position, old, new)
            yield hunk


def _sign_of(line: str) -> Sign:
    return "+" if line.startswith("+") else "-" if line.startswith("-") else " "
