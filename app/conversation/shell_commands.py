"""``!command``: what the person runs in the shell. The model is told of it; of ``!!command`` it is not."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...agent.details import OutputDetails
from ...agent.events import (
    AgentEvent,
    MessageEnd,
    MessageStart,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
)
from ...agent.messages import BashExecutionMessage, ToolCall, now_ms
from ...agent.tool import ToolContext, ToolResult
from ...widgets.transcript.feed import person_call_id
from ..view import View
from .conversation import READ_ONLY, Conversation

if TYPE_CHECKING:
    from ...agent.batch import Batch
    from .composition import Composition

MARK = "!"
_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")


class ShellCommands:
    """Runs one command at a time, beside whatever the agent does, and adds it to the conversation when it has ended."""

    def __init__(
        self, conversation: Conversation, view: View, host: Callable[[Coroutine[Any, Any, None]], object]
    ) -> None:
        self._conversation = conversation
        self._view = view
        self._host = host
        self._running: tuple[str, Batch] | None = None
        self._is_taken = False
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self._hint = ""

    def send(self, text: str) -> None:
        """Run what stands after the mark; what cannot be run is back in the editor."""
        sign = MARK * 2 if text.startswith(MARK * 2) else MARK
        command = text.removeprefix(sign).strip()
        if not command:
            self._give_back(
                text, f"Which command? {MARK}COMMAND runs one, {MARK * 2}COMMAND without telling the model."
            )
        elif self._is_taken:
            self._give_back(text, "A command is running already; one at a time.")
        else:
            self._is_taken = True
            self._is_idle.clear()
            self._host(self._run(text, sign, command))

    def stop(self, call_id: str | None = None) -> bool:
        """Stop the command, if one runs (and is this one); whether there was one."""
        if self._running is None or call_id not in (None, self._running[0]):
            return False
        return self._running[1].abort(self._running[0])

    async def end(self) -> None:
        """Stop the command and wait until the session has it."""
        if self.stop():
            await self._is_idle.wait()

    async def _run(self, text: str, sign: str, command: str) -> None:
        try:
            await self._conversation.started()
            composition = self._conversation.composition
            if composition is None:
                self._give_back(text, "There is no session for this yet; it is back in the editor.")
            elif composition.session.is_read_only:
                self._give_back(text, READ_ONLY)
            else:
                await self._execute(composition, sign, command)
        finally:
            self._is_taken, self._running = False, None
            self._is_idle.set()
            self._view.rule.retract(self._hint)

    async def _execute(self, composition: Composition, sign: str, command: str) -> None:
        """By the machinery of the model's own calls: same shell, same limits, same secrets kept."""
        batch_module = import_module("...agent.batch", __package__)  # heavy, and there with the composition
        began = now_ms()
        call = ToolCall(person_call_id(began), composition.shell.name, {"command": command})
        batch: Batch = batch_module.Batch(
            composition.shell_pipeline,
            [call],
            partial(self._show, sign),
            ToolContext(session_id=composition.session.id),
            _ignore,
        )
        self._running = call.id, batch
        stops = self._view.rule.stop_hint
        self._view.rule.notice = self._hint = f"{stops} the command" if stops else ""
        try:
            await batch.run()
        finally:
            settled = batch.results[0]
            message = _message(command, settled.result, settled.outcome == "aborted", sign, began)
            self._keep(composition, message)

    def _show(self, sign: str, event: AgentEvent) -> None:
        if isinstance(event, ToolExecutionStart | ToolExecutionUpdate | ToolExecutionEnd):
            self._conversation.show(replace(event, tool_name=sign))

    def _keep(self, composition: Composition, message: BashExecutionMessage) -> None:
        """In the session before it counts as done; the model gets it with the next request."""
        composition.session.append_message(message)
        composition.agent.messages.append(message)
        self._conversation.show(MessageStart(message))
        self._conversation.show(MessageEnd(message))

    def _give_back(self, text: str, reason: str) -> None:
        self._view.editor.restore([text])
        self._view.transcript.add_note("warning", reason)


def _ignore(*_: object) -> None:
    """The result is in the batch."""


def _message(command: str, result: ToolResult, is_aborted: bool, sign: str, began: int) -> BashExecutionMessage:
    details = result.details
    if not isinstance(details, OutputDetails):
        return BashExecutionMessage(
            command, result.text, None, is_aborted, exclude_from_context=sign != MARK, timestamp=began
        )
    output = _COLOURS.sub("", details.output)
    if details.timed_out or details.signal:
        output += "\n(ended by its time limit)" if details.timed_out else f"\n(ended by {details.signal})"
    return BashExecutionMessage(
        command,
        output,
        details.exit_code,
        is_aborted,
        truncated=details.truncation is not None,
        full_output_path=details.full_output_path,
        exclude_from_context=sign != MARK,
        timestamp=began,
    )
