"""A history that is read with the keys: a chosen cell, jumps, search, rows selected to be copied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from textual.binding import BindingType
from textual.message import Message as TextualMessage

from ..terminal.key_dispatch import key_hint
from ..text.outside_text import outside_text
from .cell import Cell
from .diff_body import CollapsedDiff, DiffPart, is_side_by_side
from .history_view import HistoryView
from .message_cells import ReplyCell, UserCell
from .part import Part
from .reading_keys import READING_KEYS
from .row_selection import RowSelection
from .search import Search

KINDS: dict[str, type[Cell]] = {"question": UserCell, "answer": ReplyCell}
"""What one can jump to."""


class ReadView(HistoryView, inherit_bindings=False):
    """Its keys work while it has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [*HistoryView.BINDINGS, *READING_KEYS]

    class FindRequested(TextualMessage):
        """The person wants to look for a text."""

    class CopyRequested(TextualMessage):
        """The person wants this text in the clipboard; empty if there is nothing to copy. `what` names it."""

        def __init__(self, text: str, what: str) -> None:
            super().__init__()
            self.text = text
            self.what = what

    class Reading(TextualMessage):
        """The view has the focus, or has it no more."""

        def __init__(self, is_reading: bool) -> None:
            super().__init__()
            self.is_reading = is_reading

    class ModeChanged(TextualMessage):
        """The view finds or selects, and these hints hold; without hints it does neither."""

        def __init__(self, hints: tuple[str, ...]) -> None:
            super().__init__()
            self.hints = hints

    def __init__(self, *, folder: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(folder=folder, id=id, classes=classes)
        self._selecting: RowSelection | None = None
        self._offered: Cell | None = None  # chosen for the person when the keys came here, and not by them
        self._pieces: tuple[Cell, int] | None = None  # whose piece was copied last, and which

    def on_focus(self) -> None:
        if (self._cursor is None or not self.history.is_seen(self._cursor)) and self.history.rows:
            self._cursor = self._offered = self.history.rows[-1].cell
        self.post_message(self.Reading(True))

    def on_blur(self) -> None:
        self._end_selecting()
        if self._cursor is self._offered:
            self._cursor = None
        self._offered = None
        self.post_message(self.Reading(False))

    def watch_has_focus(self, has_focus: bool) -> None:
        """The chosen cell is marked while the view has the focus, which it is told of after `on_focus`."""
        super().watch_has_focus(has_focus)
        self.refresh_rows()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape is whose it was before, once nothing is left to end."""
        return action != "end_mode" or self._selecting is not None or self._search is not None

    def action_end_mode(self) -> None:
        """End selecting, else finding."""
        if self._selecting is not None:
            self._end_selecting()
        else:
            self.end_search()

    # ---- the chosen cell

    @property
    def cursor(self) -> Cell | None:
        """The cell that the keys act on."""
        return self._cursor

    def action_cursor(self, direction: Literal[-1, 1]) -> None:
        """Choose the next or previous cell and bring it in sight; while rows are selected, a row more or less."""
        cells = self.history.cells
        if self._selecting is not None:
            self._select(direction)
        elif cells:
            self._show_cursor(cells[self._next_to_cursor(direction)])

    def _next_to_cursor(self, direction: Literal[-1, 1]) -> int:
        cells = self.history.cells
        if self._cursor is None or self._cursor not in cells:
            return len(cells) - 1
        here = self.history.index(self._cursor)
        ahead = range(here + 1, len(cells)) if direction > 0 else range(here - 1, -1, -1)
        return next((index for index in ahead if not cells[index].is_hidden), here)

    def _show_cursor(self, cell: Cell) -> None:
        self._cursor = cell
        if self.history.row_of(cell) is None:
            is_above = not self.history.rows or self.history.index(cell) <= self.history.index(
                self.history.rows[0].cell
            )
            self.history.show(cell, row=0 if is_above else max(self.size.height - 6, 0))
        self.refresh_rows()

    def action_toggle_cell(self) -> None:
        """Open or fold the chosen cell."""
        self._offered = None
        if self._cursor is not None:
            self.toggle(self._cursor)

    # ---- jumps

    def action_jump(self, direction: Literal[-1, 1], kind: str) -> None:
        """Bring the previous or next message of a kind to the top of the window."""
        self.jump(direction, to=KINDS[kind])

    def jump(self, direction: Literal[-1, 1], *, to: type[Cell] = UserCell) -> None:
        """Bring the previous or next message of a kind (the person's) to the top of the window; after the last, the end."""
        cells = self.history.cells
        index = self._here(direction)
        while 0 <= (index := index + direction) < len(cells):
            if isinstance(cells[index], to):
                self._cursor = cells[index]
                self.history.show(cells[index])
                self.refresh_rows()
                return
        if direction > 0:
            self.action_follow()

    def _here(self, direction: Literal[-1, 1]) -> int:
        """From where one jumps: the chosen cell if it is in sight, else the top; from the end when it is followed."""
        history = self.history
        if self._cursor is not None and history.is_seen(self._cursor):
            return history.index(self._cursor)
        if history.is_following and direction < 0:
            return len(history.cells)
        return history.index(history.rows[0].cell) if history.rows else 0

    def action_hunk(self, direction: Literal[-1, 1]) -> None:
        """Choose the next or previous hunk of a diff and bring it to the top of the window, as far as there is text.

        A diff that is folded is opened for it.
        """
        cell, part = self._hunk_start()
        if cell is not None and isinstance(part, CollapsedDiff) and direction > 0:
            self._choose_hunk(cell, 1)
            return
        for owner, each in self.history.parts_from(direction, cell, part):
            if isinstance(each, DiffPart) and each.starts_hunk:
                self._choose_hunk(owner, each)
                return

    def _hunk_start(self) -> tuple[Cell | None, Part | None]:
        """From where the next hunk is looked for: the chosen one, the chosen cell, or else the top of the window."""
        cell = self._cursor
        if cell is None or not self.history.is_seen(cell):
            return None, None
        if self._hunk is not None and self.history.is_part_seen(self._hunk) and self._hunk in cell.parts:
            return cell, self._hunk
        return cell, next(iter(cell.parts), None)

    def _choose_hunk(self, cell: Cell, hunk: DiffPart | int) -> None:
        """Show a hunk; one that is a number is that of a folded cell, which is opened."""
        if isinstance(hunk, int):
            self.history.expand(cell, True)
            hunks = [part for part in cell.parts if isinstance(part, DiffPart) and part.starts_hunk]
            hunk = hunks[min(hunk, len(hunks) - 1)]
        self._cursor, self._hunk = cell, hunk
        self.history.show(cell, hunk)
        self.refresh_rows()

    def action_toggle_diff_view(self) -> None:
        """Lay diffs out the other way; the row at the top of the window stays."""
        side_by_side = is_side_by_side(self.size.width, self.history.look)
        self.diff_view = "unified" if side_by_side else "side-by-side"

    # ---- search

    def action_open_find(self) -> None:
        """Ask for a field to type the text in."""
        self.post_message(self.FindRequested())

    def begin_search(self, query: str) -> Iterator[int]:
        """Look for a text from now on. The iterator counts, cell by cell; when it is through, `find` may be called."""
        before = self._search
        if before is not None:
            before.close()
        self._search = Search(self.history, outside_text(query), None if before is None else before.origin)
        self.refresh_rows()
        return self._search.counting()

    def search(self, query: str) -> int:
        """Look for a text and show its next hit; returns how many there are. An empty text ends the search."""
        for _ in self.begin_search(query):
            pass
        count, _ = self.found
        self.find(1)
        if not query:
            self.end_search()
        return count

    def end_search(self) -> None:
        """Look for nothing any more; what was shown last stays in sight."""
        self._search = None
        self.refresh_rows()
        self.tell_mode()

    def tell_mode(self) -> None:
        """Say which keys hold now."""
        hints: tuple[str, ...] = ()
        if self._selecting is not None:
            hints = (
                "selecting rows",
                "up and down",
                key_hint(self, "transcript.copy", "copies"),
                key_hint(self, "transcript.end_mode", "ends"),
            )
        elif self._search is not None:
            total, position = self.found
            hints = (
                f"{position:,} of {total:,}" if total else "nothing found",
                key_hint(self, "transcript.next_hit", "next"),
                key_hint(self, "transcript.previous_hit", "before"),
                key_hint(self, "transcript.end_mode", "ends"),
            )
        self.post_message(self.ModeChanged(tuple(filter(None, hints))))

    @property
    def found(self) -> tuple[int, int]:
        """How many hits there are, and the number of the one that is shown (0: none is)."""
        return (0, 0) if self._search is None else (self._search.total, self._search.position)

    @property
    def sought(self) -> str:
        """What is looked for; empty if nothing is."""
        return "" if self._search is None else self._search.query

    def action_find(self, direction: Literal[-1, 1]) -> None:
        """Show the next or previous hit; another text is looked for from there on."""
        self.find(direction)
        if self._search is not None:
            self._search.origin = self._search.cell
        self.tell_mode()

    def find(self, direction: Literal[-1, 1]) -> bool:
        """Show the next or previous hit; whether there is one."""
        search = self._search
        found = search is not None and search.move(direction)
        if search is not None and found:
            self._cursor = search.cell
        self.refresh_rows()
        return found

    # ---- selecting and copying

    def action_select_rows(self) -> None:
        """Begin to select rows at the first row of the chosen cell that is in sight."""
        begin = next((row for row in self.history.rows if row.cell is self._cursor and row.part.indent), None)
        begin = begin or next(iter(self.history.rows), None)
        if begin is not None:
            self._selecting = RowSelection(self.history, self.history.place_of(begin))
            self._select(0)
            self.tell_mode()

    def _select(self, rows: int) -> None:
        if self._selecting is not None:
            self._selecting.move(rows)
            self.screen.selections = {self: self._selecting.selection}
            self.refresh_rows()

    def _end_selecting(self) -> None:
        if self._selecting is not None:
            self._selecting = None
            self.screen.selections = {}
            self.tell_mode()

    def scroll_lines(self, lines: int) -> None:
        if self._selecting is None:
            super().scroll_lines(lines)
        else:
            self._select(lines)

    def action_copy(self) -> None:
        """Ask for what is selected to be copied, else the chosen cell, else the last answer."""
        selected = self.screen.get_selected_text()
        if selected:
            self._end_selecting()
            self.post_message(self.CopyRequested(selected, "the selection"))
        elif self._cursor is not None and self.has_focus:
            self.post_message(self.CopyRequested(self._cursor.copied(), _name(self._cursor)))
        else:
            self.post_message(self.CopyRequested(self.last_answer(), "the last answer"))

    def action_copy_part(self) -> None:
        """Ask for the last code block or the output of the chosen cell to be copied, pressed again the one before it."""
        cells = [self._cursor] if self._cursor is not None else reversed(self.history.cells)
        cell = next((cell for cell in cells if cell.pieces()), None)
        if cell is None:
            self.post_message(self.CopyRequested("", "a code block"))
            return
        pieces = cell.pieces()
        known = self._pieces
        index = (known[1] - 1) % len(pieces) if known is not None and known[0] is cell else len(pieces) - 1
        self._pieces = (cell, index)
        count = f" {index + 1} of {len(pieces)}" if len(pieces) > 1 else ""
        self.post_message(self.CopyRequested(pieces[index], f"{cell.piece_name}{count}"))

    def last_answer(self) -> str:
        """The last text of the model, as it wrote it; empty if there is none."""
        return next((cell.text() for cell in reversed(self.history.cells) if isinstance(cell, ReplyCell)), "")


def _name(cell: Cell) -> str:
    """What a copy of a whole cell is, in words."""
    if isinstance(cell, UserCell):
        return "your message"
    return "the answer" if isinstance(cell, ReplyCell) else "the chosen row and what hangs below it"
