"""Sharp pictures in terminals that have the kitty graphics protocol with Unicode placeholders.

The picture is sent once; where it stands is said by cells of text, so it scrolls and is painted over like any text.
Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/#unicode-placeholders
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rich.color import Color
from rich.style import Style
from textual.strip import Strip

from ..transcript.body import on_rule
from .graphics import CELL, CellSize, PictureKey

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..text.look import Look

PLACEHOLDER = "\U0010eeee"

NUMBERS = (
    "\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f\u0346\u034a\u034b\u034c\u0350\u0351\u0352\u0357\u035b\u0363\u0364\u0365"
    "\u0366\u0367\u0368\u0369\u036a\u036b\u036c\u036d\u036e\u036f\u0483\u0484\u0485\u0486\u0487\u0592\u0593\u0594\u0595\u0597"
    "\u0598\u0599\u059c\u059d\u059e\u059f\u05a0\u05a1\u05a8\u05a9\u05ab\u05ac\u05af\u05c4\u0610\u0611\u0612\u0613\u0614\u0615"
)
"""The diacritics that stand for the numbers of rows and columns, from 0; more cells than that no picture gets."""

SHARPNESS = 2
"""So many times the pixels of a cell are sent, for screens with small pixels."""

FIRST_ID, LAST_ID = 16, 255
"""Ids of pictures: each is said by a colour, of the 256 those that no theme changes."""

KEPT = 40
"""Pictures that the terminal holds at once."""

CHUNK = 4096
"""Characters of base64 in one sequence, as the protocol wants it."""


class KittyGraphics:
    """Sends pictures with `write` and says which cells show them. `cell` is a cell in pixels."""

    mixes_ground = False

    def __init__(self, write: Callable[[str], None], cell: tuple[int, int] = CELL) -> None:
        self.cell = CellSize(*cell)
        self.fine = CellSize(CELL.width * SHARPNESS, CELL.height * SHARPNESS)
        self._write = write
        self._sent: dict[PictureKey, int] = {}
        self._next = FIRST_ID

    def holds(self, key: PictureKey) -> bool:
        """Whether the terminal still has the picture."""
        return key in self._sent

    def prepare(self, key: PictureKey, image: Image) -> Callable[[], None]:
        """Encode the picture as PNG; what is returned sends it."""
        image = image.copy()
        image.thumbnail((key.columns * self.fine.width, key.rows * self.fine.height))
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        return partial(self._send, key, base64.b64encode(buffer.getvalue()).decode("ascii"))

    def strips(self, key: PictureKey, width: int, look: Look) -> Sequence[Strip]:
        """The cells of a picture that the terminal has."""
        self._sent[key] = number = self._sent.pop(key)
        style = look.base + Style(color=Color.from_ansi(number))
        return on_rule([[(_cells(row, key.columns), style)] for row in range(key.rows)], width, look)

    def close(self) -> None:
        """Have the terminal forget every picture, and send nothing any more."""
        for number in self._sent.values():
            self._delete(number)
        self._sent.clear()
        self._write = _to_nobody

    def _send(self, key: PictureKey, text: str) -> None:
        if key in self._sent:
            return
        self._sent[key] = number = self._new_id()
        head = f"a=T,U=1,f=100,t=d,q=2,i={number},p=1,c={key.columns},r={key.rows},"
        for start in range(0, len(text), CHUNK):
            more = int(start + CHUNK < len(text))
            self._write(f"\x1b_G{head}m={more};{text[start : start + CHUNK]}\x1b\\")
            head = ""

    def _new_id(self) -> int:
        while len(self._sent) >= KEPT:
            self._delete(self._sent.pop(next(iter(self._sent))))
        used = set(self._sent.values())
        while self._next in used:
            self._step()
        number = self._next
        self._step()
        return number

    def _step(self) -> None:
        self._next = self._next + 1 if self._next < LAST_ID else FIRST_ID

    def _delete(self, number: int) -> None:
        self._write(f"\x1b_Ga=d,d=I,q=2,i={number}\x1b\\")


def _cells(row: int, columns: int) -> str:
    return "".join(f"{PLACEHOLDER}{NUMBERS[row]}{NUMBERS[column]}" for column in range(columns))


def _to_nobody(_: str) -> None:
    """The terminal is given back."""
