"""Puts the parts together: settings and command line in, a composition that can run out."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ...agent.agent import Agent
from ...agent.approval import AskApproval
from ...agent.events import AgentEvent, Emit
from ...agent.frozen import frozen
from ...agent.limits import RunLimits
from ...agent.messages import UserMessage
from ...agent.retry import RetryPolicy
from ...agent.run import Setup
from ...policy.approval import ApprovalPolicy
from ...policy.places import Places
from ...policy.rule_book import RuleBook
from ...policy.rule_store import RuleStore
from ...policy.sandbox import Sandbox
from ...policy.secrets import redaction_guard
from ...sessions.compaction import CompactionSettings
from ...sessions.session import Session, ignore
from ...sessions.shadow_git import ShadowGit
from ...sessions.writer import Warn
from ...tools.bash import BashTool
from ...tools.filestate import FileState
from ...tools.keeper import ProcessKeeper
from ...tools.local import LocalOperations
from ...tools.recall import Recall
from ...tools.registry import create_tools
from ..arguments import Arguments
from ..models.choice import ModelChoice, choose_for_session
from ..models.key_secrets import redactor_of, secret_names
from ..paths import Paths
from ..prompts import first_messages
from ..sessions.choice import new_session
from ..sessions.keeping import keeping, messages_of, session_notices
from ..sessions.outputs import output_folder
from ..sessions.rewind import Beside, RecordingPipeline, Rewinder
from ..sessions.store import Opened, SessionStore
from ..settings.model import Settings
from ..start_error import StartError
from .compacting import Compacting
from .composition import Composition
from .confinement import confiner, open_sandbox, unconfined_notice
from .instructions import system_prompt
from .project import Project
from .readiness import Readiness
from .tool_set import active_tools, tool_settings

if TYPE_CHECKING:
    from ...providers.local import LocalServer
    from .machine import RemoteMachine


NO_REWIND = "You work on {host}: files there cannot be brought back with /rewind."


@frozen
class _Outset:
    """What a composition is made from."""

    arguments: Arguments
    project: Project
    paths: Paths
    show: Emit
    ask: AskApproval | None
    warn: Warn
    beside: Beside | None
    machine: RemoteMachine | None

    @property
    def settings(self) -> Settings:
        return self.project.settings

    @property
    def folder(self) -> str:
        """Where the tools work."""
        return str(self.project.cwd) if self.machine is None else self.machine.folder


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
    demo = None
    if arguments.demo:
        from ..demo import DemoProject

        demo = DemoProject()
        project = Project(demo.path, settings)
    outset = _Outset(arguments, project, paths, show, ask, warn, beside, machine)
    store = SessionStore.of(arguments, settings, paths, warn)
    session = opened.session if opened else new_session(arguments, store, machine.address if machine else project.cwd)
    closers = (demo.close,) if demo else ()
    try:
        has_own_model = opened is not None and opened.has_own_model
        choice = choose_for_session(session, arguments, settings, paths, has_own_model, servers)
        return _composed(outset, session, choice, closers)
    except StartError:
        session.close()
        for close in closers:
            close()
        raise


def _composed(
    outset: _Outset, session: Session, choice: ModelChoice, closers: tuple[Callable[[], object], ...]
) -> Composition:
    settings, paths, machine = outset.settings, outset.paths, outset.machine
    keeper = ProcessKeeper()
    operations = LocalOperations(keeper) if machine is None else machine.operations
    outputs, leave_outputs = output_folder(paths.outputs, session)
    shell = tool_settings(settings, secret_names(choice), session.id, outputs, is_remote=machine is not None)
    sandbox = _sandbox(outset)
    seen = FileState(Recall(partial(messages_of, session)))
    every_tool = create_tools(outset.folder, operations, replace(shell, confine=confiner(sandbox)), state=seen)
    tools = active_tools(outset.arguments, settings, every_tool)
    prompt, notices = system_prompt(outset.arguments, paths, outset.project, list(tools.values()), machine)
    approval = _approval(outset)
    rewinder = _rewinder(outset, session)
    guards = (redaction_guard(), approval.before_hook())
    pipeline = RecordingPipeline(tools, before=guards, redactors=(redactor_of(choice),), rewinder=rewinder)
    setup = _setup(outset, session, choice, prompt, pipeline)
    readiness = Readiness(tools.values(), keeper if machine is None else None)
    show = outset.show if outset.beside is None else readiness.watching(outset.show, outset.beside)
    agent = Agent(
        setup,
        keeping(session, setup, show),
        session.messages(),
        steering_mode=settings.steering_mode,
        follow_up_mode=settings.follow_up_mode,
    )
    compacting = Compacting(agent, session, _compaction(settings), outset.show)
    setup.prepare_turn, setup.recover = compacting.before_request, compacting.recover
    told = (*notices, *unconfined_notice(outset.arguments.sandbox, sandbox), *session_notices(session, agent))
    return Composition(
        agent=agent,
        session=session,
        approval=approval,
        sandbox=sandbox,
        compacting=compacting,
        rewinder=rewinder,
        readiness=readiness,
        choice=choice,
        project=outset.project,
        shell=BashTool(operations, outset.folder, shell),
        cwd=outset.project.cwd,
        notices=(*outset.project.notices, *choice.notices, *told, *_remote_notices(outset)),
        closers=(keeper.close, leave_outputs, *closers),
        paths=paths,
        seen=seen,
        machine=machine,
    )


def _setup(outset: _Outset, session: Session, choice: ModelChoice, prompt: str, pipeline: RecordingPipeline) -> Setup:
    return Setup(
        provider=choice.provider,
        model=choice.model,
        system_prompt=prompt,
        pipeline=pipeline,
        tool_specs=tuple(tool.spec for tool in pipeline.tools.values()),
        thinking_level=choice.thinking_level,
        session_id=session.id,
        limits=_limits(outset.arguments, outset.settings),
        retry=_retry(outset.settings),
    )


def _sandbox(outset: _Outset) -> Sandbox:
    mode = outset.arguments.sandbox or outset.settings.sandbox
    is_remote = outset.machine is not None
    return open_sandbox(mode, outset.settings, outset.project.cwd, outset.paths, is_remote=is_remote)


def _remote_notices(outset: _Outset) -> tuple[str, ...]:
    """Said where somebody could want to rewind."""
    if outset.machine is None or outset.ask is None:
        return ()
    return (NO_REWIND.format(host=outset.machine.remote.host),)


def _approval(outset: _Outset) -> ApprovalPolicy:
    """What asks. The demo's rules end with it; so do those on another machine, as kept ones name folders of this one."""
    arguments, paths, machine = outset.arguments, outset.paths, outset.machine
    if machine is None:
        own = (str(paths.config), str(paths.data))
        places = Places.of(outset.folder, open=(tempfile.gettempdir(),), closed=own)
    else:
        places = Places(machine.folder, open=("/tmp",))
    store = None if arguments.demo or machine else RuleStore(paths.rules_file)
    rules = RuleBook(places.project, store, outset.warn)
    return ApprovalPolicy(arguments.approval or outset.settings.approval, outset.ask, rules=rules, places=places)


