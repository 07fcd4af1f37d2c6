"""A part of the transcript: a stretch of rows that is rendered at once, for one width, when it comes into view."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from textual.strip import Strip

from ..text.look import Look


class Part(ABC):
    """Rows that change together. What was rendered is kept until the width, the look or the content changes."""

    __slots__ = ("_height", "_height_width", "_look", "_strips", "_width")

    indent: ClassVar[int] = 0
    """Characters at the left of each row that are no text of it: margin, mark, rule."""

    def __init__(self) -> None:
        self._strips: Sequence[Strip] | None = None
        self._width = -1
        self._look: Look | None = None
        self._height = 0
        self._height_width = -1

    @abstractmethod
    def render(self, width: int, look: Look) -> Sequence[Strip]:
        """The rows, each exactly `width` cells wide."""
        ...

    @abstractmethod
    def estimate(self, width: int) -> int:
        """About how many rows there will be, without rendering."""
        ...

    def strips(self, width: int, look: Look) -> Sequence[Strip]:
        """The rows, rendered at most once for the same width and look."""
        if self._strips is None or self._width != width or self._look is not look:
            self._strips = self.render(width, look)
            self._width, self._look = width, look
            self._height, self._height_width = len(self._strips), width
        return self._strips

    def known_height(self, width: int) -> int | None:
        """The exact number of rows if it is known for that width."""
        return self._height if self._height_width == width else None

    def height(self, width: int) -> int:
        """The number of rows: exact where it is known, else estimated."""
        known = self.known_height(width)
        return self.estimate(width) if known is None else known

    def invalidate(self) -> None:
        """The content changed: render again when seen."""
        self._strips = None
        self._height_width = -1

    def release(self) -> None:
        """Free what was rendered; the height stays known."""
        self._strips = None


class Gap(Part):
    """One blank row."""

    __slots__ = ()

    def render(self, width: int, look: Look) -> Sequence[Strip]:
        return (look.blank(width),)

    def estimate(self, width: int) -> int:
        return 1


def estimate_rows(text: str, width: int) -> int:
    """About how many rows a text takes at that width."""
    return text.count("\n") + 1 + len(text) // max(width, 1)
