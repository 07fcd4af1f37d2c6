"""``!command``: what the person runs in the shell. The model is told of it; of ``!!command`` it is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from ..view import View
from .conversation import READ_ONLY, Conversation
from .shell_run import MARK, ShellRun, split_command

if TYPE_CHECKING:
    from .composition import Composition


class ShellCommands:
    """Runs one command at a time, beside whatever the agent does, and adds it to the conversation when it has ended."""

    def __init__(
        self, conversation: Conversation, view: View, host: Callable[[Coroutine[Any, Any, None]], object]
    ) -> None:
        self._conversation = conversation
        self._view = view
        self._host = host
        self._running: ShellRun | None = None
        self._is_taken = False
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    def send(self, text: str) -> None:
        """Run what stands after the mark; what cannot be run is back in the editor."""
        sign, command = split_command(text)
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
        if self._running is None or call_id not in (None, self._running.call_id):
            return False
        return self._running.abort()

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
            self._view.rule.command_hint = ""

    async def _execute(self, composition: Composition, sign: str, command: str) -> None:
        self._running = ShellRun(composition, sign, command, self._conversation.show)
        stops = self._view.rule.stop_hint
        self._view.rule.command_hint = f"{stops} the command" if stops else ""
        await self._running.run()

    def _give_back(self, text: str, reason: str) -> None:
        self._view.editor.restore([text])
        self._view.transcript.add_note("warning", reason)
