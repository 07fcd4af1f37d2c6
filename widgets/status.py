"""The status line: what may happen without a question, what it cost, how full the context is, which keys help."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from textual.reactive import reactive

from .text.edge_line import EdgeLine, Part
from .text.marks import marks
from .text.numbers import format_count, format_money
from .text.outside_text import outside_line

CONTEXT_WARNING = 70.0
CONTEXT_ERROR = 90.0
"""Per cent of the context window above which the meter takes the colour."""

Hints: TypeAlias = tuple[tuple[str, str], ...]

EXPANDS, FOLDS = "expand", "fold"
"""What the key that opens all cells does, and what it does once they are open."""

HINTS: Hints = (("ctrl+o", EXPANDS), ("/", "commands"), ("?", "help"))


class StatusLine(EdgeLine):
    """One line under the editor. Token counts go first when it gets narrow, then hints; mode, context and cost stay.

    Tokens and cost are of the session; None is unknown. `context_percent` is None until a reply tells it.
    """

    DEFAULT_CSS = """
    StatusLine {
        color: $foreground 75%;
        & > .status--separator { color: $foreground 40%; }
        & > .status--mode { color: $text-accent; }
        & > .status--warning { color: $text-warning; text-style: bold; }
        & > .status--error { color: $text-error; text-style: bold; }
        & > .status--hint { color: $foreground 70%; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "status--separator",
        "status--mode",
        "status--warning",
        "status--error",
        "status--hint",
    }

    PREFIX = "status"

    approval: reactive[str] = reactive("review")
    sandbox: reactive[str] = reactive("")
    """Such as ``on`` or ``off``; empty: not shown."""
    tokens_in: reactive[int | None] = reactive[int | None](0)
    tokens_out: reactive[int | None] = reactive[int | None](0)
    tokens_cached: reactive[int | None] = reactive[int | None](0)
    cost: reactive[float | None] = reactive[float | None](None)
    has_unknown_cost: reactive[bool] = reactive(False)
    """The cost is that of a part, and there is more that nobody knows the price of."""
    context_percent: reactive[float | None] = reactive[float | None](None)
    notes: reactive[tuple[str, ...]] = reactive[tuple[str, ...]](())
    """What extensions want to be seen."""
    hints: reactive[Hints] = reactive[Hints](HINTS)
    """Keys and what they do; the words go first."""

    def parts(self) -> tuple[list[Part], list[Part]]:
        sandbox = f"sandbox {outside_line(self.sandbox)}" if self.sandbox else ""
        left = [
            Part(outside_line(self.approval), 0, "mode"),
            Part(sandbox, 5),
            *self._token_parts(),
            self._context_part(),
            Part(self._money(), 2),
            *(Part(outside_line(note), 6) for note in self.notes),
        ]
        return left, [Part(f"{key} {word}", 4, "hint", short=key, short_rank=7) for key, word in self.hints]

    def _money(self) -> str:
        money = format_money(self.cost)
        return f"{money}+" if self.has_unknown_cost and self.cost is not None else money

    def _token_parts(self) -> list[Part]:
        counts = ((self.tokens_in, "in", 9), (self.tokens_out, "out", 10), (self.tokens_cached, "cached", 11))
        shown = [(count, word, rank) for count, word, rank in counts if count != 0]
        return [
            Part(f"{format_count(count)} {word}", rank, opens_group=index == 0)
            for index, (count, word, rank) in enumerate(shown)
        ]

    def _context_part(self) -> Part:
        percent = self.context_percent
        if percent is None:
            return Part(f"context {marks().unknown}", 3)
        style = "error" if percent > CONTEXT_ERROR else "warning" if percent > CONTEXT_WARNING else ""
        return Part(f"context {percent:.0f} %", 1, style, short=f"{percent:.0f} %", short_rank=8)
