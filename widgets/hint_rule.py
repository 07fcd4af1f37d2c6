"""The rule above the editor, with the two hints that matter now."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from .editor.rows import clip
from .text.marks import marks
from .text.numbers import format_plural

TAIL = 4
"""Cells of the rule right of its hint."""


STOPS = "esc stops"
WHILE_RUNNING = (STOPS, "enter steers", "ctrl+q sends it later")
WHILE_COMPACTING = (STOPS, "enter sends afterwards")


class HintRule(Widget):
    """A thin line; on it the mode of Vim's keys, how to stop while a run goes on, and how much more there is below the reader."""

    DEFAULT_CSS = """
    HintRule {
        height: 1;
        padding: 0 1;
        color: $foreground 30%;
        & > .hint-rule--hint { color: $foreground 75%; }
        & > .hint-rule--mode { color: $foreground 75%; text-style: bold; }
        & > .hint-rule--more { color: $text-accent; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"hint-rule--hint", "hint-rule--mode", "hint-rule--more"}

    is_busy: reactive[bool] = reactive(False)
    mode: reactive[str] = reactive("")
    """The editor's mode, if it has modes."""
    new_lines: reactive[int] = reactive(0)
    """Lines below what is seen; 0 at the end."""
    running_hints: reactive[tuple[str, ...]] = reactive(WHILE_RUNNING)
    """The last ones go first where it is narrow."""
    is_compacting: reactive[bool] = reactive(False)
    """Whether the context is summarised outside a run: then `compacting_hints` stand for the running ones."""
    compacting_hints: reactive[tuple[str, ...]] = reactive(WHILE_COMPACTING)
    stop_hint: reactive[str] = reactive(STOPS)
    """How to stop what goes on; empty if no key does."""
    command_hint: reactive[str] = reactive("")
    """How to stop the person's own command; said while nothing goes on that is stopped before it."""
    is_reading: reactive[bool] = reactive(False)
    """Whether the keys are the transcript's: then its keys are shown."""
    reading_hints: reactive[tuple[str, ...]] = reactive(
        (
            "tab back",
            "enter opens",
            "y copies",
            "/ finds",
            "v selects",
            "{ } messages",
            "[ ] hunks",
            "? all keys",
        )
    )
    call_hint: reactive[str] = reactive("x stops a call")
    """How to stop one call while reading: said while something goes on, and not otherwise."""
    notice: reactive[str] = reactive("")
    """Stands in place of the running hint, such as ``ctrl+c again quits``."""

    def retract(self, words: str) -> None:
        """Say this no longer; what somebody else has said meanwhile stays."""
        if self.notice == words:
            self.notice = ""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1

    def render_line(self, y: int) -> Strip:
        line = self.get_component_rich_style
        mode = [*self._rule(TAIL), Segment(f" {self.mode} ", line("hint-rule--mode"))] if self.mode else []
        width = self.content_size.width - sum(segment.cell_length for segment in mode)
        dot = f" {marks().dot} "
        more = f"{marks().down} {format_plural(self.new_lines, 'new line')}{dot}end" if self.new_lines > 0 else ""
        hint = clip(self.notice or self._hint(width), max(0, width - TAIL - 2))
        more = clip(more, max(0, width - TAIL - (cell_len(hint) + 4 + TAIL if hint else 2))) if more else ""
        segments: list[Segment] = []
        if more:
            segments = [*self._rule(TAIL), Segment(f" {more} ", line("hint-rule--more"))]
        used = sum(segment.cell_length for segment in segments) + (cell_len(hint) + 2 + TAIL if hint else 0)
        segments += self._rule(width - used)
        if hint:
            segments += [Segment(f" {hint} ", line("hint-rule--hint")), *self._rule(TAIL)]
        return Strip([*mode, *segments]).adjust_cell_length(self.content_size.width, self.rich_style)

    def _hint(self, width: int) -> str:
        """As many hints as have room, the first two at least."""
        if self.is_reading:
            stops = tuple(filter(None, (self.stop_hint, self.call_hint))) if self.is_busy else ()
            hints, room = stops + self.reading_hints, width - 4 * TAIL
        else:
            running = self.compacting_hints if self.is_compacting else self.running_hints
            beside = (self.command_hint,) if self.command_hint else ()
            hints, room = running if self.is_busy else beside, width // 2
        dot = f" {marks().dot} "
        while len(hints) > 2 and cell_len(dot.join(hints)) > room:
            hints = hints[:-1]
        return dot.join(hints)

    def _rule(self, cells: int) -> list[Segment]:
        return [Segment(marks().line * cells, self.rich_style)] if cells > 0 else []
