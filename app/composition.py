"""Puts the parts together: settings and command line in, an agent that can run out."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import move_on_after, to_thread

from ..agent.agent import Agent
from ..agent.approval import AskApproval
from ..agent.conversation import open_calls
from ..agent.events import AgentEvent, Emit, MessageEnd
from ..agent.hooks import Redactor
from ..agent.limits import RunLimits
from ..agent.messages import Message, ThinkingLevel, UserMessage
from ..agent.pipeline import Pipeline
from ..agent.retry import RetryPolicy
from ..agent.run import Setup
from ..agent.tool import AnyTool
from ..context.locations import text_or_file
from ..context.project_files import ProjectFiles, find_project_files
from ..context.skills import describe_skills
from ..context.system_prompt import build_system_prompt
from ..policy.approval import ApprovalPolicy
from ..policy.environment import known_secrets, withheld_names
from ..policy.places import Places
from ..policy.rule_book import RuleBook
from ..policy.rule_store import RuleStore
from ..policy.sandbox import Sandbox
from ..policy.secrets import make_redactor, redaction_guard
from ..providers.config import PROVIDERS
from ..providers.local import LocalServer
from ..sessions.compaction import CompactionSettings
from ..sessions.context import settings_of
from ..sessions.entries import MessageEntry, ThinkingLevelChangeEntry
from ..sessions.session import Session, ignore
from ..sessions.shadow_git import ShadowGit
from ..sessions.statistics import context_tokens, statistics_of
from ..sessions.tree import SessionTree
from ..sessions.writer import Warn
from ..tools.bash import BashTool
from ..tools.filestate import FileState
from ..tools.keeper import ProcessKeeper
from ..tools.local import LocalOperations
from ..tools.recall import Recall
from ..tools.registry import ToolChoice, create_tools, select_tools
from ..tools.settings import ToolSettings
from .arguments import Arguments
from .compacting import Compacting
from .confinement import confiner, open_sandbox, unconfined_notice
from .demo import PROMPT, DemoProject
from .model_choice import ModelChoice, change_model, choose_for_session, key_variables, literal_keys
from .outputs import output_folder, remove_old_outputs
from .paths import Paths
from .project import Project
from .prompts import first_messages
from .rewind import Beside, RecordingPipeline, Rewinder
from .session_choice import new_session
from .session_store import Opened, SessionStore
from .settings import Settings
from .standing import Standing
from .start_error import StartError

if TYPE_CHECKING:
    from .machine import RemoteMachine

NO_REWIND = "You work on {host}: files there cannot be brought back with /rewind."
SETTLE_SECONDS = 5.0
"""How long the end waits for the state of the files after the last calls."""


@dataclass(slots=True)
class Composition:
    """Everything that one conversation needs. Close it when done."""

    agent: Agent
    session: Session
    approval: ApprovalPolicy
    sandbox: Sandbox
    compacting: Compacting
    rewinder: Rewinder | None
    choice: ModelChoice
    project: Project
    shell: AnyTool
    cwd: Path
    notices: tuple[str, ...]
    closers: tuple[Callable[[], object], ...]
    outputs: Path
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
        _note_model(self.session, setup)

    def renew_keys(self) -> None:
        """Use the keys as they are now, and hide them in results. Reads disk."""
        setup, registry = self.agent.setup, self.choice.registry
        if registry is not None:
            self.choice.provider = setup.provider = registry.provider_for(setup.model)
        setup.pipeline = replace(setup.pipeline, redactors=(_redactor(self.choice),))

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
        _note_model(self.session, self.agent.setup)

    def moved(self) -> None:
        """The session stands at another place of its tree: the model knows what it is told there, and no more."""
        self.agent.messages[:] = self.session.messages()
        self.seen.start_over()

    async def tidy(self) -> None:
        """Remove what earlier sessions left and nobody needs any more."""
        await to_thread.run_sync(remove_old_outputs, self.outputs)

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


def compose(
    arguments: Arguments,
    project: Project,
    paths: Paths,
    show: Emit,
    ask: AskApproval | None = None,
    *,
    opened: Opened | None = None,
    warn: Warn = ignore,
    servers: Sequence[LocalServer] | None = None,
    beside: Beside | None = None,
    machine: RemoteMachine | None = None,
) -> Composition:
    """Build it all. Reads disk and imports much: call it off the event loop.

    `show` gets every event after the session has kept it. `ask` None: nobody can be asked. `opened` is the session to go
    on with, None makes a new one; `warn` is told from any thread when it cannot be saved. `servers` as in `choose_model`.
    `beside` lets work go on that a run need not wait for; None: it waits.
    `machine` is the other machine where the tools work; the composition closes it.
    Raises `StartError`, and then the session is closed (the machine is not).
    """
    settings = project.settings
    demo = DemoProject() if arguments.demo else None
    if demo:
        project = Project(demo.path, settings)
    store = SessionStore.of(arguments, settings, paths, warn)
    session = opened.session if opened else new_session(arguments, store, machine.address if machine else project.cwd)
    closers = (demo.close,) if demo else ()
    try:
        has_own_model = opened is not None and opened.has_own_model
        choice = choose_for_session(session, arguments, settings, paths, has_own_model, servers)
        return _composed(arguments, project, paths, show, ask, session, choice, closers, beside, warn, machine)
    except StartError:
        session.close()
        for close in closers:
            close()
        raise


def _composed(
    arguments: Arguments,
    project: Project,
    paths: Paths,
    show: Emit,
    ask: AskApproval | None,
    session: Session,
    choice: ModelChoice,
    closers: tuple[Callable[[], object], ...],
    beside: Beside | None,
    warn: Warn,
    machine: RemoteMachine | None,
) -> Composition:
    settings, cwd = project.settings, project.cwd
    sandbox = open_sandbox(arguments.sandbox or settings.sandbox, settings, cwd, paths, is_remote=machine is not None)
    keeper = ProcessKeeper()
    if machine is None:
        keeper.warm()
    secrets = _secret_names(choice)
    outputs, leave_outputs = output_folder(paths.outputs, session)
    seen = FileState(Recall(partial(messages_of, session)))
    tool_settings = _tool_settings(settings, secrets, session.id, outputs, is_remote=machine is not None)
    operations = LocalOperations(keeper) if machine is None else machine.operations
    folder = str(cwd) if machine is None else machine.folder
    every_tool = create_tools(folder, operations, replace(tool_settings, confine=confiner(sandbox)), state=seen)
    tools = _active_tools(arguments, settings, every_tool)
    prompt, notices = _system_prompt(arguments, paths, project, list(tools.values()), machine)
    approval = _approval(arguments, settings, cwd, paths, ask, warn, machine)
    rewinder = None if machine else _rewinder(session, cwd, paths, show if ask else _ignore, beside)
    setup = Setup(
        provider=choice.provider,
        model=choice.model,
        system_prompt=prompt,
        pipeline=RecordingPipeline(
            tools,
            before=(redaction_guard(), approval.before_hook()),
            redactors=(_redactor(choice),),
            rewinder=rewinder,
        ),
        tool_specs=tuple(tool.spec for tool in tools.values()),
        thinking_level=choice.thinking_level,
        session_id=session.id,
        limits=_limits(arguments, settings),
        retry=_retry(settings),
    )
    agent = Agent(
        setup,
        _keeping(session, setup, show),
        session.messages(),
        steering_mode=settings.steering_mode,
        follow_up_mode=settings.follow_up_mode,
    )
    compacting = Compacting(agent, session, _compaction(settings), show)
    setup.prepare_turn, setup.recover = compacting.before_request, compacting.recover
    return Composition(
        agent,
        session,
        approval,
        sandbox,
        compacting,
        rewinder,
        choice,
        project,
        BashTool(operations, folder, tool_settings),
        cwd,
        notices=(
            *project.notices,
            *choice.notices,
            *notices,
            *unconfined_notice(arguments.sandbox, sandbox),
            *_session_notices(session, agent),
            *((NO_REWIND.format(host=machine.remote.host),) if machine and ask else ()),
        ),
        machine=machine,
        closers=(keeper.close, leave_outputs, *closers),
        outputs=paths.outputs,
        seen=seen,
    )


def _approval(
    arguments: Arguments,
    settings: Settings,
    cwd: Path,
    paths: Paths,
    ask: AskApproval | None,
    warn: Warn,
    machine: RemoteMachine | None,
) -> ApprovalPolicy:
    """What asks. The demo's rules end with it; so do those on another machine, as kept ones name folders of this one."""
    if machine is None:
        places = Places.of(str(cwd), open=(tempfile.gettempdir(),), closed=(str(paths.config), str(paths.data)))
    else:
        places = Places(machine.folder, open=("/tmp",))
    store = None if arguments.demo or machine else RuleStore(paths.rules_file)
    rules = RuleBook(places.project, store, warn)
    return ApprovalPolicy(arguments.approval or settings.approval, ask, rules=rules, places=places)


