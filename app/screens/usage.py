"""Tokens and money of the session, reply by reply, as bars."""

from __future__ import annotations

from collections.abc import Sequence

from ...sessions.statistics import SessionStatistics, Spending
from ...widgets.pick_list import PickRow
from ...widgets.text.marks import marks
from ...widgets.text.numbers import format_count, format_money
from ..ages import format_age
from .picker import PickerScreen

COST_BAR = 8
"""Cells of the bar of money."""

OUTSIDE_BAR = 62
"""Cells of a row that are no bar of the context."""

KINDS = {"compaction": "compaction", "branch_summary": "branch summary", "tool": "a tool", "reply": ""}
"""What used the model, in words; a reply needs none."""


class UsageScreen(PickerScreen[Spending, str | None]):
    """Returns the entry to go to. `window` is that of the model that answers now."""

    HINTS = (("picker.pick", "goes there"), ("picker.cancel", "back"))
    PLACEHOLDER = "type a model, or compaction"

    def __init__(self, statistics: SessionStatistics, window: int | None) -> None:
        super().__init__()
        self._statistics = statistics
        self._window = window
        spendings = statistics.spendings
        self._most_context = window or max((each.context_tokens or 0 for each in spendings), default=0)
        self._most_cost = max((_cost(each) or 0.0 for each in spendings), default=0.0)

    def begin(self) -> None:
        self.list.to_edge(end=True)

    def on_resize(self) -> None:
        self.list.refresh()

    def find(self, query: str) -> Sequence[Spending]:
        words = query.lower().split()
        return [each for each in self._statistics.spendings if all(word in _words(each) for word in words)]

    def describe(self) -> None:
        total = self._statistics.total
        money = format_money(None if total.cost is None else total.cost.total)
        more = " and more" if self._statistics.has_unknown_cost and total.cost else ""
        self.heading.title = "Context and cost, turn by turn"
        window = f"window {format_count(self._window)}"
        self.heading.facts = (
            window,
            f"{format_count(total.prompt_tokens)} in",
            f"{format_count(total.output)} out",
            f"{money}{more}",
        )

    def row(self, item: Spending) -> PickRow:
        context = "" if item.context_tokens is None else format_count(item.context_tokens)
        width = max(8, self.size.width - OUTSIDE_BAR)
        bar = draw_bar(item.context_tokens or 0, self._most_context, width)
        what = KINDS.get(item.kind, item.kind)
        cost = _cost(item)
        columns = (
            f"{format_age(item.timestamp):>8}",
            f"{format_count(item.usage.prompt_tokens):>5} in {format_count(item.usage.output):>5} out",
            draw_bar(cost or 0.0, self._most_cost, COST_BAR),
            f"{format_money(cost):>8}",
        )
        text = what or f"{context:>5} {bar}"
        return PickRow(text, columns, style="muted" if what else "")

    def picked(self, item: Spending) -> None:
        self.dismiss(item.entry_id)


def draw_bar(value: float, most: float, width: int) -> str:
    """A bar of at most `width` cells, padded to it; what is not nothing has one cell at least."""
    length = 0 if value <= 0 or most <= 0 else max(1, round(width * min(value / most, 1)))
    return (("█" if marks().rule == "│" else "#") * length).ljust(width)


def _cost(item: Spending) -> float | None:
    return None if item.usage.cost is None else item.usage.cost.total


def _words(item: Spending) -> str:
    return f"{KINDS.get(item.kind) or item.kind} {'/'.join(item.model)}".lower()
