"""The person's side of the agent: what they send, what waits, what comes back, what the screen is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agent.approval import AskApproval
from ..agent.events import AgentEnd, AgentEvent, AgentStart, QueueUpdate
from ..agent.messages import ImageContent, UserMessage
from ..agent.model import Model
from ..widgets.editor import Intent
from .arguments import Arguments
from .paths import Paths
from .settings import Settings, SettingsProblem
from .standing import Standing
from .start_error import NoModelError, StartError
from .view import View

if TYPE_CHECKING:
    from .composition import Composition
    from .project import AskTrust, Project

HostRun = Callable[[Coroutine[Any, Any, AgentEnd]], object]
"""Hosts a run in the app's worker."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What the person has sent and the agent has not taken yet."""

    text: str
    images: tuple[ImageContent, ...] = ()
    intent: Intent = "send"

    @property
    def message(self) -> UserMessage:
        return UserMessage.of(self.text, self.images)


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
        self.settings = settings
        self.standing = Standing()
        self.composition: Composition | None = None
        self._view = view
        self._host = host
        self._ask = ask
        self._ask_trust = ask_trust
        self._problems = tuple(problems)
        self._typed: dict[str, str] = {}
        self.paths = paths
        self._held: list[Draft] = []
        self._is_starting = True

    @property
    def is_running(self) -> bool:
        return self.composition is not None and self.composition.agent.is_running

    @property
    def model(self) -> Model | None:
        return None if self.composition is None else self.composition.agent.setup.model

    async def start(self, arguments: Arguments) -> bool:
        """Compose in a thread (the imports alone take a while), then send what was sent meanwhile.

        False if no model is set up; any other reason why it cannot start is shown in the transcript.
        """
        has_model = True
        self._is_starting = True
        try:
            await self.close()
            project = await self._open_project(arguments)
            composition, messages = await asyncio.to_thread(self._compose, arguments, project)
            self.composition = composition
            self._held[:0] = [Draft(message.text, images_of(message), "follow_up") for message in messages]
        except NoModelError:
            has_model = False
        except StartError as error:
            self._view.transcript.add_note("error", str(error))
        finally:
            self._is_starting = False
        self._show_composition()
        held, self._held = self._held, []
        for draft in held:
            self.send(draft)
        return has_model

    async def change_model(self, pattern: str) -> None:
        """Let another model answer from the next request on; what is wrong is shown in the transcript."""
        if self.composition is None:
            return
        try:
            await asyncio.to_thread(self.composition.change_model, pattern)
        except StartError as error:
            self._view.transcript.add_note("error", str(error))
        for notice in self.composition.choice.notices:
            self._view.transcript.add_note("warning", notice)
        self.show_standing()

    async def close(self) -> None:
        """End the conversation that was; its session is on disk."""
        if self.composition is not None:
            composition, self.composition = self.composition, None
            composition.agent.abort()
            await composition.aclose()

    def send(self, draft: Draft) -> None:
        """Start a run, steer the one that runs, queue a follow-up, or hold it until that can be."""
        if self._is_starting:
            self._held.append(draft)
        elif self.composition is None:
            self._view.editor.restore([draft.text])
            self._view.transcript.add_note("error", "There is no model to send this to; it is back in the editor.")
        else:
            self._deliver(self._message(draft, self.composition), draft.intent, self.composition)

    def _deliver(self, message: UserMessage, intent: Intent, composition: Composition) -> None:
        if not composition.agent.is_running:
            composition.approval.new_run()
            self._host(composition.agent.prompt(message))
        elif intent == "follow_up":
            composition.agent.follow_up(message)
        else:
            composition.agent.steer(message)

    def stop(self) -> bool:
        """Abort the run, queued text back into the editor; False if nothing runs."""
        if self.composition is None or not self.is_running:
            return False
        self.return_queue()
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
            case AgentStart():
                view.rule.is_busy = True
            case AgentEnd():
                view.rule.is_busy = False
                self.return_queue()
            case _:
                if self.standing.see(event):
                    self.show_standing()

    def show_standing(self) -> None:
        """Tokens, cost, context, model and mode as they are now."""
        status, title = self._view.status, self._view.title
        total = self.standing.total
        status.tokens_in = total.input
        status.tokens_out = total.output
        status.tokens_cached = total.cache_read
        status.cost = None if total.cost is None else total.cost.total
        status.context_percent = self.standing.context_percent(self.model)
        if self.composition is not None:
            status.approval = self.composition.approval.mode
            title.model = self.composition.agent.setup.model.label
            title.thinking = self.composition.agent.setup.thinking_level
            title.session = self.composition.session.name or ""

    async def _open_project(self, arguments: Arguments) -> Project:
        """What the folder brings; what is wrong with its settings is shown."""
        module = await asyncio.to_thread(import_module, f"{__package__}.project")
        project: Project = await module.open_project(arguments, self.paths, Path.cwd(), self._ask_trust)
        for problem in project.problems:
            if problem not in self._problems:
                self._view.transcript.add_note("warning", str(problem))
        self.settings, self._problems = project.settings, project.problems
        return project

    def _message(self, draft: Draft, composition: Composition) -> UserMessage:
        """What goes to the model for what was typed: templates and skills expanded."""
        message = composition.project.expanded(draft.message)
        if message.text != draft.text:
            self._typed[message.text] = draft.text
        return message

    def _compose(self, arguments: Arguments, project: Project) -> tuple[Composition, list[UserMessage]]:
        """The composition, and what the command line wants sent. In a thread: it imports much and reads disk."""
        module = import_module(f"{__package__}.composition")
        try:
            composition: Composition = module.compose(arguments, project, self.paths, self.show, self._ask)
        except NoModelError:
            if not arguments.demo_without_model:
                raise
            return self._compose(replace(arguments, demo=True, demo_without_model=False), project)
        return composition, module.opening_messages(arguments, composition.cwd)

    def _show_composition(self) -> None:
        self.standing = Standing()
        if self.composition is not None:
            for notice in self.composition.notices:
                self._view.transcript.add_note("warning", notice)
            for message in self.composition.agent.messages:
                self.standing.count(message)
                self._view.transcript.add_message(message)
        self.show_standing()

    def _return(self, messages: Sequence[UserMessage]) -> None:
        texts = [self._typed.get(message.text, message.text) for message in messages if message.text]
        if texts:
            self._view.editor.restore(texts)
        for image in (image for message in messages for image in images_of(message)):
            self._view.editor.attach(image)


def images_of(message: UserMessage) -> tuple[ImageContent, ...]:
    """The pictures of a message."""
    return tuple(block for block in message.content if isinstance(block, ImageContent))
