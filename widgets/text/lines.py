"""Styled text in terminal cells: runs of text, wrapped to a width and laid down as strips.

A run is a piece of one row in one style; its text is already literal (see `outside_text`) and holds no newline.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from rich.cells import cell_len, split_graphemes
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

Run: TypeAlias = tuple[str, Style]
Line: TypeAlias = list[Run]
Span: TypeAlias = tuple[int, int]


def cells(text: str) -> int:
    """The width of a text in terminal cells."""
    return len(text) if text.isascii() else cell_len(text)


def line_cells(line: Iterable[Run]) -> int:
    return sum(cells(text) for text, _ in line)


def plain(line: Iterable[Run]) -> str:
    return "".join(text for text, _ in line)


def wrap(line: Sequence[Run], width: int, *, words: bool = True) -> list[Line]:
    """Rows of at most `width` cells; broken at blanks where `words`, else anywhere. No text is lost but those blanks."""
    text = plain(line)
    if cells(text) <= width:
        return [list(line)]
    return cut(line, wrap_spans(text, max(width, 1), words=words))


def wrap_spans(text: str, width: int, *, words: bool) -> list[Span]:
    """Where the rows of `wrap` start and end in `text`."""
    if text.isascii():
        return _ascii_word_spans(text, width) if words else _ascii_fold_spans(text, width)
    return _wide_spans(text, width, words=words)


def wrapped_height(text: str, width: int, *, words: bool = False) -> int:
    """How many rows `wrap` makes of one line, without making them."""
    length = cells(text)
    if length <= width:
        return 1
    if words:
        return len(wrap_spans(text, max(width, 1), words=True))
    return -(-length // width) if text.isascii() else len(_wide_spans(text, width, words=False))


def hang(rows: Iterable[Line], first: Line, rest: Line) -> list[Line]:
    """The rows with a prefix: `first` before the first of them, `rest` before the others."""
    return [[*(rest if index else first), *row] for index, row in enumerate(rows)]


def crop(line: Sequence[Run], width: int, ellipsis: str) -> Line:
    """One row of at most `width` cells; what does not fit is replaced by an ellipsis."""
    if line_cells(line) <= width:
        return list(line)
    room = max(width - cells(ellipsis), 0)
    taken: Line = []
    for text, style in line:
        length = cells(text)
        if length > room:
            taken.append((crop_text(text, room), style))
            taken.append((ellipsis[: max(width, 0)], style))
            break
        taken.append((text, style))
        room -= length
    return taken


def crop_text(text: str, width: int) -> str:
    """The longest beginning of at most `width` cells."""
    if text.isascii():
        return text[:width]
    end = 0
    for start, stop, size in split_graphemes(text)[0]:
        if (width := width - size) < 0:
            return text[:start]
        end = stop
    return text[:end]


def crop_start(text: str, width: int, ellipsis: str) -> str:
    """The end of a text (such as a path) in at most `width` cells, an ellipsis before it where it was cut."""
    if cells(text) <= width:
        return text
    room = width - cells(ellipsis)
    if room <= 0:
        return crop_text(ellipsis, width)
    if text.isascii():
        return ellipsis + text[-room:]
    begin = len(text)
    for start, _, size in reversed(split_graphemes(text)[0]):
        if (room := room - size) < 0:
            break
        begin = start
    return ellipsis + text[begin:]


def to_strip(line: Iterable[Run], width: int, fill: Style) -> Strip:
    """One strip of exactly `width` cells: cut where it is longer, filled up in the style `fill`."""
    segments: list[Segment] = []
    length = 0
    for text, style in line:
        if not text:
            continue
        size = cells(text)
        if length + size > width:
            text = crop_text(text, width - length)
            size = cells(text)
        segments.append(Segment(text, style))
        length += size
        if length >= width:
            break
    if length < width:
        segments.append(Segment(" " * (width - length), fill))
    return Strip(segments, width)


def cut(line: Sequence[Run], spans: Iterable[Span]) -> list[Line]:
    """The pieces of a line that the spans name, in order; its runs keep their styles."""
    rows: list[Line] = []
    runs = iter(line)
    text, style = next(runs)
    offset = 0
    for start, end in spans:
        row: Line = []
        while offset + len(text) <= start:
            offset += len(text)
            text, style = next(runs)
        while start < end:
            piece = text[start - offset : end - offset]
            row.append((piece, style))
            start += len(piece)
            if start < end:
                offset += len(text)
                text, style = next(runs)
        rows.append(row)
    return rows


def _ascii_fold_spans(text: str, width: int) -> list[Span]:
    return [(start, min(start + width, len(text))) for start in range(0, len(text), width)]


def _ascii_word_spans(text: str, width: int) -> list[Span]:
    spans: list[Span] = []
    start, length = 0, len(text)
    while length - start > width:
        cut = text.rfind(" ", start, start + width + 1)
        if cut <= start or text[start:cut].isspace():
            end = following = start + width
        else:
            end, following = cut, cut + 1
            while end > start and text[end - 1] == " ":
                end -= 1
            while following < length and text[following] == " ":
                following += 1
        spans.append((start, end))
        start = following
    if start < length or not spans:
        spans.append((start, length))
    return spans


def _wide_spans(text: str, width: int, *, words: bool) -> list[Span]:
    """As above for text with wide, joined or combining characters: a row breaks between graphemes only."""
    spans: list[Span] = []
    start = used = 0
    word = -1  # where a row may break: the beginning of the last word
    word_used = 0
    for begin, end, size in split_graphemes(text)[0]:
        blank = text[begin] == " "
        if size == 2:
            word, word_used = begin, used
        if used + size > width and begin > start and not (blank and words):
            cut = word if words and word > start and text[start:word].strip() else begin
            spans.append((start, _strip_end(text, start, cut) if words else cut))
            used = used - word_used if cut == word else 0
            start, word, word_used = cut, -1, 0
        used += size
        if words and (blank or size == 2):
            word, word_used = end, used
    if start < len(text) or not spans:
        spans.append((start, _strip_end(text, start, len(text)) if words and used > width else len(text)))
    return spans


def _strip_end(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] == " ":
        end -= 1
    return end
