"""Runs and compactions, one at a time: a message starts, steers or waits for what goes on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeAlias

from ...agent.events import AgentEnd
from ...agent.messages import UserMessage

if TYPE_CHECKING:
    from ...widgets.editor.editor import Intent
    from .compacting import Reason
    from .composition import Composition

HostRun: TypeAlias = Callable[[Coroutine[Any, Any, None]], object]
"""Hosts a run, or a compaction, in the app's worker."""

SETTLE_SECONDS = 5.0
"""How long to wait for what was stopped to end."""


class Runs:
    """Hosts the work of a composition. `compacting` is told when a compaction outside a run begins and ends."""

    def __init__(self, host: HostRun, compacting: Callable[[bool], object]) -> None:
        self._host = host
        self._compacting = compacting
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    def deliver(self, composition: Composition, message: UserMessage, intent: Intent) -> None:
        """Start a run with the message, steer the one that goes on, or queue it; compact first if that is due."""
        agent, compacting = composition.agent, composition.compacting
        if not (agent.is_running or compacting.is_running):
            composition.approval.new_run()
            compacting.begin_turn()
            if not compacting.is_due:
                self._start(self._run(composition, agent.prompt(message)))
                return
            self.compact(composition, "threshold")
        if intent == "follow_up":
            agent.follow_up(message)
        else:
            agent.steer(message)

    def retry(self, composition: Composition) -> None:
        """Ask the model once more, while nothing goes on. Raises `NothingToContinue` if it has answered."""
        run = composition.agent.continue_run()
        composition.approval.new_run()
        composition.compacting.begin_turn()
        self._start(self._run(composition, run))

    def compact(self, composition: Composition, reason: Reason, instructions: str = "") -> None:
        """Start a compaction; what is sent meanwhile is delivered afterwards, whatever comes of it."""
        self._start(self._compact(composition, composition.compacting.start(reason, instructions)))

    async def settled(self) -> None:
        """Wait until what was stopped has ended, its last results kept."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._is_idle.wait(), SETTLE_SECONDS)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._is_idle.clear()
        self._host(self._hosted(work))

    async def _hosted(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        finally:
            self._is_idle.set()

    async def _run(self, composition: Composition, run: Coroutine[Any, Any, AgentEnd]) -> None:
        """A run, and the compaction that it may have made due."""
        end = await run
        composition.compacting.end_run(end.reason)
        if end.reason == "done" and composition.compacting.is_due:
            await self._compact(composition, composition.compacting.start("threshold"))

    async def _compact(self, composition: Composition, compaction: Coroutine[Any, Any, None]) -> None:
        self._compacting(True)
        try:
            await compaction
        finally:
            self._compacting(False)
        agent = composition.agent
        messages = agent.steering.deliver() or agent.follow_ups.deliver()
        if messages:
            composition.approval.new_run()
            composition.compacting.begin_turn()
            await self._run(composition, agent.prompt(*messages))
