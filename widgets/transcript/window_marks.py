"""What the window draws on rows and below them: the bar of the chosen cell, and that there is more below."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual.strip import Strip

from ..pictures.strip import PictureStrip
from ..text.look import Look
from .cell import Cell
from .cell_rows import Row
from .history import News
from .part import Gap, Part


def news_row(news: News, width: int, look: Look) -> Strip:
    """The last row away from the end: how much came in below, or that there is more."""
    if news.rows:
        about = "" if news.is_exact else "~"
        words = f"{about}{news.rows:,} new {'line' if news.rows == 1 else 'lines'}"
    else:
        words = "more below"
    text = f"{look.marks.down} {words} {look.marks.dot} end "
    blank = max(width - len(text) - 1, 0)
    return look.strip([(" " * blank, look.base), (f" {text}"[:width], look.style("news"))], width)


def is_chosen(row: Row, cell: Cell | None, parts: Sequence[Part]) -> bool:
    """Whether a row belongs to the chosen cell, and to the chosen parts if there are some."""
    if row.cell is not cell or isinstance(row.part, Gap):
        return False
    return not parts or any(row.part is part for part in parts)


def with_cursor(strip: Strip, look: Look) -> Strip:
    """The row with the bar of the chosen cell at its left edge."""
    bar = Segment(look.marks.rule, look.style("cursor"))
    if isinstance(strip, PictureStrip):
        return strip.headed(bar)
    return Strip([bar, *strip.crop(1)], strip.cell_length)
