"""What stops a run that runs away."""

from __future__ import annotations

import json
from dataclasses import field

from .frozen import frozen
from .measures import RunMeasures
from .messages import ToolCall
from .mutable import mutable

REPEATS = 3
"""The same call with the same arguments so many times in a row is reported to the person."""


@frozen
class RunLimits:
    """Ceilings of one run; None is no ceiling. `max_cost` in US dollars, counted where prices are known."""

    max_turns: int | None = 2_000
    max_tool_calls: int | None = None
    max_cost: float | None = None

    def exceeded(self, measures: RunMeasures) -> str | None:
        """Why no further request may be made, None while all is well."""
        if self.max_turns is not None and measures.turns >= self.max_turns:
            return f"the run has reached its limit of {self.max_turns} turns (max_turns)"
        if self.max_tool_calls is not None and len(measures.calls) >= self.max_tool_calls:
            return f"the run has reached its limit of {self.max_tool_calls} tool calls (max_tool_calls)"
        cost = measures.cost
        if self.max_cost is not None and cost is not None and cost >= self.max_cost:
            return f"the run has cost ${cost:.2f}, its limit is ${self.max_cost:.2f} (max_cost)"
        return None


@mutable
class RepeatWatch:
    """Notices the same call repeated in a row."""

    _last: str = ""
    _count: int = field(default=0)

    def see(self, call: ToolCall) -> bool:
        """Whether this call is the `REPEATS`-th of its kind in a row (true once per series)."""
        key = f"{call.name} {json.dumps(call.arguments, sort_keys=True, default=str)}{call.raw_arguments or ''}"
        self._count = self._count + 1 if key == self._last else 1
        self._last = key
        return self._count == REPEATS
