"""Vim's motions: from an offset in a text to another one (`:help motion.txt`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from ....agent.frozen import frozen
from .places import first_printable, left, line_end, line_start, right, row_start

WORD = re.compile(r"\w+|[^\w\s]+|^$", re.MULTILINE)
BIG_WORD = re.compile(r"\S+|^$", re.MULTILINE)

PAIRS = {"(": ")", "[": "]", "{": "}"}

Way: TypeAlias = Callable[[str, int, int], "int | None"]
"""Takes the text, the caret's offset and a count (0 if none was typed); None if there is no such place."""


@frozen
class Motion:
    """Behind an operator, `is_linewise` takes whole lines, `is_inclusive` takes the character at its end too."""

    way: Way
    is_linewise: bool = False
    is_inclusive: bool = False


def word(words: re.Pattern[str]) -> Way:
    """To the start of the next word."""

    def way(text: str, here: int, count: int) -> int | None:
        starts = [match.start() for match in words.finditer(text, here) if match.start() > here]
        return None if here >= len(text) else _nth(starts, count, len(text))

    return way


def _word_back(words: re.Pattern[str]) -> Way:
    def way(text: str, here: int, count: int) -> int | None:
        starts = [match.start() for match in words.finditer(text) if match.start() < here]
        return _nth(starts[::-1], count, 0) if here else None

    return way


def _word_end(words: re.Pattern[str]) -> Way:
    def way(text: str, here: int, count: int) -> int | None:
        ends = [end for end in _ends(words, text) if end > here]
        return _nth(ends, count, max(here, len(text) - 1)) if text else None

    return way


def _word_end_back(words: re.Pattern[str]) -> Way:
    def way(text: str, here: int, count: int) -> int | None:
        ends = [max(match.end() - 1, match.start()) for match in words.finditer(text) if match.start() < here]
        ends = [end for end in ends if end < here]
        return _nth(ends[::-1], count, 0) if here else None

    return way


def rest_of_word(words: re.Pattern[str]) -> Way:
    """What `cw` takes: to the end of the word, also where the caret stands on it already."""

    def way(text: str, here: int, count: int) -> int | None:
        return _nth([end for end in _ends(words, text) if end >= here], count, max(0, len(text) - 1))

    return way


def _ends(words: re.Pattern[str], text: str) -> list[int]:
    """The last character of every word that has one."""
    return [match.end() - 1 for match in words.finditer(text) if match.end() > match.start()]


def _nth(places: list[int], count: int, last: int) -> int:
    """The place that a count means; the last one possible if there are fewer."""
    index = max(count, 1) - 1
    return places[index] if index < len(places) else last


def _to_line(text: str, _: int, count: int) -> int:
    return first_printable(text, row_start(text, count - 1 if count else text.count("\n")))


def _to_first_line(text: str, here: int, count: int) -> int:
    return _to_line(text, here, count or 1)


def _to_line_end(text: str, here: int, count: int) -> int:
    for _ in range(count - 1):
        here = min(line_end(text, here) + 1, len(text))
    return line_end(text, here)


def _left(text: str, here: int, count: int) -> int:
    return left(text, here, max(count, 1))


def _right(text: str, here: int, count: int) -> int:
    return right(text, here, max(count, 1))


def _paragraph(text: str, here: int, count: int) -> int | None:
    """The next empty line behind one that is not; the end of the text if there is none."""
    for _ in range(max(count, 1)):
        match = re.compile(r"(?<=[^\n])\n(?=\n)").search(text, here + 1 if text[here : here + 1] != "\n" else here)
        if match is None and here >= len(text) - 1:
            return None
        here = len(text) if match is None else match.end()
    return here


def _paragraph_back(text: str, here: int, count: int) -> int | None:
    for _ in range(max(count, 1)):
        if not here:
            return None
        before = text[: line_start(text, here)]
        if line_start(text, here) == line_end(text, here):
            before = before.rstrip("\n")
        here = before.rfind("\n\n") + 1
    return here


def _match(text: str, here: int, _: int) -> int | None:
    """The bracket that belongs to the one under the caret, or to the next one in the line."""
    backwards = {end: start for start, end in PAIRS.items()}
    for start in range(here, line_end(text, here)):
        sign = text[start]
        if sign in PAIRS:
            return closing(text, start, sign, PAIRS[sign])
        if sign in backwards:
            return opening(text, start - 1, backwards[sign], sign)
    return None


def closing(text: str, start: int, opens: str, closes: str) -> int | None:
    """Where the bracket that is open at `start` is closed."""
    depth = 0
    for offset in range(start, len(text)):
        depth += (text[offset] == opens) - (text[offset] == closes)
        if not depth:
            return offset
    return None


def opening(text: str, start: int, opens: str, closes: str) -> int | None:
    """Where the bracket was opened inside which `start` is."""
    depth = 0
    for offset in range(start, -1, -1):
        depth += (text[offset] == closes) - (text[offset] == opens)
        if depth < 0:
            return offset
    return None


def find(name: str, character: str) -> Motion:
    """The motion of `find`, `till` and their ways back, to a character in the line."""
    is_till, is_back = name.startswith("till"), name.endswith("back")

    def way(text: str, here: int, count: int) -> int | None:
        found = here
        for _ in range(max(count, 1)):
            if is_back:
                found = text.rfind(character, line_start(text, here), found)
            else:
                found = text.find(character, found + 1, line_end(text, here))
            if found < 0:
                return None
        return found + (0 if not is_till else 1 if is_back else -1)

    return Motion(way, is_inclusive=not is_back)


MOTIONS: Mapping[str, Motion] = {
    "left": Motion(_left),
    "right": Motion(_right),
    "word": Motion(word(WORD)),
    "big_word": Motion(word(BIG_WORD)),
    "word_back": Motion(_word_back(WORD)),
    "big_word_back": Motion(_word_back(BIG_WORD)),
    "word_end": Motion(_word_end(WORD), is_inclusive=True),
    "big_word_end": Motion(_word_end(BIG_WORD), is_inclusive=True),
    "word_end_back": Motion(_word_end_back(WORD), is_inclusive=True),
    "big_word_end_back": Motion(_word_end_back(BIG_WORD), is_inclusive=True),
    "line_start": Motion(lambda text, here, _: line_start(text, here)),
    "first_printable": Motion(lambda text, here, _: first_printable(text, here)),
    "line_end": Motion(_to_line_end),
    "last_line": Motion(_to_line, is_linewise=True),
    "first_line": Motion(_to_first_line, is_linewise=True),
    "paragraph": Motion(_paragraph),
    "paragraph_back": Motion(_paragraph_back),
    "match": Motion(_match, is_inclusive=True),
}
"""All but those up and down, which keep their column, and those that find a character."""
