"""A unified patch as hunks of numbered lines, with the words that changed. Parsed to be shown, never to be applied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from difflib import SequenceMatcher
from typing import Any, Literal, TypeAlias

from ...agent.mutable import mutable
from ..text.lines import Span

Sign: TypeAlias = Literal[" ", "+", "-"]

MAX_WORD_LINE = 600
"""Longer lines get no word marks: comparing them would cost too much."""

MIN_LIKENESS = 0.45
"""Lines that have less in common are another line, not a changed one."""

MAX_CANDIDATES = 6
"""Added lines that are compared with one removed line."""

_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@mutable
class DiffLine:
    """One line: `old` and `new` are its numbers (from 1) in either file; `words` the spans of `text` that changed."""

    sign: Sign
    text: str
    old: int | None
    new: int | None
    words: list[Span] = field(default_factory=list[Span])


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
    hunk = [
        DiffLine(line.line_type, _without_end(line.value), line.source_line_no, line.target_line_no)
        for line in lines
        if line.line_type in (" ", "+", "-")
    ]
    _show_returns(hunk)
    return hunk


def _without_end(value: str) -> str:
    return value.removesuffix("\n")


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


def changed_words(old: str, new: str) -> tuple[list[Span], list[Span]] | None:
    """The spans that differ, in whole words and without the common indent; None if the lines have little in common."""
    if not old.strip() or not new.strip() or max(len(old), len(new)) > MAX_WORD_LINE:
        return None
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    same = sum(len("".join(old_words[at : at + size]).strip()) for at, _, size in matcher.get_matching_blocks())
    if 2 * same < MIN_LIKENESS * (len(old.strip()) + len(new.strip())):
        return None
    removed: list[Span] = []
    added: list[Span] = []
    old_at, new_at = _offsets(old_words), _offsets(new_words)
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if kind != "equal":
            _join(removed, old_at[old_start], old_at[old_end], old)
            _join(added, new_at[new_start], new_at[new_end], new)
    return removed, added


def _offsets(words: Sequence[str]) -> list[int]:
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return offsets


def _join(spans: list[Span], start: int, end: int, text: str) -> None:
    """Add a span; one that only blanks part from the span before grows it."""
    if start == end:
        return
    if spans and not text[spans[-1][1] : start].strip():
        spans[-1] = (spans[-1][0], end)
    else:
        spans.append((start, end))
