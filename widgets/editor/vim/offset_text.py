"""The document of the editor, with offsets into its text in place of lines and columns."""

from __future__ import annotations

from ...text.grapheme import cluster_before
from ..document import EditorDocument
from .span import Span


class OffsetText:
    """What Vim's commands read and change. Every change is one step of undo."""

    def __init__(self, document: EditorDocument) -> None:
        self._document = document

    @property
    def text(self) -> str:
        return self._document.text

    @property
    def offset(self) -> int:
        """Where the caret stands."""
        document = self._document
        return sum(len(line) + 1 for line in document.lines[: document.row]) + document.column

    @property
    def cut(self) -> str:
        """What was deleted or copied last; whole lines end with a line break."""
        return self._document.kill_ring.newest

    def keep(self, text: str) -> None:
        """Keep what is deleted or copied."""
        self._document.kill_ring.add(text)

    def go(self, offset: int) -> None:
        """Put the caret there."""
        self._document.move_to(*self._place(offset))

    def replace(self, span: Span, text: str = "") -> None:
        """Put a text in place of a part; the caret stands behind it."""
        self._document.replace_between(*self._place(span.start), *self._place(span.end), text)

    def undo(self) -> bool:
        return self._document.undo()

    def redo(self) -> bool:
        return self._document.redo()

    def stay_inside(self) -> None:
        """Outside insert mode the caret stands on a character, never behind the last one of a line."""
        document = self._document
        if document.column and document.column >= len(document.line):
            document.move_to(document.row, cluster_before(document.line, len(document.line)))

    def step_back(self) -> None:
        """A character back, unless a line begins here."""
        if self._document.column:
            self._document.move_left()

    def begin_unit(self) -> int:
        """All that follows is one step of undo, up to `end_unit` of what this gives."""
        return self._document.undo_depth

    def end_unit(self, depth: int) -> None:
        self._document.join_undo(depth)

    def _place(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset."""
        before = self.text[:offset]
        return before.count("\n"), len(before.rpartition("\n")[2])
