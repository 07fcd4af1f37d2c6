"""The tool `edit`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

from ..agent.details import DiffDetails
from ..agent.frozen import frozen
from ..agent.messages import JsonObject
from ..agent.tool import Effect, Tool, ToolContext, ToolError, ToolResult
from .changes import EditFailed, Replacement, plan_changes
from .deferred import deferred
from .diff import diff_details
from .files import FileContent, Files, off_loop
from .folding import fold_names, fold_path
from .textfile import NotText, TextFile

if TYPE_CHECKING:
    from .arguments import EditArguments

_OLD_NAMES = ("old_text", "old_string", "oldString", "old_str", "search", "old")
_NEW_NAMES = ("new_text", "new_string", "newString", "new_str", "replace", "new")


@frozen
class _Plan:
    """A change that is worked out and not yet done."""

    data: bytes
    details: DiffDetails


def _arguments() -> type[EditArguments]:
    from .arguments import EditArguments

    return EditArguments


class EditTool(Tool["EditArguments"]):
    """Replaces text in a file."""

    name = "edit"
    label = "edit"
    description = (
        "Change a text file by replacing parts of it. Each oldText must occur exactly once in the file, so give enough "
        "lines around the change. Several changes of one file go into one call; all of them are found in the file as it "
        "is before the call, and either all are done or none. Line endings and encoding stay as they are. "
        "The file must have been read before."
    )
    parameters: ClassVar[JsonObject] = {
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "minLength": 1,
                "description": "The file, absolute or relative to the working folder",
            },
            "edits": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "oldText": {
                            "type": "string",
                            "description": "Text to replace, exactly as in the file; it must occur once",
                        },
                        "newText": {"type": "string", "description": "Text to put in its place"},
                    },
                    "required": ["oldText", "newText"],
                    "additionalProperties": False,
                },
                "description": "Replacements, all found in the file as it is now; they must not overlap",
            },
        },
        "required": ["path", "edits"],
        "additionalProperties": False,
    }
    Arguments = deferred(_arguments)
    effect: ClassVar[Effect] = "change"
    prompt_snippet = "Change parts of a file"
    prompt_guidelines = ("Read a file before you edit it; put all changes of one file into one edit call.",)

    def __init__(self, files: Files) -> None:
        self._files = files

    def prepare_arguments(self, arguments: JsonObject) -> JsonObject:
        return fold_edits(arguments)

    async def target(self, arguments: EditArguments) -> str:
        return await self._files.real_path(arguments.path)

    async def preview(self, arguments: EditArguments) -> DiffDetails:
        path = await self._files.resolve(arguments.path)
        async with self._files.turn(path) as real:
            return (await self._plan(path, await self._content(path, real), arguments)).details

    async def execute(self, call_id: str, arguments: EditArguments, context: ToolContext) -> ToolResult:
        path = await self._files.resolve(arguments.path)
        async with self._files.turn(path) as real:
            content = await self._content(path, real)
            plan = await self._plan(path, content, arguments)
            seen = await self._files.write(path, content, plan.data)
        count = len(arguments.edits)
        what = "1 replacement" if count == 1 else f"{count} replacements"
        text = f"{self._files.shown(path)} changed: {what}."
        return ToolResult(ToolResult.of(text).content, replace(plan.details, seen=seen), changed_paths=(real,))

    async def _content(self, path: str, real: str) -> FileContent:
        content = await self._files.content(path, real)
        if content.stat is None:
            raise ToolError(f"{self._files.shown(path)} does not exist. To make a new file, use write.")
        await self._files.require_changeable(path, content)
        return content

    async def _plan(self, path: str, content: FileContent, arguments: EditArguments) -> _Plan:
        shown = self._files.shown(path)
        try:
            return await off_loop(len(content.data), lambda: _work_out(shown, content.data, arguments))
        except NotText as error:
            raise ToolError(f"{shown} cannot be edited: {error}.") from None
        except EditFailed as error:
            raise ToolError(f"{shown} was not changed. {error}") from None


def fold_edits(arguments: JsonObject) -> JsonObject:
    """The arguments in their one right shape, as far as what is meant is clear."""
    folded = fold_names(fold_path(arguments), {"oldText": _OLD_NAMES, "newText": _NEW_NAMES})
    edits = _as_list(folded.get("edits"))
    if "oldText" in folded and "newText" in folded:
        edits = [*(edits or []), {"oldText": folded.pop("oldText"), "newText": folded.pop("newText")}]
    if edits is not None:
        folded["edits"] = [_fold_edit(edit) for edit in edits]
    return folded


def edited(data: bytes, arguments: EditArguments) -> bytes:
    """A file's bytes after the edits; `NotText` or `EditFailed` if they do not fit."""
    file = TextFile(data)
    return file.replace(_spans(file, arguments))


def _spans(file: TextFile, arguments: EditArguments) -> list[tuple[int, int, str]]:
    changes = plan_changes(file, [Replacement(edit.oldText, edit.newText) for edit in arguments.edits])
    return [(change.start, change.end, change.new) for change in changes]


def _work_out(path: str, data: bytes, arguments: EditArguments) -> _Plan:
    file = TextFile(data)
    spans = _spans(file, arguments)
    new_data = file.replace(spans)
    new_text = _applied(file.text, spans)
    return _Plan(new_data, diff_details(path, file.text, new_text, spans))


def _applied(text: str, spans: list[tuple[int, int, str]]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end, new in spans:
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


def _as_list(edits: Any) -> list[Any] | None:
    """`edits` as a list where it came as JSON text or as a single object; None where it is anything else."""
    if isinstance(edits, str):
        try:
            edits = json.loads(edits)
        except ValueError:
            return None
    if isinstance(edits, dict):
        return [cast("JsonObject", edits)]
    return cast("list[Any]", edits) if isinstance(edits, list) else None


def _fold_edit(edit: Any) -> Any:
    if not isinstance(edit, dict):
        return edit
    return fold_names(cast("JsonObject", edit), {"oldText": _OLD_NAMES, "newText": _NEW_NAMES})
