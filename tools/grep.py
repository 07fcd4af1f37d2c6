"""The tool `grep`."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import field
from typing import TYPE_CHECKING, ClassVar

from ..agent.details import ListingDetails
from ..agent.frozen import frozen
from ..agent.messages import JsonObject
from ..agent.mutable import mutable
from ..agent.tool import Effect, Replay, Tool, ToolContext, ToolError, ToolResult
from .deferred import deferred
from .files import Files
from .folding import fold_names
from .glob import InvalidGlob, PathGlob
from .limits import GREP_LIMIT
from .listing import finished
from .matcher import BINARY_PROBE
from .operations import FileStat, Operations
from .ripgrep import search_lines
from .search import LineRecord, Query, SearchFailed, search_by_walk

if TYPE_CHECKING:
    from .arguments import GrepArguments

MAX_LINE = 500
"""Characters of a line that are shown."""


def _arguments() -> type[GrepArguments]:
    from .arguments import GrepArguments

    return GrepArguments


class GrepTool(Tool["GrepArguments"]):
    """Searches file contents."""

    name = "grep"
    label = "grep"
    description = (
        "Search the contents of files for a pattern, line by line. Returns path, line number and line of each match "
        f"(at most {GREP_LIMIT}; long lines are cut). Files that .gitignore hides, binary files and links are left out."
    )
    parameters: ClassVar[JsonObject] = {
        "type": "object",
        "properties": {
            "pattern": {
                "type": "string",
                "minLength": 1,
                "description": "A regular expression (ripgrep's syntax), or text if literal is true",
            },
            "path": {
                "type": "string",
                "default": ".",
                "description": "A folder or a file; the working folder if left out",
            },
            "glob": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "default": None,
                "description": "Search only files that fit, such as *.py or src/**/*.ts",
            },
            "ignore_case": {
                "type": "boolean",
                "default": False,
                "description": "Take upper and lower case as the same",
            },
            "literal": {"type": "boolean", "default": False, "description": "Take the pattern as plain text"},
            "context": {
                "type": "integer",
                "minimum": 0,
                "default": 0,
                "description": "Lines to show before and after each match",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "default": GREP_LIMIT,
                "description": "Matches to return at most",
            },
        },
        "required": ["pattern"],
        "additionalProperties": False,
    }
    Arguments = deferred(_arguments)
    effect: ClassVar[Effect] = "read"
    replay: ClassVar[Replay] = "safe"
    prompt_snippet = "Search the contents of files"
    prompt_guidelines = ("Search contents with grep, not with grep or rg in bash.",)

    def __init__(self, files: Files) -> None:
        self._files = files

    def prepare_arguments(self, arguments: JsonObject) -> JsonObject:
        return fold_names(arguments, {"ignore_case": ("ignoreCase", "case_insensitive"), "glob": ("include",)})

    async def execute(self, call_id: str, arguments: GrepArguments, context: ToolContext) -> ToolResult:
        root, stat = await self._files.search_root(arguments.path)
        query = _query(arguments, root, stat)
        if query.is_file:
            await self._refuse_binary(root)
        collected = _Collected(arguments.limit, arguments.context)
        try:
            async with aclosing(await self._records(query, arguments.limit + 1)) as records:
                async for record in records:
                    if not collected.add(record):
                        break
        except SearchFailed as error:
            raise ToolError(str(error)) from None
        except OSError as error:
            raise ToolError(self._files.explain(error, root)) from None
        return self._result(root, query, collected)

    async def _records(self, query: Query, wanted: int) -> AsyncGenerator[LineRecord, None]:
        operations: Operations = self._files.operations
        program = await operations.which("rg")
        if program is None:
            return search_by_walk(operations, query, wanted)
        return search_lines(operations, program, query)

    async def _refuse_binary(self, path: str) -> None:
        reader = await self._files.open(path)
        try:
            start = await reader.read(BINARY_PROBE)
        finally:
            await reader.aclose()
        if b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise ToolError(f"{self._files.shown(path)} is a binary file.")

    def _result(self, root: str, query: Query, collected: _Collected) -> ToolResult:
        shown = self._files.shown(root)
        if not collected.matches:
            return ToolResult.of("No matches found.", ListingDetails(shown, 0, "matches"))
        lines = [_line(record, root if query.is_file else None) for record in collected.records]
        notes: list[str] = []
        if collected.more:
            notes.append(
                f"{collected.limit} matches shown, there are more: use limit={collected.limit * 2} or a narrower pattern"
            )
        if any(line.was_cut for line in lines):
            notes.append(f"some lines were cut at {MAX_LINE} characters: use read to see all of them")
        reached = collected.limit if collected.more else None
        return finished([line.text for line in lines], notes, shown, collected.matches, "matches", reached)


def _query(arguments: GrepArguments, root: str, stat: FileStat) -> Query:
    if "\0" in arguments.pattern or "\n" in arguments.pattern:
        raise ToolError("A pattern cannot contain a line break or a NUL: each line is searched on its own.")
    try:
        glob = PathGlob(arguments.glob) if arguments.glob else None
    except InvalidGlob as error:
        raise ToolError(f"The glob is not valid: {error}.") from None
    return Query(
        root, arguments.pattern, stat.kind == "file", arguments.literal, arguments.ignore_case, arguments.context, glob
    )


@mutable
class _Collected:
    """The records that are shown: up to the limit of matches, with the context of the last one."""

    limit: int
    context: int
    records: list[LineRecord] = field(default_factory=list[LineRecord])
    matches: int = 0
    more: bool = False

    def add(self, record: LineRecord) -> bool:
        """Take the next record; False once nothing further can matter."""
        if self.matches < self.limit:
            self.matches += record.is_match
            self.records.append(record)
            return True
        last = next(earlier for earlier in reversed(self.records) if earlier.is_match)
        if record.path == last.path and record.line <= last.line + self.context:
            # A further match within the context of the last one is shown as a part of it.
            self.records.append(LineRecord(record.path, record.line, False, record.piece, record.before, record.behind))
        self.more = self.more or record.is_match
        return not (record.is_match and (record.path != last.path or record.line > last.line + self.context))


@frozen
class _Line:
    text: str
    was_cut: bool


def _line(record: LineRecord, single: str | None) -> _Line:
    path = single.rpartition("/")[2] if single else record.path
    mark = ":" if record.is_match else "-"
    text = record.piece.decode("utf-8", "replace")
    was_cut = len(text) > MAX_LINE or record.behind > 0
    text = ("… " if record.before else "") + text[:MAX_LINE] + (" … [cut]" if was_cut else "")
    return _Line(f"{path}{mark}{record.line}{mark} {text}", was_cut or record.before > 0)
