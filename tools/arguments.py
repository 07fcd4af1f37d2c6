"""What each tool's arguments must be. Imports pydantic, a fifth of a short run: import it for a call, not for a start.

What the model is told of them is each tool's `parameters`; a test holds the two together.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from .limits import FIND_LIMIT, GREP_LIMIT, LS_LIMIT


def _no_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("must be a whole number, not true or false")
    return value


PositiveInt = Annotated[int, Field(ge=1), BeforeValidator(_no_boolean)]
NaturalInt = Annotated[int, Field(ge=0), BeforeValidator(_no_boolean)]
Filled = Annotated[str, Field(min_length=1)]


class ToolArguments(BaseModel):
    """Arguments as the model sends them; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class ReadArguments(ToolArguments):
    """What `read` takes."""

    path: Filled
    offset: PositiveInt | None = None
    limit: PositiveInt | None = None


class CommandArguments(ToolArguments):
    """What the shells take."""

    command: Filled
    timeout: Annotated[float, Field(gt=0, le=2_147_483, allow_inf_nan=False)] | None = None


class EditArgument(ToolArguments):
    """One replacement."""

    oldText: str
    newText: str


class EditArguments(ToolArguments):
    """What `edit` takes."""

    path: Filled
    edits: Annotated[list[EditArgument], Field(min_length=1)]


class WriteArguments(ToolArguments):
    """What `write` takes."""

    path: Filled
    content: str


class GrepArguments(ToolArguments):
    """What `grep` takes."""

    pattern: Filled
    path: str = "."
    glob: str | None = None
    ignore_case: bool = False
    literal: bool = False
    context: NaturalInt = 0
    limit: PositiveInt = GREP_LIMIT


class FindArguments(ToolArguments):
    """What `find` takes."""

    pattern: Filled
    path: str = "."
    limit: PositiveInt = FIND_LIMIT


class LsArguments(ToolArguments):
    """What `ls` takes."""

    path: str = "."
    limit: PositiveInt = LS_LIMIT
