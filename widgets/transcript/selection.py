"""Selected text of the history: places as mouse offsets, the text between two of them, its marks on a row."""

from __future__ import annotations

from textual.geometry import Offset
from textual.selection import Selection
from textual.strip import Strip

from ..text.lines import Line
from ..text.look import Look
from .cell_rows import Place, Row
from .history import History

_PART_SHIFT = 24
_CELL_SHIFT = 48


def offset_of(place: Place) -> int:
    """A row's place as one number, larger for rows further down: the y of Textual's selection."""
    return (place.cell << _CELL_SHIFT) | (place.part << _PART_SHIFT) | place.line


def place_of(offset: int) -> Place:
    """The place that `offset_of` made this number of."""
    part_mask, line_mask = (1 << (_CELL_SHIFT - _PART_SHIFT)) - 1, (1 << _PART_SHIFT) - 1
    return Place(offset >> _CELL_SHIFT, (offset >> _PART_SHIFT) & part_mask, offset & line_mask)


def with_offsets(history: History, row: Row) -> Strip:
    """The row with the offsets that the mouse needs to select text."""
    return row.strip.apply_offsets(0, offset_of(history.place_of(row)))


def selected_span(row: Row, y: int, selection: Selection) -> tuple[int, int] | None:
    """The characters of a row that are selected, its margin aside."""
    span = selection.get_span(y)
    if span is None:
        return None
    text = row.strip.text.rstrip()
    start, end = max(span[0], row.part.indent), len(text) if span[1] == -1 else min(span[1], len(text))
    return (start, end) if start < end else None


def selected_text(history: History, selection: Selection) -> str:
    """The text between the ends of a selection, rendered where it was not seen yet, without margins."""
    first = Place(0, 0, 0) if selection.start is None else place_of(selection.start.y)
    last = None if selection.end is None else place_of(selection.end.y)
    lines: list[str] = []
    for row in history.rows_between(first, last):
        span = selected_span(row, offset_of(history.place_of(row)), _inclusive(selection))
        lines.append(row.strip.text[span[0] : span[1]] if span else "")
    return "\n".join(line.rstrip() for line in lines)


def with_spans(strip: Strip, spans: list[tuple[int, int]], name: str, look: Look) -> Strip:
    """The strip with a style laid over spans of its characters."""
    mark = look.style(name)
    marked: Line = []
    offset = 0
    for text, style, _ in strip:
        edges = sorted(
            {0, len(text), *(edge - offset for span in spans for edge in span if 0 < edge - offset < len(text))}
        )
        for begin, end in zip(edges, edges[1:], strict=False):  # noqa: RUF007
            inside = any(start <= offset + begin < stop for start, stop in spans)
            under = style or look.base
            marked.append((text[begin:end], look.on_ground(under, mark) if inside else under))
        offset += len(text)
    return look.strip(marked, strip.cell_length)


def _inclusive(selection: Selection) -> Selection:
    return Selection(selection.start or Offset(0, 0), selection.end)
