"""What the first tool call needs and a start does not: the models of its arguments, the process that starts commands."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from threading import Lock

from anyio import to_thread

from ...agent.events import AgentEvent, Emit, MessageUpdate
from ...agent.provider import ToolCallStart
from ...agent.tool import AnyTool
from ...tools.keeper import ProcessKeeper
from ..sessions.rewind import Beside


class Readiness:
    """Loads it once: beforehand where somebody types meanwhile, else while the model still writes its first call.

    `keeper` None: commands run elsewhere.
    """

    def __init__(self, tools: Iterable[AnyTool], keeper: ProcessKeeper | None) -> None:
        self._tools = tuple(tools)
        self._keeper = keeper
        self._lock = Lock()
        self._is_made = False

    async def make(self) -> None:
        """Load it, in a thread; at once if that is done. A call that comes first loads what it needs itself."""
        if not self._is_made:
            await to_thread.run_sync(self._load)

    def _load(self) -> None:
        with self._lock:
            if self._is_made:
                return
            if self._keeper is not None:
                with suppress(OSError):  # a command will say so
                    self._keeper.warm()
            for tool in self._tools:
                tool.Arguments.model_rebuild()
            self._is_made = True

    def watching(self, emit: Emit, beside: Beside) -> Emit:
        """`emit`, which lets it be loaded beside the run when a call begins to come in."""
        is_asked = False

        def watch(event: AgentEvent) -> None:
            nonlocal is_asked
            if not is_asked and isinstance(event, MessageUpdate) and isinstance(event.event, ToolCallStart):
                is_asked = True
                beside(self.make())
            emit(event)

        return watch
