"""One command of the person's own, by the machinery of the model's calls: same shell, same limits, same secrets kept."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from ...agent.details import OutputDetails
from ...agent.events import (
    AgentEvent,
    Emit,
    MessageEnd,
    MessageStart,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
)
from ...agent.messages import BashExecutionMessage, ToolCall, now_ms
from ...agent.tool import ToolContext, ToolResult
from ...widgets.transcript.person_calls import person_call_id

if TYPE_CHECKING:
    from ...agent.batch import Batch
    from .composition import Composition

MARK = "!"
"""Stands before a command of which the model is told; twice before one of which it is not."""

_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")


def split_command(text: str) -> tuple[str, str]:
    """The mark and the command behind it, which may be empty."""
    sign = MARK * 2 if text.startswith(MARK * 2) else MARK
    return sign, text.removeprefix(sign).strip()


class ShellRun:
    """Runs beside whatever the agent does; in the conversation when it has ended. `show` gets its events, in order."""

    def __init__(self, composition: Composition, sign: str, command: str, show: Emit) -> None:
        batch_module = import_module("...agent.batch", __package__)  # heavy, and there with the composition
        self._composition = composition
        self._sign = sign
        self._command = command
        self._show = show
        self._began = now_ms()
        self.call_id = person_call_id(self._began)
        self._batch: Batch = batch_module.Batch(
            composition.shell_pipeline,
            [ToolCall(self.call_id, composition.shell.name, {"command": command})],
            self._show_call,
            ToolContext(session_id=composition.session.id),
            _ignore,
        )

    def abort(self) -> bool:
        """Stop it; whether it was running."""
        return self._batch.abort(self.call_id)

    async def run(self) -> None:
        """Run it, and keep what came of it: in the session before it is shown as done."""
        try:
            await self._batch.run()
        finally:
            settled = self._batch.results[0]
            self._keep(self._message(settled.result, settled.outcome == "aborted"))

    def _show_call(self, event: AgentEvent) -> None:
        if isinstance(event, ToolExecutionStart | ToolExecutionUpdate | ToolExecutionEnd):
            self._show(replace(event, tool_name=self._sign))

    def _keep(self, message: BashExecutionMessage) -> None:
        """The model gets it with the next request."""
        self._composition.session.append_message(message)
        self._composition.agent.messages.append(message)
        self._show(MessageStart(message))
        self._show(MessageEnd(message))

    def _message(self, result: ToolResult, is_aborted: bool) -> BashExecutionMessage:
        message = BashExecutionMessage(
            self._command,
            result.text,
            None,
            is_aborted,
            exclude_from_context=self._sign != MARK,
            timestamp=self._began,
        )
        details = result.details
        if not isinstance(details, OutputDetails):
            return message
        output = _COLOURS.sub("", details.output)
        if details.timed_out or details.signal:
            output += "\n(ended by its time limit)" if details.timed_out else f"\n(ended by {details.signal})"
        return replace(
            message,
            output=output,
            exit_code=details.exit_code,
            truncated=details.truncation is not None,
            full_output_path=details.full_output_path,
        )


def _ignore(*_: object) -> None:
    """The result is in the batch."""
