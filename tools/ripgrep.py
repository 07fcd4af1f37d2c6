"""Ripgrep as a child process: its options, its output."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator

import anyio

from .linepiece import fetch_piece
from .matcher import MAX_PIECE, piece_of
from .operations import Command, Operations, Process
from .pattern import tolerant
from .search import LineRecord, Query, SearchFailed

_WALK = (
    "--no-config",
    "--hidden",
    "--no-require-git",
    "--no-ignore-global",
    "--no-ignore-exclude",
    "--sort=path",
    "--glob=!.git",
    "--null",
    "--no-messages",
)
_LINES = (
    "--no-heading",
    "--with-filename",
    "--line-number",
    "--column",
    "--color=never",
    f"--max-columns={MAX_PIECE}",
    "--no-max-columns-preview",
    "--no-context-separator",
    "--crlf",
    "--no-mmap",
    "--no-pre",
    "--no-search-zip",
)
_OMITTED = b"[Omitted long "


async def list_files(operations: Operations, program: str, root: str) -> AsyncGenerator[str, None]:
    """The files below `root` in order, as `walk_files` gives them."""
    process = await operations.spawn(Command([program, "--files", *_WALK, "./"], root, stderr="drop"))
    rest = b""
    try:
        while chunk := await process.read():
            *paths, rest = (rest + chunk).split(b"\0")
            for path in paths:
                yield _relative(path)
    finally:
        await _end(process)


async def search_lines(operations: Operations, program: str, query: Query) -> AsyncGenerator[LineRecord, None]:
    """The records of a search, in order; `SearchFailed` if ripgrep does not take the pattern."""
    process = await operations.spawn(Command([program, *_arguments(query)], _folder(query), stderr="drop"))
    lines = _Lines()
    found = False
    try:
        while chunk := await process.read():
            for path, rest in lines.feed(chunk):
                record = await _record(operations, query, path, rest)
                if record is not None:
                    found = True
                    yield record
        if not found and (await process.wait()).code == 2:
            await _check_pattern(operations, program, query)
    finally:
        await _end(process)


def _arguments(query: Query) -> list[str]:
    arguments = [*_WALK, *_LINES]
    if query.context:
        arguments.append(f"--context={query.context}")
    if query.literal:
        arguments.append("--fixed-strings")
    if query.ignore_case:
        arguments.append("--ignore-case")
    if query.is_file:
        arguments.append("--text")
    name = query.glob.name_glob if query.glob is not None and not query.is_file else None
    if name is not None:
        # A type narrows the search without overruling ignore files, as `--glob` would.
        arguments += [f"--type-add=wanted:{name}", "--type=wanted"]
    return [*arguments, *_pattern_arguments(query), "--", _base_name(query.root) if query.is_file else "./"]


def _pattern_arguments(query: Query) -> list[str]:
    return [f"--regexp={query.pattern if query.literal else tolerant(query.pattern)}"]


def _folder(query: Query) -> str:
    return (query.root.rpartition("/")[0] or "/") if query.is_file else query.root


def _base_name(path: str) -> str:
    # A name that begins with a dash is no option behind "--", but a lone dash would be standard input.
    return f"./{path.rpartition('/')[2]}"


class _Lines:
    """Cuts the output into (path, rest of line). A path may hold line breaks, the rest may not."""

    def __init__(self) -> None:
        self._rest = b""
        self._path_start = b""

    def feed(self, chunk: bytes) -> list[tuple[bytes, bytes]]:
        """The lines that are complete now."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        complete: list[tuple[bytes, bytes]] = []
        for line in lines:
            path, nul, rest = line.partition(b"\0")
            if nul:
                complete.append((self._path_start + path, rest))
                self._path_start = b""
            elif not _NOTICE.search(line):
                self._path_start += line + b"\n"
        return complete


_NOTICE = re.compile(rb": (?:WARNING: stopped searching binary file|binary file matches)")
_MATCH = re.compile(rb"(\d+):(\d+):")
_CONTEXT = re.compile(rb"(\d+)-")


async def _record(operations: Operations, query: Query, path: bytes, rest: bytes) -> LineRecord | None:
    match = _MATCH.match(rest) or _CONTEXT.match(rest)
    if match is None:
        return None
    is_match = match.re is _MATCH
    line, column = int(match[1]), int(match[2]) - 1 if is_match else 0
    name = query.root if query.is_file else _relative(path)
    if query.glob is not None and not query.is_file and not query.glob.matches(name):
        return None
    text = rest[match.end() :].rstrip(b"\r")
    if not text.startswith(_OMITTED):
        return LineRecord(name, line, is_match, *piece_of(text, column))
    # Too long to be printed: fetch what is shown of it.
    full = name if query.is_file else f"{query.root}/{name}"
    return LineRecord(name, line, is_match, *await fetch_piece(operations, full, line, column))


def _relative(path: bytes) -> str:
    return os.fsdecode(path).removeprefix("./")


async def _check_pattern(operations: Operations, program: str, query: Query) -> None:
    """Ask again without files: what is wrong then is the pattern."""
    options = ["--no-config", "--crlf", "--color=never"]
    options += ["--fixed-strings"] if query.literal else []
    process = await operations.spawn(
        Command([program, *options, *_pattern_arguments(query), "/dev/null"], _folder(query))
    )
    output = b""
    try:
        while chunk := await process.read():
            output += chunk
        if (await process.wait()).code == 2:
            reason = output.decode("utf-8", "replace").strip().rpartition("error: ")[2]
            raise SearchFailed(f"The pattern is not valid: {reason}.")
    finally:
        await _end(process)


async def _end(process: Process) -> None:
    with anyio.CancelScope(shield=True):
        await process.kill(0.1)
    process.release()
