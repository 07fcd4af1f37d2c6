"""Pictures in the inline images protocol of iTerm2, which WezTerm and mintty have as well.

Source: https://iterm2.com/documentation-images.html
"""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

from .graphics import CELL, CellSize
from .sliced import SlicedGraphics

if TYPE_CHECKING:
    from PIL.Image import Image


def inline_image(image: Image, columns: int) -> str:
    """A picture as one sequence that fills `columns` cells of one row. Blocks for a while."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    data = buffer.getvalue()
    head = f"inline=1;size={len(data)};width={columns};height=1;preserveAspectRatio=0"
    return f"\x1b]1337;File={head}:{base64.b64encode(data).decode('ascii')}\x07"


def inline_images(cell: tuple[int, int]) -> SlicedGraphics:
    """Pictures for cells of that size; finer where a pixel that the terminal tells of may be more than one."""
    width, height = cell
    finer = 2 if width < CELL.width else 1
    return SlicedGraphics(inline_image, CellSize(width, height), CellSize(width * finer, height * finer))
