"""One run: from a prompt to the moment nothing is left to do.

Turn by turn: a reply of the model, then all its calls. Steering is injected after the whole batch, follow-ups when
the run would stop. Everything that happens goes through `emit`, in order; what is kept, through `MessageEnd`.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import field

import anyio

from .batch import Batch
from .conversation import for_model
from .details import OutputDetails
from .events import (
    AgentEnd,
    AgentNotice,
    AgentStart,
    AutoRetryEnd,
    AutoRetryStart,
    Emit,
    EndReason,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    TurnEnd,
    TurnStart,
)
from .hooks import nothing_earlier
from .limits import RepeatWatch, RunLimits
from .measures import CallMeasure, ReplyMeasure, RunMeasures
from .messages import AssistantMessage, Message, ThinkingLevel, ToolCall, ToolResultMessage
from .model import Model, ModelRequest, ToolSpec
from .mutable import mutable
from .pipeline import Pipeline, Settled
from .provider import Provider, ProviderError, StreamError, StreamUsage
from .queue import MessageQueue
from .reply import Reply
from .retry import RetryPolicy
from .tool import ToolContext, ToolResult

CUT_REPLY = (
    "Not run: the reply was cut off by the output limit, so this call may be incomplete. "
    "Send it again, in smaller parts if it is large."
)


@mutable
class Setup:
    """What a run works with. The next request uses what stands here then, so it may change while a run goes on.

    `prepare_turn` is awaited before every request but the first of a run (compaction lives there); `recover` is
    awaited once per run when the context overflows, and True means: try again.
    """

    provider: Provider
    model: Model
    system_prompt: str
    pipeline: Pipeline
    tool_specs: tuple[ToolSpec, ...]
    thinking_level: ThinkingLevel = "off"
    session_id: str = ""
    limits: RunLimits = RunLimits()
    retry: RetryPolicy = RetryPolicy()
    prepare_turn: Callable[[], Awaitable[None]] | None = None
    recover: Callable[[ProviderError], Awaitable[bool]] | None = None


@mutable
class Run:
    """A run in progress. `messages` is the agent's own list and grows."""

    setup: Setup
    messages: list[Message]
    steering: MessageQueue
    follow_up: MessageQueue
    emit: Emit
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    measures: RunMeasures = field(default_factory=RunMeasures)
    _new: list[Message] = field(default_factory=list[Message])
    _batch: Batch | None = None
    _repeats: RepeatWatch = field(default_factory=RepeatWatch)
    _recovered: bool = False

    def abort(self) -> None:
        """Stop everything; the run ends with every open call answered."""
        self.scope.cancel()

    def abort_call(self, call_id: str) -> bool:
        """Cancel one open call; False if there is none of that id."""
        return self._batch is not None and self._batch.abort(call_id)

    async def execute(self, prompts: Sequence[Message], *, has_work: bool, idle: Callable[[], None]) -> AgentEnd:
        """Run to the end. `idle` is called in the same instant in which the queues were last looked at.

        Cancellation from outside passes through after the history was repaired and `AgentEnd` was emitted.
        """
        began = time.monotonic()
        reason: EndReason = "aborted"
        self.emit(AgentStart())
        try:
            with self.scope:
                reason = await self._turns(prompts, has_work)
        finally:
            self.measures.duration_ms = round((time.monotonic() - began) * 1000)
            end = AgentEnd(tuple(self._new), reason, self.measures)
            idle()
            self.emit(end)
        return end

    async def _turns(self, prompts: Sequence[Message], has_work: bool) -> EndReason:
        pending = list(prompts)
        while True:
            pending += self.steering.deliver()
            if not has_work and not pending:
                pending += self.follow_up.deliver()
            if not has_work and not pending:
                return "done"
            self.emit(TurnStart())
            for message in pending:
                self._append(message)
            pending = []
            reply, has_work = await self._turn()
            if reply.stop_reason in ("error", "aborted"):
                return "error"
            if not has_work and not self.steering and not self.follow_up:
                continue
            if (limit := self.setup.limits.exceeded(self.measures)) is not None:
                self.emit(AgentNotice("warning", f"Stopped: {limit}."))
                return "limit"
            if self.setup.prepare_turn is not None:
                await self.setup.prepare_turn()

    async def _turn(self) -> tuple[AssistantMessage, bool]:
        """One reply and its calls; also whether the model must be asked again because of them."""
        results: list[ToolResultMessage] = []
        reply: AssistantMessage | None = None
        has_work = False
        try:
            reply = await self._reply()
            if reply.tool_calls and reply.stop_reason not in ("error", "aborted"):
                has_work = await self._calls(reply, results)
        finally:
            self.measures.turns += 1
            if reply is None:
                reply = self._last_reply()
            self.emit(TurnEnd(reply, tuple(results)))
        return reply, has_work

    def _last_reply(self) -> AssistantMessage:
        """The aborted reply that was stored while the cancellation passed."""
        return next(message for message in reversed(self.messages) if isinstance(message, AssistantMessage))

    # The model

    async def _reply(self) -> AssistantMessage:
        attempt = 0
        while True:
            message, error = await self._attempt()
            if error is None:
                if attempt:
                    self.emit(AutoRetryEnd(True, attempt))
                return message
            if await self._overflow_recovered(error):
                continue
            delay_ms = self.setup.retry.delay_ms(error, attempt + 1)
            if delay_ms is None:
                self._give_up(error, attempt)
                return message
            attempt += 1
            await self._wait(attempt, delay_ms, str(error))

    def _give_up(self, error: ProviderError, attempt: int) -> None:
        if attempt:
            self.emit(AutoRetryEnd(False, attempt, str(error)))
        if self.setup.retry.is_too_long(error):
            self.emit(AgentNotice("warning", _long_wait(error.retry_after or 0, self.setup.retry.max_delay_ms / 1000)))

    async def _wait(self, attempt: int, delay_ms: int, reason: str) -> None:
        self.emit(AutoRetryStart(attempt, self.setup.retry.max_retries, delay_ms, reason))
        waited = False
        try:
            await anyio.sleep(delay_ms / 1000)
            waited = True
        finally:
            if not waited:
                self.emit(AutoRetryEnd(False, attempt, "aborted"))

    async def _overflow_recovered(self, error: ProviderError) -> bool:
        if error.kind != "context_overflow" or self.setup.recover is None or self._recovered:
            return False
        self._recovered = True
        return await self.setup.recover(error)

    async def _attempt(self) -> tuple[AssistantMessage, ProviderError | None]:
        """One request. The reply is stored whole, or as far as it came if it failed or was aborted."""
        reply = Reply(self._request())
        began = time.monotonic()
        started = False
        error: ProviderError | None = None
        message: AssistantMessage | None = None

        def start() -> None:
            nonlocal started
            if not started:
                started = True
                self.emit(MessageStart(reply.pending()))

        try:
            async with aclosing(self.setup.provider.stream(reply.request)) as events:
                async for event in events:
                    reply.add(event)
                    if not isinstance(event, StreamUsage):
                        start()
                        self.emit(MessageUpdate(event))
            message = reply.finished()
        except Exception as failure:
            # The boundary of provider failures: one that is no ProviderError is a defect, and ends the reply likewise.
            error = failure if isinstance(failure, ProviderError) else _defect(failure)
            message = reply.broken("error", str(error))
            start()
            self.emit(MessageUpdate(StreamError("error", str(error))))
        finally:
            if message is None:
                message = reply.broken("aborted", "aborted by the user")
                start()
                self.emit(MessageUpdate(StreamError("aborted", "aborted by the user")))
            self._store(message)
            duration_ms = round((time.monotonic() - began) * 1000)
            self.measures.add_reply(ReplyMeasure(message.provider, message.model, duration_ms, message.usage))
            self.emit(MessageEnd(message))
        return message, error

    def _request(self) -> ModelRequest:
        setup = self.setup
        return ModelRequest(
            setup.model,
            setup.system_prompt,
            for_model(self.messages),
            setup.tool_specs,
            setup.thinking_level,
            session_id=setup.session_id,
        )

    # The calls

    async def _calls(self, reply: AssistantMessage, results: list[ToolResultMessage]) -> bool:
        """Settle every call of the reply, store the results; False if all of them ask to end the run."""
        calls = reply.tool_calls
        for call in calls:
            if self._repeats.see(call):
                self.emit(AgentNotice("warning", f"The model has made the same {call.name} call three times in a row."))
        pipeline = self.setup.pipeline
        if reply.stop_reason == "length":
            pipeline = CutPipeline(pipeline.tools, redactors=pipeline.redactors)
        context = ToolContext(model=self.setup.model, session_id=self.setup.session_id)

        def finished(call: ToolCall, settled: Settled, message: ToolResultMessage) -> None:
            self._measure(call, settled)
            results.append(message)
            self._append(message)

        self._batch = batch = Batch(pipeline, calls, self.emit, context, finished)
        try:
            await batch.run()
        finally:
            self._batch = None
        return not all(settled.result.terminate for settled in batch.results)

    def _measure(self, call: ToolCall, settled: Settled) -> None:
        result = settled.result
        exit_code = result.details.exit_code if isinstance(result.details, OutputDetails) else None
        self.measures.calls.append(
            CallMeasure(call.id, call.name, settled.outcome, settled.duration_ms, exit_code, result.changed_paths)
        )
        if result.usage is not None:
            self.measures.nested += result.usage

    def _append(self, message: Message) -> None:
        self.emit(MessageStart(message))
        self._store(message)
        self.emit(MessageEnd(message))

    def _store(self, message: Message) -> None:
        self.messages.append(message)
        self._new.append(message)


def _long_wait(seconds: float, limit: float) -> str:
    """What to say of a wait that is not taken; the time of day is that of this machine."""
    span = (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.0f} min"
        if seconds < 7_200
        else f"{seconds / 3_600:.1f} h"
    )
    until = time.strftime(", until %H:%M", time.localtime(time.time() + seconds)) if seconds < 43_200 else ""
    return f"The server asks to wait {span}{until}; more than {limit:g} s are not waited unasked."


def _defect(failure: Exception) -> ProviderError:
    return ProviderError("protocol", f"The provider failed: {type(failure).__name__}: {failure}")


class CutPipeline(Pipeline):
    """Runs nothing: every call of a reply that was cut by the output limit gets an error that says so."""

    async def admit(self, call: ToolCall, earlier_changes: Callable[[], Awaitable[None]] = nothing_earlier) -> Settled:
        return Settled(self.normalise(ToolResult.of(CUT_REPLY, is_error=True)), "invalid")
