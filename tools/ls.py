"""The tool `ls`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..agent.details import ListingDetails
from ..agent.messages import JsonObject
from ..agent.tool import Effect, Replay, Tool, ToolContext, ToolError, ToolResult
from .deferred import deferred
from .files import Files, off_loop
from .folding import fold_path
from .limits import LS_LIMIT
from .listing import finished
from .operations import DirectoryEntry

if TYPE_CHECKING:
    from .arguments import LsArguments


def _arguments() -> type[LsArguments]:
    from .arguments import LsArguments

    return LsArguments


class LsTool(Tool["LsArguments"]):
    """Lists a folder."""

    name = "ls"
    label = "ls"
    description = f"List a folder in alphabetical order, hidden entries included, folders with a final / (at most {LS_LIMIT} entries)."
    parameters: ClassVar[JsonObject] = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "default": ".", "description": "The folder; the working folder if left out"},
            "limit": {"type": "integer", "minimum": 1, "default": LS_LIMIT, "description": "Entries to return at most"},
        },
        "additionalProperties": False,
    }
    Arguments = deferred(_arguments)
    effect: ClassVar[Effect] = "read"
    replay: ClassVar[Replay] = "safe"
    prompt_snippet = "List a folder"

    def __init__(self, files: Files) -> None:
        self._files = files

    def prepare_arguments(self, arguments: JsonObject) -> JsonObject:
        return fold_path(arguments)

    async def execute(self, call_id: str, arguments: LsArguments, context: ToolContext) -> ToolResult:
        root, stat = await self._files.search_root(arguments.path)
        shown = self._files.shown(root)
        if stat.kind != "directory":
            raise ToolError(f"{shown} is not a directory.")
        [entries] = await self._files.operations.list([root])
        if isinstance(entries, OSError):
            raise ToolError(self._files.explain(entries, root))
        if not entries:
            return ToolResult.of("(empty directory)", ListingDetails(shown, 0, "entries"))
        names = await off_loop(
            100 * len(entries), lambda: sorted(map(_shown, entries), key=lambda name: (name.casefold(), name))
        )
        return _result(names, shown, arguments.limit)


def _result(names: list[str], shown: str, limit: int) -> ToolResult:
    kept = names[:limit]
    is_more = len(names) > limit
    notes = [f"{limit} of {len(names):,} entries shown: use limit={limit * 2} for more"] if is_more else []
    return finished(kept, notes, shown, len(kept), "entries", limit if is_more else None)


def _shown(entry: DirectoryEntry) -> str:
    if entry.kind == "symlink":
        return entry.name + {"directory": "/", None: " (dead link)"}.get(entry.target, "")
    return entry.name + ("/" if entry.kind == "directory" else "")
