"""A cell: one thing in the transcript, such as a message or a tool call, made of parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from .part import Gap, Part


class Cell(ABC):
    """What the history holds. A cell is changed only from outside the history, which is then told (`History.changed`).

    `is_row`: it is mostly one row, and follows another such cell without a blank row.
    """

    is_row: ClassVar[bool] = False

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self.is_expanded = False
        self._gap: Part | None = None

    @property
    def parts(self) -> list[Part]:
        """What it is drawn of, from top to bottom."""
        return self._parts

    @property
    def has_gap(self) -> bool:
        return self._gap is not None

    def set_gap(self, is_wanted: bool) -> None:
        """Put a blank row before the first part, or take it away."""
        if is_wanted and self._gap is None:
            self._gap = Gap()
            self._parts.insert(0, self._gap)
        elif not is_wanted and self._gap is not None:
            self._parts.remove(self._gap)
            self._gap = None

    def replace_parts(self, parts: list[Part]) -> None:
        """Other parts in place of all but the gap."""
        self._parts = parts if self._gap is None else [self._gap, *parts]

    @property
    def is_live(self) -> bool:
        """Whether something in it moves with time (a spinner, seconds), without any event."""
        return False

    @property
    def can_expand(self) -> bool:
        return False

    def expand(self, is_expanded: bool) -> bool:
        """Open or close it; whether anything changed."""
        if not self.can_expand or self.is_expanded == is_expanded:
            return False
        self.is_expanded = is_expanded
        self.invalidate()
        return True

    def invalidate(self) -> None:
        """All of it changed."""
        for part in self._parts:
            part.invalidate()

    def tick(self) -> None:  # noqa: B027
        """Time went by: what moves is to be drawn again."""

    @abstractmethod
    def text(self) -> str:
        """Its text, to be copied or searched."""
        ...

    def height(self, width: int) -> int:
        """Rows at that width, estimated where they were not rendered."""
        return sum(part.height(width) for part in self._parts)
