"""The transcript: one widget that takes every event and draws what is seen of the history, line by line.

It never lays anything out: its size is that of the window, the rows come from the history, and only those that changed
are drawn again. So a frame costs the same after ten turns and after ten thousand.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import ClassVar, Literal, cast

from rich.segment import Segment
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message as TextualMessage
from textual.reactive import reactive
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from ..agent.details import Details
from ..agent.events import AgentEvent
from ..agent.messages import Message
from .cell import Cell
from .feed import Feed
from .history import History, News, Row
from .look import Look, plain_look
from .marks import marks
from .message_cells import Level, NoteCell, ReplyCell, UserCell
from .tool_cell import ToolCell

FRAME_SECONDS = 1 / 40
"""The shortest time between two frames; a frame that costs more makes the next one wait longer."""

TICK_SECONDS = 1 / 8
"""How often spinners and seconds move while something runs. Nothing ticks while nothing runs."""

WHEEL_LINES = 3

_STYLES = [
    "text",
    "user",
    "dim",
    "rule",
    "tool",
    "argument",
    "output",
    "thinking",
    "error",
    "warning",
    "ok",
    "failed",
    "refused",
    "aborted",
    "waiting",
    "running",
    "pending",
    "heading",
    "heading-1",
    "strong",
    "emphasis",
    "struck",
    "link",
    "quote",
    "bullet",
    "code",
    "code-inline",
    "code-comment",
    "code-keyword",
    "code-string",
    "code-number",
    "code-function",
    "code-type",
    "added",
    "removed",
    "diff-added",
    "diff-removed",
    "diff-added-word",
    "diff-removed-word",
    "cursor",
    "match",
    "news",
]


class Transcript(Widget, can_focus=True):
    """Shows a run as it happens. Feed it with `handle`; everything else is for the person's keys."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"transcript--{name}" for name in _STYLES}

    DEFAULT_CSS = """
    Transcript {
        height: 1fr;
        width: 1fr;
        background: $background;
        color: $foreground;
        & > .transcript--user { color: $text-accent; }
        & > .transcript--dim { color: $foreground 65%; }
        & > .transcript--rule { color: $foreground 30%; }
        & > .transcript--tool { text-style: bold; }
        & > .transcript--output { color: $foreground 80%; }
        & > .transcript--thinking { color: $foreground 65%; text-style: italic; }
        & > .transcript--error { color: $text-error; }
        & > .transcript--warning { color: $text-warning; }
        & > .transcript--ok { color: $text-success; }
        & > .transcript--failed { color: $text-error; text-style: bold; }
        & > .transcript--refused { color: $text-warning; }
        & > .transcript--aborted { color: $text-warning; }
        & > .transcript--waiting { color: $text-accent; text-style: bold; }
        & > .transcript--running { color: $text-accent; }
        & > .transcript--pending { color: $foreground 65%; }
        & > .transcript--heading { text-style: bold; color: $text-primary; }
        & > .transcript--heading-1 { text-style: bold underline; color: $text-primary; }
        & > .transcript--strong { text-style: bold; }
        & > .transcript--emphasis { text-style: italic; }
        & > .transcript--struck { text-style: strike; }
        & > .transcript--link { text-style: underline; }
        & > .transcript--quote { color: $foreground 65%; }
        & > .transcript--bullet { color: $text-primary; }
        & > .transcript--code { background: $surface; color: $foreground; }
        & > .transcript--code-inline { color: $text-secondary; background: $surface; }
        & > .transcript--code-comment { color: $foreground 60%; text-style: italic; }
        & > .transcript--code-keyword { color: $text-primary; }
        & > .transcript--code-string { color: $text-success; }
        & > .transcript--code-number { color: $text-warning; }
        & > .transcript--code-function { color: $text-secondary; }
        & > .transcript--code-type { color: $text-accent; }
        & > .transcript--added { color: $text-success; }
        & > .transcript--removed { color: $text-error; }
        & > .transcript--diff-added { background: $success 14%; }
        & > .transcript--diff-removed { background: $error 14%; }
        & > .transcript--diff-added-word { background: $success 38%; text-style: bold; }
        & > .transcript--diff-removed-word { background: $error 38%; text-style: bold; }
        & > .transcript--cursor { color: $text-accent; text-style: bold; }
        & > .transcript--match { background: $warning 40%; }
        & > .transcript--news { color: $text-accent; background: $surface; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "cursor(-1)", "Previous cell", show=False, id="transcript.previous"),
        Binding("down,j", "cursor(1)", "Next cell", show=False, id="transcript.next"),
        Binding("enter,space", "toggle_cell", "Open or close", id="transcript.toggle"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="transcript.page_up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="transcript.page_down"),
        Binding("home", "to_start", "Beginning", show=False, id="transcript.start"),
        Binding("end", "follow", "End", show=False, id="transcript.end"),
        Binding("x", "abort_call", "Stop this call", id="transcript.abort_call"),
    ]

    is_following: reactive[bool] = reactive(True, init=False, repaint=False)
    """Whether the end is shown and kept in sight."""

    new_lines: reactive[int] = reactive(0, init=False, repaint=False)
    """Rows that came in below since the reader left the end."""

    class CallAbortRequested(TextualMessage):
        """The person wants this one call stopped; the others go on."""

        def __init__(self, call_id: str) -> None:
            super().__init__()
            self.call_id = call_id

    class FollowChanged(TextualMessage):
        """The reader left the end or is back, or more came in below."""

        def __init__(self, is_following: bool, new_lines: int) -> None:
            super().__init__()
            self.is_following = is_following
            self.new_lines = new_lines

    def __init__(self, *, folder: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.folder = folder
        self.history = History(plain_look())
        self._feed = Feed(self.history)
        self._is_expanding_all = False
        self._cursor: Cell | None = None
        self._shown: list[Strip] = []
        self._frame_timer: Timer | None = None
        self._tick_timer: Timer | None = None
        self._frame_end = 0.0
        self._frame_cost = 0.0
        self._news: News = News(0, True)

    # ---- what the app tells it

    def handle(self, event: AgentEvent) -> None:
        """Take one event of the run: synchronous, cheap, drawn with the next frame."""
        self._feed.handle(event)
        self._changed()

    def add_message(self, message: Message) -> None:
        """Show a stored message."""
        self._feed.add_message(message)
        self._changed()

    def add_note(self, level: Level, text: str, hint: str = "") -> None:
        """Show something that is no message, with what to do next."""
        self._feed.add(NoteCell(level, text, hint))
        self._changed()

    def waiting(self, call_id: str, preview: Details | None) -> None:
        """A call waits for the person's approval; its cell shows `preview`, whole where the window has room for it."""
        self._feed.wait(call_id, preview, is_expanded=_preview_height(preview) < self.size.height - 4)
        self._changed()

    def resumed(self, call_id: str) -> None:
        """The person has answered for a call that waited."""
        self._feed.resume(call_id)
        self._changed()

    def clear(self) -> None:
        """Forget everything that is shown."""
        self.history.clear()
        self._feed = Feed(self.history)
        self._cursor = None
        self._changed()

    def last_answer(self) -> str:
        """The last text of the model, as it wrote it; empty if there is none."""
        return next((cell.text() for cell in reversed(self.history.cells) if isinstance(cell, ReplyCell)), "")

    # ---- frames

    def _changed(self) -> None:
        """Draw soon: at once if the last frame is long ago, else when its time has come."""
        if not self.is_attached:
            return
        if self._tick_timer is not None:
            self._tick_timer.resume()
        if self._frame_timer is None:
            pause = max(FRAME_SECONDS, 2 * self._frame_cost)
            delay = max(self._frame_end + pause - time.monotonic(), 0.001)
            self._frame_timer = self.set_timer(delay, self._frame, name="frame")

    def _frame(self) -> None:
        self._frame_timer = None
        begin = time.monotonic()
        self._feed.advance()
        self._draw()
        self._frame_end = time.monotonic()
        self._frame_cost = self._frame_end - begin

    def _draw(self) -> None:
        """Bring the rows up to date and have those drawn that changed."""
        before = self._shown
        self._shown = self._lines()
        width = self.size.width
        start: int | None = None
        for y in range(max(len(before), len(self._shown)) + 1):
            is_same = y < len(before) and y < len(self._shown) and before[y] is self._shown[y]
            is_end = y >= max(len(before), len(self._shown))
            if start is None and not is_same and not is_end:
                start = y
            elif start is not None and (is_same or is_end):
                self.refresh(Region(0, start, width, y - start))
                start = None

    def _lines(self) -> list[Strip]:
        """What is seen: the rows of the history and, away from the end, a last line that says so."""
        history, size = self.history, self.size
        history.resize(size.width, size.height if history.is_following else size.height - 1)
        rows = history.view()
        if history.is_following and history.height < size.height:
            history.resize(size.width, size.height)
            rows = history.view()
        self._tell_news()
        lines = [self._line(row) for row in rows]
        if not history.is_following:
            lines.append(self._news_line(size))
        return lines

    def _line(self, row: Row) -> Strip:
        if row.cell is self._cursor and self.has_focus:
            return _with_cursor(row.strip, self.history.look)
        return row.strip

    def _tell_news(self) -> None:
        news = self.history.news()
        if (self.history.is_following, news) != (self.is_following, self._news):
            self._news = news
            self.is_following = self.history.is_following
            self.new_lines = news.rows
            self.post_message(self.FollowChanged(self.is_following, news.rows))

    def _news_line(self, size: Size) -> Strip:
        look, news = self.history.look, self._news
        if news.rows:
            about = "" if news.is_exact else "~"
            words = f"{about}{news.rows:,} new {'line' if news.rows == 1 else 'lines'}"
        else:
            words = "more below"
        text = f"{look.marks.down} {words} {look.marks.dot} end "
        blank = max(size.width - len(text) - 1, 0)
        return look.strip([(" " * blank, look.base), (f" {text}"[: size.width], look.style("news"))], size.width)

    def _tick(self) -> None:
        if not self._feed.tick() and self._tick_timer is not None:
            self._tick_timer.pause()
        self._draw()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows of the crop, as they are; lines that were drawn before are the same objects."""
        width = self.size.width
        shown = self._shown[crop.y : crop.y + crop.height]
        blank = self.history.look.blank(width)
        strips = [*shown, *([blank] * (crop.height - len(shown)))]
        for line_filter in self.get_line_filters():
            strips = [strip.apply_filter(line_filter, self.background_colors[1]) for strip in strips]
        if (crop.x, crop.width) != (0, width):
            strips = [strip.crop(crop.x, crop.x + crop.width) for strip in strips]
        return strips

    def render_line(self, y: int) -> Strip:
        """One row, with the offsets that the mouse needs to select text."""
        return self._shown[y] if y < len(self._shown) else self.history.look.blank(self.size.width)

    # ---- looks

    def on_mount(self) -> None:
        self._tick_timer = self.set_interval(TICK_SECONDS, self._tick, name="tick", pause=True)
        self._look_again()

    def on_resize(self) -> None:
        self._draw()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_mounted:
            self._look_again()

    def _look_again(self) -> None:
        """Take over the theme, the marks and what else changes how things look."""
        app = cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType]
        self.history.look = Look(
            lambda name: self.get_component_rich_style(f"transcript--{name}"),
            marks=marks(),
            has_colour=not app.no_color,
            has_motion=app.animation_level != "none",
            folder=self.folder,
        )
        self._draw()
        self.refresh()

    # ---- scrolling

    def scroll_lines(self, lines: int) -> None:
        """Move down, or up if negative."""
        self.history.scroll(lines)
        self._draw()

    def action_page(self, direction: Literal[-1, 1]) -> None:
        """A window up or down, with two rows of the old one in sight."""
        self.scroll_lines(direction * max(self.size.height - 3, 1))

    def action_to_start(self) -> None:
        """Show the beginning."""
        self.history.to_start()
        self._draw()

    def action_follow(self) -> None:
        """Show the end and keep it in sight."""
        self.history.follow()
        self._draw()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_lines(WHEEL_LINES)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_lines(-WHEEL_LINES)

    # ---- opening and closing

    def expand_all(self) -> None:
        """Open every cell, or close them again (Ctrl+O). What is at the top of the window stays in sight."""
        self._is_expanding_all = not self._is_expanding_all
        top = next((row.cell for row in self.history.rows), None)
        y = None if top is None else self.history.row_of(top)
        is_following = self.history.is_following
        for cell in self.history.cells:
            cell.expand(self._is_expanding_all)
        if top is not None and not is_following:
            self.history.show(top, row=y or 0)
        self._draw()

    def toggle(self, cell: Cell) -> None:
        """Open or close one cell; its first row stays where it is on the screen."""
        y = self.history.row_of(cell)
        if cell.expand(not cell.is_expanded):
            self.history.show(cell, row=y or 0)
            self._draw()

    def action_toggle_cell(self) -> None:
        if self._cursor is not None:
            self.toggle(self._cursor)

    def on_click(self, event: events.Click) -> None:
        if event.y >= len(self.history.rows):
            if not self.history.is_following:
                self.action_follow()
            return
        row = self.history.rows[event.y]
        self._cursor = row.cell
        if row.cell.can_expand and self.screen.get_selected_text() is None:
            self.toggle(row.cell)
        else:
            self._draw()

    # ---- the cursor

    @property
    def cursor(self) -> Cell | None:
        """The cell that the keys act on."""
        return self._cursor

    def action_cursor(self, direction: Literal[-1, 1]) -> None:
        """Choose the next or previous cell and bring it in sight."""
        cells: Sequence[Cell] = self.history.cells
        if not cells:
            return
        if self._cursor is None or self._cursor not in cells:
            index = len(cells) - 1
        else:
            index = min(max(self.history.index(self._cursor) + direction, 0), len(cells) - 1)
        self._show_cursor(cells[index])

    def jump(self, direction: Literal[-1, 1], *, to: type[Cell] = UserCell) -> None:
        """Bring the previous or next message of a kind (the person's) to the top of the window."""
        cells = self.history.cells
        top = self.history.rows[0].cell if self.history.rows else None
        here = self._cursor if self._cursor is not None and self._cursor in cells else top
        index = self.history.index(here) if here is not None else 0
        while 0 <= (index := index + direction) < len(cells):
            if isinstance(cells[index], to):
                self._cursor = cells[index]
                self.history.show(cells[index])
                self._draw()
                return

    def action_abort_call(self) -> None:
        if isinstance(self._cursor, ToolCell) and self._cursor.can_abort:
            self.post_message(self.CallAbortRequested(self._cursor.call_id))

    def on_focus(self) -> None:
        if self._cursor is None and self.history.cells:
            self._cursor = self.history.cells[-1]
        self._draw()

    def on_blur(self) -> None:
        self._draw()

    def _show_cursor(self, cell: Cell) -> None:
        self._cursor = cell
        if self.history.row_of(cell) is None:
            is_above = not self.history.rows or self.history.index(cell) <= self.history.index(
                self.history.rows[0].cell
            )
            self.history.show(cell, row=0 if is_above else max(self.size.height - 6, 0))
        self._draw()


def _with_cursor(strip: Strip, look: Look) -> Strip:
    bar = Segment(look.marks.rule, look.style("cursor"))
    return Strip([bar, *strip.crop(1)], strip.cell_length)


def _preview_height(preview: Details | None) -> int:
    patch: object = getattr(preview, "patch", "")
    return patch.count("\n") if isinstance(patch, str) else 0
