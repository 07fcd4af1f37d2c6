"""The list of hunks in the approval panel: which are ticked, what the current one does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, cast

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ...agent.approval import ApprovalAnswer
from ..diff.patch import DiffLine, mark_words
from ..diff.view import DiffStyle, diff_rows, guess_tab_size
from ..editor.rows import clip
from ..terminal.key_dispatch import first_key, run_own
from ..text.hidden_characters import show_hidden
from ..text.look import Look
from ..text.marks import marks
from ..text.numbers import format_plural
from ..text.theme_styles import theme_style
from .hunks import Hunk, Hunks
from .sheet import SHARE

LIST_ROWS = 5
INDENT = 2
"""Cells before the rule from which the lines hang."""

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
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "hunks--rule",
        "hunks--title",
        "hunks--muted",
        "hunks--current",
        "hunks--key",
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

    @dataclass
    class Chosen(Message):
        """What is ticked shall be applied."""

        answer: ApprovalAnswer

    @dataclass
    class EditRequested(Message):
        """The person wants to change the new text of the current hunk."""

        text: str

    class Left(Message):
        """Back to the question; ticks are kept."""

    def __init__(self) -> None:
        super().__init__()
        self._title = self._path = ""
        self._hunks: Hunks | None = None
        self._titles: dict[int, str] = {}
        self._ticked: set[int] = set()
        self._edited: dict[int, str] = {}
        self._current = 0
        self._first = 0
        self._hint = ""
        self._kept_look: Look | None = None
        self._drawn: tuple[tuple[object, ...], list[list[Segment]]] | None = None

    def show(self, title: str, hunks: Hunks, path: str = "") -> None:
        """Show the hunks of a change, all ticked; the name of the file at `path` chooses the syntax colours."""
        self._title, self._hunks, self._path = title, hunks, path
        self._drawn = None
        self._titles = {}
        self._ticked = set(range(len(hunks.hunks)))
        self._edited = {}
        self._current = self._first = 0
        self._hint = ""
        self.refresh(layout=True)

    def show_hint(self, hint: str) -> None:
        """Show these words in place of the keys; the keys again if empty."""
        self._hint = hint
        self.refresh(layout=True)

    def set_text(self, text: str) -> None:
        """The person's own text for the current hunk; it is ticked with it. The hunk's last line end is kept."""
        end = "\n" if self._hunk.new.endswith("\n") and text and not text.endswith("\n") else ""
        if text + end == self._hunk.new:
            self._edited.pop(self._current, None)
        else:
            self._edited[self._current] = text + end
        self._titles.pop(self._current, None)
        self._ticked.add(self._current)
        self.refresh(layout=True)

    # Keys

    def on_key(self, event: events.Key) -> None:
        if run_own(self, event.key):
            event.stop()
            event.prevent_default()

    def action_tick(self) -> None:
        """Tick the current hunk, or untick it."""
        self._ticked ^= {self._current}
        self.refresh()

    def action_tick_all(self) -> None:
        """Tick every hunk; if all are ticked, none."""
        everything = set(range(len(self._all)))
        self._ticked = set() if self._ticked == everything else everything
        self.refresh()

    def action_move(self, step: int) -> None:
        """Go to another hunk."""
        self._current = (self._current + step) % len(self._all)
        self._first = 0
        self.refresh(layout=True)

    def action_scroll_lines(self, rows: int) -> None:
        """Scroll the lines of the current hunk."""
        lines = len(self._lines(self.content_size.width))
        self._first = max(0, min(self._first + rows, lines - self._window(lines)))
        self.refresh()

    def action_edit(self) -> None:
        """Edit the current hunk's new text."""
        self.post_message(self.EditRequested(self._edited.get(self._current, self._hunk.new).removesuffix("\n")))

    def action_apply(self) -> None:
        """Apply what is ticked."""
        if self._hunks is not None:
            self.post_message(self.Chosen(self._hunks.answer(self._ticked, self._edited)))

    def action_back(self) -> None:
        """Back to the question."""
        self.post_message(self.Left())

    # Rows

    @property
    def _all(self) -> tuple[Hunk, ...]:
        return self._hunks.hunks if self._hunks is not None else ()

    @property
    def _hunk(self) -> Hunk:
        return self._all[self._current]

    def _lines(self, width: int) -> list[list[Segment]]:
        """The rows of what the current hunk would do, the person's own text in place of the proposed one."""
        state = (width, self._current, self._edited.get(self._current), self._look)
        if self._drawn is None or self._drawn[0] != state:
            self._drawn = (state, self._draw_lines(width))
        return self._drawn[1]

    def _draw_lines(self, width: int) -> list[list[Segment]]:
        lines = [
            replace(line, text=_visible(line.text)) for line in self._hunk.whole_lines(self._edited.get(self._current))
        ]
        mark_words(lines)
        look, bar = self._look, Segment(f"{' ' * INDENT}{marks().rule} ", self._style("rule"))
        style = DiffStyle(self._path, _digits(lines), guess_tab_size([lines]))
        rows = diff_rows(lines, style, max(width - INDENT - 2, 8), look, side_by_side=False)
        return [[bar, *(Segment(text, style) for text, style in row)] for row in rows]

    @property
    def _look(self) -> Look:
        """The styles of the diff view on the panel's ground."""
        if self._kept_look is None:
            app = cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType]
            base, ground, variables = self.rich_style, self.background_colors[1], app.theme_variables
            self._kept_look = Look(
                lambda name: theme_style(name, variables, base, ground), marks=marks(), has_colour=not app.no_color
            )
        return self._kept_look

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._kept_look = None

    @property
    def _list_rows(self) -> int:
        """Hunks on show."""
        return min(len(self._all), LIST_ROWS, max(1, (self._budget - 2) // 3))

    def _window(self, lines: int) -> int:
        """Rows of the current hunk on show."""
        return min(lines, max(0, self._budget - self._list_rows - 4))

    @property
    def _budget(self) -> int:
        """Rows that the panel may take."""
        height = self.app.size.height  # pyright: ignore[reportUnknownMemberType]
        return max(3, int(height * SHARE))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._rows(width)) if self._all else 0

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        rows = self._rows(width) if self._all else []
        return (
            Strip(rows[y] if y < len(rows) else [])
            .apply_style(self.rich_style)
            .adjust_cell_length(width, self.rich_style)
        )

    def _rows(self, width: int) -> list[list[Segment]]:
        if self._hint:
            return [self._rule(width), self._hunk_row(self._current, width), *self._help(width)]
        count = self._list_rows
        first = max(0, min(self._current - count // 2, len(self._all) - count))
        window = range(first, first + count)
        every = self._lines(width)
        lines = every[self._first : self._first + self._window(len(every))]
        hidden = len(every) - len(lines)
        rows = [self._rule(width), *(self._hunk_row(index, width) for index in window)]
        rows += lines
        if hidden and self._budget > 5:
            text = (
                f"    {marks().ellipsis} {format_plural(hidden, 'more line')} {marks().dot} {self._scroll_keys} scroll"
            )
            rows.append([Segment(clip(text, width), self._style("muted"))])
        return [*rows, *self._help(width)]

    def _rule(self, width: int) -> list[Segment]:
        line = marks().line
        ticked = [hunk for index, hunk in enumerate(self._all) if index in self._ticked]
        counts = f"+{sum(hunk.added for hunk in ticked)} {marks().minus}{sum(hunk.removed for hunk in ticked)}"
        measure = f"{len(ticked)} of {format_plural(len(self._all), 'hunk')} {marks().dot} {counts}"
        title = clip(self._title, max(0, width - cell_len(measure) - 12))
        spare = width - cell_len(title) - cell_len(measure) - 10
        return [
            Segment(line * 2, self._style("rule")),
            Segment(f" {title} ", self._style("title")),
            Segment(line * max(0, spare), self._style("rule")),
            Segment(f" {measure} ", self._style("muted")),
            Segment(line * 4, self._style("rule")),
        ]

    def _hunk_row(self, index: int, width: int) -> list[Segment]:
        """Cursor, tick, place, size and the first telling line of a hunk."""
        hunk = self._all[index]
        is_current = index == self._current
        cursor = marks().prompt if is_current else " "
        tick = "[x]" if index in self._ticked else "[ ]"
        place = f"line {hunk.line}" if hunk.line is not None else f"#{index + 1}"
        size = f"+{hunk.added} {marks().minus}{hunk.removed}"
        edited = " (edited)" if index in self._edited else ""
        row = f"{cursor} {tick} {place:<10} {size:<8}{edited} {self._words(index)}"
        return [Segment(clip(row, width), self._style("current" if is_current else "muted"))]

    def _words(self, index: int) -> str:
        """The first telling line that a hunk adds, else removes."""
        if index not in self._titles:
            lines = [(line.sign, line.text.strip()) for line in self._all[index].whole_lines(self._edited.get(index))]
            found = [text for wanted in "+-" for sign, text in lines if sign == wanted and text]
            self._titles[index] = show_hidden(found[0]) if found else ""
        return self._titles[index]

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


def _visible(text: str) -> str:
    """A line with everything invisible made visible; its tabs stay."""
    return "\t".join(map(show_hidden, text.split("\t")))


def _digits(lines: list[DiffLine]) -> int:
    """Cells that the largest line number takes, three at least."""
    return max(3, *(len(str(number)) for line in lines for number in (line.old, line.new)))