def opening_messages(arguments: Arguments, cwd: Path) -> list[UserMessage]:
    """What to send at once: what the command line says, or the demo's own request. Raises `StartError`."""
    if arguments.demo:
        return [UserMessage.of(PROMPT)]
    return first_messages(arguments.messages, arguments.files, cwd)


def _keeping(session: Session, setup: Setup, show: Emit) -> Emit:
    """Each message is in the session's file before anything shows it as done; before the person's, who shall answer."""

    def emit(event: AgentEvent) -> None:
        if isinstance(event, MessageEnd):
            if isinstance(event.message, UserMessage):
                _note_model(session, setup)
            session.append_message(event.message)
        show(event)

    return emit


def _secret_names(choice: ModelChoice) -> frozenset[str]:
    """The environment variables that hold keys of model providers."""
    return key_variables((PROVIDERS if choice.registry is None else choice.registry.configs).values())


def _redactor(choice: ModelChoice) -> Redactor:
    """Hides the keys of model providers, wherever they are from."""
    stored = {} if choice.registry is None else literal_keys(choice.registry)
    return make_redactor({**stored, **known_secrets(os.environ, _secret_names(choice))})


def _tool_settings(
    settings: Settings, secrets: frozenset[str], session_id: str, outputs: Path, *, is_remote: bool
) -> ToolSettings:
    return ToolSettings(
        shell_path=settings.shell_path,
        command_prefix=settings.shell_command_prefix,
        default_timeout=settings.command_timeout,
        # What variables another machine has is not known here, so all are withheld there.
        withheld_environment=withheld_names(
            dict.fromkeys(secrets, "") if is_remote else os.environ,
            withheld=secrets,
            passed=settings.pass_environment,
        ),
        environment={"PYAGENT_TUI": "1", "PYAGENT_TUI_SESSION_ID": session_id},
        output_folder=str(outputs),
    )


