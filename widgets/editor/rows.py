"""How the editor draws one row of text and one row of its menu."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from ...agent.frozen import frozen
from ..text.marks import marks
from ..text.outside_text import outside_line, outside_name
from .completion import Completion
from .soft_wrap import Row

GUTTER = 2
"""Cells left of the text: the prompt mark and a blank."""


@frozen
class EditorStyles:
    """The styles of a row, resolved from the theme."""

    text: Style
    prompt: Style
    marker: Style
    placeholder: Style
    caret: Style
    choice: Style
    chosen: Style
    detail: Style


def draw_row(row: Row, gutter: str, caret: int | None, styles: EditorStyles) -> list[Segment]:
    """A row of text; `caret` is the code point offset to mark, None if the caret is elsewhere."""
    segments = [Segment(set_cell_size(gutter, GUTTER), styles.prompt)]
    run: list[str] = []

    def end_run() -> None:
        if run:
            segments.append(Segment("".join(run), styles.text))
            run.clear()

    for piece in row.pieces:
        is_caret = caret is not None and piece.start <= caret < piece.end
        if not is_caret and not piece.is_marker:
            run.append(piece.text)
            continue
        end_run()
        style = styles.marker if piece.is_marker else styles.text
        segments.append(Segment(piece.text, style + styles.caret if is_caret else style))
    end_run()
    if caret is not None and caret >= row.end:
        segments.append(Segment(" ", styles.text + styles.caret))
    return segments


def mark_selection(segments: list[Segment], y: int, selection: Selection | None, style: Style) -> Strip:
    """The row with what is selected in it, and with the places that a mouse selection needs; not the gutter."""
    gutter, rest = Strip(segments[:1]), Strip(segments[1:])
    span = selection.get_span(y) if selection is not None else None
    if span is not None:
        text = rest.text
        start, end = span[0], len(text) if span[1] < 0 else span[1]
        left, middle = cell_len(text[:start]), cell_len(text[:end])
        parts = list(rest.divide([left, middle, rest.cell_length]))
        ground = Style(bgcolor=style.bgcolor)
        rest = Strip.join([_on_ground(part, ground) if index == 1 else part for index, part in enumerate(parts)])
    return Strip.join([gutter, rest.apply_offsets(0, y)])


def _on_ground(strip: Strip, ground: Style) -> Strip:
    return Strip([Segment(text, style + ground if style else ground) for text, style, _ in strip])


def draw_placeholder(text: str, width: int, has_caret: bool, styles: EditorStyles) -> list[Segment]:
    """The row of an empty editor."""
    shown = clip(text, width - GUTTER)
    segments = [Segment(set_cell_size(marks().prompt, GUTTER), styles.prompt)]
    if not has_caret:
        return [*segments, Segment(shown, styles.placeholder)]
    head, rest = (shown[:1] or " "), shown[1:]
    return [*segments, Segment(head, styles.placeholder + styles.caret), Segment(rest, styles.placeholder)]


SEARCH = "search "


def search_caret(query: str, width: int) -> int:
    """The cell of the caret in the row of a search."""
    return GUTTER + cell_len(SEARCH) + cell_len(clip_start(query, _search_room(width)))


def draw_search(query: str, outcome: str, width: int, has_caret: bool, styles: EditorStyles) -> list[Segment]:
    """The row of a search: what is searched for, the caret, and what came of it."""
    shown = clip_start(query, _search_room(width))
    caret = Segment(" ", styles.text + styles.caret if has_caret else styles.text)
    room = width - search_caret(query, width) - 2
    return [
        Segment(set_cell_size(marks().prompt, GUTTER), styles.prompt),
        Segment(SEARCH, styles.placeholder),
        Segment(shown, styles.text),
        caret,
        Segment(f" {clip(outcome, room)}" if room > 0 else "", styles.placeholder),
    ]


def _search_room(width: int) -> int:
    """The cells that a query gets: what came of it keeps a few."""
    return max(1, width - GUTTER - cell_len(SEARCH) - 1 - min(20, width // 3))


def draw_choice(item: Completion, width: int, label_width: int, is_chosen: bool, styles: EditorStyles) -> list[Segment]:
    """A candidate: its label in a column of `label_width` cells, then what it is."""
    mark = set_cell_size(marks().rule if is_chosen else "", GUTTER)
    label = clip(_shown(item), label_width)
    segments = [
        Segment(mark, styles.chosen),
        Segment(set_cell_size(label, label_width), styles.chosen if is_chosen else styles.choice),
    ]
    room = width - GUTTER - label_width - 2
    if item.detail and room > 4:
        segments.append(Segment(f"  {clip(outside_line(item.detail), room)}", styles.detail))
    return segments


def label_width(items: Sequence[Completion], width: int) -> int:
    """The cells that the labels get: as many as the longest needs, more than half the width only without details."""
    longest = max((cell_len(_shown(item)) for item in items), default=0)
    limit = width - GUTTER if not any(item.detail for item in items) else max(12, (width - GUTTER) // 2)
    return max(0, min(longest, limit, width - GUTTER))


def _shown(item: Completion) -> str:
    """The label; without one the text as a name, in which line breaks and tabs are signs rather than blanks."""
    return outside_line(item.label) if item.label else outside_name(item.text)


def clip(text: str, width: int) -> str:
    """Text cut to `width` cells, an ellipsis in place of what is lost."""
    if cell_len(text) <= width:
        return text
    sign = marks().ellipsis
    room = width - cell_len(sign)
    return set_cell_size(text, room).rstrip() + sign if room > 0 else set_cell_size(sign, max(0, width))


def clip_start(text: str, width: int) -> str:
    """Text cut to its last `width` cells, an ellipsis in place of what is lost."""
    if cell_len(text) <= width:
        return text
    sign = marks().ellipsis
    while text and cell_len(text) > width - cell_len(sign):
        text = text[1:]
    return sign + text
