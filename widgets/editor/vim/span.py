"""A part of a text."""

from __future__ import annotations

from ....agent.frozen import frozen


@frozen
class Span:
    """From `start` up to `end`, which is not part of it; `is_linewise`: the whole lines of both."""

    start: int
    end: int
    is_linewise: bool = False
