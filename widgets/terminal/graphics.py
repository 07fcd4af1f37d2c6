"""Sharp pictures in terminals that have the kitty graphics protocol with Unicode placeholders.

The picture is sent once; where it stands is said by cells of text, so it scrolls and is painted over like any text.
Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/#unicode-placeholders
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from rich.color import Color
from rich.style import Style

from ..text.lines import Line

if TYPE_CHECKING:
    from PIL.Image import Image

PLACEHOLDER = "\U0010eeee"

NUMBERS = (
    "\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f\u0346\u034a\u034b\u034c\u0350\u0351\u0352\u0357\u035b\u0363\u0364\u0365"
    "\u0366\u0367\u0368\u0369\u036a\u036b\u036c\u036d\u036e\u036f\u0483\u0484\u0485\u0486\u0487\u0592\u0593\u0594\u0595\u0597"
    "\u0598\u0599\u059c\u059d\u059e\u059f\u05a0\u05a1\u05a8\u05a9\u05ab\u05ac\u05af\u05c4\u0610\u0611\u0612\u0613\u0614\u0615"
)
"""The diacritics that stand for the numbers of rows and columns, from 0."""

CELL = (10, 20)
"""Pixels of the picture that make a cell; more than that no cell gets to show."""

SHARPNESS = 2
"""So many times more are sent, for screens with small pixels."""

FIRST_ID, LAST_ID = 16, 255
"""Ids of pictures: each is said by a colour, of the 256 those that no theme changes."""

KEPT = 40
"""Pictures that the terminal holds at once."""

CHUNK = 4096
"""Characters of base64 in one sequence, as the protocol wants it."""


class Sent(NamedTuple):
    """A picture that the terminal holds, and the cells that it fills."""

    id: int
    columns: int
    rows: int


class Graphics:
    """Sends pictures with `write` and says which cells show them. Pictures are known by their base64 `data`."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._sent: dict[str, Sent] = {}
        self._next = FIRST_ID

    def holds(self, data: str) -> bool:
        """Whether the terminal still has the picture."""
        return data in self._sent

    def rows(self, data: str, image: Image, columns: int, rows: int, base: Style) -> list[Line]:
        """The cells of a picture, as it is proportioned, in at most `columns` × `rows` of them; sent if it must be."""
        columns, rows = fitting(image.size, min(columns, len(NUMBERS)), min(rows, len(NUMBERS)))
        sent = self._sent.pop(data, None)
        if sent is None:
            sent = Sent(self._new_id(), columns, rows)
            self._transmit(sent, image)
        elif sent[1:] != (columns, rows):
            sent = Sent(sent.id, columns, rows)
            self._write(f"\x1b_Ga=p,U=1,q=2,i={sent.id},p=1,c={columns},r={rows}\x1b\\")
        self._sent[data] = sent
        style = base + Style(color=Color.from_ansi(sent.id))
        return [[(_cells(row, columns), style)] for row in range(rows)]

    def close(self) -> None:
        """Have the terminal forget every picture, and send nothing any more."""
        for sent in self._sent.values():
            self._delete(sent)
        self._sent.clear()
        self._write = _to_nobody

    def _new_id(self) -> int:
        while len(self._sent) >= KEPT:
            self._delete(self._sent.pop(next(iter(self._sent))))
        used = {sent.id for sent in self._sent.values()}
        while self._next in used:
            self._step()
        id_ = self._next
        self._step()
        return id_

    def _step(self) -> None:
        self._next = self._next + 1 if self._next < LAST_ID else FIRST_ID

    def _transmit(self, sent: Sent, image: Image) -> None:
        image = image.copy()
        image.thumbnail((sent.columns * CELL[0] * SHARPNESS, sent.rows * CELL[1] * SHARPNESS))
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        text = base64.b64encode(buffer.getvalue()).decode("ascii")
        head = f"a=T,U=1,f=100,t=d,q=2,i={sent.id},p=1,c={sent.columns},r={sent.rows},"
        for start in range(0, len(text), CHUNK):
            more = int(start + CHUNK < len(text))
            self._write(f"\x1b_G{head}m={more};{text[start : start + CHUNK]}\x1b\\")
            head = ""

    def _delete(self, sent: Sent) -> None:
        self._write(f"\x1b_Ga=d,d=I,q=2,i={sent.id}\x1b\\")


def fitting(size: tuple[int, int], columns: int, rows: int) -> tuple[int, int]:
    """The cells that a picture of that size in pixels fills, in proportion and not larger than it is."""
    wide, high = size[0] / CELL[0], size[1] / CELL[1]
    scale = min(1.0, columns / wide, rows / high)
    return min(max(round(wide * scale), 1), columns), min(max(round(high * scale), 1), rows)


def _cells(row: int, columns: int) -> str:
    return "".join(f"{PLACEHOLDER}{NUMBERS[row]}{NUMBERS[column]}" for column in range(columns))


def _to_nobody(_: str) -> None:
    """The terminal is given back."""
