"""A list of any length of which one item is chosen: only the rows that are seen are made and drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ..agent.frozen import frozen
from .editor.rows import clip
from .text.marks import marks
from .text.outside_text import outside_line

ItemT = TypeVar("ItemT")

GUTTER = 2
"""Cells for the mark of the chosen row."""

LEAST_TEXT = 12
"""Cells that the text keeps at least, and half of the row; what stands at the right edge goes before it gets less."""


@frozen
class PickRow:
    """How one item looks. All texts may come from outside.

    `lead` stands before the text, quiet (the lines of a tree); `label` after the lead, in the accent colour. `style` of
    the text is a component class without its prefix: empty, ``muted`` or ``warning``. `spans` are (start, end) of the
    text that are marked. A heading (`is_heading`) is never chosen. `columns` stand at the right edge, the most important last; the first go when it gets narrow.
    """

    text: str
    columns: tuple[str, ...] = ()
    lead: str = ""
    label: str = ""
    style: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    is_heading: bool = False


class PickList(Widget, Generic[ItemT]):
    """Items in rows, one of them chosen. It takes no keys: the screen around it moves the choice."""

    DEFAULT_CSS = """
    PickList {
        height: 1fr;
        padding: 0 1;
        color: $foreground;
        & > .pick--lead { color: $foreground 45%; }
        & > .pick--heading { color: $text-accent; text-style: bold; }
        & > .pick--label { color: $text-accent; text-style: bold; }
        & > .pick--muted { color: $foreground 70%; }
        & > .pick--warning { color: $text-warning; }
        & > .pick--match { color: $text-accent; text-style: bold underline; }
        & > .pick--chosen { color: $text-accent; text-style: bold; }
        & > .pick--empty { color: $foreground 70%; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "pick--lead",
        "pick--heading",
        "pick--label",
        "pick--muted",
        "pick--warning",
        "pick--match",
        "pick--chosen",
        "pick--empty",
    }

    class Picked(Message):
        """The chosen row was clicked."""

    class Moved(Message):
        """Another row is chosen."""

    def __init__(self, row_of: Callable[[ItemT], PickRow], *, wraps: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self._row_of = row_of
        self._wraps = wraps
        self._items: Sequence[ItemT] = ()
        self._index = 0
        self._first = 0
        self._empty = ""

    @property
    def items(self) -> Sequence[ItemT]:
        return self._items

    @property
    def index(self) -> int:
        """Of the chosen item; 0 where there is none."""
        return self._index

    @property
    def current(self) -> ItemT | None:
        """The chosen item."""
        return self._items[self._index] if self._items else None

    def show(self, items: Sequence[ItemT], index: int = 0, *, empty: str = "") -> None:
        """Show these items with one of them chosen; `empty` is said where there is none."""
        self._items, self._empty = items, empty
        self._choose(index)
        self.refresh()

    def move(self, rows: int) -> None:
        """Choose the item so many rows further down."""
        index = self._index + rows
        if self._wraps and self._items and abs(rows) == 1:
            index %= len(self._items)
        self._choose(index)

    def page(self, direction: int) -> None:
        """A page up (-1) or down (1)."""
        self.move(direction * max(self.content_size.height - 1, 1))

    def to_edge(self, *, end: bool) -> None:
        """The first or the last item."""
        self._choose(len(self._items) if end else 0)

    def _choose(self, index: int) -> None:
        index = self._past_headings(max(0, min(index, len(self._items) - 1)))
        height = max(self.content_size.height, 1)
        top = index - 1 if self._is_heading(index - 1) and height > 1 else index
        self._first = max(0, min(self._first, top, len(self._items) - height))
        self._first = max(self._first, index - height + 1)
        self._index = index
        self.refresh()
        if self.is_attached:
            self.post_message(self.Moved())

    def _is_heading(self, index: int) -> bool:
        return 0 <= index < len(self._items) and self._row_of(self._items[index]).is_heading

    def _past_headings(self, index: int) -> int:
        """The next item that is no heading, in the direction in which the choice moves."""
        step = -1 if index < self._index else 1
        for way in (step, -step):
            found = index
            while self._is_heading(found):
                found += way
            if 0 <= found < len(self._items):
                return found
        return index

    # Mouse and size

    def on_resize(self) -> None:
        self._choose(self._index)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.move(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.move(-3)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or (index := self._first + offset.y) >= len(self._items):
            return
        if self._is_heading(index):
            return
        if index == self._index:
            self.post_message(self.Picked())
        else:
            self._choose(index)

    # Drawing

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A row each."""
        return max(len(self._items), 1)

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        index = self._first + y
        if index < len(self._items):
            segments = self._row(self._row_of(self._items[index]), index == self._index, width)
        elif y == 0 and not self._items:
            segments = [Segment(" " * GUTTER), Segment(clip(self._empty, width - GUTTER), self._style("empty"))]
        else:
            segments = []
        return Strip(segments).apply_style(self.rich_style).adjust_cell_length(width, self.rich_style)

    def _row(self, row: PickRow, is_chosen: bool, width: int) -> list[Segment]:
        if row.is_heading:
            return [Segment(clip(outside_line(row.text), width), self._style("heading"))]
        mark = marks().prompt if is_chosen else ""
        segments = [Segment(mark + " " * (GUTTER - cell_len(mark)), self._style("chosen"))]
        if row.lead:
            segments.append(Segment(row.lead, self._style("lead")))
        if row.label:
            segments.append(Segment(f"{outside_line(row.label)} ", self._style("label")))
        room = width - sum(segment.cell_length for segment in segments)
        right = _right_edge(row.columns, room - min(cell_len(row.text), max(LEAST_TEXT, room // 2)))
        room -= cell_len(right)
        text = self._text(row, is_chosen, max(room - 1, 0))
        used = sum(segment.cell_length for segment in text)
        return [*segments, *text, Segment(" " * (room - used)), Segment(right, self._style("muted"))]

    def _text(self, row: PickRow, is_chosen: bool, width: int) -> list[Segment]:
        style = self._style("chosen") if is_chosen else self._style(row.style)
        segments: list[Segment] = []
        end = 0
        for start, stop in row.spans:
            segments.append(Segment(outside_line(row.text[end:start]) if start > end else "", style))
            segments.append(Segment(outside_line(row.text[start:stop]), self._style("match")))
            end = stop
        rest = row.text[end:]
        segments.append(Segment(outside_line(rest) if rest else "", style))
        return list(_clipped(segments, width))

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"pick--{name}", partial=True) if name else Style.null()


def _clipped(segments: Sequence[Segment], width: int) -> list[Segment]:
    """The segments in so many cells, an ellipsis in place of what is lost."""
    if sum(segment.cell_length for segment in segments) <= width:
        return list(segments)
    kept: list[Segment] = []
    for segment in segments:
        room = width - sum(each.cell_length for each in kept)
        if segment.cell_length >= room:
            kept.append(Segment(clip(f"{segment.text}{marks().ellipsis}", room), segment.style))
            break
        kept.append(segment)
    return kept


def _right_edge(columns: Sequence[str], room: int) -> str:
    """What stands at the right edge: as many of the columns, from the last on, as there is room for."""
    kept: list[str] = []
    for column in reversed(columns):
        if cell_len(column) + 2 + sum(cell_len(each) + 2 for each in kept) > room:
            break
        kept.insert(0, column)
    return "".join(f"  {column}" for column in kept)
