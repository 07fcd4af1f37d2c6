"""What a terminal would show of a program's output: carriage returns, cursor moves and colours, without the terminal.

There is no width and no height: lines never wrap, and nothing that was shown is lost (clearing the screen starts below
what is there, as a scroll-back keeps it). Sequences of ECMA-48; everything not understood is dropped.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import field

from ..agent.frozen import frozen
from ..agent.mutable import mutable
from .sgr import PLAIN, Style, restyle

MAX_COLUMN = 4000
"""Cells up to which a cursor move may go: a program cannot make us pad more than that."""

_TOKEN = re.compile(
    r"\x1b\[(?P<params>[0-?]*+)(?P<between>[ -/]*+)(?P<final>[@-~])"
    r"|\x1b[\]PX^_][^\x07\x1b]*+(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*(?P<escape>[0-~])?"
    r"|(?P<control>[\x00-\x1f\x7f-\x9f])"
    r"|(?P<text>[^\x00-\x1f\x7f-\x9f]+)"
)
_SPECIAL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_COLOUR = re.compile(r"\x1b\[([0-9;:]*)m")
_MOVES_VERTICALLY = re.compile(r"\x1b(?:\[[0-?]*[ABEFHJdfhu]|[78cDEM])")
_ONLY_COLOURS = re.compile(r"(?:[^\x00-\x08\x0b-\x1f\x7f-\x9f]++|\x1b\[[0-9;:]*+m)*+")


@mutable
class Row:
    """One line: a character and a style per cell; the second cell of a wide character holds an empty string.

    A line that came whole, with nothing but colours in it, stays as it came (`line`, from style `start` on) until
    somebody moves into it: most output is of that kind.
    """

    cells: list[str] = field(default_factory=list[str])
    styles: list[Style] = field(default_factory=list[Style])
    line: str | None = None
    start: Style = PLAIN

    @property
    def is_empty(self) -> bool:
        return not self.cells and not self.line

    def expand(self) -> None:
        """Go over to cells."""
        if self.line is None:
            return
        line, style, self.line = self.line, self.start, None
        for index, part in enumerate(_COLOUR.split(line)):
            if index % 2:
                style = restyle(style, part)
            else:
                self.put(len(self.cells), list(part) if part.isascii() else _cells(part, self), style)

    def put(self, column: int, cells: list[str], style: Style) -> None:
        """Write cells at a column, over what is there."""
        self.pad(column)
        end = column + len(cells)
        self.cells[column:end] = cells
        self.styles[column:end] = [style] * len(cells)

    def pad(self, column: int) -> None:
        """Make the row reach the column."""
        missing = column - len(self.cells)
        if missing > 0:
            self.cells += [" "] * missing
            self.styles += [PLAIN] * missing

    def erase(self, start: int, end: int | None) -> None:
        """Blank the cells of a range, to the end of the row if `end` is None."""
        if end is None or end >= len(self.cells):
            del self.cells[start:]
            del self.styles[start:]
        else:
            self.cells[start:end] = [" "] * (end - start)
            self.styles[start:end] = [PLAIN] * (end - start)

    @property
    def text(self) -> str:
        return "".join(self.cells) if self.line is None else _COLOUR.sub("", self.line)

    @property
    def coloured(self) -> str:
        """The text with SGR codes, ending in the plain state."""
        if self.line is not None:
            ends_styled = self.start != PLAIN or "\x1b" in self.line
            return self.start.code + self.line + ("\x1b[0m" if ends_styled else "")
        out: list[str] = []
        current = PLAIN
        for cell, style in zip(self.cells, self.styles, strict=True):
            if style != current:
                out.append(("\x1b[0m" if current != PLAIN else "") + style.code)
                current = style
            out.append(cell)
        if current != PLAIN:
            out.append("\x1b[0m")
        return "".join(out)


class Screen:
    """Takes text, keeps rows. Memory grows with the text it is given."""

    def __init__(self) -> None:
        self.rows: list[Row] = [Row()]
        self._row = 0
        self._column = 0
        self._top = 0
        self._style = PLAIN
        self._saved = (0, 0, PLAIN)

    def feed(self, text: str) -> None:
        """Interpret the text."""
        *lines, rest = text.split("\n")
        for line in lines:
            if self._column or not self._here.is_empty or not _ONLY_COLOURS.fullmatch(line):
                self._interpret(line)
            elif line:
                self._take_whole(line)
            self._control("\n")
        self._interpret(rest)

    def _take_whole(self, line: str) -> None:
        self._here.line, self._here.start = line, self._style
        if "\x1b" in line:
            for parameters in _COLOUR.findall(line):
                self._style = restyle(self._style, parameters)

    def _interpret(self, text: str) -> None:
        for match in _TOKEN.finditer(text):
            if (run := match["text"]) is not None:
                self._write(run)
            elif (control := match["control"]) is not None:
                self._control(control)
            elif match["final"] is not None and not match["between"]:
                self._sequence(match["params"], match["final"])
            elif match["escape"] is not None:
                self._escape(match["escape"])

    def _write(self, run: str) -> None:
        row = self._cells
        cells = list(run) if run.isascii() else _cells(run, row)
        row.put(self._column, cells, self._style)
        self._column += len(cells)

    @property
    def _here(self) -> Row:
        return self.rows[self._row]

    @property
    def _cells(self) -> Row:
        """The row of the cursor, as cells."""
        row = self._here
        row.expand()
        return row

    def _go_to_row(self, row: int) -> None:
        self._row = max(self._top, row)
        while len(self.rows) <= self._row:
            self.rows.append(Row())

    def _control(self, control: str) -> None:
        match control:
            case "\n":
                self._go_to_row(self._row + 1)
                self._column = 0
            case "\r":
                self._column = 0
            case "\b":
                self._column = max(0, self._column - 1)
            case "\t":
                self._tabulate()
            case _:
                pass

    def _tabulate(self) -> None:
        # A tab at the end of the line stays one character, so that text with tabs comes through as it was.
        row = self._cells
        if self._column >= len(row.cells):
            row.put(self._column, ["\t"], self._style)
            self._column += 1
        else:
            self._column = min(len(row.cells), self._column // 8 * 8 + 8)

    def _escape(self, final: str) -> None:
        match final:
            case "7":
                self._saved = (self._row, self._column, self._style)
            case "8":
                self._restore()
            case "c":
                self._start_below()
                self._style = PLAIN
            case "D" | "E":
                self._go_to_row(self._row + 1)
                self._column = 0 if final == "E" else self._column
            case "M":
                self._go_to_row(self._row - 1)
            case _:
                pass

    def _restore(self) -> None:
        row, self._column, self._style = self._saved
        self._go_to_row(row)

    def _sequence(self, parameters: str, final: str) -> None:
        if final == "m":
            if not parameters[:1] or parameters[0] not in "<=>?":
                self._style = restyle(self._style, parameters)
            return
        if parameters.startswith("?"):
            if parameters in ("?1049", "?1047", "?47") and final == "h":
                self._start_below()
            return
        numbers = [int(part) if part.isdigit() else 0 for part in parameters.split(";")]
        first = min(numbers[0], MAX_COLUMN)
        self._move(final, max(1, first), numbers) if final in "ABCDEFGHfd`" else self._edit(final, first)

    def _move(self, final: str, count: int, numbers: list[int]) -> None:
        match final:
            case "A" | "F":
                self._go_to_row(self._row - count)
            case "B" | "E":
                self._go_to_row(self._row + min(count, 200))
            case "C":
                self._column = min(MAX_COLUMN, self._column + count)
            case "D":
                self._column = max(0, self._column - count)
            case "G" | "`":
                self._column = count - 1
            case "d":
                self._go_to_row(self._top + min(count, 200) - 1)
            case _:
                self._go_to_row(self._top + min(count, 200) - 1)
                self._column = max(1, min(numbers[1] if len(numbers) > 1 else 1, MAX_COLUMN)) - 1
        if final in "EF":
            self._column = 0

    def _edit(self, final: str, count: int) -> None:
        row, column = self._cells, self._column
        match final:
            case "J":
                self._erase_screen(count)
            case "K":
                row.erase(0 if count else column, column + 1 if count == 1 else None)
            case "X":
                row.erase(column, column + max(1, count))
            case "P":
                del row.cells[column : column + max(1, count)]
                del row.styles[column : column + max(1, count)]
            case "@":
                row.pad(column)
                row.cells[column:column] = [" "] * max(1, count)
                row.styles[column:column] = [PLAIN] * max(1, count)
            case "s":
                self._saved = (self._row, column, self._style)
            case "u":
                self._restore()
            case _:
                pass

    def _erase_screen(self, part: int) -> None:
        if part in (2, 3):
            self._start_below()
        elif part == 0:
            self._cells.erase(self._column, None)
            self.rows[self._row + 1 :] = [Row() for _ in self.rows[self._row + 1 :]]
        else:
            self.rows[self._top : self._row] = [Row() for _ in self.rows[self._top : self._row]]
            self._cells.erase(0, self._column + 1)

    def _start_below(self) -> None:
        """A fresh screen under what was shown so far."""
        while len(self.rows) > 1 and len(self.rows) > self._top and self.rows[-1].is_empty:
            self.rows.pop()
        if not self.rows[-1].is_empty:
            self.rows.append(Row())
        self._top = self._row = len(self.rows) - 1
        self._column = 0


def _cells(run: str, row: Row) -> list[str]:
    """The characters of a run by cell: wide ones take two, combining ones join the cell before."""
    cells: list[str] = []
    for character in run:
        if unicodedata.combining(character) or character in "\u200d\ufe0e\ufe0f":
            if cells:
                # The last cell that holds a character: a wide one is followed by an empty cell.
                cells[-2 if cells[-1] == "" and len(cells) > 1 else -1] += character
            elif row.cells:
                row.cells[-1] += character
            continue
        cells.append(character)
        if unicodedata.east_asian_width(character) in "WF":
            cells.append("")
    return cells


@frozen
class Shown:
    """The last lines as they stand on the screen: `plain` for a model, `coloured` (SGR codes kept) for a person.

    `total` counts all lines, those before the last ones included.
    """

    total: int
    plain: list[str]
    coloured: list[str]


def interpret(text: str, last: int) -> Shown:
    """What a terminal would show, of that the `last` lines; a final line break makes no empty last line."""
    text = text.replace("\r\n", "\n")
    if _SPECIAL.search(text) is None:
        lines = text.split("\n")
        lines = lines[:-1] if lines[-1] == "" else lines
        return Shown(len(lines), lines[-last:], lines[-last:])
    before = 0
    if _MOVES_VERTICALLY.search(text) is None:
        # Lines cannot touch each other: those that nobody will see need not be worked out.
        lines = text.split("\n")
        before = max(0, len(lines) - last - 1)
        text = "\n".join(lines[before:])
    screen = Screen()
    screen.feed(text)
    rows = screen.rows[:-1] if screen.rows[-1].is_empty else screen.rows
    return Shown(before + len(rows), [row.text for row in rows[-last:]], [row.coloured for row in rows[-last:]])
