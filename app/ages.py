"""How long ago something was, in a few cells."""

from __future__ import annotations

import time

_UNITS = ((60, "min"), (60 * 60, "h"), (24 * 60 * 60, "d"))
OLD_SECONDS = 14 * 24 * 60 * 60


def format_age(timestamp: int, now: float | None = None) -> str:
    """A time (ms since the epoch) as ``now``, ``5 min``, ``3 h``, ``2 d``, or as a date when it is long ago."""
    now = time.time() if now is None else now
    seconds = now - timestamp / 1000
    if seconds < 60:
        return "now"
    if seconds >= OLD_SECONDS:
        then = time.localtime(timestamp / 1000)
        is_this_year = then.tm_year == time.localtime(now).tm_year
        return time.strftime("%d %b" if is_this_year else "%Y-%m-%d", then)
    size, unit = next((size, unit) for size, unit in reversed(_UNITS) if seconds >= size)
    return f"{seconds // size:.0f} {unit}"
