"""Everything that was changed, file by file, with totals: the body of a screen for ``/diff``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.strip import Strip

from ..agent.details import DiffDetails
from .arguments import relative_path
from .cell import Cell
from .diff import stats_runs
from .diff_body import DiffBody
from .lines import Line, crop, crop_start, line_cells
from .look import Look
from .numbers import format_plural
from .outside_text import outside_line
from .part import Gap, Part
from .read_view import ReadView


class SessionDiff(ReadView):
    """The changes of a session in order, those of one file together. Files open and close; ``]`` and ``[`` go by hunk."""

    def __init__(self, changes: Iterable[DiffDetails], *, folder: str = "", id: str | None = None) -> None:
        super().__init__(folder=folder, id=id)
        files: dict[str, list[DiffDetails]] = {}
        for change in changes:
            files.setdefault(change.path, []).append(change)
        self.history.add(TotalsCell([change for of_file in files.values() for change in of_file], len(files)))
        for path, of_file in files.items():
            self.history.add(FileCell(path, of_file))
        self.history.to_start()


class StatsRow(Part):
    """A mark, some words, and ``+4 −3`` at their end."""

    __slots__ = ("_added", "_is_path", "_removed", "_words")

    def __init__(self, words: str, changes: Sequence[DiffDetails], *, is_path: bool) -> None:
        super().__init__()
        self._words = outside_line(words)
        self._added = sum(change.added for change in changes)
        self._removed = sum(change.removed for change in changes)
        self._is_path = is_path

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        stats: Line = [("  ", look.base), *stats_runs(self._added, self._removed, look)]
        room = max(width - line_cells(stats) - 4, 1)
        words = relative_path(self._words, look.folder) if self._is_path else self._words
        text: Line = [(crop_start(words, room, look.marks.ellipsis), look.style("tool" if self._is_path else "dim"))]
        return [look.strip(crop([(" ", look.base), *text, *stats], width, look.marks.ellipsis), width)]

    def estimate(self, width: int) -> int:
        return 1


class TotalsCell(Cell):
    """``3 files  +12 −4``."""

    def __init__(self, changes: Sequence[DiffDetails], files: int) -> None:
        super().__init__()
        self._changes = changes
        self._files = files

    def build(self) -> list[Part]:
        words = f"{format_plural(self._files, 'file')} changed" if self._files else "nothing was changed"
        return [StatsRow(words, self._changes, is_path=False)]

    def text(self) -> str:
        return format_plural(self._files, "file")


class FileCell(Cell):
    """One file with all its changes, open from the beginning."""

    is_row: ClassVar[bool] = True

    def __init__(self, path: str, changes: Sequence[DiffDetails]) -> None:
        super().__init__()
        self._path = path
        self._changes = changes
        self.is_expanded = True

    @property
    def can_expand(self) -> bool:
        return True

    def build(self) -> list[Part]:
        row = StatsRow(self._path, self._changes, is_path=True)
        if not self.is_expanded:
            return [row]
        parts: list[Part] = [row]
        for index, change in enumerate(self._changes):
            parts += [*([Gap()] if index else []), *DiffBody(change).parts(is_expanded=True)]
        return parts

    def estimate(self, width: int) -> int:
        return 1 + sum(change.patch.count("\n") for change in self._changes)

    def text(self) -> str:
        return "\n".join([outside_line(self._path), *(DiffBody(change).text() for change in self._changes)])
