"""The process that matches lines when there is no ripgrep: a small program of its own, run by its path.

A bad pattern can keep Python's matcher busy for ever, and nothing but the end of its process stops it. Requests and
answers are marshalled values, each after 4 bytes of length: first ``(pattern, literal, ignore_case, context, all_text)``,
answered by ``None`` or the reason why it is no pattern; then per batch a list of ``(path, None)`` or ``(name, content)`` with the
number of matches still wanted, answered by one list of records per file.
A record is ``(line number, is match, column in bytes, piece of the line, bytes before it, bytes behind it)``.
"""

from __future__ import annotations

import codecs
import functools
import marshal
import os
import re
import struct
import sys
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

    Record = tuple[int, bool, int, bytes, int, int]

BLOCK = 1 << 20
MAX_LINE = 16 << 20
"""Bytes of a line that are searched."""

BINARY_PROBE = 64 * 1024
"""Bytes in which a NUL makes a file binary, as ripgrep has it."""

MAX_PIECE = 2000
"""Bytes of a line that are handed on."""

BEFORE_MATCH = 100
FAR = 400
"""A match that begins further to the right is shown from `BEFORE_MATCH` bytes before it on."""


def main() -> None:
    """Answer requests until the input ends."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from pattern import InvalidPattern, compile_pattern

    source, target = sys.stdin.buffer, sys.stdout.buffer
    pattern, literal, ignore_case, context, all_text = _receive(source)
    try:
        regex = compile_pattern(pattern, literal=literal, ignore_case=ignore_case)
    except InvalidPattern as error:
        _send(target, str(error))
        return
    _send(target, None)
    while (request := _receive(source)) is not None:
        wanted, files = request
        _send(target, search_batch(regex, files, wanted, context, all_text))


def search_batch(
    regex: re.Pattern[str], files: list[tuple[str, bytes | None]], wanted: int, context: int, all_text: bool
) -> list[list[Record]]:
    """The records of each file, until the wanted number of matches is there."""
    answers: list[list[Record]] = []
    for path, content in files:
        try:
            lines = lines_of_bytes(content, all_text) if content is not None else lines_of_file(path, all_text)
            records = list(search(regex, lines, max(1, wanted), context))
        except OSError:
            records = []
        wanted -= sum(record[1] for record in records)
        answers.append(records)
    return answers


def search(regex: re.Pattern[str], lines: Iterator[bytes], wanted: int, context: int) -> Iterator[Record]:
    """The matching lines and those around them, in order, each once."""
    before: deque[tuple[int, bytes]] = deque(maxlen=context)
    after = 0
    for number, line in enumerate(lines, 1):
        column = match_column(regex, line)
        if column is not None:
            for earlier, text in before:
                yield (earlier, False, 0, *piece_of(text, 0))
            before.clear()
            yield (number, True, column, *piece_of(line, column))
            after = context if wanted > 0 else after - 1
            wanted -= 1
        elif after > 0:
            after -= 1
            yield (number, False, 0, *piece_of(line, 0))
        elif context:
            before.append((number, line))
        if wanted <= 0 and after <= 0:
            return


def match_column(regex: re.Pattern[str], line: bytes) -> int | None:
    """Where in a line (bytes from 0) the first match begins, None for none."""
    try:
        match = regex.search(line.decode("utf-8"))
    except UnicodeDecodeError:
        return _match_column_between_bad_bytes(regex, line)
    if match is None:
        return None
    start = match.start()
    return start if line.isascii() else len(match.string[:start].encode("utf-8"))


def _match_column_between_bad_bytes(regex: re.Pattern[str], line: bytes) -> int | None:
    """Bytes that are no UTF-8 are matched by nothing, so a match lies between two of them."""
    text = line.decode("utf-8", "surrogateescape")
    inside, to_bad_byte = _followed_by(regex, "[^\udc80-\udcff]"), _followed_by(regex, "[\udc80-\udcff]")
    start = 0
    while start <= len(text):
        end = next((i for i in range(start, len(text)) if "\udc80" <= text[i] <= "\udcff"), len(text))
        if end == len(text):
            matches = [regex.search(text, start)]
        else:
            # The end of the piece is no end of the line: what matches must see what follows it.
            matches = [inside.search(text, start, end), to_bad_byte.search(text, start, end + 1)]
        places = [match.start() for match in matches if match is not None]
        if places:
            return len(text[: min(places)].encode("utf-8", "surrogateescape"))
        start = end + 1
    return None


@functools.lru_cache(maxsize=8)
def _followed_by(regex: re.Pattern[str], follower: str) -> re.Pattern[str]:
    flags = re.match(r"(?:\(\?[aimsux]+\))*", regex.pattern)
    start = flags.end() if flags else 0
    return re.compile(f"{regex.pattern[:start]}(?:{regex.pattern[start:]})(?={follower})", regex.flags)


def piece_of(line: bytes, column: int) -> tuple[bytes, int, int]:
    """What is handed on of a line: a piece with the match in it, and the bytes before and behind."""
    start = 0 if column <= FAR else column - BEFORE_MATCH
    while start < len(line) and line[start] & 0xC0 == 0x80:
        start += 1
    piece = line[start : start + MAX_PIECE]
    return piece, start, len(line) - start - len(piece)


def lines_of_file(path: str, all_text: bool = False) -> Iterator[bytes]:
    """The lines of a file; none if it is binary, unless `all_text`."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        yield from split_lines(iter(lambda: file.read(BLOCK), b""), all_text)


def lines_of_bytes(content: bytes, all_text: bool = False) -> Iterator[bytes]:
    """The lines of a content; none if it is binary, unless `all_text`."""
    yield from split_lines(iter([content]), all_text)


def split_lines(blocks: Iterator[bytes], all_text: bool = False) -> Iterator[bytes]:
    """Lines without their line break out of blocks; unless `all_text` none of a binary file and none behind a NUL."""
    rest = b""
    seen = 0
    for block in _transcoded(blocks):
        nul = -1 if all_text else block.find(b"\0")
        if nul >= 0 and seen + nul < BINARY_PROBE:
            return
        seen += len(block)
        *lines, rest = (rest + block).split(b"\n")
        if nul >= 0:
            return
        for line in lines:
            yield line.rstrip(b"\r")
        rest = rest[:MAX_LINE]
    if rest:
        yield rest.rstrip(b"\r")


class Transcoder:
    """Turns the blocks of a file into UTF-8: from UTF-16 with a byte-order mark; the mark of UTF-8 is taken off."""

    def __init__(self) -> None:
        self._is_first = True
        self._decoder: codecs.IncrementalDecoder | None = None

    def decode(self, block: bytes) -> bytes:
        """The next block; empty at the end of the file."""
        if self._is_first and block:
            self._is_first = False
            codec = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}.get(block[:2])
            if codec is None:
                return block.removeprefix(codecs.BOM_UTF8)
            self._decoder = codecs.getincrementaldecoder(codec)("replace")
            block = block[2:]
        if self._decoder is None:
            return block
        return self._decoder.decode(block, not block).encode("utf-8", "replace")


def _transcoded(blocks: Iterator[bytes]) -> Iterator[bytes]:
    transcoder = Transcoder()
    for block in blocks:
        yield transcoder.decode(block)
    yield transcoder.decode(b"")


def _receive(source: BinaryIO) -> Any:
    head = source.read(4)
    return marshal.loads(source.read(struct.unpack(">I", head)[0])) if len(head) == 4 else None


def _send(target: BinaryIO, value: Any) -> None:
    body = marshal.dumps(value)
    target.write(struct.pack(">I", len(body)) + body)
    target.flush()


if __name__ == "__main__":
    main()
