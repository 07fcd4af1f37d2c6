"""How numbers, times and money are written on the screen: one place, so that every row says them alike."""

from __future__ import annotations

from .marks import marks


def format_count(count: int | None) -> str:
    """Tokens, lines, bytes in at most four or five cells: ``980``, ``1.2k``, ``34k``, ``1.2M``; None is unknown."""
    if count is None:
        return marks().unknown
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= size or round(count / size, 3) >= 1:
            scaled = count / size
            return f"{scaled:.1f}{unit}" if scaled < 9.95 else f"{scaled:.0f}{unit}"
    return str(count)


def format_seconds(seconds: float | None) -> str:
    """A duration in seconds: ``9.3 s``, ``42 s``, ``1m 04s``, ``2h 05m``; None is unknown."""
    if seconds is None:
        return marks().unknown
    if seconds < 9.95:
        return f"{max(seconds, 0.0):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}m {rest:02}s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes:02}m"


def format_milliseconds(milliseconds: float | None) -> str:
    """A duration in milliseconds, written as `format_seconds` does."""
    return format_seconds(None if milliseconds is None else milliseconds / 1000)


def format_money(dollars: float | None) -> str:
    """US dollars with three significant figures: ``$0.0412``, ``$0.50``, ``$1.23``, ``$12.3``; None is unknown."""
    if dollars is None:
        return marks().unknown
    if 0 < dollars < 0.0001:
        return "<$0.0001"
    if dollars >= 99.95:
        return f"${dollars:,.0f}"
    if dollars >= 9.995:
        return f"${dollars:.1f}"
    if dollars >= 0.9995:
        return f"${dollars:.2f}"
    return f"${_three_figures(dollars)}"


def format_plural(count: int, noun: str) -> str:
    """``1 line``, ``1,204 lines``."""
    plural = noun if count == 1 else f"{noun}es" if noun.endswith(("ch", "s", "sh", "x")) else f"{noun}s"
    return f"{count:,} {plural}"


def _three_figures(fraction: float) -> str:
    """A number under 1 with three significant figures, without needless zeros, with two decimals at least."""
    decimals = 2
    while decimals < 7 and 0 < fraction * 10 ** (decimals - 2) < 0.9995:
        decimals += 1
    whole, _, digits = f"{fraction:.{decimals}f}".partition(".")
    return f"{whole}.{digits.rstrip('0'):0<2}"
