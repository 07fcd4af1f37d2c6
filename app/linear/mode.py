"""``--linear``: the program as plain lines, for screen readers, simple terminals and logs. No Textual."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from ..arguments import Arguments
from ..commands import find_command, misspelt
from ..conversation.shell_run import MARK
from ..paths import find_paths
from ..sessions.choice import existing_session
from ..start_error import StartError
from ..terminal.goodbye import resume_command
from ..terminal.log_file import LogFile
from .commands import run_linear_command
from .input import LinearInput
from .output import LinearOutput
from .questions import LinearQuestions
from .session_commands import resume
from .talk import LinearTalk

LATER = ">"
"""What stands before a line that waits for the end of the run."""

QUIT_WINDOW = 2.0
"""Seconds in which a second Ctrl+C quits."""

OK, FAILED, BROKEN_PIPE = 0, 1, 141

WELCOME = "pyagent-tui, linear mode. /help says what can be done. Ctrl+C stops a run, twice it quits."


def run_linear(arguments: Arguments, reason: str = "") -> int:
    """Talk until the person leaves; the exit status. `reason` says why it is this mode, if nobody asked for it."""
    return asyncio.run(_Linear.run(arguments, reason))


class _Linear:
    """Lines in, lines out, signals."""

    def __init__(self, arguments: Arguments, host: Callable[[Coroutine[Any, Any, Any]], object]) -> None:
        self.status = OK
        paths = find_paths()
        LogFile(paths.log_file).take_logging()
        self.input = LinearInput(sys.stdin.fileno())
        is_terminal = sys.stdout.isatty() and self.input.is_terminal
        encoding = sys.stdout.encoding or "utf-8"
        self.output = LinearOutput(sys.stdout.buffer, encoding, is_terminal=is_terminal, lost=self._lost)
        self.questions = LinearQuestions(self.output, is_guarded=self.input.is_terminal)
        self.talk = LinearTalk(arguments, paths, self.output, self.questions, host)
        self._held: list[str] = []
        self._is_leaving = False
        self._last_interrupt = float("-inf")
        self._is_ready = asyncio.Event()
        self.talk.changed = self.questions.changed = self._changed

    @classmethod
    async def run(cls, arguments: Arguments, reason: str) -> int:
        tasks = anyio.create_task_group()

        def host(work: Coroutine[Any, Any, Any]) -> None:
            tasks.start_soon(_await, work)

        linear = cls(arguments, host)
        async with tasks:
            with _Signals(linear):
                host(linear.talk.watch())
                linear._begin(arguments, reason)
                await linear._loop()
                await linear._end()
            tasks.cancel_scope.cancel()
        return linear.status

    # From start to end

    def _begin(self, arguments: Arguments, reason: str) -> None:
        self.output.line("status", WELCOME)
        if reason:
            self.output.line("status", reason)
        self.input.start()
        self.talk.do(self._first(arguments))

    async def _first(self, arguments: Arguments) -> None:
        """The session that the command line asks for. Without one there is nothing to do."""
        try:
            if arguments.resume:
                if await resume(self.talk):
                    return
                await self.talk.start(self.talk.elsewhere())
            else:
                store = self.talk.store()
                machine = await self.talk.reach(arguments.remote, arguments)
                address = machine.address if machine else None
                opened = await asyncio.to_thread(existing_session, arguments, store, Path.cwd(), address)
                await self.talk.start(arguments, opened, machine)
        except StartError:
            self.leave(FAILED)
            raise

    async def _loop(self) -> None:
        while not self._is_leaving:
            if not self.input.is_terminal:
                await self._is_ready.wait()
            block = await self.input.take()
            if block is None:
                break
            self._take(block)

    async def _end(self) -> None:
        """Let the run end, unless the person does not want to wait for it."""
        self.questions.close()
        if not self._is_leaving and self.talk.is_busy:
            self.output.line("status", "no more input; leaving when the run is done")
        while self.talk.is_busy and not self._is_leaving:
            self._is_ready.clear()
            await self._is_ready.wait()
        self._is_leaving = True
        await self.talk.settle()
        composition = self.talk.composition
        session = None if composition is None else composition.session
        await self.talk.close()
        if session is not None and session.path is not None and session.is_saved:
            self.output.line("status", f"bye; to go on: {resume_command(session, self.talk.arguments)}")
        else:
            self.output.line("status", "bye")

    def leave(self, status: int = OK) -> None:
        """End what runs, then the program."""
        self.status = self.status or status
        self._is_leaving = True
        self.talk.stop()
        self.questions.close()
        self.input.end()
        self._is_ready.set()

    def _lost(self) -> None:
        """Nobody reads any more."""
        self.leave(BROKEN_PIPE)

    def _changed(self) -> None:
        """Something has begun or ended: is it the person's turn?"""
        is_idle = not self.talk.is_busy
        if self._is_leaving or is_idle or self.questions.is_open:
            self._is_ready.set()
        else:
            self._is_ready.clear()
        if is_idle and not self._is_leaving:
            self.output.prompt("you")

    def interrupt(self) -> None:
        """Ctrl+C: what was pasted, else the run; twice in a row the program."""
        self.output.interrupted()
        now = time.monotonic()
        if now - self._last_interrupt < QUIT_WINDOW:
            self.leave()
            return
        self._last_interrupt = now
        if self._held:
            self._held.clear()
            self.output.line("status", "dropped")
        elif self.talk.stop():
            self.output.line("status", "stopping; Ctrl+C again quits")
        else:
            self.output.line("status", "Ctrl+C again quits")
        self._changed()

    # Lines

    def _take(self, block: list[str]) -> None:
        """What was typed or pasted: an answer, a part of a message, a message."""
        is_answer = self.questions.is_open and len(block) == 1 and not self._held
        self.output.typed("answer" if is_answer else "" if self.talk.is_running else "you", "\n".join(block))
        if is_answer:
            self.questions.answer(block[0])
            return
        self._held += block
        if len(block) > 1:
            self.output.line("note", f"{len(self._held)} lines pasted: Enter sends them, Ctrl+C drops them.")
        elif block[0].endswith("\\"):
            self._held[-1] = block[0][:-1]
            self.output.prompt("more")
        else:
            text, self._held = "\n".join(self._held).strip(), []
            self._send(text)
        if not self._held:
            self._changed()

    def _send(self, text: str) -> None:
        found = find_command(text)
        if not text:
            return
        if found is not None and found[0].name == "quit":
            self.leave()
        elif found is not None:
            self.talk.do(run_linear_command(self.talk, *found))
        elif text.startswith(MARK):
            self.talk.do(self.talk.run_command(text))
        elif words := misspelt(text, self.talk.commands):
            self.output.line("error", words)
        elif text.startswith(LATER):
            self.talk.send(text.removeprefix(LATER).strip(), is_later=True)
        else:
            self.talk.send(text)


class _Signals:
    """While entered: Ctrl+C interrupts, other signals leave; the second of these ends the process at once."""

    LEAVING = ("SIGTERM", "SIGHUP", "SIGQUIT")

    def __init__(self, linear: _Linear) -> None:
        self._linear = linear
        self._before: dict[int, Any] = {}

    def __enter__(self) -> None:
        self._watch(signal.SIGINT, self._linear.interrupt)
        for name in self.LEAVING:
            if (number := getattr(signal, name, None)) is not None:
                self._watch(number, partial(self._leave, 128 + number))

    def _watch(self, number: int, action: Callable[[], object]) -> None:
        """On every system, unlike the loop's own way; safe, since the loop is woken."""
        loop = asyncio.get_running_loop()

        def caught(*_: object) -> None:
            loop.call_soon_threadsafe(action)

        self._before[number] = signal.signal(number, caught)

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _leave(self, status: int) -> None:
        if self._linear.status:
            os._exit(status)
        self._linear.leave(status)


async def _await(work: Coroutine[Any, Any, Any]) -> None:
    await work
