"""The tool `find`."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, ClassVar

from ..agent.details import ListingDetails
from ..agent.messages import JsonObject
from ..agent.tool import Effect, Replay, Tool, ToolContext, ToolError, ToolResult
from .deferred import deferred
from .files import Files, Turns
from .folding import fold_names
from .glob import InvalidGlob, PathGlob
from .limits import FIND_LIMIT
from .listing import finished
from .ripgrep import list_files
from .walk import walk_files

if TYPE_CHECKING:
    from .arguments import FindArguments


def _arguments() -> type[FindArguments]:
    from .arguments import FindArguments

    return FindArguments


class FindTool(Tool["FindArguments"]):
    """Finds files by name."""

    name = "find"
    label = "find"
    description = (
        f"Find files and folders by a glob. Returns paths relative to the folder (at most {FIND_LIMIT}), folders with a "
        "final /. Hidden files are found; what .gitignore hides, links and folders without files are not. "
        "A pattern without upper-case letters ignores case."
    )
    parameters: ClassVar[JsonObject] = {
        "type": "object",
        "properties": {
            "pattern": {
                "type": "string",
                "minLength": 1,
                "description": "A glob: *.py finds names in any folder, src/**/*.ts is anchored",
            },
            "path": {
                "type": "string",
                "default": ".",
                "description": "The folder to search; the working folder if left out",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "default": FIND_LIMIT,
                "description": "Results to return at most",
            },
        },
        "required": ["pattern"],
        "additionalProperties": False,
    }
    Arguments = deferred(_arguments)
    effect: ClassVar[Effect] = "read"
    replay: ClassVar[Replay] = "safe"
    prompt_snippet = "Find files by name"
    prompt_guidelines = ("Find files with find, not with find or ls in bash.",)

    def __init__(self, files: Files) -> None:
        self._files = files

    def prepare_arguments(self, arguments: JsonObject) -> JsonObject:
        return fold_names(arguments, {"pattern": ("glob", "glob_pattern", "name")})

    async def execute(self, call_id: str, arguments: FindArguments, context: ToolContext) -> ToolResult:
        root, stat = await self._files.search_root(arguments.path)
        if stat.kind != "directory":
            raise ToolError(f"{self._files.shown(root)} is not a directory.")
        try:
            glob = PathGlob(_relative_pattern(arguments.pattern, root), smart_case=True)
        except InvalidGlob as error:
            raise ToolError(f"The pattern is not a valid glob: {error}.") from None
        try:
            found = await self._find(root, glob, arguments.limit + 1)
        except OSError as error:
            raise ToolError(self._files.explain(error, root)) from None
        return self._result(root, found, arguments.limit)

    async def _find(self, root: str, glob: PathGlob, wanted: int) -> list[str]:
        found: list[str] = []
        async with aclosing(await self._paths(root)) as paths:
            seen, turns = set[str](), Turns()
            async for path in paths:
                await turns.pass_now_and_then()
                found += [folder for folder in _new_folders(path, seen) if glob.matches(folder[:-1], is_directory=True)]
                if glob.matches(path):
                    found.append(path)
                if len(found) >= wanted:
                    break
        return found[:wanted]

    async def _paths(self, root: str) -> AsyncGenerator[str, None]:
        operations = self._files.operations
        program = await operations.which("rg")
        return walk_files(operations, root) if program is None else list_files(operations, program, root)

    def _result(self, root: str, found: list[str], limit: int) -> ToolResult:
        shown = self._files.shown(root)
        if not found:
            return ToolResult.of("No files found.", ListingDetails(shown, 0, "files"))
        is_more = len(found) > limit
        found = found[:limit]
        notes = (
            [f"{limit} results shown, there are more: use limit={limit * 2} or a narrower pattern"] if is_more else []
        )
        return finished(found, notes, shown, len(found), "files", limit if is_more else None)


def _new_folders(path: str, seen: set[str]) -> list[str]:
    """The folders above the path that were not met yet, outermost first, each with a final ``/``."""
    new: list[str] = []
    end = path.find("/")
    while end >= 0:
        folder = path[: end + 1]
        if folder not in seen:
            seen.add(folder)
            new.append(folder)
        end = path.find("/", end + 1)
    return new


def _relative_pattern(pattern: str, root: str) -> str:
    """An absolute pattern that lies below the root, made relative to it."""
    prefix = root.rstrip("/") + "/"
    if os.path.isabs(pattern) and pattern.startswith(prefix):
        pattern = pattern[len(prefix) :]
        return pattern if "/" in pattern else f"/{pattern}"
    return pattern
