"""The slash commands of the linear mode: those of the one table that need no screen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from ...agent.approval import ApprovalMode
from ...agent.messages import ThinkingLevel
from ...providers.catalogue import model_name
from ...providers.thinking import levels_of
from ...sessions.listing import SessionSummary
from ...sessions.statistics import statistics_of
from ...sessions.tree import SessionTree
from ..ages import format_age
from ..commands import COMMANDS, Command
from ..conversation.project import decide_again
from ..sessions.choice import open_path
from ..sessions.report import report
from ..spelling import choice_of, did_you_mean
from ..start_error import StartError

if TYPE_CHECKING:
    from ..conversation.composition import Composition
    from .talk import LinearTalk

OFFERED = 20
"""How many things a list offers at most."""

KEYS = (
    "A line is sent with Enter. While a run goes on it steers: the model gets it after the calls under way.",
    "A line that begins with > waits until the run is done.",
    "A backslash at the end of a line continues it on the next one.",
    "A question is answered by the number of an answer.",
    "Ctrl+C stops the run; twice it quits. Ctrl+D quits when the run is done.",
)


async def run_linear_command(talk: LinearTalk, command: Command, argument: str) -> None:
    """Do what the command says. Raises `StartError` with what cannot be done."""
    if argument and not command.argument:
        raise StartError(f"/{command.name} takes nothing behind it; nothing was done.")
    action = ACTIONS.get(command.name)
    if action is None:
        raise StartError(f"/{command.name} needs the full screen: start without --linear.")
    await action(talk, argument)


async def _help(talk: LinearTalk, _: str) -> None:
    known = [command for command in COMMANDS if command.name in ACTIONS]
    names = [f"/{command.name} {command.argument}".rstrip() for command in known]
    rows = [f"{name}: {command.about}" for name, command in zip(names, known, strict=True)]
    talk.output.line("help", "keys and commands", [*KEYS, *rows])


async def _model(talk: LinearTalk, pattern: str) -> None:
    composition = _composition(talk)
    registry = composition.choice.registry
    if registry is None:
        raise StartError("A script plays the model here; it cannot be changed.")
    fitting, level = await asyncio.to_thread(registry.fitting, pattern)
    if not pattern or len(fitting) > 1:
        ready = registry.ready()
        names = [model_name(model) for model in fitting or registry.models() if model.provider in ready or fitting]
        picked = await _pick(talk, f"Which model? Now {model_name(composition.agent.setup.model)}", names)
        if picked is None:
            return
        pattern = f"{names[picked]}:{level}" if level else names[picked]
    await asyncio.to_thread(composition.change_model, pattern)
    for notice in composition.choice.notices:
        talk.output.line("warning", notice)
    talk.output.line("status", f"{composition.agent.setup.model.label} answers from now on")


async def _thinking(talk: LinearTalk, wanted: str) -> None:
    composition = _composition(talk)
    setup = composition.agent.setup
    level = await _word(talk, "thinking level", wanted, levels_of(setup.model), setup.thinking_level)
    if level is not None:
        composition.set_thinking(cast("ThinkingLevel", level))
        talk.output.line("status", f"thinking {level}")


async def _approval(talk: LinearTalk, wanted: str) -> None:
    composition = _composition(talk)
    mode = await _word(talk, "approval mode", wanted, get_args(ApprovalMode), composition.approval.mode)
    if mode is not None:
        composition.approval.mode = cast("ApprovalMode", mode)
        talk.output.line("status", f"approval {mode}")


async def _new(talk: LinearTalk, _: str) -> None:
    talk.stop()
    await talk.settle()
    await talk.start(talk.elsewhere())


async def _resume(talk: LinearTalk, _: str) -> None:
    await resume(talk)


async def resume(talk: LinearTalk) -> bool:
    """Let the person choose a session of this folder and go on with it; False if they chose none."""
    store, here = talk.store(), _place(talk)
    found = await asyncio.to_thread(lambda: sorted(store.summaries("folder", here), key=_age, reverse=True))
    current = None if talk.composition is None else talk.composition.session.path
    offered = [summary for summary in found if summary.path != current]
    if not offered:
        raise StartError("There is no other session of this folder.")
    picked = await _pick(talk, "Which session?", [f"{each.title} ({format_age(each.modified)})" for each in offered])
    if picked is None:
        return False
    opened = await asyncio.to_thread(open_path, store, offered[picked].path)
    talk.stop()
    await talk.settle()
    await talk.start(talk.elsewhere(), opened)
    return True


async def _name(talk: LinearTalk, name: str) -> None:
    session = _composition(talk).session
    if name:
        session.set_name(name)
    talk.output.line("status", f"the session is named {session.name}" if session.name else "the session has no name")


async def _session(talk: LinearTalk, _: str) -> None:
    session = _composition(talk).session
    tree = SessionTree(session.tree)
    statistics = await asyncio.to_thread(statistics_of, tree)
    talk.output.line("status", "this session", report(session, statistics).split("\n"))


async def _compact(talk: LinearTalk, instructions: str) -> None:
    await talk.compact(instructions)


async def _retry(talk: LinearTalk, _: str) -> None:
    talk.retry()


async def _trust(talk: LinearTalk, _: str) -> None:
    is_trusted = await decide_again(talk.paths, _cwd(talk), talk.trust.ask_again)
    if is_trusted is None:
        talk.output.line("status", "this project brings nothing that needs trust")
    else:
        word = "trusted" if is_trusted else "not trusted"
        talk.output.line("status", f"this project is {word} from the next session on: /new starts one")


async def _word(talk: LinearTalk, what: str, wanted: str, words: tuple[str, ...] | list[str], now: str) -> str | None:
    """The word that is wanted, from a list if none is given. Raises `StartError` if it is not one of them."""
    if not wanted:
        picked = await _pick(talk, f"Which {what}? Now {now}", list(words))
        return None if picked is None else words[picked]
    chosen = choice_of(wanted, words)
    if chosen is None:
        hint = did_you_mean(wanted, words) or f"; there are {', '.join(words)}"
        raise StartError(f"{wanted!r} is no {what}{hint}")
    return chosen


async def _pick(talk: LinearTalk, question: str, choices: list[str]) -> int | None:
    """The index of what the person chose; None for nothing."""
    shown = choices[:OFFERED]
    more = f" (the first {OFFERED} of {len(choices)})" if len(choices) > OFFERED else ""
    answer = await talk.questions.choose(question + more, [*shown, "none of them"])
    return None if answer is None or answer[0] > len(shown) else answer[0] - 1


def _composition(talk: LinearTalk) -> Composition:
    if talk.composition is None:
        raise StartError("There is no session yet.")
    return talk.composition


def _cwd(talk: LinearTalk) -> Path:
    return Path.cwd() if talk.composition is None else talk.composition.cwd


def _place(talk: LinearTalk) -> str | Path:
    return Path.cwd() if talk.composition is None else talk.composition.place


def _age(summary: SessionSummary) -> int:
    return summary.modified


ACTIONS: dict[str, Callable[[LinearTalk, str], Awaitable[object]]] = {
    "help": _help,
    "model": _model,
    "thinking": _thinking,
    "approval": _approval,
    "retry": _retry,
    "new": _new,
    "resume": _resume,
    "name": _name,
    "session": _session,
    "compact": _compact,
    "trust": _trust,
}
"""By the command's name; ``quit`` is the loop's own."""
