"""Everything that was changed, file by file, with totals: the body of the screen of ``/diff``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.message import Message as TextualMessage
from textual.strip import Strip

from ...agent.details import DiffDetails
from ..text.lines import Line, crop, crop_start, line_cells
from ..text.look import Look
from ..text.numbers import format_plural
from ..text.outside_text import outside_line
from ..transcript.arguments import relative_path
from ..transcript.body import Notes
from ..transcript.cell import Cell
from ..transcript.diff_body import DiffBody
from ..transcript.part import Gap, Part
from ..transcript.read_view import ReadView
from .view import stats_runs

OPEN_LINES = 200
"""Changed lines up to which all files are open at first; else they stand folded, as a list."""

_OF_MESSAGES = frozenset({"jump(-1, 'question')", "jump(1, 'question')", "jump(-1, 'answer')", "jump(1, 'answer')"})


class SessionDiff(ReadView, inherit_bindings=False):
    """The changes of a session in order, those of one file together. Files open and close."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(each for each in ReadView.BINDINGS if isinstance(each, Binding) and each.action not in _OF_MESSAGES),
        Binding("left_curly_bracket,p", "file(-1)", "the file before", show=False, id="diff.previous_file"),
        Binding("right_curly_bracket,f", "file(1)", "the next file", show=False, id="diff.next_file"),
        Binding("o,ctrl+o", "open_all", "open or fold all files", show=False, id="diff.open_all"),
        Binding("P", "copy_patch", "copy the patch of all files", show=False, id="diff.copy_patch"),
    ]

    class Seen(TextualMessage):
        """The file at the top of the window is another one: its `number`, from 1, of `total`; without a path there is none."""

        def __init__(self, path: str, number: int, total: int) -> None:
            super().__init__()
            self.path = path
            self.number = number
            self.total = total

    def __init__(
        self, changes: Iterable[DiffDetails] = (), note: str = "", *, folder: str = "", id: str | None = None
    ) -> None:
        super().__init__(folder=folder, id=id)
        self._is_list = False
        self._told = ("", 0, 0)
        self.history.counts_news = False
        self.show(changes, note)

    def show(self, changes: Iterable[DiffDetails], note: str = "") -> None:
        """Show these changes in place of what is shown. `note` says what they leave out."""
        self.clear()
        files: dict[str, list[DiffDetails]] = {}
        for change in changes:
            files.setdefault(change.path, []).append(change)
        every = [change for of_file in files.values() for change in of_file]
        self.history.add(TotalsCell(every, len(files), note))
        self._is_list = sum(change.added + change.removed for change in every) > OPEN_LINES
        self.history.opens_all = not self._is_list
        for path, of_file in files.items():
            self.history.add(FileCell(path, of_file, is_open=not self._is_list))
        self._cursor = self.history.cells[min(1, len(files))]
        self.history.to_start()
        if self.is_attached:
            self.refresh_rows()

    def refresh_rows(self) -> None:
        super().refresh_rows()
        seen = self._seen_file()
        if self.is_attached and seen != self._told:
            self._told = seen
            self.post_message(self.Seen(*seen))

    def _seen_file(self) -> tuple[str, int, int]:
        """The file at the top of the window (empty above the first), its number and how many there are."""
        rows, cells = self.history.rows, self.history.cells
        cell = rows[0].cell if rows else None
        if not isinstance(cell, FileCell):
            return "", 0, 0
        path = crop_start(
            outside_line(relative_path(cell.path, self.folder)),
            max(self.size.width - 24, 8),
            self.history.look.marks.ellipsis,
        )
        return path, self.history.index(cell), len(cells) - 1

    def patch(self) -> str:
        """The patch of all files, to be copied."""
        return "".join(cell.patch for cell in self.history.cells if isinstance(cell, FileCell))

    def action_file(self, direction: Literal[-1, 1]) -> None:
        """Bring the next or previous file to the top of the window."""
        self.jump(direction, to=FileCell)

    def action_hunk(self, direction: Literal[-1, 1]) -> None:
        """The next or previous hunk; where the files began as a list, they are opened on the way."""
        rows = self.history.rows
        index = self.history.index(rows[0].cell) if rows else 0
        near = slice(max(min(index, index + direction), 0), max(index, index + direction) + 1)
        for cell in self.history.cells[near] if self._is_list else ():
            self.history.expand(cell, True)
        super().action_hunk(direction)

    def action_open_all(self) -> None:
        """Open every file, or fold them to a list."""
        self.expand_all()

    def action_copy_patch(self) -> None:
        """Ask for the patch of all files to be copied."""
        self.post_message(self.CopyRequested(self.patch(), "the patch of all files"))


