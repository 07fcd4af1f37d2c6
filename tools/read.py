"""The tool `read`."""

from __future__ import annotations

import codecs
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import anyio.to_thread

from ..agent.details import FileDetails, ImageDetails, SeenContent, Truncation
from ..agent.messages import ImageContent, JsonObject, TextContent
from ..agent.tool import Effect, Replay, Tool, ToolContext, ToolError, ToolResult
from .deferred import deferred
from .files import MAX_CHANGED_FILE, Files
from .filestate import MAX_KEPT, keys_of, new_digest
from .folding import fold_path
from .images import PROBE, NotAPicture, image_type, prepare_image
from .operations import FileReader
from .paths import find_look_alike, nearest_names
from .settings import ToolSettings
from .textfile import BINARY_PROBE, Encoding, bom_of, is_binary
from .truncation import MAX_BYTES, MAX_LINES, byte_length, size_in_words
from .window import LineRange, LineWindow

if TYPE_CHECKING:
    from .arguments import ReadArguments

CHUNK = 1 << 20
"""Bytes read at once."""

MAX_IMAGE_FILE = 64 * 1024 * 1024
"""Bytes of a picture file up to which it is decoded."""

_IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")


def _arguments() -> type[ReadArguments]:
    from .arguments import ReadArguments

    return ReadArguments


class ReadTool(Tool["ReadArguments"]):
    """Reads a text file or a picture."""

    name = "read"
    label = "read"
    description = (
        "Read a file. Of a text the lines are returned as they are, at most "
        f"{MAX_LINES} lines or {size_in_words(MAX_BYTES)}; offset and limit choose others. "
        "Pictures (PNG, JPEG, GIF, WebP, BMP) are shown to you."
    )
    parameters: ClassVar[JsonObject] = {
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "minLength": 1,
                "description": "The file, absolute or relative to the working folder",
            },
            "offset": {
                "anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}],
                "default": None,
                "description": "The first line to return, from 1",
            },
            "limit": {
                "anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}],
                "default": None,
                "description": "How many lines to return at most",
            },
        },
        "required": ["path"],
        "additionalProperties": False,
    }
    Arguments = deferred(_arguments)
    effect: ClassVar[Effect] = "read"
    replay: ClassVar[Replay] = "safe"
    prompt_snippet = "Read a file or look at a picture"
    prompt_guidelines = ("Read files with read, not with cat or sed.",)

    def __init__(self, files: Files, settings: ToolSettings | None = None) -> None:
        self._files = files
        self._settings = settings or ToolSettings()

    def prepare_arguments(self, arguments: JsonObject) -> JsonObject:
        return fold_path(arguments)

    async def execute(self, call_id: str, arguments: ReadArguments, context: ToolContext) -> ToolResult:
        path = await self._files.resolve(arguments.path)
        reader, path = await self._open(path)
        try:
            start = await _read_start(reader)
            mime_type = image_type(start[:PROBE])
            if mime_type is not None:
                return await self._read_image(path, reader, start, mime_type, context)
            if not start and path.lower().endswith(_IMAGE_ENDINGS):
                raise ToolError(f"{self._files.shown(path)} is empty: there is no picture in it.")
            if is_binary(start):
                raise ToolError(_describe_binary(self._files.shown(path), start, reader.stat.size))
            return await self._read_text(path, reader, start, arguments)
        except OSError as error:
            raise ToolError(self._files.explain(error, path)) from None
        finally:
            await reader.aclose()

    async def _open(self, path: str) -> tuple[FileReader, str]:
        operations = self._files.operations
        try:
            return await operations.open(path), path
        except FileNotFoundError as error:
            other = await find_look_alike(operations, path)
            if other is None:
                raise ToolError(self._files.explain(error, path) + await self._suggestion(path)) from None
            path = other
        except OSError as error:
            raise ToolError(self._files.explain(error, path)) from None
        return await self._files.open(path), path

    async def _suggestion(self, path: str) -> str:
        folder, _, name = path.rpartition("/")
        [entries] = await self._files.operations.list([folder or "/"])
        if isinstance(entries, OSError):
            return f" Its folder {self._files.shown(folder)} does not exist either." if folder else ""
        near = nearest_names(name, [entry.name for entry in entries])
        return f" Did you mean {' or '.join(near)}?" if near else ""

    async def _read_image(
        self, path: str, reader: FileReader, start: bytes, mime_type: str, context: ToolContext
    ) -> ToolResult:
        shown = self._files.shown(path)
        if reader.stat.size > MAX_IMAGE_FILE:
            raise ToolError(f"{shown} is too large a picture to be shown ({size_in_words(reader.stat.size)}).")
        data = b"".join([chunk async for chunk in _chunks(reader, start)])
        work = partial(prepare_image, data, mime_type, shrink=self._settings.auto_resize_images)
        try:
            picture = await anyio.to_thread.run_sync(work)
        except NotAPicture as error:
            raise ToolError(f"{shown} cannot be shown as a picture ({error}).") from None
        note = picture.note
        if context.model is not None and not context.model.vision:
            note += f"\n[{context.model.label} cannot see pictures.]"
        details = ImageDetails(
            shown, picture.mime_type, picture.width, picture.height, picture.original_width, picture.original_height
        )
        return ToolResult((TextContent(note), ImageContent(picture.data, picture.mime_type)), details)

    async def _read_text(self, path: str, reader: FileReader, start: bytes, arguments: ReadArguments) -> ToolResult:
        first = arguments.offset or 1
        scan = _Scan(start, first, min(arguments.limit or MAX_LINES, MAX_LINES))
        async for chunk in _chunks(reader, start):
            await _off_loop(len(chunk), lambda chunk=chunk: scan.feed(chunk))
        found = scan.finish()
        real = await self._files.operations.realpath(path)
        seen = None
        if scan.digest is not None:
            self._files.state.remember_digest(keys_of(real, reader.stat), scan.digest, scan.content)
            seen = SeenContent(real, scan.digest)
        return self._result(path, first, found, arguments.limit, scan.encoding, seen)

    def _result(
        self,
        path: str,
        first: int,
        found: LineRange,
        limit: int | None,
        encoding: Encoding | None,
        seen: SeenContent | None,
    ) -> ToolResult:
        shown = self._files.shown(path)
        if found.total_lines == 0 and first == 1:
            return ToolResult.of("[The file is empty.]", FileDetails(shown, 1, 0, 0, seen=seen))
        if first > found.total_lines:
            raise ToolError(f"Offset {first} is beyond the end of {shown}, which has {_count(found.total_lines)}.")
        is_to_end = found.stopped_by is None and found.ends_with_break
        text = "\n".join(found.lines) + ("\n" if is_to_end else "")
        last = first + len(found.lines) - 1
        notes = [_continuation(shown, first, last, found, limit), _encoding_note(encoding)]
        truncation = _truncation(text, found, limit)
        details = FileDetails(shown, first, len(found.lines), found.total_lines, truncation, seen)
        return ToolResult.of(_with_notes(text if found.lines else "", notes), details)


