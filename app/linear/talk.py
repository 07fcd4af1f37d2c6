"""The conversation of the linear mode: what the person sends, what runs, what is said of it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...agent.agent import NothingToContinue
from ...agent.events import AgentEnd, AgentEvent
from ...agent.messages import AssistantMessage, UserMessage
from ...agent.permission import Permission
from ...policy.trust import TrustError
from ...providers.auth_store import AuthStoreError
from ..arguments import Arguments
from ..commands import Command
from ..conversation.composer import compose, opening_messages
from ..conversation.composition import Composition
from ..conversation.project import open_project
from ..conversation.runs import HostRun, Runs
from ..conversation.shell_run import MARK, ShellRun, split_command
from ..paths import Paths
from ..prompt.pictures import blindness
from ..sessions.choice import remote_of
from ..sessions.store import Opened, SessionStore
from ..settings.reading import load_settings
from ..start_error import StartError
from .output import LinearOutput
from .printer import LinearPrinter
from .questions import LinearApproval, LinearQuestions, LinearTrust
from .results import ROWS, first_rows

if TYPE_CHECKING:
    from ...tools.remote import Remote
    from ..conversation.machine import RemoteMachine

HEARTBEAT = 30.0
"""Seconds without a line after which a run says that it goes on."""


BY_PERSON = Permission("allowed", "person")
"""What lets a command run that was read before."""


class LinearTalk:
    """One composition at a time. `host` starts a coroutine beside all others."""

    def __init__(
        self, arguments: Arguments, paths: Paths, output: LinearOutput, questions: LinearQuestions, host: HostRun
    ) -> None:
        self.arguments = arguments
        self.paths = paths
        self.output = output
        self.questions = questions
        self.composition: Composition | None = None
        self.trust = LinearTrust(questions)
        self.changed: Callable[[], object] = lambda: None
        self._printer = LinearPrinter(output)
        self._approval = LinearApproval(questions, output, self._printer)
        self._approval.stop = self.stop
        self._approval.confinement = self._confinement
        self._host = host
        self._command: ShellRun | None = None
        self._jobs = 0
        self._runs = Runs(self.do, lambda _: None)
        self._loop = asyncio.get_running_loop()

    @property
    def is_busy(self) -> bool:
        """Whether something goes on: a start, a run, a command."""
        return self._jobs > 0

    @property
    def is_running(self) -> bool:
        """Whether a run or a compaction goes on."""
        composition = self.composition
        return composition is not None and (composition.agent.is_running or composition.compacting.is_running)

    async def _confinement(self) -> str:
        """How a command that the person lets run would be confined; looked up once, in a thread."""
        if self.composition is None:
            return ""
        sandbox = self.composition.sandbox
        if sandbox.mode != "off":
            await asyncio.to_thread(sandbox.probe)
        return sandbox.words(BY_PERSON)

    def do(self, work: Coroutine[Any, Any, object]) -> None:
        """Do it beside everything else; what cannot be done is said."""
        self._jobs += 1
        self._host(self._done(work))

    async def _done(self, work: Coroutine[Any, Any, object]) -> None:
        try:
            await work
        except (StartError, TrustError, AuthStoreError) as error:
            self.output.line("error", str(error))
        finally:
            self._jobs -= 1
            self.changed()

    # One session after the other

    async def start(
        self, arguments: Arguments, opened: Opened | None = None, machine: RemoteMachine | None = None
    ) -> None:
        """Begin a session, or go on with one, on another machine if it is there. Raises `StartError`."""
        await self.close()
        if machine is None:
            machine = await self.reach(remote_of(opened.session) if opened else arguments.remote, arguments)
        try:
            self.composition = composition = await self._compose(arguments, opened, machine)
        except StartError:
            if machine is not None:
                await machine.operations.aclose()
            raise
        self._printer.folder = composition.folder
        for notice in composition.notices:
            self.output.line("warning", notice)
        self._introduce(composition, opened)
        self._host(composition.warm())
        for message in opening_messages(arguments, composition.cwd):
            self._deliver(composition, message, is_later=True)

    async def _compose(self, arguments: Arguments, opened: Opened | None, machine: RemoteMachine | None) -> Composition:
        cwd = opened.cwd if opened else Path.cwd()
        project = await open_project(arguments, self.paths, cwd, self.trust.ask, is_remote=machine is not None)
        for problem in project.problems:
            self.output.line("warning", str(problem))
        return await asyncio.to_thread(
            compose,
            arguments,
            project,
            self.paths,
            self._show,
            self._approval.ask,
            opened=opened,
            warn=self.warn,
            machine=machine,
        )

    async def reach(self, remote: Remote | None, arguments: Arguments) -> RemoteMachine | None:
        """Connect to another machine, if it is one. Raises `StartError`."""
        if remote is None:
            return None
        self.output.line("status", f"connecting to {remote.host}")
        module = await asyncio.to_thread(import_module, "..conversation.machine", __package__)
        return await module.reach(remote, with_files=not arguments.no_context_files)

    def _introduce(self, composition: Composition, opened: Opened | None) -> None:
        setup = composition.agent.setup
        facts = (setup.model.label, f"thinking {setup.thinking_level}", f"approval {composition.approval.mode}")
        self.output.line("status", f"{', '.join(facts)}, in {composition.shown_place}")
        if opened is None:
            return
        messages = composition.agent.messages
        self.output.line("status", f"going on with session {composition.session.id}; the last that was said:")
        for label, kind in (("you", UserMessage), ("assistant", AssistantMessage)):
            text = next((each.text for each in reversed(messages) if isinstance(each, kind) and each.text), "")
            if text:
                self.output.line(label, "\n".join(first_rows(text.strip("\n").split("\n"), ROWS)))

    async def close(self) -> None:
        """End the session that was; it is on disk."""
        composition, self.composition = self.composition, None
        if composition is not None:
            if composition.agent.is_running or composition.compacting.is_running:
                composition.compacting.cancel()
                composition.agent.abort()
                await self._runs.settled()
            if lost := await composition.aclose():
                self.output.line("error", f"{lost} lines of the session could not be saved")

    def store(self) -> SessionStore:
        """Where sessions are."""
        settings, _ = load_settings(self.paths.config)
        return SessionStore.of(self.arguments, settings, self.paths, self.warn)

    def warn(self, text: str) -> None:
        """Say a warning, from whatever thread it comes."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.output.line, "warning", text)

    # Talking

    def send(self, text: str, *, is_later: bool = False) -> None:
        """Start a run, steer the one that goes on, or let it wait for the end of that (`is_later`)."""
        composition = self.composition
        if composition is None:
            self.output.line("error", "There is no session to send this to; /new starts one.")
            return
        message = composition.project.expanded(UserMessage.of(text))
        if self.is_running:
            self._queued(text, is_later)
        else:
            self._printer.typed(message.text)
        self._deliver(composition, message, is_later)

    def _queued(self, text: str, is_later: bool) -> None:
        when = "when the run is done" if is_later else "after the calls under way"
        self.output.line("queued", f"goes to the model {when}: {text}")

    def _deliver(self, composition: Composition, message: UserMessage, is_later: bool) -> None:
        if words := blindness(composition.agent.setup.model, message):
            self.output.line("warning", words)
        if composition.rewinder is not None:
            self._host(composition.rewinder.warm())
        self._runs.deliver(composition, message, "follow_up" if is_later else "send")

    @property
    def commands(self) -> Sequence[Command]:
        """The commands that the project brings: its templates and skills."""
        return () if self.composition is None else self.composition.project.commands

    async def run_command(self, text: str) -> None:
        """Run a command of the person's own, ``!command``. Raises `StartError`."""
        sign, command = split_command(text)
        if not command:
            raise StartError(f"Which command? {MARK}COMMAND runs one, {MARK * 2}COMMAND without telling the model.")
        if self.composition is None:
            raise StartError("There is no session for this yet.")
        if self._command is not None:
            raise StartError("A command is running already; one at a time.")
        self._command = ShellRun(self.composition, sign, command, self._printer.show)
        try:
            await self._command.run()
        finally:
            self._command = None

    def retry(self) -> None:
        """Ask once more after a reply that failed. Raises `StartError`."""
        if self.composition is None or self.is_running:
            raise StartError("A run is going on: Ctrl+C stops it, then /retry asks once more.")
        try:
            self._runs.retry(self.composition)
        except NothingToContinue:
            raise StartError("There is nothing to try again: the model has answered.") from None

    async def compact(self, instructions: str) -> None:
        """Summarise the conversation to make room; a run is stopped first."""
        if self.composition is None:
            return
        if self.stop():
            await self._runs.settled()
        self._runs.compact(self.composition, "manual", instructions)

    def stop(self) -> bool:
        """Abort what runs, or take the question of a slash command back; False if there is nothing."""
        if self.composition is not None and self.is_running:
            self.composition.compacting.cancel()
            self.composition.agent.abort()
            return True
        if self._command is not None:
            return self._command.abort()
        return self.questions.dismiss()

    async def settle(self) -> None:
        """Wait a while for what was stopped to end."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._runs.settled(), 6)

    def _show(self, event: AgentEvent) -> None:
        self._printer.show(event)
        if isinstance(event, AgentEnd) and self.composition is not None:
            for message in self.composition.agent.clear_queue():
                self.output.line("not sent", message.text)

    async def watch(self) -> None:
        """Give a sign of life in long silences, for ever."""
        while True:
            await asyncio.sleep(HEARTBEAT)
            silence = asyncio.get_running_loop().time() - self.output.wrote
            if self.is_running and not self.questions.is_open and silence >= HEARTBEAT - 1:
                self.output.line("status", "still working; Ctrl+C stops")

    def elsewhere(self) -> Arguments:
        """The command line for another session: only what says how, not which."""
        approval = self.composition.approval.mode if self.composition else self.arguments.approval
        return replace(self.arguments.for_another_session(), approval=approval)
