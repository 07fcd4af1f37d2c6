"""Which words of a line changed: the spans that differ between a line and the one that replaced it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from ..text.lines import Span

MAX_WORD_LINE = 600
"""Longer lines are compared word by word only between their common beginning and end: all of it would cost too much."""

MIN_LIKENESS = 0.45
"""Lines that have less in common are another line, not a changed one."""

LONGEST_WORD = 40
"""Characters by which a common beginning or end is shortened at most, so that it breaks between words."""

_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def changed_words(old: str, new: str) -> tuple[list[Span], list[Span]] | None:
    """The spans that differ, in whole words and without the common indent; None if the lines have little in common."""
    if not old.strip() or not new.strip():
        return None
    if max(len(old), len(new)) <= MAX_WORD_LINE:
        return _compared(old, new)
    begin, end = _common_ends(old, new)
    if 2 * (begin + end) < MIN_LIKENESS * (len(old) + len(new)):
        return None
    middles = old[begin : len(old) - end], new[begin : len(new) - end]
    inside = _compared(*middles) if max(map(len, middles)) <= MAX_WORD_LINE and all(map(str.strip, middles)) else None
    if inside is None:
        inside = tuple([(0, len(middle))] if middle else [] for middle in middles)
    removed, added = ([(begin + start, begin + stop) for start, stop in spans] for spans in inside)
    return removed, added


def _compared(old: str, new: str) -> tuple[list[Span], list[Span]] | None:
    """The spans that differ, word by word."""
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


def _common_ends(old: str, new: str) -> Span:
    """How many characters both begin and end with, up to the words that differ."""
    begin = _common(old, new, min(len(old), len(new)))
    end = _common(old[::-1], new[::-1], min(len(old), len(new)) - begin)
    for _ in range(LONGEST_WORD):
        if (
            begin
            and _is_word(old[begin - 1])
            and (_is_word(old[begin : begin + 1]) or _is_word(new[begin : begin + 1]))
        ):
            begin -= 1
    for _ in range(LONGEST_WORD):
        last = len(old) - end
        if end and _is_word(old[last]) and (_is_word(old[last - 1 : last]) or _is_word(new[len(new) - end - 1 :][:1])):
            end -= 1
    return begin, end


def _common(one: str, other: str, most: int) -> int:
    """How many characters two texts begin with alike, `most` at most."""
    low = 0
    while low < most:
        middle = (low + most + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            most = middle - 1
    return low


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


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
