"""What waits to be delivered: one row each above the editor."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from ..agent.events import QueueUpdate
from .editor.rows import clip
from .text.marks import marks
from .text.outside_text import outside_line

MAX_ROWS = 6
KIND_WIDTH = 10


class QueueView(Widget):
    """The steering messages, then the follow-ups, in order of delivery; no height while nothing waits.

    Over `MAX_ROWS` messages the last row says how many more there are.
    """

    DEFAULT_CSS = """
    QueueView {
        height: auto;
        padding: 0 1;
        color: $foreground 80%;
        & > .queue--kind { color: $text-accent; }
        & > .queue--hint { color: $foreground 70%; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"queue--kind", "queue--hint"}

    waiting: reactive[QueueUpdate] = reactive(QueueUpdate((), ()), layout=True)
    hint: reactive[str | None] = reactive[str | None](None)
    """In place of ``alt+↑ takes back``."""

    def show(self, update: QueueUpdate) -> None:
        """Show what an event says."""
        self.waiting = update

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """Mark, kind and text of every row."""
        rows = [(marks().steer, "steer", text) for text in self.waiting.steering]
        rows += [(marks().later, "later", text) for text in self.waiting.follow_up]
        if len(rows) <= MAX_ROWS:
            return rows
        hidden = len(rows) - MAX_ROWS + 1
        return [*rows[: MAX_ROWS - 1], (marks().ellipsis, "", f"{hidden} more")]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One row a message."""
        return len(self.rows)

    def render_line(self, y: int) -> Strip:
        rows = self.rows
        width = self.content_size.width
        if y >= len(rows):
            return Strip.blank(width, self.rich_style)
        mark, kind, text = rows[y]
        hint = (_take_back_hint() if self.hint is None else self.hint) if y == len(rows) - 1 and width >= 50 else ""
        left = f"{mark} {kind}" if width >= 40 else mark
        left += " " * max(1, (KIND_WIDTH if width >= 40 else 2) - cell_len(left))
        room = width - cell_len(left) - (cell_len(hint) + 2 if hint else 0)
        shown = clip(outside_line(text), room)
        segments = [Segment(left, self._style("kind")), Segment(shown, self.rich_style)]
        if hint:
            segments.append(Segment(" " * (room - cell_len(shown) + 2) + hint, self._style("hint")))
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"queue--{name}")


def _take_back_hint() -> str:
    """The key that takes a message back, spelled for this terminal."""
    return f"alt+{'up' if marks().up.isascii() else marks().up} takes back"
