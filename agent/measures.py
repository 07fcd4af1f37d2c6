"""What a run cost and did: time, tokens, money, outcome of every call."""

from __future__ import annotations

from dataclasses import field

from .frozen import frozen
from .messages import Usage
from .mutable import mutable


@frozen
class CallMeasure:
    """One call: `duration_ms` and `exit_code` are None where there was none; `changed_paths` are absolute."""

    tool_call_id: str
    tool_name: str
    outcome: str
    duration_ms: int | None
    exit_code: int | None
    changed_paths: tuple[str, ...]


@frozen
class ReplyMeasure:
    """One reply of a model: who, how long (ms), what it used."""

    provider: str
    model: str
    duration_ms: int
    usage: Usage


@mutable
class RunMeasures:
    """The sums of one run. `nested` is what tools spent on models: in `total`, never in the context meter."""

    duration_ms: int = 0
    turns: int = 0
    calls: list[CallMeasure] = field(default_factory=list[CallMeasure])
    replies: list[ReplyMeasure] = field(default_factory=list[ReplyMeasure])
    nested: Usage = field(default_factory=Usage)
    _replied: Usage = field(default_factory=Usage)

    def add_reply(self, reply: ReplyMeasure) -> None:
        """Count a reply; the sum is kept, so that a look at it costs the same at every turn."""
        self.replies.append(reply)
        self._replied += reply.usage

    @property
    def total(self) -> Usage:
        """Everything that was spent, nested usage included."""
        return self._replied + self.nested

    @property
    def cost(self) -> float | None:
        """US dollars, None if no price is known."""
        cost = self.total.cost
        return None if cost is None else cost.total

    @property
    def changed_paths(self) -> tuple[str, ...]:
        """Every changed file once, in order of first change."""
        return tuple(dict.fromkeys(path for call in self.calls for path in call.changed_paths))
