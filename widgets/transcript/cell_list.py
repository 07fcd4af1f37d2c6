"""The cells of a transcript in order: put in and taken out, with a blank row where one belongs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .cell import Cell


class CellList:
    """Cells from the first to the last. What shows them is told where one came or went."""

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self.leaves_out = False
        """Whether it does without the optional cells, later ones too."""
        self.opens_all = False
        """Whether cells are open, those that come later too."""

    def add(self, cell: Cell, before: Cell | None = None) -> None:
        """Put a cell at the end, or before another one."""
        index = len(self.cells) if before is None else self.index(before)
        self.cells.insert(index, cell)
        cell.is_left_out = self.leaves_out and cell.is_optional
        cell.is_expanded = cell.is_expanded or self.opens_all
        self._came(index)
        self._space(index)

    def remove(self, cell: Cell) -> None:
        """Take a cell out."""
        index = self.index(cell)
        self._goes(index)
        del self.cells[index]
        self._went(index)
        self._space(index)

    def replace(self, cells: Sequence[Cell], replacement: Cell) -> None:
        """Put one cell in place of others."""
        self.add(replacement, before=cells[0])
        for cell in cells:
            self.remove(cell)

    def index(self, cell: Cell) -> int:
        """Where a cell stands, searched where one is looked for most. Raises ValueError if it is not here."""
        cells = self.cells
        for index in self._likely():
            if cells[index] is cell:
                return index
        for index in range(len(cells) - 1, -1, -1):
            if cells[index] is cell:
                return index
        raise ValueError("no such cell")

    def leave_out(self, leaves_out: bool) -> None:
        """Do without the optional cells, or show them again."""
        self.leaves_out = leaves_out
        for index, cell in enumerate(self.cells):
            if cell.is_optional:
                cell.is_left_out = leaves_out
                self._space(index)

    # ---- for what shows them

    def _likely(self) -> range:
        """Where a cell is looked for first, before the end."""
        return range(0)

    def _came(self, index: int) -> None:
        """A cell stands here that did not before."""

    def _goes(self, index: int) -> None:
        """The cell here is about to go."""

    def _went(self, index: int) -> None:
        """The cell that stood here is gone."""

    # ---- blank rows

    def _space(self, index: int) -> None:
        """A blank row before the first two cells from `index` on that are seen, unless two rows follow each other."""
        before = next((cell for cell in self._back_from(index) if not cell.is_hidden), None)
        seen = 0
        for here in range(index, len(self.cells)):
            cell = self.cells[here]
            if not cell.is_hidden:
                cell.set_gap(before is not None and not (cell.is_row and before.is_row))
                before, seen = cell, seen + 1
            if seen == 2:
                return

    def _back_from(self, index: int) -> Iterator[Cell]:
        return (self.cells[here] for here in range(index - 1, -1, -1))
