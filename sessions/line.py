"""One line of a session file: its JSON text, in memory or a range of the file that is read when asked for."""

from __future__ import annotations

import json
import threading
from dataclasses import field
from pathlib import Path
from typing import IO, Any, cast

from ..agent.messages import JsonObject
from ..agent.mutable import mutable


@mutable
class LineReader:
    """Reads ranges of one file; opens it on first use and again after `close`. Safe to use from any thread."""

    path: Path
    _file: IO[bytes] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, offset: int, length: int) -> bytes:
        """At most `length` bytes from `offset`; empty if the file cannot be read any more."""
        with self._lock:
            try:
                if self._file is None:
                    self._file = self.path.open("rb")
                self._file.seek(offset)
                return self._file.read(length)
            except OSError:
                return b""

    def move(self, path: Path) -> None:
        """Read from another file that holds the same bytes."""
        self.close()
        self.path = path

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None


@mutable
class Line:
    """Either `text`, or `length` bytes at `offset` of `reader`'s file. Without the line break."""

    text: bytes | None = None
    reader: LineReader | None = None
    offset: int = 0
    length: int = 0

    @property
    def size(self) -> int:
        """Bytes of the line, without reading it."""
        text = self.text
        return self.length if text is None else len(text)

    def read(self) -> bytes:
        """The JSON text; empty if its file is gone."""
        text = self.text  # `settle` may run in another thread
        if text is not None:
            return text
        return self.reader.read(self.offset, self.length) if self.reader else b""

    def parse(self) -> JsonObject:
        """The object; empty if the text is damaged."""
        return parse_object(self.read()) or {}

    def settle(self, reader: LineReader, offset: int) -> None:
        """The text is now safely in the file: forget the copy in memory."""
        if self.text is not None:
            self.length = len(self.text)
            self.reader, self.offset = reader, offset
            self.text = None


def parse_object(text: bytes) -> JsonObject | None:
    """The JSON object that `text` is, or None."""
    try:
        value = json.loads(_decode(text))
    except (ValueError, RecursionError):
        return None
    return cast("JsonObject", value) if isinstance(value, dict) else None


def _decode(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        # A damaged character is no reason to lose the whole message.
        return text.decode(errors="replace")


def dump_line(data: JsonObject) -> bytes:
    """The object as one line of JSON without its line break: compact UTF-8 that every JSON parser accepts."""
    try:
        return _dump(data).encode()
    except UnicodeEncodeError:
        return _dump(data, ascii_only=True).encode()
    except ValueError:
        return dump_line(cast("JsonObject", _plain(data)))


def _dump(data: JsonObject, ascii_only: bool = False) -> str:
    return json.dumps(data, ensure_ascii=ascii_only, separators=(",", ":"), allow_nan=False, default=str)


def _plain(value: Any) -> Any:
    """The value without what JSON cannot say: NaN and infinities become null."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in cast("JsonObject", value).items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in cast("list[Any]", value)]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value
