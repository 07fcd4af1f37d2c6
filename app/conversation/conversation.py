"""The person's side of the agent: what they send, what waits, what comes back, what the screen is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import copy_context
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from ...agent.approval import AskApproval
from ...agent.events import (
    AgentEnd,
    AgentEvent,
    AgentNotice,
    AgentStart,
    CompactionEnd,
    CompactionStart,
    Emit,
    MessageEnd,
    QueueUpdate,
)
from ...agent.messages import UserMessage
from ...agent.model import Model
from ..arguments import Arguments
from ..commands import misspelt
from ..models.local_servers import LocalServers
from ..paths import Paths
from ..prompt.draft import Draft, images_of
from ..prompt.pictures import blindness
from ..sessions.view import SessionView
from ..settings.model import Settings
from ..settings.reading import SettingsProblem
from ..start_error import NoModelError, StartError
from ..view import View
from .assembly import Assembly
from .job import Job
from .runs import HostRun, Runs
from .shown_standing import show_standing

if TYPE_CHECKING:
    from ..sessions.store import Opened, SessionStore
    from .composition import Composition
    from .machine import RemoteMachine
    from .project import AskTrust

READ_ONLY = "This session is open for reading only: /clone goes on with a copy of it."


class Conversation:
    """One composition at a time, and the widgets that show it. Nothing that was sent is ever lost.

    What is sent before the composition is ready waits for it; what cannot be sent is back in the editor.
    """

    def __init__(
        self,
        view: View,
        host: HostRun,
        ask: AskApproval,
        ask_trust: AskTrust,
        settings: Settings,
        problems: Sequence[SettingsProblem],
        paths: Paths,
    ) -> None:
        self.composition: Composition | None = None
        self.assembly = Assembly(view, self.show, self.warn, ask, ask_trust, settings, problems, paths)
        self.unsaved = ""
        self._view = view
        self._runs = Runs(host, self._show_compacting)
        self._typed: dict[str, str] = {}
        self.session_view = SessionView(view.transcript, self.show_standing)
        self.watch: Emit = _ignore
        self.end_command: Callable[[], Awaitable[None]] = _nothing
        self._held: list[Draft] = []
        self._is_starting = True
        self._missing = "model"
        self._is_kept = False
        self._has_started = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context = copy_context()

    @property
    def is_running(self) -> bool:
        """Whether a run or a compaction goes on."""
        composition = self.composition
        return composition is not None and (composition.agent.is_running or composition.compacting.is_running)

    @property
    def settings(self) -> Settings:
        """The settings that hold now."""
        return self.assembly.settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self.assembly.settings = settings

    @property
    def paths(self) -> Paths:
        return self.assembly.paths

    @property
    def servers(self) -> LocalServers:
        return self.assembly.servers

    @property
    def model(self) -> Model | None:
        return None if self.composition is None else self.composition.agent.setup.model

    async def start(
        self, arguments: Arguments, opened: Opened | None = None, machine: RemoteMachine | None = None
    ) -> bool:
        """Compose in a thread (the imports alone take a while), then send what was sent meanwhile.

        `opened` is the session to go on with, `machine` the other machine where the tools work, if it was reached
        already. False if no model is set up; any other reason why it cannot start is shown in the transcript.
        """
        has_model = True
        self._is_starting = True
        try:
            await self.close()
            self._loop, self._context = asyncio.get_running_loop(), copy_context()
            await self.session_view.begin(opened)
            composition, messages = await self.assembly.assemble(arguments, opened, machine)
            self.composition = composition
            self._is_kept = composition.session.tell_durable(self._durable)
            self.session_view.take(composition)
            for notice in composition.notices:
                self._view.transcript.add_note("warning", notice)
            self._held[:0] = [Draft(message.text, images_of(message), "follow_up") for message in messages]
        except NoModelError:
            has_model, self._missing = False, "model"
        except StartError as error:
            self.cannot_start(arguments, error)
        finally:
            self._is_starting = False
            self._has_started.set()
        self.show_standing()
        held, self._held = self._held, []
        for draft in held:
            self.send(draft)
        return has_model

    def cannot_start(self, arguments: Arguments, error: StartError, hint: str = "") -> None:
        """Say why; what was to be said comes into the editor."""
        self._missing = "session"
        self._view.transcript.add_note("error", str(error), hint)
        self._view.editor.restore(arguments.messages)
        self._is_starting = False
        self._has_started.set()

    async def warm(self) -> None:
        """Do now what the first request would have to wait for."""
        composition = self.composition
        if composition is not None:
            await composition.warm()
            await self._probe_sandbox(composition)
            await composition.tidy()

    async def _probe_sandbox(self, composition: Composition) -> None:
        """Find out whether commands can be confined, and show it."""
        if composition.sandbox.mode != "off":
            await asyncio.to_thread(composition.sandbox.probe)
            self.show_standing()

    async def find_servers(self) -> None:
        """Look for model servers on this machine; what they say of the model that answers is taken in."""
        composition = self.composition
        if composition is None or composition.choice.registry is None:
            return
        composition.learn(await self.servers.look(composition.choice.registry))
        self.show_standing()

    async def change_model(self, pattern: str) -> bool:
        """Let another model answer from the next request on; False, and a note that says why, if that cannot be."""
        if self.composition is None:
            return False
        try:
            await asyncio.to_thread(self.composition.change_model, pattern)
        except StartError as error:
            self._view.transcript.add_note("error", str(error))
            return False
        for notice in self.composition.choice.notices:
            self._view.transcript.add_note("warning", notice)
        self.show_standing()
        return True

    async def started(self) -> None:
        """Wait until the first conversation is there, or cannot be."""
        await self._has_started.wait()

    async def settle(self) -> None:
        """Stop what goes on and wait until it has ended, its last results kept."""
        if self.stop():
            await self._runs.settled()
        if self.composition is not None:
            await self.composition.settled()

    async def close(self) -> None:
        """End the conversation that was; its session is on disk."""
        await self.settle()
        await self.end_command()
        if self.composition is not None:
            composition, self.composition = self.composition, None
            if lost := await composition.aclose():
                self.unsaved = f"{lost} lines of the session could not be saved in {composition.session.path}"

    async def leave(self) -> None:
        """The same, and show nothing of it any more: its last events come while it is stopped, and belong to it."""
        await self.close()
        self._view.transcript.clear()

    def store_for(self, arguments: Arguments) -> SessionStore:
        """Where sessions are, by the command line and the settings that hold now."""
        module = import_module("..sessions.store", __package__)
        return module.SessionStore.of(arguments, self.settings, self.paths, self.warn)

    def warn(self, text: str) -> None:
        """Show a warning, from whatever thread it comes."""
        self._call(partial(self.show, AgentNotice("warning", text)))

    def _durable(self, entry_ids: Sequence[str]) -> None:
        """These entries are on disk: told from whatever thread."""
        self._call(partial(self._view.transcript.saved, entry_ids))

    def _call(self, function: Callable[[], None]) -> None:
        """Call it on the event loop, as what started the conversation would: timers need to know their app."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, context=self._context)

    async def warm_snapshots(self, job: Job) -> None:
        """Read the project while the model thinks, so that its first change need not wait."""
        if self.composition is not None and self.composition.rewinder is not None:
            await self.composition.rewinder.warm(job.goes_on)

    async def compact(self, instructions: str = "") -> None:
        """Compact the context by hand; what runs is stopped first."""
        await self.settle()
        if self.composition is not None:
            self._runs.compact(self.composition, "manual", instructions)

    def send(self, draft: Draft) -> None:
        """Start a run, steer the one that runs, queue a follow-up, or hold it until that can be."""
        if self._is_starting:
            self._held.append(draft)
        elif self.composition is None:
            self._give_back(draft, f"There is no {self._missing} to send this to; it is back in the editor.")
        elif self.composition.session.is_read_only:
            self._give_back(draft, READ_ONLY)
        elif words := misspelt(draft.text, self.composition.project.commands):
            self._give_back(draft, words)
        else:
            message = self._message(draft, self.composition)
            if words := blindness(self.composition.agent.setup.model, message):
                self._view.transcript.add_note("warning", words)
            self._runs.deliver(self.composition, message, draft.intent)

    def _give_back(self, draft: Draft, reason: str) -> None:
        self._return([draft.message])
        self._view.transcript.add_note("error", reason)

    def retry(self) -> None:
        """Ask the model once more, while nothing goes on. Raises `NothingToContinue` if it has answered."""
        if self.composition is not None:
            self._runs.retry(self.composition)

    def stop(self) -> bool:
        """Abort the run or the compaction, queued text back into the editor; False if nothing goes on."""
        if self.composition is None or not self.is_running:
            return False
        self.return_queue()
        self.composition.compacting.cancel()
        self.composition.agent.abort()
        return True

    def stop_call(self, call_id: str) -> None:
        """Abort one call alone."""
        if self.composition is not None:
            self.composition.agent.abort_call(call_id)

    def take_back(self) -> None:
        """The newest queued message back into the editor."""
        message = None if self.composition is None else self.composition.agent.take_back()
        if message is not None:
            self._return([message])

    def return_queue(self) -> None:
        """All queued messages back into the editor, in the order in which they would have been delivered."""
        if self.composition is not None:
            self._return(self.composition.agent.clear_queue())

    def show(self, event: AgentEvent) -> None:
        """Every event of the agent, in order."""
        view = self._view
        view.transcript.handle(event)
        match event:
            case QueueUpdate():
                view.queue.show(event)
            case MessageEnd(message=UserMessage()):
                self._show_saving()
            case AgentStart():
                view.rule.is_busy = True
            case AgentEnd():
                view.rule.is_busy = False
                self.return_queue()
            case CompactionStart():
                view.rule.is_busy = True
            case CompactionEnd():
                view.rule.is_busy = self.composition is not None and self.composition.agent.is_running
            case _:
                pass
        self.session_view.see(event)
        self.watch(event)

    def _show_compacting(self, is_on: bool) -> None:
        self._view.rule.is_compacting = is_on

    def _show_saving(self) -> None:
        """The message of the person that was just kept is on its way to the disk."""
        composition = self.composition
        if self._is_kept and composition is not None and composition.session.leaf_id is not None:
            self._view.transcript.save(composition.session.leaf_id)

    def show_standing(self) -> None:
        """Tokens, cost, context, model and mode as they are now."""
        show_standing(self._view, self.session_view.standing, self.model, self.composition)

    def _message(self, draft: Draft, composition: Composition) -> UserMessage:
        """What goes to the model for what was typed: templates and skills expanded."""
        message = composition.project.expanded(draft.message)
        if message.text != draft.text:
            self._typed[message.text] = draft.text
        return message

    def _return(self, messages: Sequence[UserMessage]) -> None:
        texts = [self._typed.get(message.text, message.text) for message in messages]
        if texts:
            self._view.editor.restore(texts, [images_of(message) for message in messages])


def _ignore(_: AgentEvent) -> None:
    """Nobody else wants to know."""


async def _nothing() -> None:
    """There is nothing to end."""