def opening_messages(arguments: Arguments, cwd: Path) -> list[UserMessage]:
    """What to send at once: what the command line says, or the demo's own request. Raises `StartError`."""
    if arguments.demo:
        from ..demo import PROMPT

        return [UserMessage.of(PROMPT)]
    return first_messages(arguments.messages, arguments.files, cwd)


def _limits(arguments: Arguments, settings: Settings) -> RunLimits:
    limits = settings.limits
    return RunLimits(
        arguments.max_turns or limits.max_turns, limits.max_tool_calls, arguments.max_cost or limits.max_cost
    )


def _retry(settings: Settings) -> RetryPolicy:
    retry = settings.retry
    return RetryPolicy(retry.enabled, retry.max_retries, retry.base_delay_ms, retry.max_agent_delay_ms)


def _rewinder(outset: _Outset, session: Session) -> Rewinder | None:
    """None where nothing of the session is kept on disk, and on another machine."""
    if session.path is None or outset.machine is not None:
        return None
    git = ShadowGit(outset.project.cwd, outset.paths.data, session.id)
    return Rewinder(git, session, outset.show if outset.ask else _ignore, outset.beside)


def _ignore(_: AgentEvent) -> None:
    """Where nobody can rewind, nobody needs to know that it cannot be done."""


def _compaction(settings: Settings) -> CompactionSettings:
    wanted = settings.compaction
    return CompactionSettings(wanted.enabled, wanted.reserve_tokens, max(wanted.keep_recent_tokens, 1))
