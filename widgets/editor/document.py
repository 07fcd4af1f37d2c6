"""The text of the editor: lines, a caret, edits that can be undone. No screen, no width."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ...agent.frozen import frozen
from ..text.grapheme import cluster_after, cluster_before, word_after, word_before
from .kill_ring import KillRing

MAX_UNDO = 500
MAX_UNDO_LINES = 500_000
"""Units of undo that are kept, and lines that they may hold together."""

Step: TypeAlias = Literal["type", "delete", "kill", "yank", "paste", "other", "move"]
"""What was done last: steps of one kind in a row may be one unit of undo, and kills in a row grow one text."""


@frozen
class Snapshot:
    """A state of the document; `lines` are shared, never changed in place."""

    lines: tuple[str, ...]
    row: int
    column: int


class EditorDocument:
    """Text as lines, with the caret at `row` and `column` (a code point offset on a cluster's border)."""

    def __init__(self) -> None:
        self.lines: list[str] = [""]
        self.row = 0
        self.column = 0
        self.goal: int | None = None
        """The cell column that vertical moves aim at; None after any other step."""
        self.kill_ring = KillRing()
        self._undo: list[Snapshot] = []
        self._redo: list[Snapshot] = []
        self._last: Step = "other"
        self._yanked: tuple[int, int] | None = None

    # What stands there

    @property
    def text(self) -> str:
        """The raw text, markers included."""
        return "\n".join(self.lines)

    @property
    def is_empty(self) -> bool:
        return len(self.lines) == 1 and not self.lines[0]

    @property
    def line(self) -> str:
        """The line of the caret."""
        return self.lines[self.row]

    @property
    def before(self) -> str:
        """The caret's line up to the caret."""
        return self.line[: self.column]

    # Edits

    def reset(self, text: str = "", *, at_start: bool = False) -> None:
        """Begin anew with this text; it can't be undone."""
        self._replace(text, at_start=at_start)
        self._undo.clear()
        self._redo.clear()

    def set_text(self, text: str, *, at_start: bool = False) -> None:
        """Replace everything, as one step that can be undone."""
        self._begin("other")
        self._replace(text, at_start=at_start)

    def type(self, text: str) -> None:
        """Insert what was typed; a word is one unit of undo."""
        starts_word = not text.isspace() and (not self.before or self.before[-1].isspace())
        self._begin("type", join=self._last == "type" and not starts_word and "\n" not in text)
        self._insert(text)

    def insert(self, text: str, step: Step = "other") -> None:
        """Insert text as one unit of undo."""
        self._begin(step)
        self._insert(text)

    def replace_before(self, count: int, text: str) -> None:
        """Put `text` in the place of the `count` code points left of the caret, on the caret's line."""
        self._begin("other")
        self._cut(self.row, self.column - count, self.row, self.column)
        self._insert(text)

    def replace_between(self, row: int, column: int, end_row: int, end_column: int, text: str) -> None:
        """Put `text` in place of what stands from one place to another, as one step of undo."""
        self._begin("other")
        self._cut(row, column, end_row, end_column)
        self._insert(text)

    def delete_left(self) -> bool:
        """Delete the cluster left of the caret. False at the very start."""
        return self._delete_to("delete", *self._left())

    def delete_right(self) -> bool:
        """Delete the cluster right of the caret. False at the very end."""
        return self._delete_to("delete", *self._right())

    def kill_word_left(self) -> bool:
        """Cut the word left of the caret into the kill ring."""
        return self._kill_to(*self._word_left())

    def kill_word_right(self) -> bool:
        """Cut the word right of the caret into the kill ring."""
        return self._kill_to(*self._word_right())

    def kill_to_start(self) -> bool:
        """Cut from the line's start to the caret; at the start, the line break before it."""
        return self._kill_to(*((self.row, 0) if self.column else self._left()))

    def kill_to_end(self) -> bool:
        """Cut from the caret to the line's end; at the end, the line break."""
        return self._kill_to(*((self.row, len(self.line)) if self.column < len(self.line) else self._right()))

    def yank(self) -> bool:
        """Insert the newest cut text."""
        text = self.kill_ring.newest
        if not text:
            return False
        self._begin("yank")
        start = (self.row, self.column)
        self._insert(text)
        self._yanked = start
        return True

    def yank_pop(self) -> bool:
        """Right after a yank: put the next older cut text in its place."""
        if self._last != "yank" or self._yanked is None:
            return False
        start = self._yanked
        self._begin("yank", join=True)
        self._cut(*start, self.row, self.column)
        self._insert(self.kill_ring.rotate())
        self._yanked = start
        return True

    def undo(self) -> bool:
        """Take the last unit back. False if there is none."""
        return self._swap(self._undo, self._redo)

    def redo(self) -> bool:
        """Do again what was taken back."""
        return self._swap(self._redo, self._undo)

    @property
    def undo_depth(self) -> int:
        """How many units can be taken back."""
        return len(self._undo)

    def join_undo(self, depth: int) -> None:
        """Make one unit of all that was done since there were so many."""
        del self._undo[depth + 1 :]

    # Moves

    def move_to(self, row: int, column: int, goal: int | None = None) -> bool:
        """Set the caret. False if it stood there."""
        moved = (row, column) != (self.row, self.column)
        self.row, self.column, self.goal = row, column, goal
        self._last = "move"
        return moved

    def move_left(self) -> bool:
        return self.move_to(*self._left())

    def move_right(self) -> bool:
        return self.move_to(*self._right())

    def move_word_left(self) -> bool:
        return self.move_to(*self._word_left())

    def move_word_right(self) -> bool:
        return self.move_to(*self._word_right())

    def move_to_start(self) -> bool:
        return self.move_to(0, 0)

    def move_to_end(self) -> bool:
        return self.move_to(len(self.lines) - 1, len(self.lines[-1]))

    def move_to_character(self, character: str, *, forward: bool) -> bool:
        """Go to the next (or last) place of a character in the whole text. False if there is none."""
        before = "\n".join([*self.lines[: self.row], self.before])
        text = self.text
        index = text.find(character, len(before) + 1) if forward else text.rfind(character, 0, len(before))
        if index < 0:
            return False
        head = text[:index].split("\n")
        return self.move_to(len(head) - 1, len(head[-1]))

    # Parts

    def _left(self) -> tuple[int, int]:
        if self.column:
            return self.row, cluster_before(self.line, self.column)
        return (self.row - 1, len(self.lines[self.row - 1])) if self.row else (0, 0)

    def _right(self) -> tuple[int, int]:
        if self.column < len(self.line):
            return self.row, cluster_after(self.line, self.column)
        return (self.row + 1, 0) if self.row + 1 < len(self.lines) else (self.row, self.column)

    def _word_left(self) -> tuple[int, int]:
        return (self.row, word_before(self.line, self.column)) if self.column else self._left()

    def _word_right(self) -> tuple[int, int]:
        return (self.row, word_after(self.line, self.column)) if self.column < len(self.line) else self._right()

    def _begin(self, step: Step, *, join: bool = False) -> None:
        """Keep the state before a step, unless the step joins the last one."""
        if not join or not self._undo:
            self._undo.append(Snapshot(tuple(self.lines), self.row, self.column))
            del self._undo[: -min(MAX_UNDO, MAX_UNDO_LINES // len(self.lines) + 1)]
        self._redo.clear()
        self._last = step
        self.goal = None

    def _delete_to(self, step: Step, row: int, column: int) -> bool:
        if (row, column) == (self.row, self.column):
            return False
        self._begin(step, join=self._last == step == "delete")
        self._cut(row, column, self.row, self.column)
        return True

    def _kill_to(self, row: int, column: int) -> bool:
        is_next = self._last == "kill"
        is_left = (row, column) < (self.row, self.column)
        text = self.between(row, column, self.row, self.column)
        if not self._delete_to("kill", row, column):
            return False
        self.kill_ring.add(text, grow=("before" if is_left else "after") if is_next else "no")
        return True

    def between(self, row: int, column: int, other_row: int, other_column: int) -> str:
        """The text from one place to another, in either order."""
        (row, column), (end_row, end_column) = sorted(((row, column), (other_row, other_column)))
        if row == end_row:
            return self.lines[row][column:end_column]
        return "\n".join([self.lines[row][column:], *self.lines[row + 1 : end_row], self.lines[end_row][:end_column]])

    def _cut(self, row: int, column: int, other_row: int, other_column: int) -> None:
        (row, column), (end_row, end_column) = sorted(((row, column), (other_row, other_column)))
        self.lines[row : end_row + 1] = [self.lines[row][:column] + self.lines[end_row][end_column:]]
        self.row, self.column = row, column

    def _insert(self, text: str) -> None:
        first, *rest = text.split("\n")
        line, column = self.line, self.column
        if not rest:
            self.lines[self.row] = line[:column] + first + line[column:]
            self.column = column + len(first)
            return
        self.lines[self.row : self.row + 1] = [line[:column] + first, *rest[:-1], rest[-1] + line[column:]]
        self.row += len(rest)
        self.column = len(rest[-1])

    def _replace(self, text: str, *, at_start: bool) -> None:
        self.lines = text.split("\n")
        self.row, self.column = (0, 0) if at_start else (len(self.lines) - 1, len(self.lines[-1]))
        self.goal = None
        self._last = "other"

    def _swap(self, source: list[Snapshot], target: list[Snapshot]) -> bool:
        if not source:
            return False
        target.append(Snapshot(tuple(self.lines), self.row, self.column))
        state = source.pop()
        self.lines = list(state.lines)
        self.row, self.column, self.goal = state.row, state.column, None
        self._last = "other"
        return True
