"""Vim's text objects: what stands around the caret and belongs together (`:help text-objects`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from .motions import BIG_WORD, WORD, closing, opening
from .places import line_end, line_start
from .span import Span

TextObject: TypeAlias = Callable[[str, int, bool], "Span | None"]
"""Takes the text, the caret's offset, and whether what is around it is taken too; None if there is none here."""


def _word(words: re.Pattern[str]) -> TextObject:
    def find(text: str, here: int, is_around: bool) -> Span | None:
        start, end = line_start(text, here), line_end(text, here)
        runs = [match.span() for match in re.compile(rf"[^\S\n]+|{words.pattern}").finditer(text, start, end)]
        index = next((index for index, run in enumerate(runs) if run[0] <= here < run[1]), None)
        if index is None:
            return None
        first, last = runs[index]
        if is_around:
            first, last = _with_blanks(text, runs, index)
        return Span(first, last)

    return find


def _with_blanks(text: str, runs: list[tuple[int, int]], index: int) -> tuple[int, int]:
    """A word and the blanks behind it, or else before it; blanks and the word behind them."""
    first, last = runs[index]
    following = runs[index + 1] if index + 1 < len(runs) else None
    if following is not None and text[first].isspace() != text[following[0]].isspace():
        return first, following[1]
    before = runs[index - 1] if index > 1 else None
    return (before[0], last) if before is not None and text[before[0]].isspace() else (first, last)


def _paragraph(text: str, here: int, is_around: bool) -> Span | None:
    lines = text.split("\n")
    row = text.count("\n", 0, here)
    first, last = _alike(lines, row, row)
    if is_around:
        if last + 1 < len(lines):
            last = _alike(lines, last + 1, last + 1)[1]
        elif first:
            first = _alike(lines, first - 1, first - 1)[0]
    start = sum(len(line) + 1 for line in lines[:first])
    return Span(start, start + sum(len(line) + 1 for line in lines[first : last + 1]) - 1, is_linewise=True)


def _alike(lines: list[str], first: int, last: int) -> tuple[int, int]:
    """The rows around that are blank, or not, as these are."""
    is_blank = not lines[first].strip()
    while first and (not lines[first - 1].strip()) == is_blank:
        first -= 1
    while last + 1 < len(lines) and (not lines[last + 1].strip()) == is_blank:
        last += 1
    return first, last


def _quotes(quote: str) -> TextObject:
    """The first pair in the line that does not end before the caret."""
    pair = re.compile(rf"{quote}(?:\\.|[^\\{quote}\n])*{quote}")

    def find(text: str, here: int, is_around: bool) -> Span | None:
        found = pair.finditer(text, line_start(text, here), line_end(text, here))
        match = next((match for match in found if match.end() > here), None)
        if match is None:
            return None
        start, end = match.span()
        if not is_around:
            return Span(start + 1, end - 1)
        while end < len(text) and text[end] in " \t":
            end += 1
        while end == match.end() and start and text[start - 1] in " \t":
            start -= 1
        return Span(start, end)

    return find


def _brackets(opens: str, closes: str) -> TextObject:
    """The innermost pair around the caret, or else the next one that begins in the line."""

    def find(text: str, here: int, is_around: bool) -> Span | None:
        start = here if text[here : here + 1] == opens else opening(text, here - 1, opens, closes)
        if start is None:
            start = text.find(opens, here, line_end(text, here))
        end = closing(text, start, opens, closes) if start >= 0 else None
        if end is None:
            return None
        return Span(start, end + 1) if is_around else _inside(text, start + 1, end)

    return find


def _inside(text: str, start: int, end: int) -> Span:
    """What is between two brackets: whole lines where they stand on lines of their own."""
    closes_line = not text[line_start(text, end) : end].strip()
    if text[start : start + 1] == "\n" and closes_line and line_start(text, end) - 1 > start:
        return Span(start + 1, line_start(text, end) - 1, is_linewise=True)
    return Span(start, end)


TEXT_OBJECTS: Mapping[str, TextObject] = {
    "word": _word(WORD),
    "big_word": _word(BIG_WORD),
    "paragraph": _paragraph,
    "double_quotes": _quotes('"'),
    "single_quotes": _quotes("'"),
    "backticks": _quotes("`"),
    "parentheses": _brackets("(", ")"),
    "brackets": _brackets("[", "]"),
    "braces": _brackets("{", "}"),
    "angles": _brackets("<", ">"),
}