class StatsRow(Part):
    """A mark, some words, and ``+4 −3`` at their end, unless nothing was changed at all."""

    __slots__ = ("_added", "_is_path", "_removed", "_state", "_words")

    def __init__(self, words: str, changes: Sequence[DiffDetails], *, is_path: bool, state: str = "") -> None:
        super().__init__()
        self._words = outside_line(words)
        self._added = sum(change.added for change in changes)
        self._removed = sum(change.removed for change in changes)
        self._is_path = is_path
        self._state = state

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        stats: Line = []
        if self._added or self._removed:
            stats = [("  ", look.base), *stats_runs(self._added, self._removed, look)]
        if self._state:
            stats.append((f"  {self._state}", look.style("dim")))
        room = max(width - line_cells(stats) - 4, 1)
        words = relative_path(self._words, look.folder) if self._is_path else self._words
        text: Line = [(crop_start(words, room, look.marks.ellipsis), look.style("tool" if self._is_path else "dim"))]
        return [look.strip(crop([(" ", look.base), *text, *stats], width, look.marks.ellipsis), width)]

    def estimate(self, width: int) -> int:
        return 1


class TotalsCell(Cell):
    """``3 files changed  +12 −4``."""

    def __init__(self, changes: Sequence[DiffDetails], files: int, note: str = "") -> None:
        super().__init__()
        self._changes = changes
        self._words = f"{format_plural(files, 'file')} changed" if files else "nothing was changed in this session"
        self._note = note

    def build(self) -> list[Part]:
        notes: list[Part] = [Notes([self._note])] if self._note else []
        return [StatsRow(self._words, self._changes, is_path=False), *notes]

    def text(self) -> str:
        return self._words


class FileCell(Cell):
    """One file with all its changes."""

    is_row: ClassVar[bool] = True

    def __init__(self, path: str, changes: Sequence[DiffDetails], *, is_open: bool = True) -> None:
        super().__init__()
        self.path = path
        self._changes = changes
        self.is_expanded = is_open

    @property
    def patch(self) -> str:
        """Its patches as they are, one after the other."""
        patches = [change.patch for change in self._changes if change.patch]
        return "".join(patch if patch.endswith("\n") else f"{patch}\n" for patch in patches)

    @property
    def state(self) -> str:
        """What happened to the file as a whole, in a word."""
        if "\n+++ /dev/null\n" in self._changes[-1].patch:
            return "deleted"
        return "new" if self._changes[0].created else ""

    @property
    def can_expand(self) -> bool:
        return True

    def build(self) -> list[Part]:
        row = StatsRow(self.path, self._changes, is_path=True, state=self.state)
        if not self.is_expanded:
            return [row]
        parts: list[Part] = [row]
        for index, change in enumerate(self._changes):
            parts += [*([Gap()] if index else []), *DiffBody(change).parts(is_expanded=True)]
        return parts

    @property
    def piece_name(self) -> str:
        return "the patch of the file"

    def pieces(self) -> list[str]:
        return [self.patch] if self.patch else []

    def estimate(self, width: int) -> int:
        return 1 + sum(change.patch.count("\n") for change in self._changes) if self.is_expanded else 1

    def text(self) -> str:
        return "\n".join([outside_line(self.path), *(DiffBody(change).text() for change in self._changes)])
