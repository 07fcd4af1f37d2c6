"""The tool `write`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from ..agent.details import DiffDetails
from ..agent.messages import JsonObject
from ..agent.tool import Effect, Tool, ToolContext, ToolError, ToolResult
from .deferred import deferred
from .diff import diff_details
from .files import FileContent, Files, off_loop, parent_of
from .folding import fold_names, fold_path
from .textfile import NotText, TextFile

if TYPE_CHECKING:
    from .arguments import WriteArguments


def _arguments() -> type[WriteArguments]:
    from .arguments import WriteArguments

    return WriteArguments


class WriteTool(Tool["WriteArguments"]):
    """Writes a whole file."""

    name = "write"
    label = "write"
    description = (
        "Write a whole file, as UTF-8 and exactly as given. Missing folders are made. A file that exists is replaced, "
        "but only if it was read before; to change a part of it, use edit."
    )
    parameters: ClassVar[JsonObject] = {
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "minLength": 1,
                "description": "The file, absolute or relative to the working folder",
            },
            "content": {"type": "string", "description": "The whole new content"},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    }
    Arguments = deferred(_arguments)
    effect: ClassVar[Effect] = "change"
    prompt_snippet = "Write a new file or replace a whole one"
    prompt_guidelines = ("Use write for new files and complete rewrites only.",)

    def __init__(self, files: Files) -> None:
        self._files = files

    def prepare_arguments(self, arguments: JsonObject) -> JsonObject:
        return fold_names(fold_path(arguments), {"content": ("contents", "text")})

    async def target(self, arguments: WriteArguments) -> str:
        return await self._files.real_path(arguments.path)

    async def preview(self, arguments: WriteArguments) -> DiffDetails:
        path = await self._files.resolve(arguments.path)
        async with self._files.turn(path) as real:
            return await self._details(path, await self._content(path, real), _encode(arguments.content))

    async def execute(self, call_id: str, arguments: WriteArguments, context: ToolContext) -> ToolResult:
        path = await self._files.resolve(arguments.path)
        data = _encode(arguments.content)
        async with self._files.turn(path) as real:
            content = await self._content(path, real)
            details = await self._details(path, content, data)
            if content.stat is None:
                await self._make_parent(path, real)
            seen = await self._files.write(path, content, data)
        verb = "written" if content.stat is None else "replaced"
        text = f"{self._files.shown(path)} {verb}: {len(data):,} bytes."
        return ToolResult(ToolResult.of(text).content, replace(details, seen=seen), changed_paths=(real,))

    async def _content(self, path: str, real: str) -> FileContent:
        content = await self._files.content(path, real)
        await self._files.require_changeable(path, content)
        return content

    async def _make_parent(self, path: str, real: str) -> None:
        try:
            await self._files.operations.make_directories(parent_of(real))
        except OSError as error:
            raise ToolError(self._files.explain(error, error.filename or path)) from None

    async def _details(self, path: str, content: FileContent, data: bytes) -> DiffDetails:
        shown = self._files.shown(path)
        return await off_loop(len(content.data) + len(data), lambda: _diff(shown, content, data))


def _encode(content: str) -> bytes:
    try:
        return content.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ToolError(
            f"The content has half of a character at position {error.start}; it cannot be written."
        ) from None


def _diff(path: str, content: FileContent, data: bytes) -> DiffDetails:
    is_new = content.stat is None
    new = TextFile(data, may_hold_nul=True)  # it was text when the model sent it, so a person can read it
    try:
        old = None if is_new else TextFile(content.data)
    except NotText as error:
        note = f"What it replaces cannot be shown: {error} ({len(content.data):,} bytes)."
        return replace(diff_details(path, None, new.text), created=False, note=note)
    details = diff_details(path, old.text if old else None, new.text)
    if old is None or content.data == data or details.note is not None:
        return details
    before, after = _line_ends(content.data), _line_ends(data)
    change = f"from {before} to {after}" if before and after and before != after else ""
    if not details.patch:
        note = f"Only the line endings change: {change}." if change else "Only the encoding changes."
        return DiffDetails(path, "", 0, 0, note=note)
    return replace(details, note=f"Line endings change too: {change}.") if change else details


def _line_ends(data: bytes) -> str:
    """How the lines end, empty if there is only one."""
    all_ends, crlf = data.count(b"\n"), data.count(b"\r\n")
    if not all_ends:
        return ""
    return "LF" if not crlf else "CRLF" if crlf == all_ends else "mixed ones"
