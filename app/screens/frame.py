"""The lines above and below a list: its title with a count, and the keys that work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.reactive import reactive

from ...widgets.text.edge_line import EdgeLine, Part
from ...widgets.text.outside_text import outside_line


class FrameTitle(EdgeLine):
    """What the list shows, and how much of it."""

    DEFAULT_CSS = """
    FrameTitle {
        color: $foreground;
        & > .frame--separator { color: $foreground 40%; }
        & > .frame--title { color: $text-accent; text-style: bold; }
        & > .frame--muted { color: $foreground 70%; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"frame--separator", "frame--title", "frame--muted"}

    PREFIX = "frame"

    title: reactive[str] = reactive("")
    facts: reactive[tuple[str, ...]] = reactive[tuple[str, ...]](())
    """At the right edge, the most important last."""

    def parts(self) -> tuple[list[Part], list[Part]]:
        count = len(self.facts)
        right = [Part(outside_line(fact), count - index, "muted") for index, fact in enumerate(self.facts)]
        return [Part(outside_line(self.title), 0, "title")], right


class FrameHints(EdgeLine):
    """Keys and what they do; the last of them go first where it is narrow. `notice` stands in their place."""

    DEFAULT_CSS = """
    FrameHints {
        color: $foreground 70%;
        & > .frame--separator { color: $foreground 40%; }
        & > .frame--notice { color: $text-warning; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"frame--separator", "frame--notice"}

    PREFIX = "frame"

    hints: reactive[Sequence[tuple[str, str]]] = reactive[Sequence[tuple[str, str]]](())
    notice: reactive[str] = reactive("")

    def retract(self, words: str) -> None:
        """Say this no longer; what was said after it stays."""
        if self.notice == words:
            self.notice = ""

    def parts(self) -> tuple[list[Part], list[Part]]:
        if self.notice:
            return [Part(outside_line(self.notice), 0, "notice")], []
        return [Part(f"{key} {word}", rank) for rank, (key, word) in enumerate(self.hints)], []
