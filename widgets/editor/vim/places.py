"""Places in a text, as offsets: where lines begin and end."""

from __future__ import annotations

from collections.abc import Callable

from ...text.grapheme import cluster_after, cluster_before, clusters


def line_start(text: str, offset: int) -> int:
    """The start of the line of an offset."""
    return text.rfind("\n", 0, offset) + 1


def line_end(text: str, offset: int) -> int:
    """The end of the line of an offset: its line break, or the end of the text."""
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def first_printable(text: str, offset: int) -> int:
    """The first character of the line that is no blank; its end if there is none."""
    start = line_start(text, offset)
    line = text[start : line_end(text, offset)]
    return start + len(line) - len(line.lstrip())


def row_start(text: str, row: int) -> int:
    """The start of a line by its number from 0; of the last one if there are fewer."""
    start = 0
    for _ in range(row):
        following = text.find("\n", start) + 1
        if not following:
            break
        start = following
    return start


def line_below(text: str, offset: int, count: int) -> int:
    """The start of the line so many below (above if negative); of the last or the first if there are fewer."""
    return row_start(text, max(0, text.count("\n", 0, offset) + count))


def right(text: str, offset: int, count: int) -> int:
    """So many clusters to the right, at most to the end of the line."""
    return min(line_end(text, offset), _repeat(cluster_after, text, offset, count))


def left(text: str, offset: int, count: int) -> int:
    """So many clusters to the left, at most to the start of the line."""
    return max(line_start(text, offset), _repeat(cluster_before, text, offset, count))


def cell_of(text: str, offset: int) -> int:
    """The cells left of an offset in its line."""
    return sum(width for _, _, width in clusters(text[line_start(text, offset) : offset]))


def at_cell(text: str, start: int, cell: int) -> int:
    """The offset of the cluster at a cell of the line that begins at `start`; its last cluster if it is shorter."""
    line = text[start : line_end(text, start)]
    found = 0
    for begin, _, width in clusters(line):
        found = begin
        cell -= width
        if cell < 0:
            break
    return start + found


def _repeat(step: Callable[[str, int], int], text: str, offset: int, count: int) -> int:
    for _ in range(min(count, len(text) + 1)):
        offset = step(text, offset)
    return offset
