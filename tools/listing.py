"""The common end of `grep`, `find` and `ls`: lines, bounded, with notes."""

from __future__ import annotations

from ..agent.details import ListingDetails
from ..agent.tool import ToolResult
from .truncation import MAX_BYTES, keep_head, size_in_words


def finished(
    lines: list[str], notes: list[str], path: str, count: int, noun: str, limit_reached: int | None = None
) -> ToolResult:
    """The result of a listing; what does not fit is cut at the end and said."""
    cut = keep_head(lines, max_lines=len(lines))
    if cut.truncation is not None:
        notes = [*notes, f"cut at {size_in_words(MAX_BYTES)}"]
    text = cut.text + (f"\n\n[{'; '.join(notes)}]" if notes else "")
    return ToolResult.of(text, ListingDetails(path, count, noun, limit_reached, cut.truncation))
