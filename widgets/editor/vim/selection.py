"""What visual mode has selected, and what is done with it."""

from __future__ import annotations

from ....agent.frozen import frozen
from ...text.grapheme import cluster_after, clusters
from .changes import CHANGES, ON_SELECTION, last_cluster
from .grammar import Command
from .offset_text import OffsetText
from .operators import operate
from .places import first_printable, line_below, line_end, line_start
from .span import Span


@frozen
class Shape:
    """How much was selected, for doing the same again from another place: lines, or characters."""

    rows: int
    length: int
    is_linewise: bool

    def span(self, text: str, here: int) -> Span:
        """As much from a place on."""
        if self.is_linewise:
            return Span(here, line_below(text, here, self.rows - 1), is_linewise=True)
        return Span(here, min(here + self.length, len(text)))


def shape_of(text: str, span: Span) -> Shape:
    """How much a part of the text is."""
    return Shape(text.count("\n", span.start, span.end) + 1, span.end - span.start, span.is_linewise)


def between(text: str, anchor: int, caret: int, *, is_linewise: bool) -> Span:
    """What is selected from where it began to the caret, the characters at both ends included."""
    start, end = sorted((min(anchor, len(text)), caret))
    if is_linewise:
        return Span(line_start(text, start), line_end(text, end), is_linewise=True)
    return Span(start, cluster_after(text, end))


def change_selection(text: OffsetText, command: Command, span: Span) -> bool:
    """Do what a command does with a selection. True if one inserts afterwards."""
    match command.name:
        case "put" | "put_before":
            _put_over(text, span)
        case "replace":
            _replace(text, span, command.argument)
        case "join":
            text.go(span.start)
            CHANGES["join"](text, shape_of(text.text, span).rows, "")
        case name:
            operator, _, lines = (command.operator or ON_SELECTION[name]).partition(" ")
            if lines and not span.is_linewise:
                span = Span(span.start, max(span.start, span.end - 1), is_linewise=True)
            return operate(text, operator, span)
    return False


def _put_over(text: OffsetText, span: Span) -> None:
    """What was cut in place of the selection, which is cut instead."""
    cut, part = text.cut, text.text[span.start : span.end]
    has_lines = cut.endswith("\n")
    text.replace(span, cut.removesuffix("\n") if span.is_linewise else f"\n{cut}" if has_lines else cut)
    if span.is_linewise or has_lines:
        text.go(first_printable(text.text, span.start + (not span.is_linewise)))
    else:
        text.go(text.offset - len(last_cluster(cut)) if cut and "\n" not in cut else span.start)
    text.keep(f"{part}\n" if span.is_linewise else part)


def _replace(text: OffsetText, span: Span, character: str) -> None:
    """Every character but line breaks."""
    lines = text.text[span.start : span.end].split("\n")
    text.replace(span, "\n".join(character * len(clusters(line)) for line in lines))
    text.go(span.start)
