"""One tool call, stage by stage.

find → prepare and validate → before (allow, block, rewrite) → execute → after → normalise. `Pipeline.admit` is
everything up to the permission to run, `Pipeline.execute` the rest. Nothing executes unless it was found active,
validated and allowed; whatever fails becomes an error result that the model can act on.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import anyio

from .frozen import frozen
from .hooks import AfterHook, Allow, BeforeHook, Block, CallRequest, Decision, Redactor, Rewrite, nothing_earlier
from .messages import TextContent, ToolCall
from .normalise import clean_text, normalise
from .permission import Permission
from .tool import AnyTool, ToolContext, ToolError, ToolResult
from .validation import InvalidArguments, validate, validate_arguments

Outcome: TypeAlias = Literal["ok", "failed", "blocked", "invalid", "aborted"]


@frozen
class Settled:
    """A call with its one result. `duration_ms` is None if the tool never ran, `permission` if nobody had to decide."""

    result: ToolResult
    outcome: Outcome
    duration_ms: int | None = None
    permission: Permission | None = None


@frozen
class Admitted:
    """A call that may run. `notes` are told to the model with the result."""

    request: CallRequest
    notes: tuple[str, ...] = ()
    permission: Permission | None = None


@frozen
class Pipeline:
    """The stages and what takes part in them. `tools` are the active ones: no other name is found."""

    tools: Mapping[str, AnyTool]
    before: Sequence[BeforeHook] = ()
    after: Sequence[AfterHook] = ()
    redactors: Sequence[Redactor] = ()

    async def admit(
        self, call: ToolCall, earlier_changes: Callable[[], Awaitable[None]] = nothing_earlier
    ) -> Admitted | Settled:
        """Find, prepare, validate, ask the before-hooks; `earlier_changes` as in `CallRequest`."""
        tool = self.tools.get(call.name)
        if tool is None:
            return self._refused("invalid", self._not_found(call.name))
        try:
            request = CallRequest(call, tool, validate(tool, call), earlier_changes)
        except (InvalidArguments, ToolError) as error:
            return self._refused("invalid", str(error))
        except Exception as error:
            # A tool's own shim may fail on anything a model sends; the call is refused, the run goes on.
            return self._refused("invalid", f"The arguments of {call.name} could not be read: {_describe(error)}")
        return await self._decide(request)

    async def execute(self, admitted: Admitted, context: ToolContext) -> Settled:
        """Run the tool, then the after-hooks, then make the result fit for the model. Cancellation passes through."""
        request = admitted.request
        context = replace(context, permission=admitted.permission)
        began = time.monotonic()
        try:
            result = await request.tool.execute(request.call.id, request.arguments, context)
        except ToolError as error:
            result = ToolResult.of(str(error), error.details, is_error=True)
        except Exception as error:
            # The boundary of expected failures: a defect in a tool must not end the run.
            result = ToolResult.of(f"{request.tool.name} failed: {_describe(error)}", is_error=True)
        duration_ms = round((time.monotonic() - began) * 1000)
        result = await self._patch(request, result)
        result = _with_notes(result, admitted.notes)
        outcome: Outcome = "failed" if result.is_error else "ok"
        return Settled(self.normalise(result), outcome, duration_ms, admitted.permission)

    def normalise(self, result: ToolResult) -> ToolResult:
        """Bounded, redacted, valid text: fit for model, screen and session."""
        return normalise(result, self.redactors)

    async def _decide(self, request: CallRequest) -> Admitted | Settled:
        notes: list[str] = []
        permission: Permission | None = None
        for hook in self.before:
            decision = await _ask(hook, request)
            match decision:
                case Block():
                    return self._blocked(decision)
                case Rewrite():
                    try:
                        arguments = validate_arguments(request.tool, decision.arguments)
                    except InvalidArguments as error:
                        return self._refused("blocked", f"{hook.name} changed the call, and it no longer fits. {error}")
                    request = replace(request, arguments=arguments)
                case Allow():
                    pass
            if decision.note:
                notes.append(decision.note)
            permission = self._clean(decision.permission) or permission
        return Admitted(request, tuple(notes), permission)

    async def _patch(self, request: CallRequest, result: ToolResult) -> ToolResult:
        for hook in self.after:
            try:
                with anyio.fail_after(hook.timeout):
                    patch = await hook.patch(request, result)
            except Exception as error:
                # What happened must not be hidden by the failure of a hook: keep it, attach the error.
                note = f"[the hook {hook.name} failed after the call: {_describe(error)}]"
                result = replace(result, content=(*result.content, TextContent(note)))
                continue
            if patch is not None:
                fields = ("content", "details", "is_error", "usage", "terminate")
                changes = {name: getattr(patch, name) for name in fields if getattr(patch, name) is not None}
                result = replace(result, **changes)
        return result

    def _blocked(self, block: Block) -> Settled:
        result = replace(ToolResult.of(block.reason, block.details, is_error=True), terminate=block.terminate)
        outcome: Outcome = "failed" if block.is_failure else "blocked"
        return Settled(self.normalise(result), outcome, permission=self._clean(block.permission))

    def _clean(self, permission: Permission | None) -> Permission | None:
        return permission and replace(
            permission,
            words=clean_text(permission.words, self.redactors),
            command=clean_text(permission.command, self.redactors),
            parts=clean_text(permission.parts, self.redactors),
        )

    def _refused(self, outcome: Outcome, reason: str) -> Settled:
        return Settled(self.normalise(ToolResult.of(reason, is_error=True)), outcome)

    def _not_found(self, name: str) -> str:
        active = ", ".join(self.tools) or "none"
        return f"Tool {name} not found. Active tools: {active}."


async def _ask(hook: BeforeHook, request: CallRequest) -> Decision:
    try:
        with anyio.fail_after(hook.timeout):
            return await hook.decide(request)
    except TimeoutError:
        return Block(f"Not run: {hook.name} did not decide within {hook.timeout:g} s.")
    except Exception as error:
        # Fails closed: a broken guard lets nothing through.
        return Block(f"Not run: {hook.name} failed: {_describe(error)}")


def _with_notes(result: ToolResult, notes: tuple[str, ...]) -> ToolResult:
    if not notes:
        return result
    return replace(result, content=(*result.content, *(TextContent(note) for note in notes)))


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
