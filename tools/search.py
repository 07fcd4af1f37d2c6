"""Searching lines of files: by ripgrep where the machine has it, else by our own walk and matcher. Same records."""

from __future__ import annotations

import asyncio
import marshal
import struct
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

from ..agent.frozen import frozen
from .children import end_child
from .files import Turns
from .glob import PathGlob
from .local import LocalOperations
from .operations import Operations, read_whole
from .walk import walk_files

MAX_FETCHED = 64 * 1024 * 1024
"""Bytes of a file that is searched through operations which are not local."""

BATCH = 64
"""Files handed to the matcher at once."""


@frozen
class Query:
    """What is looked for below `root` (or in the one file it is). `context` lines are wanted around each match."""

    root: str
    pattern: str
    is_file: bool = False
    literal: bool = False
    ignore_case: bool = False
    context: int = 0
    glob: PathGlob | None = None


@frozen
class LineRecord:
    """One line of a file: a match, or context. `piece` is what is handed on of it, with the bytes that are left out."""

    path: str
    line: int
    is_match: bool
    piece: bytes
    before: int = 0
    behind: int = 0


class SearchFailed(Exception):
    """The search cannot be done; the text says why."""


class Matcher:
    """The matcher process, for one search. Use as an async context manager: it is gone afterwards, whatever happens."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Matcher:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            str(Path(__file__).with_name("matcher.py")),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=self._query.root if not self._query.is_file else None,
            start_new_session=sys.platform != "win32",
        )
        query = self._query
        try:
            error = await self._ask((query.pattern, query.literal, query.ignore_case, query.context, query.is_file))
            if error is not None:
                raise SearchFailed(f"The pattern is not valid: {error}.")
        except BaseException:
            await end_child(self._process)
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process is not None:
            await end_child(self._process)

    async def search(self, files: list[tuple[str, bytes | None]], wanted: int) -> list[list[LineRecord]]:
        """The records of each file, until `wanted` matches are there."""
        answers = await self._ask((wanted, files))
        return [
            [
                LineRecord(path, line, is_match, piece, before, behind)
                for line, is_match, _, piece, before, behind in records
            ]
            for (path, _), records in zip(files, answers, strict=True)
        ]

    async def _ask(self, request: Any) -> Any:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        body = marshal.dumps(request)
        self._process.stdin.write(struct.pack(">I", len(body)) + body)
        try:
            await self._process.stdin.drain()
            (size,) = struct.unpack(">I", await self._process.stdout.readexactly(4))
            return marshal.loads(await self._process.stdout.readexactly(size))
        except (OSError, asyncio.IncompleteReadError):
            raise SearchFailed("The search ended unexpectedly.") from None


async def search_by_walk(operations: Operations, query: Query, wanted: int) -> AsyncGenerator[LineRecord, None]:
    """Every record in order of path and line, at least until `wanted` matches; `SearchFailed`, or `OSError` of the root."""
    files = _one(query.root) if query.is_file else walk_files(operations, query.root)
    async with aclosing(files):
        # The matcher is entered by hand: nothing that owns a cancel scope may stand around a yield.
        matcher = await Matcher(query).__aenter__()
        try:
            while batch := await _next_batch(operations, query, files):
                for records in await matcher.search(batch, wanted):
                    for record in records:
                        wanted -= record.is_match
                        yield record
        finally:
            await matcher.__aexit__()


async def _one(path: str) -> AsyncGenerator[str, None]:
    yield path


async def _next_batch(
    operations: Operations, query: Query, files: AsyncGenerator[str, None]
) -> list[tuple[str, bytes | None]]:
    batch: list[tuple[str, bytes | None]] = []
    size = 0
    turns = Turns()
    async for path in files:
        await turns.pass_now_and_then()
        if query.glob is not None and not query.is_file and not query.glob.matches(path):
            continue
        content = None if isinstance(operations, LocalOperations) else await _fetched(operations, query, path)
        batch.append((path, content))
        size += len(content or b"")
        if len(batch) == BATCH or size > MAX_FETCHED:
            break
    return batch


async def _fetched(operations: Operations, query: Query, path: str) -> bytes:
    try:
        content, _ = await read_whole(operations, path if query.is_file else f"{query.root}/{path}", MAX_FETCHED)
    except OSError:
        return b""
    return content
