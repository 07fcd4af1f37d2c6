"""Blanks that one would not see: those at the end of a changed line, and changed ones that are tabs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..text.lines import Line, Span
from ..text.look import Look

RETURN = "␍"
"""What stands for a carriage return at the end of a line."""


def shown_blanks(text: str, words: Sequence[Span], column: Callable[[int], int], look: Look) -> dict[int, str]:
    """Signs to draw in place of blanks, by column: `column` says where a character of `text` stands, `words` what changed."""
    end = len(text.removesuffix(RETURN))
    places = set(range(len(text[:end].rstrip(" \t")), end))
    for start, stop in words:
        only_blanks = not text[start:stop].strip()
        places.update(at for at in range(start, stop) if text[at] == "\t" or (only_blanks and text[at] == " "))
    marks = look.marks
    return {column(at): marks.tab if text[at] == "\t" else marks.blank for at in places}


def with_signs(line: Line, signs: Mapping[int, str], look: Look) -> Line:
    """The line with signs of one cell in place of blanks."""
    if not signs:
        return line
    drawn: Line = []
    offset = 0
    for text, style in line:
        here = sorted(at - offset for at in signs if offset <= at < offset + len(text))
        done = 0
        for at in here:
            drawn += [(text[done:at], style), (signs[offset + at], look.attributes("dim", style))]
            done = at + 1
        drawn.append((text[done:], style))
        offset += len(text)
    return [run for run in drawn if run[0]]
