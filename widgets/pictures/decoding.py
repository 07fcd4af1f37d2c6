"""Pictures from base64, no larger than they are shown."""

from __future__ import annotations

import base64
import binascii
import io
from typing import TYPE_CHECKING

from .graphics import Decoded

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS = 40_000_000
"""Larger pictures are not decoded here: it would take too much memory."""

_OPAQUE = 255


def decode(data: str, box: tuple[int, int]) -> Decoded | None:
    """A picture shrunk to fit into `box` (pixels), in proportion; None if it cannot be shown. Blocks for a while."""
    from PIL import Image as images

    try:
        with images.open(io.BytesIO(base64.b64decode(data, validate=True))) as image:
            size = image.size
            if size[0] * size[1] > MAX_PIXELS:
                return None
            image.draft("RGB", box)
            image.thumbnail(box)
            return Decoded(_without_useless_alpha(image.convert("RGBA")), size)
    except (OSError, ValueError, SyntaxError, binascii.Error, images.DecompressionBombError):
        return None


def _without_useless_alpha(image: Image) -> Image:
    """RGB where nothing shines through."""
    lowest, _ = image.getchannel("A").getextrema()
    return image.convert("RGB") if lowest == _OPAQUE else image
