"""What a conversation is made from: the machine to work on, the project's own settings, and then a composition."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...agent.approval import AskApproval
from ...agent.events import Emit
from ...agent.messages import UserMessage
from ..arguments import Arguments
from ..models.local_servers import LocalServers
from ..paths import Paths
from ..settings.model import Settings
from ..settings.reading import SettingsProblem
from ..start_error import NoModelError, StartError
from ..view import View

if TYPE_CHECKING:
    from ...tools.remote import Remote
    from ..sessions.store import Opened
    from .composition import Composition
    from .machine import RemoteMachine
    from .project import AskTrust, Project


class Assembly:
    """Makes compositions one after the other, all for the same screen. What is heavy is imported in a thread.

    `settings` are those that hold now: the person's, and over them those of the project that was opened last.
    `beside` runs what a composition wants done beside it.
    """

    def __init__(
        self,
        view: View,
        emit: Emit,
        warn: Callable[[str], None],
        ask: AskApproval,
        ask_trust: AskTrust,
        settings: Settings,
        problems: Sequence[SettingsProblem],
        paths: Paths,
    ) -> None:
        self.settings = settings
        self.paths = paths
        self.servers = LocalServers()
        self.beside: Callable[[Coroutine[Any, Any, None]], object] | None = None
        self._view = view
        self._emit = emit
        self._warn = warn
        self._ask = ask
        self._ask_trust = ask_trust
        self._problems = tuple(problems)

    async def assemble(
        self, arguments: Arguments, opened: Opened | None, machine: RemoteMachine | None
    ) -> tuple[Composition, list[UserMessage]]:
        """The composition, and what the command line wants sent.

        `opened` is the session to go on with, `machine` the other machine where the tools work, if it was reached
        already. Raises `NoModelError` if no model is set up, another `StartError` for any other reason.
        """
        machine = machine or await self._machine_of(arguments, opened)
        try:
            cwd = opened.cwd if opened else Path.cwd()
            project = await self._open_project(arguments, cwd, is_remote=machine is not None)
            return await asyncio.to_thread(self._compose, arguments, project, opened, machine)
        except BaseException:
            if machine is not None:
                await machine.operations.aclose()
            raise

    async def reach(self, remote: Remote, arguments: Arguments) -> RemoteMachine:
        """Connect to another machine, and say so while it lasts. Raises `StartError`."""
        self._view.rule.notice = notice = f"connecting to {remote.host}"
        try:
            module = await asyncio.to_thread(import_module, f"{__package__}.machine")
            return await module.reach(remote, with_files=not arguments.no_context_files)
        finally:
            self._view.rule.retract(notice)

    async def _machine_of(self, arguments: Arguments, opened: Opened | None) -> RemoteMachine | None:
        """The machine that a session which goes on belongs to. Raises `StartError`, and then the session is closed."""
        if opened is None:
            return None
        try:
            remote = import_module("..sessions.choice", __package__).remote_of(opened.session)
            return None if remote is None else await self.reach(remote, arguments)
        except StartError:
            await asyncio.to_thread(opened.session.close)
            raise

    async def _open_project(self, arguments: Arguments, cwd: Path, *, is_remote: bool) -> Project:
        """What the folder brings; what is wrong with its settings is shown."""
        # Where anyio meets asyncio it imports at its first use, which would be on the event loop.
        await asyncio.to_thread(import_module, "anyio._backends._asyncio")
        module = await asyncio.to_thread(import_module, f"{__package__}.project")
        project: Project = await module.open_project(arguments, self.paths, cwd, self._ask_trust, is_remote=is_remote)
        for problem in project.problems:
            if problem not in self._problems:
                self._view.transcript.add_note("warning", str(problem))
        self.settings, self._problems = project.settings, project.problems
        return project

    def _compose(
        self, arguments: Arguments, project: Project, opened: Opened | None, machine: RemoteMachine | None
    ) -> tuple[Composition, list[UserMessage]]:
        """In a thread: it imports much and reads disk."""
        module = import_module(f"{__package__}.composer")
        try:
            composition: Composition = module.compose(
                arguments,
                project,
                self.paths,
                self._emit,
                self._ask,
                opened=opened,
                warn=self._warn,
                servers=self.servers.found,
                beside=self.beside,
                machine=machine,
            )
        except NoModelError:
            if not arguments.demo_without_model:
                raise
            return self._compose(replace(arguments, demo=True, demo_without_model=False), project, None, None)
        return composition, module.opening_messages(arguments, composition.cwd)
