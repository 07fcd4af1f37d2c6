"""The question to the person: may this call run? Asked by `policy`, drawn by `widgets`, joined in `app`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

from .details import Details
from .frozen import frozen
from .messages import JsonObject
from .tool import Effect

ApprovalMode: TypeAlias = Literal["review", "edits", "auto", "read-only"]
"""`review`: changes and commands ask. `edits`: changes go, commands ask. `auto`: nothing asks. `read-only`: changes are refused."""


@frozen
class ApprovalRequest:
    """One call that waits. `arguments` are final (validated, as they will run); `preview` is what it would do.

    `rules` are what "always allow" could mean, in words, the narrowest first.
    """

    tool_call_id: str
    tool_name: str
    effect: Effect
    arguments: JsonObject
    preview: Details | None
    rules: tuple[str, ...] = ()


@frozen
class ApprovalAnswer:
    """`apply`, `apply_all` (this and all further ones of its effect in this run), `refuse` (with `reason` for the model, if any).

    `arguments`, where given, replace the call's (a change edited or applied in part); `note` then tells the model, `words`
    say for the record how much is applied, and `command` is what runs in place of the proposed one. A `note` with a
    refusal is told too, but not as the person's words. `rule` is the index of the rule in the request that allows such calls from now on.
    """

    verdict: Literal["apply", "apply_all", "refuse"]
    reason: str | None = None
    arguments: JsonObject | None = None
    note: str | None = None
    words: str = ""
    command: str = ""
    rule: int | None = None


AskApproval: TypeAlias = Callable[[ApprovalRequest], Awaitable[ApprovalAnswer]]
"""Ask and wait; cancelled when the run or the call is aborted."""
