"""The bytes of a text file as text, and back, without touching what is not changed."""

from __future__ import annotations

import codecs
from bisect import bisect_left
from functools import cached_property

from ..agent.frozen import frozen

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

BINARY_PROBE = 8000
"""Bytes in which a NUL makes a file binary, as git has it."""


class NotText(ValueError):
    """The bytes are no text that can be changed; the message says why."""


@frozen
class Encoding:
    """`bom` is what the file begins with. `codec` is ``bytes`` where the encoding is unknown and only ASCII is sure."""

    bom: bytes
    codec: str

    @property
    def is_unknown(self) -> bool:
        return self.codec == "bytes"

    @property
    def _python(self) -> str:
        return "latin-1" if self.is_unknown else self.codec

    def decode(self, data: bytes) -> str:
        """The text after the byte-order mark; `NotText` if the bytes are not in this encoding."""
        try:
            text = data[len(self.bom) :].decode(self._python)
        except UnicodeDecodeError as error:
            raise NotText(f"it is not valid {self.codec.upper()} (at byte {error.start + len(self.bom)})") from None
        return text

    def encode(self, text: str) -> bytes:
        """The bytes of a piece of text; `NotText` for characters that cannot be written."""
        try:
            return text.encode("ascii" if self.is_unknown else self.codec)
        except UnicodeEncodeError as error:
            character = text[error.start]
            if self.is_unknown:
                raise NotText(
                    f"its encoding is not known (it is not UTF-8), so only ASCII text can be put into it, not {character!r}"
                ) from None
            raise NotText(f"the new text has a character that cannot be written: {character!r}") from None


def detect_encoding(data: bytes) -> Encoding:
    """The encoding of a whole file: by byte-order mark, else UTF-8 if it is valid, else unknown."""
    for bom, codec in _BOMS:
        if data.startswith(bom):
            return Encoding(bom, codec)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return Encoding(b"", "bytes")
    return Encoding(b"", "utf-8")


def bom_of(start: bytes) -> Encoding | None:
    """The encoding that a byte-order mark says, None without one."""
    for bom, codec in _BOMS:
        if start.startswith(bom):
            return Encoding(bom, codec)
    return None


def is_binary(start: bytes) -> bool:
    """Whether the first bytes say that this is no text: a NUL outside of UTF-16 and UTF-32."""
    encoding = bom_of(start)
    return (encoding is None or encoding.codec == "utf-8") and b"\0" in start[:BINARY_PROBE]


class TextFile:
    """A text file: `text` has LF line breaks only, and every place in it can be found in the original.

    CRLF becomes LF, and CR does in a file that has no LF; any other CR is a character like others. Raises `NotText`.
    """

    def __init__(self, data: bytes, *, may_hold_nul: bool = False) -> None:
        """`may_hold_nul`: a NUL is a character like others, not the mark of a binary file."""
        if not may_hold_nul and is_binary(data):
            raise NotText("it is a binary file")
        self.encoding = detect_encoding(data)
        self.original = self.encoding.decode(data)
        if self.encoding.bom and self.encoding.bom + self.encoding.encode(self.original) != data:
            raise NotText(f"it is not valid {self.encoding.codec.upper()}")
        self.uses_cr = "\r" in self.original and "\n" not in self.original
        self.text = self.fold(self.original)

    def fold(self, text: str) -> str:
        """Text with the line breaks that `text` has."""
        text = text.replace("\r\n", "\n")
        return text.replace("\r", "\n") if self.uses_cr else text

    def original_place(self, place: int) -> int:
        """Where in `original` a place in `text` is; before a line break means before all of it."""
        return place + bisect_left(self._shortened, place)

    def line_ending_at(self, place: int) -> str:
        """The line ending in use around a place in `text`: of that line, else of the one before, else of the file."""
        if self.uses_cr:
            return "\r"
        after = self.text.find("\n", place)
        if after < 0:
            after = self.text.rfind("\n")
        if after < 0:
            return "\n"
        index = bisect_left(self._shortened, after)
        is_crlf = index < len(self._shortened) and self._shortened[index] == after
        return "\r\n" if is_crlf else "\n"

    def encode_new(self, text: str, place: int) -> bytes:
        """New text (LF line breaks) as bytes for that place, with the line ending in use there; `NotText`."""
        if "\n" in text:
            text = text.replace("\n", self.line_ending_at(place))
        return self.encoding.encode(text)

    def replace(self, changes: list[tuple[int, int, str]]) -> bytes:
        """The file's bytes with each (start, end, new text) of `text` replaced; in order, not overlapping. `NotText`."""
        out = [self.encoding.bom]
        at = 0
        for start, end, new in changes:
            out.append(self._bytes_between(at, self.original_place(start)))
            out.append(self.encode_new(new, start))
            at = self.original_place(end)
        out.append(self._bytes_between(at, len(self.original)))
        return b"".join(out)

    def _bytes_between(self, start: int, end: int) -> bytes:
        piece = self.original[start:end]
        return piece.encode("latin-1") if self.encoding.is_unknown else self.encoding.encode(piece)

    @cached_property
    def _shortened(self) -> list[int]:
        """The places of those line breaks in `text` that are CRLF in `original`, ascending."""
        places: list[int] = []
        at = self.original.find("\r\n")
        while at >= 0:
            places.append(at - len(places))
            at = self.original.find("\r\n", at + 2)
        return places
