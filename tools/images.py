"""Pictures as models take them: known by their first bytes, upright, and small enough before anybody stores them."""

from __future__ import annotations

import base64
import io
import warnings
from typing import TYPE_CHECKING, Any, cast

from ..agent.frozen import frozen

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_SIDE = 2000
"""Pixels of the longer side."""

MAX_BASE64 = 4_718_592
"""Characters of base64: 4.5 MiB, below the 5 MB that providers take."""

PROBE = 4100
"""Bytes from which the type is told."""

_QUALITIES = (85, 70, 55, 40)
_SENT_AS_IS = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class NotAPicture(ValueError):
    """The bytes cannot be shown as a picture; the message says why."""


@frozen
class Picture:
    """A picture ready to be sent: base64 `data`. The original size is given where it is another one."""

    data: str
    mime_type: str
    width: int
    height: int
    original_width: int | None = None
    original_height: int | None = None

    @property
    def note(self) -> str:
        """What the model must know of it."""
        if self.original_width is None:
            return f"[Picture {self.mime_type}, {self.width}x{self.height} pixels]"
        factor = self.original_width / self.width
        return (
            f"[Picture {self.mime_type}, shown at {self.width}x{self.height} pixels, original "
            f"{self.original_width}x{self.original_height}: multiply coordinates by {factor:.2f} for the original]"
        )


def image_type(start: bytes) -> str | None:
    """The media type that the first bytes say, None for no picture that can be shown."""
    if start.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if start.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if start.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if start.startswith(b"RIFF") and start[8:12] == b"WEBP":
        return "image/webp"
    if start.startswith(b"BM") and start[6:10] == b"\0\0\0\0":
        return "image/bmp"
    return None


def prepare_image(data: bytes, mime_type: str, *, shrink: bool = True) -> Picture:
    """Decode, turn upright and, if `shrink`, make it fit. Blocks; `NotAPicture` if it is broken or far too large."""
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data)) as opened:
                is_still = not getattr(opened, "is_animated", False)
                is_turned = opened.getexif().get(0x0112, 1) != 1
                opened.load()
                upright = ImageOps.exif_transpose(opened) if is_turned else opened.copy()
    except (
        OSError,
        SyntaxError,
        ValueError,
        EOFError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ) as error:
        raise NotAPicture(f"{mime_type}: {error}") from None
    width, height = upright.size
    fits = max(width, height) <= MAX_SIDE and _base64_size(len(data)) <= MAX_BASE64
    as_it_is = mime_type in _SENT_AS_IS and not is_turned and (is_still or mime_type == "image/gif")
    if as_it_is and (fits or not shrink):
        return Picture(base64.b64encode(data).decode("ascii"), mime_type, width, height)
    return _encode(upright, shrink=shrink)


def _base64_size(size: int) -> int:
    return (size + 2) // 3 * 4


def _encode(image: Image, *, shrink: bool) -> Picture:
    """The picture as PNG or JPEG, whichever is smaller and fits."""
    original = image.size
    image = image.convert("RGBA" if _has_alpha(image) else "RGB")
    if shrink and max(original) > MAX_SIDE:
        image = _scaled(image, MAX_SIDE / max(original))
    while True:
        data, mime_type = _smallest(image)
        if not shrink or _base64_size(len(data)) <= MAX_BASE64 or max(image.size) == 1:
            break
        image = _scaled(image, 0.75)
    resized = image.size != original
    return Picture(
        base64.b64encode(data).decode("ascii"),
        mime_type,
        *image.size,
        *(original if resized else (None, None)),
    )


def _has_alpha(image: Image) -> bool:
    return image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info


def _scaled(image: Image, factor: float) -> Image:
    from PIL.Image import Resampling

    width, height = (max(1, round(side * factor)) for side in image.size)
    # The stubs of Pillow leave a part of this method's type open.
    return cast("Any", image).resize((width, height), Resampling.LANCZOS)


def _smallest(image: Image) -> tuple[bytes, str]:
    """PNG or JPEG of quality 80, whichever is smaller; JPEG of lower quality where neither fits. Alpha needs PNG."""
    png = _saved(image, "PNG")
    if image.mode == "RGBA":
        return png, "image/png"
    jpeg = _saved(image, "JPEG", quality=80)
    if len(png) <= len(jpeg):
        return png, "image/png"
    for quality in _QUALITIES:
        if _base64_size(len(jpeg)) <= MAX_BASE64:
            break
        jpeg = _saved(image, "JPEG", quality=quality)
    return jpeg, "image/jpeg"


def _saved(image: Image, kind: str, **options: int) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()
