"""A cell: one thing in the transcript, such as a message or a tool call, made of parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from .part import Gap, Part


class Cell(ABC):
    """What the history holds. Its parts are built when it is first seen, and again after `rebuild`.

    `is_row`: it is mostly one row, and follows another such cell without a blank row.
    """

    is_row: ClassVar[bool] = False
    is_optional: ClassVar[bool] = False
    """Whether the reader may want to do without such cells."""

    def __init__(self) -> None:
        self.is_expanded = False
        self._parts: list[Part] = []
        self._gap: Part | None = None
        self._is_built = False
        self.is_left_out = False

    @property
    def is_hidden(self) -> bool:
        """Whether it has no rows, because the reader does without it."""
        return self.is_left_out

    @abstractmethod
    def build(self) -> list[Part]:
        """What it is drawn of, from top to bottom."""
        ...

    @abstractmethod
    def text(self) -> str:
        """Its text, as it is shown and searched."""
        ...

    def copied(self) -> str:
        """The same to be copied."""
        return self.text()

    @property
    def piece_name(self) -> str:
        """What one of its pieces is, in words."""
        return "the code block"

    def pieces(self) -> list[str]:
        """The texts in it that one may want to copy alone: code blocks, an output."""
        return []

    def estimate(self, width: int) -> int:
        """About how many rows it takes, while it is not built."""
        return 1

    @property
    def parts(self) -> list[Part]:
        """Its parts, the gap before it included; none while it is hidden."""
        if self.is_hidden:
            return []
        if not self._is_built:
            self._is_built = True
            built = self.build()
            self._parts = built if self._gap is None else [self._gap, *built]
        return self._parts

    def rebuild(self) -> None:
        """It is made of other parts from now on."""
        self._is_built = False

    @property
    def has_gap(self) -> bool:
        return self._gap is not None

    def set_gap(self, is_wanted: bool) -> None:
        """Put a blank row before the first part, or take it away."""
        if is_wanted and self._gap is None:
            self._gap = Gap()
            self._parts.insert(0, self._gap)
        elif not is_wanted and self._gap is not None:
            if self._gap in self._parts:
                self._parts.remove(self._gap)
            self._gap = None

    @property
    def is_live(self) -> bool:
        """Whether something in it moves with time (a spinner, seconds), without any event."""
        return False

    @property
    def can_expand(self) -> bool:
        """Whether opening it shows more than it shows closed."""
        return False

    def expand(self, is_expanded: bool) -> bool:
        """Open or close it; whether that changed anything."""
        if self.is_expanded == is_expanded or (is_expanded and not self.can_expand):
            return False
        self.is_expanded = is_expanded
        self.rebuild()
        return True

    def tick(self) -> None:  # noqa: B027
        """Time went by: what moves is to be drawn again."""

    def height(self, width: int) -> int:
        """Rows at that width, estimated where they were not rendered."""
        if self.is_hidden:
            return 0
        if not self._is_built:
            return self.estimate(width) + self.has_gap
        return sum(part.height(width) for part in self._parts)
