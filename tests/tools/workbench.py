"""A folder with the real tools in it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from pyagent_tui.agent.details import DiffDetails, OutputDetails
from pyagent_tui.agent.tool import AnyTool, ToolContext, ToolError, ToolResult
from pyagent_tui.tools.filestate import FileState
from pyagent_tui.tools.local import LocalOperations
from pyagent_tui.tools.operations import Operations

_SECONDS = 86399
_numbers = count()


def alive(marker: str) -> list[int]:
    """Processes with the marker in their command line."""
    return [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if marker in _read(path)]


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


@dataclass
class Workbench:
    """`call` goes the way of a model's call: shim, validation, execution."""

    root: Path
    operations: Operations
    tools: dict[str, AnyTool]
    state: FileState
    updates: list[ToolResult] = field(default_factory=list[ToolResult])

    nap: str = field(default_factory=lambda: f"{_SECONDS}.{os.getpid()}{next(_numbers):04}")
    """Seconds that nobody else sleeps: ``NAP`` in a command stands for it, and its processes are known by it."""

    async def call(self, name: str, **arguments: Any) -> ToolResult:
        tool = self.tools[name]
        context = ToolContext(update=self.updates.append, session_id="the-session")
        return await tool.execute("call-1", self.validated(name, arguments), context)

    @property
    def local(self) -> LocalOperations:
        assert isinstance(self.operations, LocalOperations)
        return self.operations

    async def preview(self, name: str, **arguments: Any) -> DiffDetails:
        details = await self.tools[name].preview(self.validated(name, arguments))
        assert isinstance(details, DiffDetails)
        return details

    def validated(self, name: str, arguments: dict[str, Any]) -> Any:
        tool = self.tools[name]
        return tool.Arguments.model_validate(tool.prepare_arguments(arguments))

    async def refused(self, name: str, **arguments: Any) -> str:
        """The text of the error that the call must end in."""
        try:
            result = await self.call(name, **arguments)
        except ToolError as error:
            return str(error)
        raise AssertionError(f"{name} went through: {result.text[:200]}")

    async def run(self, command: str, **arguments: Any) -> tuple[str, OutputDetails]:
        result = await self.call("bash", command=command.replace("NAP", self.nap), **arguments)
        assert isinstance(result.details, OutputDetails)
        return result.text, result.details

    def file(self, name: str, content: bytes | str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    async def seen(self, name: str, content: bytes | str) -> Path:
        """A file that the model has read."""
        path = self.file(name, content)
        await self.call("read", path=name)
        return path

    async def edited(self, content: bytes | str, old: str, new: str) -> bytes:
        """A file's bytes after one edit of it."""
        path = await self.seen("edited.txt", content)
        await self.call("edit", path="edited.txt", edits=[{"oldText": old, "newText": new}])
        return path.read_bytes()

    async def edit_refused(self, content: bytes | str, *edits: tuple[str, str]) -> str:
        """The error of a call with these edits; the file must be as it was."""
        path = await self.seen("edited.txt", content)
        before = path.read_bytes()
        text = await self.refused(
            "edit", path="edited.txt", edits=[{"oldText": old, "newText": new} for old, new in edits]
        )
        assert path.read_bytes() == before
        return text
