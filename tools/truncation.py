"""Cutting text to what a model is given: by lines and by bytes, whichever comes first."""

from __future__ import annotations

from ..agent.details import Truncation
from ..agent.frozen import frozen

MAX_LINES = 2000
MAX_BYTES = 50 * 1024


@frozen
class Cut:
    """A text as it was kept; `truncation` is None if it is whole."""

    text: str
    truncation: Truncation | None


def size_in_words(size: int) -> str:
    """A number of bytes as people read it: ``512B``, ``50.0KB``, ``1.2MB``."""
    if size < 1024:
        return f"{size}B"
    if size < 1024 * 1024:
        return f"{size / 1024:.1f}KB"
    return f"{size / (1024 * 1024):.1f}MB"


def byte_length(text: str) -> int:
    """The length in UTF-8; a lone surrogate counts as three bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def keep_head(lines: list[str], max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> Cut:
    """As many whole lines from the start as fit."""
    kept, used = 0, 0
    for line in lines[:max_lines]:
        cost = byte_length(line) + (1 if kept else 0)
        if used + cost > max_bytes:
            break
        used += cost
        kept += 1
    return _cut(lines, lines[:kept], "lines" if kept == max_lines else "bytes", used)


def keep_tail(lines: list[str], max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> Cut:
    """As many whole lines from the end as fit; of a last line that alone is too long, its end."""
    kept, used = 0, 0
    for line in reversed(lines[-max_lines:]):
        cost = byte_length(line) + (1 if kept else 0)
        if used + cost > max_bytes:
            break
        used += cost
        kept += 1
    if kept == 0 and lines:
        end = end_of_text(lines[-1], max_bytes)
        return _cut(lines, [end], "bytes", byte_length(end), partial=True)
    return _cut(lines, lines[len(lines) - kept :], "lines" if kept == max_lines else "bytes", used)


def end_of_text(text: str, max_bytes: int) -> str:
    """The longest end that fits; no code point is split."""
    data = text.encode("utf-8", "surrogatepass")
    start = max(0, len(data) - max_bytes)
    while start < len(data) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:].decode("utf-8", "replace")


def _cut(lines: list[str], kept: list[str], by: str, used: int, *, partial: bool = False) -> Cut:
    text = "\n".join(kept)
    if len(kept) == len(lines) and not partial:
        return Cut(text, None)
    total = sum(map(byte_length, lines)) + max(0, len(lines) - 1)
    return Cut(
        text,
        Truncation(
            truncated_by="lines" if by == "lines" else "bytes",
            total_lines=len(lines),
            total_bytes=total,
            output_lines=len(kept),
            output_bytes=used,
            last_line_partial=partial,
            first_line_exceeds_limit=not kept,
        ),
    )
