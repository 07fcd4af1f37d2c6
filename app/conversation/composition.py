"""Everything that one conversation needs, and what may change of it meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import move_on_after, to_thread

from ...agent.agent import Agent
from ...agent.messages import ThinkingLevel
from ...agent.mutable import mutable
from ...agent.pipeline import Pipeline
from ...agent.tool import AnyTool
from ...policy.approval import ApprovalPolicy
from ...policy.sandbox import Sandbox
from ...sessions.session import Session
from ...sessions.snapshots import discard_unused
from ...sessions.statistics import context_tokens, statistics_of
from ...sessions.tree import SessionTree
from ...tools.filestate import FileState
from ..models.choice import ModelChoice, change_model
from ..models.key_secrets import redactor_of
from ..paths import Paths
from ..sessions.keeping import note_model
from ..sessions.outputs import remove_old_outputs
from ..sessions.rewind import Rewinder
from .compacting import Compacting
from .project import Project
from .readiness import Readiness
from .standing import Standing

if TYPE_CHECKING:
    from ...providers.local import LocalServer
    from .machine import RemoteMachine

SETTLE_SECONDS = 5.0
"""How long the end waits for the state of the files after the last calls."""


@mutable
class Composition:
    """Everything that one conversation needs. Close it when done."""

    agent: Agent
    session: Session
    approval: ApprovalPolicy
    sandbox: Sandbox
    compacting: Compacting
    rewinder: Rewinder | None
    readiness: Readiness
    choice: ModelChoice
    project: Project
    shell: AnyTool
    cwd: Path
    notices: tuple[str, ...]
    closers: tuple[Callable[[], object], ...]
    paths: Paths
    seen: FileState
    machine: RemoteMachine | None

    @property
    def folder(self) -> str:
        """Where the tools work."""
        return str(self.cwd) if self.machine is None else self.machine.folder

    @property
    def shown_place(self) -> str:
        """The folder where the tools work, with its machine if that is another one."""
        return str(self.cwd) if self.machine is None else str(self.machine.remote)

    @property
    def place(self) -> str | Path:
        """What sessions of this project are known by."""
        return self.cwd if self.machine is None else self.machine.address

    @property
    def shell_pipeline(self) -> Pipeline:
        """What runs the person's own commands: nobody is asked, nothing is confined, secrets are kept all the same."""
        return Pipeline({self.shell.name: self.shell}, redactors=self.agent.setup.pipeline.redactors)

    def change_model(self, pattern: str) -> None:
        """Let another model answer from the next request on. Reads disk; raises `StartError`."""
        setup = self.agent.setup
        self.choice = change_model(self.choice, pattern, setup.thinking_level)
        setup.model, setup.provider = self.choice.model, self.choice.provider
        setup.thinking_level = self.choice.thinking_level
        note_model(self.session, setup)

    def renew_keys(self) -> None:
        """Use the keys as they are now, and hide them in results. Reads disk."""
        setup, registry = self.agent.setup, self.choice.registry
        if registry is not None:
            self.choice.provider = setup.provider = registry.provider_for(setup.model)
        setup.pipeline = replace(setup.pipeline, redactors=(redactor_of(self.choice),))

    def learn(self, servers: Sequence[LocalServer]) -> None:
        """Take in what servers on this machine say, also of the model that answers now."""
        setup, registry = self.agent.setup, self.choice.registry
        if registry is None:
            return
        for server in servers:
            registry.add_served(server.config, server.models)
            for model in server.models:
                if (model.provider, model.id) == (setup.model.provider, setup.model.id):
                    self.choice.model = setup.model = model

    def set_thinking(self, level: ThinkingLevel) -> None:
        """How much the model may think, from the next request on."""
        self.agent.setup.thinking_level = level
        note_model(self.session, self.agent.setup)

    def moved(self) -> None:
        """The session stands at another place of its tree: the model knows what it is told there, and no more."""
        self.agent.messages[:] = self.session.messages()
        self.seen.start_over()

    async def warm(self) -> None:
        """Do now, in threads, what the first request and the first tool call would have to wait for."""
        await self.choice.warm()
        await self.readiness.make()

    async def tidy(self) -> None:
        """Remove what earlier sessions left and nobody needs any more."""
        await to_thread.run_sync(remove_old_outputs, self.paths.outputs)
        await to_thread.run_sync(discard_unused, self.paths.data)

    async def settled(self) -> None:
        """Wait until the state of the files after the last calls is kept."""
        if self.rewinder is not None:
            await self.rewinder.settled()

    async def aclose(self) -> int:
        """End what commands left running, write the rest of the session, close the connections.

        The number of lines of the session that could not be written.
        """
        with move_on_after(SETTLE_SECONDS):
            await self.settled()
        for close in self.closers:
            close()
        if self.machine is not None:
            await self.machine.operations.aclose()
        lost = await to_thread.run_sync(self.session.close)
        await self.choice.aclose()
        return lost

    def standing(self) -> Callable[[], Standing]:
        """What reads tokens and money of the whole session and the size of its context, as it is now: for a thread."""
        tree = SessionTree(self.session.tree)
        tree.branch(self.session.leaf_id)

        def read() -> Standing:
            statistics = statistics_of(tree)
            known = context_tokens(tree.path()) if len(tree) else None
            return Standing(statistics.total, known, statistics.has_unknown_cost)

        return read
