"""Hooks around a call: `before` decides whether it may run, `after` may change what is told of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from .details import Details
from .frozen import frozen
from .messages import JsonObject, ToolCall, ToolResultContent, Usage
from .permission import Permission
from .tool import AnyTool, ToolResult


async def nothing_earlier() -> None:
    """No change of a file stands before a call."""


@frozen
class CallRequest:
    """A call that is found and valid and waits for its decisions. `arguments` is an instance of `tool.Arguments`.

    `earlier_changes` waits until the changes of files that stand before it in the same reply are done: who shows what
    the call would do looks at what they leave.
    """

    call: ToolCall
    tool: AnyTool
    arguments: Any
    earlier_changes: Callable[[], Awaitable[None]] = nothing_earlier


@frozen
class Allow:
    """Let it run (or let the next hook decide). `note` is told to the model with the result, `permission` is kept with it."""

    note: str | None = None
    permission: Permission | None = None


@frozen
class Block:
    """Do not run it; `reason` is the error that the model reads. `terminate` as in `ToolResult`.

    `is_failure`: nobody refused it, it cannot work (and `details` may say more for the screen).
    """

    reason: str
    terminate: bool = False
    is_failure: bool = False
    details: Details | None = None
    permission: Permission | None = None


@frozen
class Rewrite:
    """Run it with these arguments, which are validated again. `note` tells the model what was changed."""

    arguments: JsonObject
    note: str | None = None
    permission: Permission | None = None


Decision: TypeAlias = Allow | Block | Rewrite


@frozen
class BeforeHook:
    """`decide` is asked before a call runs, in order of registration; the first `Block` wins, rewrites chain.

    A hook that raises or needs longer than `timeout` seconds blocks the call. None waits for ever (for a person).
    """

    name: str
    decide: Callable[[CallRequest], Awaitable[Decision]]
    timeout: float | None = 30.0


@frozen
class ResultPatch:
    """What an after-hook changes; None leaves a field as it is. Whole fields, no deep merge."""

    content: tuple[ToolResultContent, ...] | None = None
    details: Details | None = None
    is_error: bool | None = None
    usage: Usage | None = None
    terminate: bool | None = None


@frozen
class AfterHook:
    """`patch` sees the finished call. If it raises or times out, the original result stays and the error is attached."""

    name: str
    patch: Callable[[CallRequest, ToolResult], Awaitable[ResultPatch | None]]
    timeout: float | None = 30.0


Redactor: TypeAlias = Callable[[str], str]
"""Takes any text of a result and returns it without secrets. If it raises, the text is withheld."""
