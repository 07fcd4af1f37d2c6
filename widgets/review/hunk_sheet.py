"""The list of hunks in the approval panel: which are ticked, what the current one does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ..editor.rows import clip
from ..terminal.key_dispatch import first_key, run_own
from ..text.look import Look
from ..text.marks import marks
from ..text.numbers import format_plural
from .ground import field_rows, look_of, panel_rows
from .hunk_choice import HunkChoice
from .hunk_lines import hunk_rows
from .hunk_list import PICK, HunkList

HELP = (
    ("hunks.tick", "tick"),
    ("hunks.next,hunks.previous", "move"),
    ("hunks.edit", "edit"),
    ("hunks.tick_all", "all or none"),
    ("hunks.apply", "apply"),
    ("hunks.back", "back"),
)
"""Ids of bindings and what they do."""


class HunkSheet(Widget, can_focus=True):
    """Hunks with a tick each, and the lines of the one under the cursor."""

    DEFAULT_CSS = """
    HunkSheet {
        height: auto;
        padding: 0 1;
        color: $foreground;
        & > .hunks--rule { color: $foreground 30%; }
        & > .hunks--title { color: $text-accent; text-style: bold; }
        & > .hunks--muted { color: $foreground 75%; }
        & > .hunks--current { text-style: bold; }
        & > .hunks--key { color: $text-accent; text-style: bold; }
        & > .hunks--more { color: $text-warning; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "hunks--rule",
        "hunks--title",
        "hunks--muted",
        "hunks--current",
        "hunks--key",
        "hunks--more",
    }

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "tick", "tick or untick the hunk", id="hunks.tick", show=False),
        Binding("j,down", "move(1)", "next hunk", id="hunks.next", show=False),
        Binding("k,up", "move(-1)", "hunk before", id="hunks.previous", show=False),
        Binding("a", "tick_all", "tick all, or none", id="hunks.tick_all", show=False),
        Binding("e", "edit", "edit the hunk's new text", id="hunks.edit", show=False),
        Binding("pagedown", "scroll_lines(5)", "scroll its lines down", id="hunks.page_down", show=False),
        Binding("pageup", "scroll_lines(-5)", "scroll its lines up", id="hunks.page_up", show=False),
        Binding("enter", "apply", "apply what is ticked", id="hunks.apply", show=False),
        Binding("escape", "back", "back to the question", id="hunks.back", show=False),
    ]

    class Chosen(Message):
        """What is ticked shall be applied."""

    @dataclass
    class EditRequested(Message):
        """The person wants to change the new text of the current hunk."""

        text: str

    class Left(Message):
        """Back to the question, which keeps ticks and texts."""

    def __init__(self) -> None:
        super().__init__()
        self._title = self._path = ""
        self._choice: HunkChoice | None = None
        self._list: HunkList | None = None
        self._first = 0
        self._hint = ""
        self._kept_look: Look | None = None
        self._drawn: tuple[tuple[object, ...], list[list[Segment]]] | None = None

    def show(self, title: str, choice: HunkChoice, path: str = "") -> None:
        """Show what is chosen of a change; the name of the file at `path` chooses the syntax colours."""
        self._title, self._choice, self._path = title, choice, path
        self._drawn = None
        self._list = HunkList(choice, self._style)
        self._first = 0
        self._hint = ""
        self.refresh(layout=True)

    def show_hint(self, hint: str) -> None:
        """Show these words in place of the keys, and what the current hunk takes out; the keys again if empty."""
        self._hint = hint
        self.refresh(layout=True)

    def set_text(self, text: str) -> None:
        """The person's own text for the current hunk."""
        if self._choice is not None:
            self._choice.keep(text)
            self.refresh(layout=True)

    # Keys

    def on_key(self, event: events.Key) -> None:
        if run_own(self, event.key):
            event.stop()
            event.prevent_default()

    def on_click(self, event: events.Click) -> None:
        """A click goes to a hunk; one on its box ticks or unticks it."""
        pick = event.style.meta.get(PICK)
        if pick is None or self._choice is None or self._hint:
            return
        event.stop()
        index, is_box = cast("tuple[int, bool]", pick)
        self.action_move(index - self._choice.current)
        if is_box:
            self.action_tick()

    def action_tick(self) -> None:
        """Tick the current hunk, or untick it."""
        if self._choice is not None:
            self._choice.tick()
            self.refresh()

    def action_tick_all(self) -> None:
        """Tick every hunk; if all are ticked, none."""
        if self._choice is not None:
            self._choice.tick_all()
            self.refresh()

    def action_move(self, step: int) -> None:
        """Go to another hunk."""
        if self._choice is not None:
            self._choice.move(step)
            self._first = 0
            self.refresh(layout=True)

    def action_scroll_lines(self, rows: int) -> None:
        """Scroll the lines of the current hunk."""
        lines = len(self._lines(self.content_size.width))
        self._first = max(0, min(self._first + rows, lines - self._window(lines)))
        self.refresh()

    def action_edit(self) -> None:
        """Edit the current hunk's new text."""
        if self._choice is not None:
            self.post_message(self.EditRequested(self._choice.text))

    def action_apply(self) -> None:
        """Apply what is ticked."""
        self.post_message(self.Chosen())

    def action_back(self) -> None:
        """Back to the question."""
        self.post_message(self.Left())

    # Rows

    def _lines(self, width: int) -> list[list[Segment]]:
        """The rows of what the current hunk would do, the person's own text in place of the proposed one.

        While that text is written, only those of what is there now.
        """
        choice = self._choice
        if choice is None:
            return []
        own = choice.edited.get(choice.current)
        state = (width, choice.current, own, bool(self._hint), self._look)
        if self._drawn is None or self._drawn[0] != state:
            lines = choice.hunk.whole_lines(own)
            if self._hint:
                lines = [line for line in lines if line.sign == "-"] or [line for line in lines if line.sign == " "]
            self._drawn = (state, hunk_rows(lines, self._path, width, self._look) if lines else [])
        return self._drawn[1]

    @property
    def _look(self) -> Look:
        if self._kept_look is None:
            self._kept_look = look_of(self)
        return self._kept_look

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._kept_look = None

    @property
    def _count(self) -> int:
        return 0 if self._choice is None else len(self._choice.hunks)

    @property
    def _list_rows(self) -> int:
        """Hunks on show; the current one alone while its text is written."""
        return 1 if self._hint else min(self._count, max(1, (self._budget - 2) // 3))

    def _window(self, lines: int) -> int:
        """Rows of the current hunk on show."""
        return min(lines, max(0, self._budget - self._list_rows - (3 if self._hint else 4)))

    @property
    def _budget(self) -> int:
        """Rows that the sheet may take."""
        return panel_rows(self) - (field_rows(self) if self._hint else 0)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._rows(width))

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        rows = self._rows(width)
        return (
            Strip(rows[y] if y < len(rows) else [])
            .apply_style(self.rich_style)
            .adjust_cell_length(width, self.rich_style)
        )

    def _rows(self, width: int) -> list[list[Segment]]:
        choice = self._choice
        if choice is None or self._list is None:
            return []
        every = self._lines(width)
        lines = every[self._first : self._first + self._window(len(every))]
        hidden = len(every) - len(lines)
        rows = [self._rule(choice, width), *self._list.rows(width, self._list_rows), *lines]
        if hidden and self._budget > 5:
            scrolls = "" if self._hint else f" {marks().dot} {self._scroll_keys} scroll"
            text = f"    {marks().ellipsis} {format_plural(hidden, 'more line')}{scrolls}"
            rows.append([Segment(clip(text, width), self._style("muted"))])
        return [*rows, *self._help(width)][: max(self._budget, 1)]

    def _rule(self, choice: HunkChoice, width: int) -> list[Segment]:
        line = marks().line
        measure = choice.measure
        title = clip(self._title, max(0, width - cell_len(measure) - 12))
        spare = width - cell_len(title) - cell_len(measure) - 10
        return [
            Segment(line * 2, self._style("rule")),
            Segment(f" {title} ", self._style("title")),
            Segment(line * max(0, spare), self._style("rule")),
            Segment(f" {measure} ", self._style("muted")),
            Segment(line * 4, self._style("rule")),
        ]

    def _help(self, width: int) -> list[list[Segment]]:
        if self._hint:
            return [[Segment(clip(f" {self._hint}".replace("·", marks().dot), width), self._style("muted"))]]
        if self._budget < 8:
            return [[Segment(clip(" " + "  ".join(key for key, _ in self._keys), width), self._style("key"))]]
        rows: list[list[Segment]] = [[]]
        used = 0
        for key, words in self._keys:
            size = cell_len(f" {key} {words}   ")
            if used and used + size > width + 3:
                rows.append([])
                used = 0
            rows[-1] += [Segment(f" {key}", self._style("key")), Segment(f" {words}   ")]
            used += size
        return rows

    @property
    def _scroll_keys(self) -> str:
        return " and ".join(first_key(self, each) for each in ("hunks.page_up", "hunks.page_down"))

    @property
    def _keys(self) -> list[tuple[str, str]]:
        """Keys and what they do."""
        keys = [("/".join(filter(None, (first_key(self, each) for each in ids.split(",")))), w) for ids, w in HELP]
        return [(key, words) for key, words in keys if key]

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"hunks--{name}")
