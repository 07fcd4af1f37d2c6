"""What a server may ask of us."""

from __future__ import annotations

from ..agent.frozen import frozen


@frozen
class Limits:
    """What a server may ask of us. Times in seconds (0: no limit), sizes in bytes.

    `idle` is the longest wait without a complete line, `grace` the wait for the end of a reply that is already whole;
    `empty_lines` the most lines in a row that carry no data. `output` is the most characters of text, thinking and
    arguments in one reply: more than a million tokens, which no model can write.
    """

    connect: float = 20.0
    idle: float = 300.0
    grace: float = 3.0
    line: int = 8_000_000
    reply: int = 64_000_000
    output: int = 5_000_000
    error_body: int = 200_000
    empty_lines: int = 100_000