def _with_notes(text: str, notes: list[str | None]) -> str:
    for note in notes:
        if note is not None:
            text += note if not text else f"\n{note}" if text.endswith("\n") else f"\n\n{note}"
    return text


class _Scan:
    """One pass over a file: the wanted lines, the content if it is small, its hash unless it is too large to be changed."""

    def __init__(self, start: bytes, first: int, max_lines: int) -> None:
        self.encoding = bom_of(start)
        self._window = LineWindow(first, max_lines)
        self._digest = new_digest()
        self._size = 0
        self._content = b""
        self._to_utf8 = _transcoder(self.encoding)
        self._is_utf8 = codecs.getincrementaldecoder("utf-8")() if self.encoding is None else None

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes; empty at the end of the file."""
        self._size += len(chunk)
        if self._size <= MAX_CHANGED_FILE:
            self._digest.update(chunk)
            self._check(chunk)
        self._content = self._content + chunk if self._size <= MAX_KEPT else b""
        self._window.feed(self._to_utf8(chunk))

    def _check(self, chunk: bytes) -> None:
        """Notice bytes that are not UTF-8."""
        if self._is_utf8 is None:
            return
        try:
            self._is_utf8.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            self.encoding = Encoding(b"", "bytes")
            self._is_utf8 = None

    def finish(self) -> LineRange:
        self.feed(b"")
        return self._window.finish()

    @property
    def digest(self) -> str | None:
        return self._digest.hexdigest() if self._size <= MAX_CHANGED_FILE else None

    @property
    def content(self) -> bytes | None:
        return self._content if self._size <= MAX_KEPT else None


def _transcoder(encoding: Encoding | None) -> Callable[[bytes], bytes]:
    """Turns pieces of the file into pieces of UTF-8 without byte-order mark."""
    if encoding is None:
        return lambda chunk: chunk
    decoder = codecs.getincrementaldecoder(encoding.codec)("replace")
    is_first = True

    def transcode(chunk: bytes) -> bytes:
        nonlocal is_first
        if is_first and chunk:
            chunk, is_first = chunk[len(encoding.bom) :], False
        return decoder.decode(chunk, final=not chunk).encode("utf-8", "replace")

    return transcode


async def _read_start(reader: FileReader) -> bytes:
    """Enough of the file to tell what it is; all of a short one."""
    start = b""
    while len(start) < BINARY_PROBE and (chunk := await reader.read(CHUNK if start else 64 * 1024)):
        start += chunk
    return start


async def _chunks(reader: FileReader, start: bytes) -> AsyncIterator[bytes]:
    if start:
        yield start
    while chunk := await reader.read(CHUNK):
        yield chunk


async def _off_loop(size: int, work: Callable[[], None]) -> None:
    if size <= 128 * 1024:
        work()
    else:
        await anyio.to_thread.run_sync(work)


def _continuation(path: str, first: int, last: int, found: LineRange, limit: int | None) -> str | None:
    if found.oversized is not None:
        size = size_in_words(found.oversized)
        return (
            f"[Line {first} is {size} long, more than the {size_in_words(MAX_BYTES)} that can be shown. "
            f"To see its start: sed -n '{first}p' {_quoted(path)} | head -c {MAX_BYTES}]"
        )
    if found.stopped_by is None:
        return None
    rest = found.total_lines - last
    if limit is not None and last - first + 1 == limit:
        return f"[{_count(rest, 'more line')} in the file. Use offset={last + 1} to go on.]"
    reason = f" ({size_in_words(MAX_BYTES)} limit)" if found.stopped_by == "bytes" else ""
    return f"[Lines {first}-{last} of {found.total_lines} shown{reason}. Use offset={last + 1} to go on.]"


def _truncation(text: str, found: LineRange, limit: int | None) -> Truncation | None:
    if found.stopped_by is None or (limit is not None and len(found.lines) == limit):
        return None
    return Truncation(
        "lines" if found.stopped_by == "lines" else "bytes",
        found.total_lines,
        found.total_bytes,
        len(found.lines),
        byte_length(text),
        first_line_exceeds_limit=found.oversized is not None,
    )


def _encoding_note(encoding: Encoding | None) -> str | None:
    if encoding is None or encoding.codec == "utf-8":
        return None
    if encoding.is_unknown:
        return "[The file is not UTF-8; bytes that could not be read are shown as \ufffd. An edit can change ASCII text in it.]"
    return f"[The file is {encoding.codec.upper()}; an edit keeps that.]"


_MAGIC = (
    (b"\x7fELF", "ELF executable"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"%PDF-", "PDF document"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O executable"),
    (b"\xcf\xfa\xed\xfe", "Mach-O executable"),
    (b"MZ", "Windows executable"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\0", "xz data"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (b"\0asm", "WebAssembly"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
    (b"fLaC", "FLAC audio"),
    (b"RIFF", "RIFF media"),
    (b"wOFF", "web font"),
    (b"wOF2", "web font"),
    (b"II*\0", "TIFF picture"),
    (b"MM\0*", "TIFF picture"),
    (b"\0\0\1\0", "icon"),
)


def _describe_binary(path: str, start: bytes, size: int) -> str:
    kind = next((name for magic, name in _MAGIC if start.startswith(magic)), "unknown type")
    if start[257:262] == b"ustar":
        kind = "tar archive"
    if start[4:8] == b"ftyp":
        kind = "MP4 or HEIF media"
    return f"{path} is a binary file ({kind}, {size_in_words(size)}), its text cannot be shown. Use bash with a tool for it."


def _count(number: int, noun: str = "line") -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _quoted(path: str) -> str:
    import shlex

    return shlex.quote(path)
