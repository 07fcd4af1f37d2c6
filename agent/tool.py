"""The contract of a tool: its facts and one verb."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from .details import Details
from .frozen import frozen
from .messages import JsonObject, TextContent, ToolResultContent, Usage
from .model import Model, ToolSpec
from .permission import Permission

if TYPE_CHECKING:
    from pydantic import BaseModel

ExecutionMode: TypeAlias = Literal["parallel", "sequential"]
Replay: TypeAlias = Literal["safe", "never"]
Effect: TypeAlias = Literal["read", "change", "command"]
"""What a call can do to the world: look, change files, or anything (a command). Approval decides by this."""

ArgumentsT = TypeVar("ArgumentsT", bound="BaseModel")


class ToolError(Exception):
    """An expected failure; its text tells the model what it can do about it. Only the pipeline catches it.

    `details` keep what happened up to the failure, such as a command's partial output.
    """

    def __init__(self, message: str, *, details: Details | None = None) -> None:
        super().__init__(message)
        self.details = details


@frozen
class ToolResult:
    """What a tool returns. `content` is for the model and bounded, `details` for the screen and the session.

    `terminate` asks the run to end after this batch (it does if every result of the batch asks). `usage` counts what
    the tool spent on models. `changed_paths` are the files that the call changed, absolute.
    """

    content: tuple[ToolResultContent, ...]
    details: Details | None = None
    is_error: bool = False
    usage: Usage | None = None
    terminate: bool = False
    changed_paths: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, details: Details | None = None, *, is_error: bool = False) -> ToolResult:
        """A result of one text."""
        return cls((TextContent(text),), details, is_error)

    @property
    def text(self) -> str:
        return "\n".join(block.text for block in self.content if isinstance(block, TextContent))


def _ignore(_: ToolResult) -> None:
    return None


@frozen
class ToolContext:
    """What a running call may use. `update` shows a partial result: synchronous, never raises, ignored once settled.

    `permission` says who let the call run; None where nobody had to decide.
    """

    update: Callable[[ToolResult], None] = _ignore
    model: Model | None = None
    session_id: str = ""
    permission: Permission | None = None
    extra: dict[str, Any] = field(default_factory=dict[str, Any])


class Tool(ABC, Generic[ArgumentsT]):
    """A tool: class attributes for its facts, `execute` for what it does.

    `Arguments` is a pydantic model with ``extra="forbid"``; its schema *is* the wire schema. A tool that is there at
    every start writes that schema out as `parameters`, so that pydantic is loaded for a call and not for a start.
    `prompt_snippet` is one line for the system prompt and `prompt_guidelines` are its rules, both only while the tool
    is active.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    description: ClassVar[str]
    Arguments: type[ArgumentsT]
    parameters: ClassVar[JsonObject] = {}
    effect: ClassVar[Effect] = "command"
    execution_mode: ClassVar[ExecutionMode] = "parallel"
    replay: ClassVar[Replay] = "never"
    prompt_snippet: ClassVar[str] = ""
    prompt_guidelines: ClassVar[tuple[str, ...]] = ()

    @cached_property
    def spec(self) -> ToolSpec:
        """What the model is told; made once, as it is needed for every call."""
        parameters = self.parameters or self.Arguments.model_json_schema()
        return ToolSpec(self.name, self.description, parameters)

    def prepare_arguments(self, arguments: JsonObject) -> JsonObject:
        """Fold known other shapes into the right one, before validation. Must not change its argument in place."""
        return arguments

    async def preview(self, arguments: ArgumentsT) -> Details | None:
        """What `execute` would do, for the person who must decide; touches nothing.

        Raises `ToolError` if the call cannot work: then nobody is asked and the error is the result.
        """
        return None

    async def target(self, arguments: ArgumentsT) -> str | None:
        """The real path of the one file that the call would change, links followed; None if there is no such file.

        Raises `ToolError` if the path cannot be one.
        """
        return None

    @abstractmethod
    async def execute(self, call_id: str, arguments: ArgumentsT, context: ToolContext) -> ToolResult:
        """Do it. Cancelled by the scope around it; raises `ToolError` for an expected failure.

        A cancelled tool may call `context.update` once more with all it has (full content and details, as a result
        would be) before it lets the cancellation pass: the aborted call's result is made of the last update.
        """
        ...


AnyTool: TypeAlias = Tool[Any]
