"""A unified patch as hunks of numbered lines, with the words that changed. Parsed to be shown, never to be applied."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any, Literal, TypeAlias

from ...agent.mutable import mutable
from ..text.lines import Span
from ..text.look_alikes import mark_look_alikes
from .words import changed_words

Sign: TypeAlias = Literal[" ", "+", "-"]

MAX_CANDIDATES = 6
"""Added lines that are compared with one removed line."""


@mutable
class DiffLine:
    """One line: `old` and `new` are its numbers (from 1) in either file; `words` the spans of `text` that changed.

    `lacks_end`: the file ends with it, without a line break, and that is part of the change.
    """

    sign: Sign
    text: str
    old: int | None
    new: int | None
    words: list[Span] = field(default_factory=list[Span])
    lacks_end: bool = False


Hunk: TypeAlias = list[DiffLine]


def parse_patch(patch: str) -> list[Hunk]:
    """The hunks of a patch of one file, word marks set. A patch that cannot be parsed has none."""
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    try:
        files: Iterable[Any] = PatchSet(patch if patch.startswith(("---", "diff ")) else f"--- a\n+++ b\n{patch}")
        hunks = [_hunk(lines) for file in files for lines in file]
    except UnidiffParseError:
        return []
    for hunk in hunks:
        mark_words(hunk)
    return hunks


def _hunk(lines: Iterable[Any]) -> Hunk:
    hunk: Hunk = []
    for line in lines:
        if line.line_type in (" ", "+", "-"):
            text = mark_look_alikes(line.value.removesuffix("\n"), is_prose=True)
            hunk.append(DiffLine(line.line_type, text, line.source_line_no, line.target_line_no))
        elif line.line_type == "\\" and hunk:
            hunk[-1].lacks_end = True
    _show_returns(hunk)
    _settle_ends(hunk)
    return hunk


def _settle_ends(hunk: Hunk) -> None:
    """A missing line break at the end is part of the change, unless the same line lacks it before and after."""
    for line in hunk:
        line.lacks_end = line.lacks_end and line.sign != " "
    for removed, added in changes(hunk):
        if len(removed) == len(added) and removed[-1].lacks_end and added[-1].lacks_end:
            removed[-1].lacks_end = added[-1].lacks_end = False


def _show_returns(hunk: Hunk) -> None:
    """Carriage returns at line ends are dropped, but shown where some lines have one and others do not."""
    ends = {line.text.endswith("\r") for line in hunk}
    if True in ends:
        for line in hunk:
            if line.text.endswith("\r"):
                line.text = line.text[:-1] + ("␍" if len(ends) > 1 else "")


def mark_words(hunk: Hunk) -> None:
    """Set the changed words of lines that were replaced by a line like them."""
    for removed, added in changes(hunk):
        rest = added
        for old in removed:
            words = [(changed_words(old.text, new.text), index) for index, new in enumerate(rest[:MAX_CANDIDATES])]
            found = next(((spans, index) for spans, index in words if spans is not None), None)
            if found is not None:
                (old.words, rest[found[1]].words), rest = found[0], rest[found[1] + 1 :]


def changes(hunk: Sequence[DiffLine]) -> list[tuple[list[DiffLine], list[DiffLine]]]:
    """Each run of removed lines with the added lines that follow it."""
    pairs: list[tuple[list[DiffLine], list[DiffLine]]] = []
    before: Sign = " "
    for line in hunk:
        if line.sign == "-":
            if before != "-":
                pairs.append(([], []))
            pairs[-1][0].append(line)
        elif line.sign == "+":
            if before == " ":
                pairs.append(([], []))
            pairs[-1][1].append(line)
        before = line.sign
    return pairs
