"""A window on a history: drawn line by line, scrolled, selected, opened and closed with keys and mouse.

It never lays anything out: its size is that of the window, the rows come from the history, and only those that changed
are drawn again. So a frame costs the same after ten turns and after ten thousand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Literal, cast

from anyio import to_thread
from rich.style import Style
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.filter import ANSIToTruecolor
from textual.geometry import Region
from textual.message import Message as TextualMessage
from textual.reactive import reactive
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from ..text.ascii_filter import AsciiFilter
from ..text.look import DiffView, Look, Pictures, plain_look
from ..text.marks import marks
from ..text.readable_filter import ReadableFilter
from ..text.theme_styles import style_resolver
from .cell import Cell
from .cell_rows import Row
from .history import History, News
from .part import Part
from .search import Search
from .selection import offset_of, selected_span, selected_text, with_offsets, with_spans
from .window_marks import is_chosen, news_row, with_cursor

if TYPE_CHECKING:
    from ..pictures.graphics import Graphics

WHEEL_LINES = 3


DRAWN_SO = (ANSIToTruecolor, ReadableFilter, AsciiFilter)
"""Filters whose work a look has done: its styles can be read, and its marks are those of the terminal."""


class HistoryView(Widget, can_focus=True):
    """Shows a `History`; whoever changes it calls `refresh_rows`."""

    FOCUS_ON_CLICK: ClassVar[bool] = False  # a click must not take what is typed next from the editor

    DEFAULT_CSS = """
    HistoryView {
        height: 1fr;
        width: 1fr;
        background: $background;
        color: $foreground;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "page(-1)", "a page up", show=False, id="transcript.page_up"),
        Binding("pagedown", "page(1)", "a page down", show=False, id="transcript.page_down"),
        Binding("home", "to_start", "the beginning", show=False, id="transcript.start"),
        Binding("end", "follow", "the end", show=False, id="transcript.end"),
    ]

    is_following: reactive[bool] = reactive(True, init=False, repaint=False)
    """Whether the end is shown and kept in sight."""

    new_lines: reactive[int] = reactive(0, init=False, repaint=False)
    """Rows that came in below since the reader left the end."""

    class FollowChanged(TextualMessage, namespace="transcript"):
        """The reader left the end or is back, or more came in below."""

        def __init__(self, is_following: bool, new_lines: int) -> None:
            super().__init__()
            self.is_following = is_following
            self.new_lines = new_lines

    def __init__(self, *, folder: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._folder = folder
        self.history = History(plain_look())
        self._diff_view: DiffView = "auto"
        self._pictures: Pictures = "auto"
        self._graphics: Graphics | None = None
        self._cursor: Cell | None = None
        self._hunk: Part | None = None  # the chosen one, if it is of the chosen cell
        self._search: Search | None = None
        self._shown: list[Strip] = []
        self._news: News = News(0, True)

    @property
    def folder(self) -> str:
        """The folder that paths are shown from, absolute; empty shows them as they are."""
        return self._folder

    @folder.setter
    def folder(self, folder: str) -> None:
        self._folder = folder
        if self.is_mounted:
            self._look_again()

    @property
    def diff_view(self) -> DiffView:
        """How diffs are laid out."""
        return self._diff_view

    @diff_view.setter
    def diff_view(self, diff_view: DiffView) -> None:
        self._diff_view = diff_view
        if self.is_mounted:
            self._look_again()

    def show_pictures(self, pictures: Pictures, graphics: Graphics | None = None) -> None:
        """How pictures are shown from now on; `graphics` if the terminal can show sharp ones."""
        self._pictures, self._graphics = pictures, graphics
        if self.is_mounted:
            self._look_again()

    def clear(self) -> None:
        """Forget everything that is shown."""
        self.history.clear()
        self._cursor = None
        self._search = None
        self.refresh_rows()

    def leave_out_thinking(self, leaves_out: bool) -> None:
        """Show the model's thinking only while it thinks, or for good."""
        self.history.leave_out(leaves_out)
        self.refresh_rows()

    # ---- drawing

    def refresh_rows(self) -> None:
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
        selection = self.text_selection if self.is_attached else None
        chosen = self._chosen_parts()
        has_bar = self._cursor is not None and (self.has_focus or self._hunk is not None)
        is_plain = selection is None and self._search is None and not has_bar
        lines = [
            row.strip if is_plain else self._overlaid(row, selection, has_bar and is_chosen(row, self._cursor, chosen))
            for row in rows
        ]
        if not history.is_following:
            lines.append(news_row(self._news, size.width, history.look))
        return lines

    def _overlaid(self, row: Row, selection: Selection | None, has_cursor: bool) -> Strip:
        """A row with what is selected, found or chosen in it."""
        strip, look = row.strip, self.history.look
        if selection is not None:
            span = selected_span(row, offset_of(self.history.place_of(row)), selection)
            strip = with_spans(strip, [span], "selection", look) if span else strip
        if self._search is not None and (spans := self._search.spans(row)):
            strip = with_spans(strip, spans, "match", look)
            strip = with_spans(strip, self._search.current(row), "match-current", look)
        if has_cursor:
            strip = with_cursor(strip, look)
        return strip

    def _chosen_parts(self) -> tuple[Part, ...]:
        """The first part of the chosen cell and its chosen hunk; nothing if no hunk of it is chosen."""
        cell, hunk = self._cursor, self._hunk
        if cell is None or hunk is None or hunk not in cell.parts:
            return ()
        return (cell.parts[cell.has_gap], hunk)

    def _tell_news(self) -> None:
        news = self.history.news()
        if (self.history.is_following, news) != (self.is_following, self._news):
            self._news = news
            self.is_following = self.history.is_following
            self.new_lines = news.rows
            self.post_message(self.FollowChanged(self.is_following, news.rows))

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows of the crop, as they are; lines that were drawn before are the same objects."""
        width = self.size.width
        shown = self._shown[crop.y : crop.y + crop.height]
        blank = self.history.look.blank(width)
        strips = [*shown, *([blank] * (crop.height - len(shown)))]
        filters = [each for each in self.get_line_filters() if not isinstance(each, DRAWN_SO)]
        if filters:
            ground = self.background_colors[1]
            for line_filter in filters:
                strips = [strip.apply_filter(line_filter, ground) for strip in strips]
        if (crop.x, crop.width) != (0, width):
            strips = [strip.crop(crop.x, crop.x + crop.width) for strip in strips]
        return strips

    def render_line(self, y: int) -> Strip:
        """One row, with the offsets that the mouse needs to select text."""
        rows = self.history.rows
        return with_offsets(self.history, rows[y]) if y < len(rows) else self.history.look.blank(self.size.width)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selected_text(self.history, selection), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh_rows()

    # ---- looks

    def on_mount(self) -> None:
        self._look_again()

    def on_resize(self) -> None:
        self.refresh_rows()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_mounted:
            self._look_again()

    def _look_again(self) -> None:
        """Take over the theme, the marks and what else changes how things look."""
        app = cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType]
        look = Look(
            style_resolver(self),
            marks=marks(),
            has_colour=not app.no_color,
            has_motion=app.animation_level != "none",
            folder=self._folder,
            diff_view=self._diff_view,
            pictures=self._pictures,
            graphics=self._graphics,
            terminal_style=self._terminal_style,
            load=self._load,
        )
        if not self.history.look.is_like(look):
            self.history.look = look
            self.refresh_rows()
            self.refresh()

    def _load(self, work: Callable[[], None], done: Callable[[], None]) -> None:
        """Have something done that takes long, such as decoding a picture, and draw again."""
        self.run_worker(self._loaded(work, done), group="pictures", exit_on_error=False)

    async def _loaded(self, work: Callable[[], None], done: Callable[[], None]) -> None:
        await to_thread.run_sync(work)
        done()
        self.refresh_rows()

    def _terminal_style(self, style: Style) -> Style:
        """The terminal's own colours as the theme has them, found once for a style and not for each of its rows."""
        for line_filter in self.get_line_filters():
            if isinstance(line_filter, ANSIToTruecolor):
                style = line_filter.truecolor_style(style, self.background_colors[1].rich_color)
        return style

    # ---- scrolling

    def scroll_lines(self, lines: int) -> None:
        """Move down, or up if negative."""
        self.history.scroll(lines)
        self.refresh_rows()

    def action_page(self, direction: Literal[-1, 1]) -> None:
        """A window up or down, with two rows of the old one in sight."""
        self.scroll_lines(direction * max(self.size.height - 3, 1))

    def action_to_start(self) -> None:
        """Show the beginning."""
        self.history.to_start()
        self.refresh_rows()

    def action_follow(self) -> None:
        """Show the end and keep it in sight."""
        self.history.follow()
        self.refresh_rows()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_lines(WHEEL_LINES)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_lines(-WHEEL_LINES)

    # ---- opening and closing

    def expand_all(self) -> None:
        """Open every cell, or close them again (Ctrl+O); later ones too. What is looked at stays where it is."""
        history = self.history
        kept = self._kept_cell()
        y = None if kept is None else history.row_of(kept)
        history.open_all(not history.opens_all)
        if kept is not None:
            history.show(kept, row=y or 0)
        self.refresh_rows()

    def _kept_cell(self) -> Cell | None:
        """The cell that stays in its row while others open: the chosen one in sight, else the first; None at the end."""
        history = self.history
        if self.has_focus and self._cursor is not None and history.row_of(self._cursor) is not None:
            return self._cursor
        return None if history.is_following else next((row.cell for row in history.rows), None)

    def toggle(self, cell: Cell) -> None:
        """Open or close one cell; its first row stays where it is on the screen."""
        y = self.history.row_of(cell)
        if not cell.is_expanded and not cell.can_expand:
            return
        if self.history.expand(cell, not cell.is_expanded):
            self.history.show(cell, row=y or 0)
            self.refresh_rows()

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
            self.refresh_rows()
