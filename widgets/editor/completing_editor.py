"""A text field that completes: a menu above the text, fed by injected sources."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress

from rich.cells import cell_len
from rich.segment import Segment
from textual import events, work
from textual.strip import Strip

from ..text.marks import marks
from .completion import (
    MENU_ROWS,
    CompleteAsFound,
    CompleteLater,
    CompleteNow,
    Completion,
    CompletionMenu,
    CompletionQuery,
    find_path_query,
    find_query,
    replacement,
)
from .rows import EditorStyles, draw_choice, label_width
from .text_editor import TextEditor

TAB_SECONDS = 0.25
"""Seconds that keys wait for what a Tab before them completes."""


TYPING_SECONDS = 0.02
"""Seconds that a slow source is left in peace after a key: more keys may follow."""


class CompletingEditor(TextEditor):
    """A `TextEditor` with completion of commands, files and paths. The sources touch the disk, the widget does not.

    `escape` is its own only while there is a menu to close.
    """

    complete_command: CompleteNow | None = None
    complete_file: CompleteAsFound | None = None
    complete_path: CompleteLater | None = None
    takes_path: Callable[[str], bool] | None = None
    """Takes a line that begins a command; whether a path may stand in it."""

    def __init__(self, *, placeholder: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(placeholder=placeholder, id=id, classes=classes)
        self._menu = CompletionMenu()
        self._dismissed = False
        self._completed: asyncio.Event | None = None

    # Keys

    async def on_event(self, event: events.Event) -> None:
        """Keys behind a Tab wait a moment for what it completes, so that they come behind that."""
        await super().on_event(event)
        if self._completed is not None:
            done, self._completed = self._completed, None
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(done.wait(), TAB_SECONDS)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "close_menu":
            return self._menu.is_open
        return super().check_action(action, parameters)

    def action_up(self) -> None:
        """A row up, or the choice above."""
        if self._menu.is_open:
            self._choose(-1)
        else:
            super().action_up()

    def action_down(self) -> None:
        """A row down, or the choice below."""
        if self._menu.is_open:
            self._choose(1)
        else:
            super().action_down()

    def action_close_menu(self) -> None:
        """Close the menu; it stays closed until another word is completed."""
        self._close_menu()
        self._dismissed = True
        self._after_move()

    def action_complete(self) -> None:
        """Take what is highlighted; without a menu complete the path before the caret."""
        if self._menu.is_open:
            if self._menu.current is None:
                self._menu.move(1)
            self._take_choice(sends=False)
        elif self._dismissed and self._query_now() is not None:
            self._dismissed = False
            self._ask()
        elif self._completes_path:
            self._completed = asyncio.Event()
            self._search_path(self._path_query, self._completed)

    @property
    def _path_query(self) -> CompletionQuery:
        return find_path_query(self._document.before, is_first_line=self._document.row == 0)

    @property
    def _completes_path(self) -> bool:
        """Whether a path may stand at the caret."""
        query = find_query(self._document.before, is_first_line=self._document.row == 0)
        if self.complete_path is None or (query is not None and query.kind != "argument"):
            return False
        return query is None or self.takes_path is None or self.takes_path(query.text)

    def action_page(self, direction: int) -> None:
        """A page of the text or of the menu."""
        if self._menu.is_open:
            self._choose(direction * MENU_ROWS)
        else:
            super().action_page(direction)

    def _choose(self, rows: int) -> None:
        self._menu.move(rows)
        self._after_move()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        offset = event.get_content_offset(self)
        index = -1 if offset is None else offset.y - (self._rows_above - len(self._menu.visible))
        if 0 <= index < len(self._menu.visible):
            self._menu.selected = self._menu.first + index
            self._take_choice(sends=False)
            event.prevent_default()  # Textual would hand it to the base class too

    # Asking

    def _after_edit(self) -> None:
        self._ask()
        super()._after_edit()

    def _after_move(self) -> None:
        if self._menu.is_open and self._query_now() != self._menu.query:
            self._close_menu()
        super()._after_move()

    def _query_now(self) -> CompletionQuery | None:
        """What the text before the caret asks for."""
        if self._menu.query is not None and self._menu.query.kind == "path":
            return self._path_query
        return find_query(self._document.before, is_first_line=self._document.row == 0)

    def _ask(self) -> None:
        """Find candidates for what stands before the caret."""
        query = find_query(self._document.before, is_first_line=self._document.row == 0)
        if self._goes_on_with_path():
            self._menu.query = self._path_query
            self._search_path(self._path_query)
        elif query is None:
            self._dismissed = False
            self._close_menu()
        elif self._dismissed:
            return
        elif query.kind in ("command", "argument"):
            self._show_menu(query, self.complete_command(query.text) if self.complete_command else ())
        elif self.complete_file is not None:
            if self._menu.is_open:
                self._menu.query = query
            self._search(self.complete_file, query)

    def _goes_on_with_path(self) -> bool:
        """Whether the menu of a path is open and the word goes on."""
        was = self._menu.query
        return self._menu.is_open and was is not None and was.kind == "path" and bool(self._path_query.length)

    @work(group="completion", exclusive=True, exit_on_error=False)
    async def _search(self, source: CompleteAsFound, query: CompletionQuery) -> None:
        """Ask a slow source, after the key is on the screen; a newer question cancels this one."""
        await asyncio.sleep(TYPING_SECONDS)
        async with aclosing(source(query.text)) as answers:
            async for items in answers:
                self._show_menu(query, items)
                self._after_move()

    @work(group="completion", exclusive=True, exit_on_error=False)
    async def _search_path(self, query: CompletionQuery, completed: asyncio.Event | None = None) -> None:
        """Ask for paths. Where it is for a Tab (`completed`), a single one is written at once; a late one is dropped."""
        assert self.complete_path is not None
        try:
            items = await self.complete_path(query.text)
            if self._path_query != query:
                return
            self._show_menu(query, items)
            if completed is not None and len(items) == 1:
                self._take_choice(sends=False)
            self._after_move()
        finally:
            if completed is not None:
                completed.set()

    def _show_menu(self, query: CompletionQuery, items: Sequence[Completion]) -> None:
        if items:
            self._menu.show(query, items)
        else:
            self._menu.close()

    def _close_menu(self) -> None:
        self.workers.cancel_group(self, "completion")  # pyright: ignore[reportUnknownMemberType]
        self._menu.close()

    def _take_choice(self, *, sends: bool) -> None:
        """Write the highlighted candidate; `sends` allows a whole command to go at once."""
        query, item = self._menu.query, self._menu.current
        if query is None or item is None:
            return
        self._close_menu()
        self._write_choice(query, item)
        is_whole = not item.stays_open and query.kind in ("command", "argument") and item.sends
        self._dismissed = is_whole or query.kind == "history"
        self._after_edit()
        if sends and item.sends:
            self._send_choice()

    def _write_choice(self, query: CompletionQuery, item: Completion) -> None:
        """Put a candidate in the place of what was asked for."""
        self._document.replace_before(query.length, replacement(query, item))

    def _send_choice(self) -> None:
        """Send what was just written, if the field sends."""

    # Drawing

    @property
    def _rows_above(self) -> int:
        return self._menu.height

    def _draw_line(self, y: int, width: int, styles: EditorStyles) -> Strip:
        above = self._rows_above
        if y >= above:
            return super()._draw_line(y - above, width, styles)
        visible = self._menu.visible
        index = y - (above - len(visible))
        if index < 0:
            return Strip([])
        is_chosen = self._menu.first + index == self._menu.selected
        more = self._more(index)
        room = width - cell_len(more) - 1 if more else width
        choice = Strip(draw_choice(visible[index], room, label_width(visible, room), is_chosen, styles))
        if not more:
            return choice
        return Strip.join([choice.adjust_cell_length(room + 1, styles.text), Strip([Segment(more, styles.detail)])])

    def _more(self, index: int) -> str:
        """How many candidates are out of sight, beside the first and the last row of the menu."""
        menu = self._menu
        above, below = menu.first, len(menu.items) - menu.first - len(menu.visible)
        if index == len(menu.visible) - 1 and below:
            return f"{marks().down} {below} more"
        return f"{marks().up} {above} more" if index == 0 and above else ""
