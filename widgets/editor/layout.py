"""Where the editor's text stands: rows of folded lines, the caret's cell, moves up and down."""

from __future__ import annotations

from .document import EditorDocument
from .soft_wrap import Row, SoftWrap, row_index


class EditorLayout:
    """The rows of a document under one `SoftWrap`. Rows count from 0 over the whole text, folds included."""

    def __init__(self, document: EditorDocument, wrap: SoftWrap) -> None:
        self._document = document
        self._wrap = wrap

    @property
    def row_count(self) -> int:
        """All rows of the text, at least one."""
        return sum(len(self._wrap.rows(line)) for line in self._document.lines)

    @property
    def caret(self) -> tuple[int, int]:
        """The caret's row and cell."""
        document = self._document
        rows = self._wrap.rows(document.line)
        index = row_index(rows, document.column)
        above = sum(len(self._wrap.rows(line)) for line in document.lines[: document.row])
        return above + index, rows[index].cell_of(document.column)

    def rows(self, first: int, count: int) -> list[Row]:
        """`count` rows from row `first` on, fewer at the end."""
        found: list[Row] = []
        skip = first
        for line in self._document.lines:
            rows = self._wrap.rows(line)
            if skip < len(rows):
                found += rows[skip : skip + count - len(found)]
                if len(found) >= count:
                    break
            skip = max(0, skip - len(rows))
        return found

    def place_of_character(self, row: int, index: int) -> tuple[int, int]:
        """The line and column of the character with this index in a row as it is drawn."""
        row = min(row, self.row_count - 1)
        line, found = self._find(row)
        for piece in found.pieces:
            if index < len(piece.text):
                return line, piece.start
            index -= len(piece.text)
        return line, found.end

    def character_at(self, line: int, column: int) -> tuple[int, int]:
        """The row of a place, and the index of its character in that row as it is drawn."""
        rows = self._wrap.rows(self._document.lines[line])
        index = row_index(rows, column)
        above = sum(len(self._wrap.rows(each)) for each in self._document.lines[:line])
        return above + index, sum(len(piece.text) for piece in rows[index].pieces if piece.end <= column)

    def _find(self, row: int) -> tuple[int, Row]:
        """The line that a row belongs to, and the row."""
        for index, line in enumerate(self._document.lines):
            rows = self._wrap.rows(line)
            if row < len(rows):
                return index, rows[row]
            row -= len(rows)
        raise AssertionError("a row inside the text has a line")

    def place(self, row: int, cell: int) -> tuple[int, int]:
        """The line and column nearest to a row and cell."""
        row = max(0, min(row, self.row_count - 1))
        for index, line in enumerate(self._document.lines):
            rows = self._wrap.rows(line)
            if row < len(rows):
                return index, _column_in(rows, row, cell)
            row -= len(rows)
        raise AssertionError("a row inside the text has a line")

    def move_vertically(self, rows: int) -> bool:
        """Move the caret up (negative) or down, towards the cell that the first such move started from.

        False where it stands on the first or last row already.
        """
        row, cell = self.caret
        target = max(0, min(row + rows, self.row_count - 1))
        if target == row:
            return False
        goal = cell if self._document.goal is None else self._document.goal
        self._document.move_to(*self.place(target, goal), goal=goal)
        return True

    def row_edge(self, *, end: bool) -> tuple[int, int]:
        """The start or the end of the caret's row."""
        document = self._document
        rows = self._wrap.rows(document.line)
        index = row_index(rows, document.column)
        return document.row, _column_in(rows, index, 1_000_000 if end else 0)


def _column_in(rows: tuple[Row, ...], index: int, cell: int) -> int:
    """The column at a cell of a row; on a folded row never its very end, which belongs to the next row."""
    row = rows[index]
    column = row.column_at(cell)
    if column == row.end and index + 1 < len(rows) and row.pieces:
        return row.pieces[-1].start
    return column
