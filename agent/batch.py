"""The calls of one reply: parallel or one by one, each in its own cancel scope, each with exactly one result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import anyio
import anyio.lowlevel

from .details import OutputDetails
from .events import Emit, ToolExecutionEnd, ToolExecutionStart, ToolExecutionUpdate
from .messages import TextContent, ToolCall, ToolResultMessage
from .permission import Permission
from .pipeline import Admitted, Pipeline, Settled
from .tool import ToolContext, ToolResult

ABORTED = "The call was aborted by the user."


class Batch:
    """Runs `calls` in order of the reply.

    In a parallel batch the calls are admitted one after the other and run side by side, each from its permission on
    (what needs none does not wait for a person who thinks about another): ends come in completion order. One call to a sequential tool makes the whole batch sequential. `finished` is
    called once for each call with its result, in call order.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        calls: Sequence[ToolCall],
        emit: Emit,
        context: ToolContext,
        finished: Callable[[ToolCall, Settled, ToolResultMessage], None],
    ) -> None:
        self._pipeline = pipeline
        self._calls = calls
        self._emit = emit
        self._context = context
        self._finished = finished
        self._scopes: dict[str, anyio.CancelScope] = {}
        self._started: set[str] = set()
        self._began: dict[str, float] = {}
        self._partial: dict[str, ToolResult] = {}
        self._permissions: dict[str, Permission | None] = {}
        self._settled: dict[str, Settled] = {}
        self._reported: set[str] = set()
        self._changes: list[anyio.Event] = []

    @property
    def is_sequential(self) -> bool:
        tools = self._pipeline.tools
        return any(call.name in tools and tools[call.name].execution_mode == "sequential" for call in self._calls)

    def abort(self, call_id: str) -> bool:
        """Cancel one call; the others go on. False if it is not open."""
        if call_id in self._settled or all(call.id != call_id for call in self._calls):
            return False
        scope = self._scopes.get(call_id)
        if scope is None:
            # Not taken up yet: it will be settled the moment its turn comes.
            self._scopes[call_id] = scope = anyio.CancelScope()
        scope.cancel()
        return True

    async def run(self) -> None:
        """Settle every call, also when the scope around is cancelled: then the open ones end as aborted."""
        try:
            if self.is_sequential:
                for call in self._calls:
                    await self._run_one(call)
                    self._report(call)
            else:
                await self._run_together()
        finally:
            self._close()

    @property
    def results(self) -> tuple[Settled, ...]:
        """One for each call, in call order; whole once `run` has ended."""
        return tuple(self._settled[call.id] for call in self._calls if call.id in self._settled)

    async def _run_one(self, call: ToolCall) -> None:
        admitted = await self._admit(call)
        if admitted is not None:
            await self._execute(call, admitted)

    async def _run_together(self) -> None:
        async with anyio.create_task_group() as group:
            for call in self._calls:
                admitted = await self._admit(call)
                if admitted is not None:
                    group.start_soon(self._execute, call, admitted)

    async def _admit(self, call: ToolCall) -> Admitted | None:
        self._start(call)
        outcome: Admitted | Settled | None = None
        with self._scope(call):
            outcome = await self._pipeline.admit(call, self._changes_done)
        if isinstance(outcome, Admitted):
            self._permissions[call.id] = outcome.permission
            return outcome
        self._settle(call, outcome or self._aborted(call))
        return None

    async def _execute(self, call: ToolCall, admitted: Admitted) -> None:
        settled: Settled | None = None
        done = anyio.Event()
        if admitted.request.tool.effect == "change":
            self._changes.append(done)
        context = replace(self._context, update=partial(self._update, call))
        self._began[call.id] = time.monotonic()
        try:
            with self._scope(call):
                settled = await self._pipeline.execute(admitted, context)
        finally:
            self._settle(call, settled or self._aborted(call))
            done.set()

    async def _changes_done(self) -> None:
        """Wait for the changes that are under way."""
        # Those that were admitted just now have yet to begin.
        await anyio.lowlevel.checkpoint()
        for done in list(self._changes):
            await done.wait()

    def _close(self) -> None:
        """Give every call that has none its result, and report what is not reported yet, in call order."""
        for call in self._calls:
            if call.id not in self._settled:
                self._start(call)
                self._settle(call, self._aborted(call))
            if self.is_sequential:
                self._report(call)
        for call in self._calls:
            self._report(call)

    def _scope(self, call: ToolCall) -> anyio.CancelScope:
        """A fresh scope for the next stage of the call; already cancelled if the call was aborted before."""
        before = self._scopes.get(call.id)
        scope = anyio.CancelScope()
        self._scopes[call.id] = scope
        if before is not None and before.cancel_called:
            scope.cancel()
        return scope

    def _start(self, call: ToolCall) -> None:
        if call.id not in self._started:
            self._started.add(call.id)
            self._emit(ToolExecutionStart(call.id, call.name, call.arguments))

    def _update(self, call: ToolCall, result: ToolResult) -> None:
        if call.id in self._settled:
            return
        result = self._pipeline.normalise(result)
        self._partial[call.id] = result
        self._emit(ToolExecutionUpdate(call.id, call.name, result))

    def _settle(self, call: ToolCall, settled: Settled) -> None:
        if call.id in self._settled:
            return
        self._settled[call.id] = settled
        self._emit(
            ToolExecutionEnd(
                call.id, call.name, settled.result, settled.outcome, settled.duration_ms, settled.permission
            )
        )

    def _report(self, call: ToolCall) -> None:
        if call.id in self._reported:
            return
        self._reported.add(call.id)
        settled = self._settled[call.id]
        result = settled.result
        message = ToolResultMessage(
            call.id,
            call.name,
            result.content,
            result.details,
            result.is_error,
            result.usage,
            settled.duration_ms,
            permission=settled.permission,
        )
        self._finished(call, settled, message)

    def _aborted(self, call: ToolCall) -> Settled:
        """What the call had shown so far, marked as aborted."""
        began = self._began.get(call.id)
        duration_ms = None if began is None else round((time.monotonic() - began) * 1000)
        result = self._partial.get(call.id)
        permission = self._permissions.get(call.id)
        if result is None:
            return Settled(ToolResult.of(ABORTED, is_error=True), "aborted", duration_ms, permission)
        details = result.details
        if isinstance(details, OutputDetails):
            details = replace(details, aborted=True)
        content = (*result.content, TextContent(ABORTED))
        result = replace(result, content=content, details=details, is_error=True)
        return Settled(result, "aborted", duration_ms, permission)