def messages_of(session: Session, roles: Collection[str]) -> Iterator[Message]:
    """The messages of these roles on the session's branch as it is now; they are read when they are asked for."""
    entries = [entry for entry in session.tree.path() if isinstance(entry, MessageEntry) and entry.role in roles]
    return (message for entry in entries if (message := entry.message) is not None)


def _active_tools(arguments: Arguments, settings: Settings, tools: dict[str, AnyTool]) -> dict[str, AnyTool]:
    choice = ToolChoice(
        default=settings.default_tools,
        only=arguments.tools,
        excluded=arguments.exclude_tools,
        no_tools=arguments.no_tools,
        no_builtin=arguments.no_builtin_tools,
    )
    try:
        return select_tools(tools, choice, builtin=tools)
    except ValueError as error:
        raise StartError(str(error)) from None


def _system_prompt(
    arguments: Arguments, paths: Paths, project: Project, tools: list[AnyTool], machine: RemoteMachine | None
) -> tuple[str, tuple[str, ...]]:
    """What the command line says goes before what files say."""
    wants_files = not (arguments.no_context_files or arguments.demo)
    found = _project_files(paths, project, machine) if wants_files else None
    try:
        custom, append = map(_given_text, (arguments.system_prompt, arguments.append_system_prompt))
    except OSError as error:
        raise StartError(f"{error.filename} cannot be read: {error.strerror}") from None
    prompt = build_system_prompt(
        tools,
        project.cwd if machine is None else machine.describe(),
        found.files if found else (),
        custom or project.texts.custom,
        append or project.texts.append,
        # Skills are files of this machine, where no tool of the model reaches them.
        describe_skills(project.skills if machine is None else (), [tool.name for tool in tools]),
    )
    return prompt, found.notices if found else ()


def _project_files(paths: Paths, project: Project, machine: RemoteMachine | None) -> ProjectFiles:
    """The instructions that count: the person's own, and those of the project wherever it is."""
    if machine is None:
        return find_project_files(project.cwd, paths.config)
    own, there = find_project_files(None, paths.config), machine.files
    return ProjectFiles((*own.files, *there.files), (*own.notices, *there.notices))


def _given_text(value: str | None) -> str | None:
    return None if value is None else text_or_file(value)


def _limits(arguments: Arguments, settings: Settings) -> RunLimits:
    limits = settings.limits
    return RunLimits(
        arguments.max_turns or limits.max_turns, limits.max_tool_calls, arguments.max_cost or limits.max_cost
    )


def _retry(settings: Settings) -> RetryPolicy:
    retry = settings.retry
    return RetryPolicy(retry.enabled, retry.max_retries, retry.base_delay_ms, retry.max_agent_delay_ms)


def _rewinder(session: Session, cwd: Path, paths: Paths, show: Emit, beside: Beside | None) -> Rewinder | None:
    """None where nothing of the session is kept on disk."""
    return None if session.path is None else Rewinder(ShadowGit(cwd, paths.data, session.id), session, show, beside)


def _ignore(_: AgentEvent) -> None:
    """Where nobody can rewind, nobody needs to know that it cannot be done."""


def _compaction(settings: Settings) -> CompactionSettings:
    wanted = settings.compaction
    return CompactionSettings(wanted.enabled, wanted.reserve_tokens, max(wanted.keep_recent_tokens, 1))


def _note_model(session: Session, setup: Setup) -> None:
    """Let the session say which model answers and how much it may think, unless it says so already."""
    if session.is_read_only:
        return
    path = session.tree.path()
    model, level = settings_of(path)
    if model != (setup.model.provider, setup.model.id):
        session.append_model_change(setup.model.provider, setup.model.id)
    if level != setup.thinking_level or not any(isinstance(entry, ThinkingLevelChangeEntry) for entry in path):
        session.append_thinking_level(setup.thinking_level)


def _session_notices(session: Session, agent: Agent) -> list[str]:
    """What the person should know of the session that goes on."""
    notices = [session.warning] if session.warning else []
    interrupted = open_calls(agent.messages)
    if interrupted:
        names = ", ".join(call.name for call in interrupted)
        notices.append(f"The session was interrupted while these calls ran, their outcome is unknown: {names}")
    return notices
