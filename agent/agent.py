"""The agent: a conversation, the tools it may use, and at most one run at a time."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Sequence
from typing import Any

from .conversation import for_model
from .events import AgentEnd, AgentEvent, Emit, QueueUpdate
from .messages import AssistantMessage, Message, UserMessage
from .queue import MessageQueue, QueueMode
from .run import Run, Setup


class AgentBusy(Exception):
    """A run is going on: choose `steer` or `follow_up`."""


class NothingToContinue(Exception):
    """The conversation ends with a reply and nothing is queued, so there is nothing to ask the model."""


class Agent:
    """Holds the conversation and runs it.

    `emit` gets every event, synchronously and in order, and must not raise. The fields of `setup` may be changed at
    any time; a run uses them from its next request on. All methods belong to the thread of the event loop.
    """

    def __init__(
        self,
        setup: Setup,
        emit: Emit,
        messages: Iterable[Message] = (),
        *,
        steering_mode: QueueMode = "one-at-a-time",
        follow_up_mode: QueueMode = "one-at-a-time",
    ) -> None:
        self.setup = setup
        self.messages: list[Message] = list(messages)
        self._emit = emit
        self._run: Run | None = None
        self.steering = MessageQueue(self._queue_changed, steering_mode)
        self.follow_ups = MessageQueue(self._queue_changed, follow_up_mode)

    @property
    def is_running(self) -> bool:
        """Whether a run goes on. It turns false in the instant in which the queues were last looked at."""
        return self._run is not None

    def prompt(self, *messages: UserMessage) -> Coroutine[Any, Any, AgentEnd]:
        """Start a run with these messages; await what is returned to host it.

        The agent counts as running from this call on, not from the first await. Raises `AgentBusy` while it runs.
        """
        return self._start(messages, has_work=False)

    def continue_run(self) -> Coroutine[Any, Any, AgentEnd]:
        """Start a run without a new message: answer the tail, or deliver what is queued after a reply.

        A reply that failed or was aborted does not count: what it should have answered is answered now.

        Raises `AgentBusy` while it runs and `NothingToContinue`, leaving the queues alone, if there is nothing to do.
        """
        self._refuse_while_running()
        seen = for_model(self.messages)
        has_work = bool(seen) and not isinstance(seen[-1], AssistantMessage)
        if not has_work and not self.steering and not self.follow_ups:
            raise NothingToContinue("There is nothing to continue: send a message instead.")
        return self._start((), has_work=has_work)

    def steer(self, message: UserMessage) -> None:
        """Queue a message for the next turn: after the whole batch of calls that runs now."""
        self.steering.add(message)

    def follow_up(self, message: UserMessage) -> None:
        """Queue a message for when the run would stop."""
        self.follow_ups.add(message)

    def take_back(self) -> UserMessage | None:
        """Take back the newest queued message: the last follow-up, else the last steering message."""
        return self.follow_ups.take_last() or self.steering.take_last()

    def clear_queue(self) -> list[UserMessage]:
        """Take back everything that waits, in the order it would have been delivered."""
        return self.steering.clear() + self.follow_ups.clear()

    def abort(self) -> None:
        """Stop the run: every open call gets an "aborted" result, no further request is made. The queue is kept."""
        if self._run is not None:
            self._run.abort()

    def abort_call(self, call_id: str) -> bool:
        """Cancel one running call alone; the others and the run go on. False if it is not open."""
        return self._run is not None and self._run.abort_call(call_id)

    def _start(self, messages: Sequence[UserMessage], *, has_work: bool) -> Coroutine[Any, Any, AgentEnd]:
        self._refuse_while_running()
        self._run = run = Run(self.setup, self.messages, self.steering, self.follow_ups, self._send)
        return run.execute(messages, has_work=has_work, idle=self._idle)

    def _refuse_while_running(self) -> None:
        if self._run is not None:
            raise AgentBusy("A run is going on: steer it or queue a follow-up.")

    def _idle(self) -> None:
        self._run = None

    def _send(self, event: AgentEvent) -> None:
        self._emit(event)

    def _queue_changed(self) -> None:
        self._emit(QueueUpdate(self.steering.texts, self.follow_ups.texts))
