"""Vim's operators: what is done with a part of the text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .offset_text import OffsetText
from .places import first_printable, line_end, line_start
from .span import Span

CASES: Mapping[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper, "swap": str.swapcase}


def operate(text: OffsetText, operator: str, span: Span) -> bool:
    """Do it; the caret stands where the part began. True if one inserts afterwards."""
    caret = span.start
    if span.is_linewise:
        span = Span(line_start(text.text, span.start), line_end(text.text, span.end), is_linewise=True)
    part = text.text[span.start : span.end]
    if operator in CASES:
        text.replace(span, CASES[operator](part))
    elif part or span.is_linewise:
        text.keep(f"{part}\n" if span.is_linewise else part)
    if operator == "delete" and span.is_linewise:
        _delete_lines(text, span)
        return False
    if operator in ("delete", "change"):
        caret = span.start
        if part:
            text.replace(span)
    text.go(caret)
    return operator == "change"


def _delete_lines(text: OffsetText, span: Span) -> None:
    """With the line break behind them, or for the last ones the one before."""
    start, end = span.start, span.end
    if end < len(text.text):
        end += 1
    elif start:
        start -= 1
    text.replace(Span(start, end))
    rest = text.text
    text.go(first_printable(rest, min(start, len(rest))))
