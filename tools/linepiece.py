"""A piece of one line of a file, without holding the line."""

from __future__ import annotations

from .matcher import BEFORE_MATCH, FAR, MAX_PIECE, Transcoder, piece_of
from .operations import Operations

BLOCK = 1 << 18


async def fetch_piece(operations: Operations, path: str, line: int, column: int) -> tuple[bytes, int, int]:
    """The piece of line `line` (from 1) around `column` (bytes from 0), as `matcher.piece_of` cuts it.

    The bytes behind it are counted as far as they were read. An unreadable file gives an empty piece.
    """
    start = 0 if column <= FAR else column - BEFORE_MATCH
    window = _Window(line, start, start + MAX_PIECE + 8)
    try:
        reader = await operations.open(path)
    except OSError:
        return b"", 0, 0
    try:
        transcoder = Transcoder()
        while not window.is_complete and (block := await reader.read(BLOCK)):
            window.feed(transcoder.decode(block))
        window.feed(transcoder.decode(b""))
    finally:
        await reader.aclose()
    # Cut like the whole line: the window begins where the piece does, so the column is where it was.
    piece, skipped, behind = piece_of(window.kept, 0)
    while start and piece and piece[0] & 0xC0 == 0x80:
        piece, skipped = piece[1:], skipped + 1
    return piece, start + skipped, behind


class _Window:
    """Keeps the bytes from `start` to `end` of one line."""

    def __init__(self, line: int, start: int, end: int) -> None:
        self.kept = b""
        self.is_complete = False
        self._missing = line - 1
        self._skip = start
        self._size = end - start

    def feed(self, block: bytes) -> None:
        """Take the next bytes of the file."""
        while self._missing and block:
            found = block.find(b"\n")
            if found < 0:
                return
            self._missing -= 1
            block = block[found + 1 :]
        if self._missing or self.is_complete:
            return
        end = block.find(b"\n")
        text = block if end < 0 else block[:end]
        skipped = min(self._skip, len(text))
        self._skip -= skipped
        self.kept += text[skipped : skipped + self._size - len(self.kept)]
        if end >= 0 or len(self.kept) >= self._size:
            self.is_complete = True
            self.kept = self.kept.rstrip(b"\r") if end >= 0 else self.kept
