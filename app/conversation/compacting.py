"""Compaction of the running conversation: when it is tried, who is told, what the model is given afterwards."""

from __future__ import annotations

import re
from collections.abc import Coroutine
from typing import Any, Literal, TypeAlias

import anyio

from ...agent.agent import Agent
from ...agent.events import AgentNotice, CompactionEnd, CompactionStart, Emit, EndReason
from ...agent.messages import AssistantMessage
from ...agent.provider import ProviderError
from ...sessions.compaction import (
    CompactionResult,
    CompactionSettings,
    NothingToCompactError,
    compact,
    plan_compaction,
    should_compact,
)
from ...sessions.guard import CompactionGuard, overflow_message, shares_of
from ...sessions.session import Session
from ...sessions.statistics import leaf_context
from ...sessions.summary import Summariser, SummaryError

Reason: TypeAlias = Literal["manual", "threshold", "overflow"]


class Compacting:
    """Compacts one conversation: by hand, when the context is nearly full, or when the provider says that it is.

    A summary that fails or is cancelled changes nothing. By itself it is tried once per user turn without progress;
    then the person is told what fills the window.
    """

    def __init__(self, agent: Agent, session: Session, settings: CompactionSettings, emit: Emit) -> None:
        self.settings = settings
        self._agent = agent
        self._session = session
        self._emit = emit
        self._guard = CompactionGuard()
        self._scope: anyio.CancelScope | None = None
        self._overflow = ""  # what the provider said when room was made for it

    @property
    def is_running(self) -> bool:
        """Whether a summary is being written outside a run."""
        return self._scope is not None

    def cancel(self) -> bool:
        """Stop the summary that is written outside a run; False if there is none."""
        if self._scope is None:
            return False
        self._scope.cancel()
        return True

    def begin_turn(self) -> None:
        """The person said something new: compaction may be tried again."""
        self._guard.begin_turn()
        self._overflow = ""

    def end_run(self, reason: EndReason) -> None:
        """A run is over: if it still did not fit after compaction, say what fills the window."""
        last = self._agent.messages[-1] if self._agent.messages else None
        words = (last.error_message or "") if isinstance(last, AssistantMessage) else ""
        if reason == "error" and self._overflow and _shape(words) == _shape(self._overflow):
            self._say_full()

    @property
    def is_due(self) -> bool:
        """Whether the context is so full that it should be compacted before the next request."""
        return self._guard.is_open and self._is_full

    async def before_request(self) -> None:
        """Compact if that is due; within a run."""
        window = self._agent.setup.model.context_window
        if self.is_due:
            await self._by_itself("threshold")
        elif window is not None and not self._is_full:
            self._guard.note_reply(self._tokens, self.settings.threshold(window))

    async def recover(self, error: ProviderError) -> bool:
        """The request did not fit: whether room was made, so that it may be sent again."""
        if not self.settings.enabled:
            return False
        if not self._guard.is_open:
            self._say_full()
            return False
        self._overflow = str(error)
        return await self._by_itself("overflow")

    def start(self, reason: Reason, instructions: str = "") -> Coroutine[Any, Any, None]:
        """Compact while no run goes on: await what is returned. It counts as running from this call on."""
        self._scope = anyio.CancelScope()
        return self._outside_run(self._scope, reason, instructions)

    async def _outside_run(self, scope: anyio.CancelScope, reason: Reason, instructions: str) -> None:
        try:
            with scope:
                if reason == "manual":
                    await self._compact(reason, instructions)
                else:
                    await self._by_itself(reason)
        finally:
            self._scope = None

    @property
    def _tokens(self) -> int:
        return leaf_context(self._session.tree)

    @property
    def _is_full(self) -> bool:
        return should_compact(self._tokens, self._agent.setup.model.context_window, self.settings)

    async def _by_itself(self, reason: Reason) -> bool:
        self._guard.note_compaction()
        try:
            plan_compaction(self._session.tree.path(), self.settings)
        except NothingToCompactError:
            self._say_full()
            return False
        is_done = await self._compact(reason)
        if self._is_full or (reason == "overflow" and not is_done):
            self._say_full()
        return is_done

    async def _compact(self, reason: Reason, instructions: str = "") -> bool:
        """Write the summary and put it in place; every start has its end, whatever happens."""
        self._emit(CompactionStart(reason))
        end = CompactionEnd(reason, None, aborted=True, will_retry=False)
        result: CompactionResult | None = None
        try:
            result = await compact(self._session, self.summariser(), self.settings, instructions)
            self._agent.messages[:] = self._session.messages()
            end = CompactionEnd(reason, result.summary, aborted=False, will_retry=reason == "overflow")
        except (NothingToCompactError, SummaryError) as error:
            end = CompactionEnd(reason, None, aborted=False, will_retry=False, error_message=str(error))
        finally:
            self._emit(end)
        return result is not None

    def summariser(self) -> Summariser:
        """Who summarises: the model that answers now."""
        setup = self._agent.setup
        return Summariser(
            setup.provider, setup.model, setup.thinking_level, self.settings.reserve_tokens, setup.session_id
        )

    def _say_full(self) -> None:
        setup = self._agent.setup
        window = setup.model.context_window
        if window is not None:
            shares = shares_of(setup.system_prompt, setup.tool_specs, self._agent.messages)
            self._emit(AgentNotice("error", overflow_message(shares, window)))


def _shape(error: str) -> str:
    """An error without its numbers: the same complaint about another size."""
    return re.sub(r"\d[\d,.]*", "#", error)
