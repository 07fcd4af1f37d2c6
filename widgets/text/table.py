"""A table in cells: columns as wide as they must be, cells wrapped, borders intact at every width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from .lines import Line, cells, hang, line_cells, plain, wrap
from .look import Look

Cell: TypeAlias = tuple[list[Line], str]
"""The lines of a cell and its alignment: left, center or right."""

MIN_COLUMN = 4
_BETWEEN = 3  # blank, border, blank


def table_rows(rows: Sequence[Sequence[Cell]], width: int, look: Look) -> list[Line]:
    """A table of at most `width` cells; the first row is the head. Too many columns for it: one record after another."""
    columns = max((len(row) for row in rows), default=0)
    if not columns:
        return []
    room = width - _BETWEEN * (columns - 1)
    wanted = [_widest(rows, column) for column in range(columns)]
    if room < sum(min(size, MIN_COLUMN) for size in wanted):
        return _records(rows, width, look)
    widths = _fit(wanted, room)
    lines = _row(rows[0], widths, look)
    corner, line, rule = look.marks.corner, look.marks.line, look.style("rule")
    lines.append([((line + corner + line).join(line * width for width in widths), rule)])
    body: list[list[Line]] = [_row(row, widths, look) for row in rows[1:]]
    wraps = any(len(row) > 1 for row in body)
    for index, row in enumerate(body):
        if wraps and index:
            lines.append(_border(widths, look))
        lines += row
    return lines


def _border(widths: Sequence[int], look: Look) -> Line:
    """A row of blanks with the borders: it parts rows of several lines."""
    rule = look.style("rule")
    return [(f" {look.marks.rule} ".join(" " * width for width in widths), rule)]


def _row(row: Sequence[Cell], widths: Sequence[int], look: Look) -> list[Line]:
    columns = [_wrapped(row[index][0], width) if index < len(row) else [] for index, width in enumerate(widths)]
    height = max(len(column) for column in columns)
    lines: list[Line] = []
    for index in range(height):
        line: Line = []
        for column, (content, width) in enumerate(zip(columns, widths, strict=True)):
            if column:
                line.append((f" {look.marks.rule} ", look.style("rule")))
            alignment = row[column][1] if column < len(row) else "left"
            line += _aligned(content[index] if index < len(content) else [], width, alignment, look)
        lines.append(line)
    return lines


def _wrapped(lines: Sequence[Line], width: int) -> list[Line]:
    return [row for line in lines for row in wrap(line, width)]


def _aligned(line: Line, width: int, alignment: str, look: Look) -> Line:
    blank = width - line_cells(line)
    before = blank if alignment == "right" else blank // 2 if alignment == "center" else 0
    return [(" " * before, look.base), *line, (" " * (blank - before), look.base)]


def _widest(rows: Sequence[Sequence[Cell]], column: int) -> int:
    lines = [line for row in rows if column < len(row) for line in row[column][0]]
    return max((line_cells(line) for line in lines), default=1) or 1


def _fit(wanted: list[int], room: int) -> list[int]:
    """Widths that sum up to `room` at most: the widest columns give way first, none under `MIN_COLUMN`."""
    widths = list(wanted)
    while (excess := sum(widths) - room) > 0:
        widest = max(widths)
        second = max((width for width in widths if width < widest), default=MIN_COLUMN)
        share = [index for index, width in enumerate(widths) if width == widest]
        step = max(1, min(widest - max(second, MIN_COLUMN), -(-excess // len(share))))
        for index in share[: max(1, excess // step)] if step * len(share) > excess else share:
            widths[index] -= step
    return widths


def _records(rows: Sequence[Sequence[Cell]], width: int, look: Look) -> list[Line]:
    """Each row as lines of ``head: cell``."""
    heads = [" ".join(plain(line) for line in lines) for lines, _ in rows[0]]
    records: list[Line] = []
    for row in rows[1:]:
        if records:
            records.append([])
        for head, (lines, _) in zip(heads, row, strict=False):
            name: Line = [(f"{head}: ", look.style("strong"))] if cells(head) < width - 6 else []
            indent = [("  ", look.base)]
            wrapped = [piece for line in lines for piece in wrap([*name, *line], width - 2)]
            records += hang(wrapped, [], indent)
    return records
