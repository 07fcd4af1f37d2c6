"""Commands of the linear mode about how it works: model, thinking, approval, rules, trust."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from ...agent.approval import ApprovalMode
from ...agent.messages import ThinkingLevel
from ...policy.rule_store import RuleError
from ...providers.catalogue import model_name
from ...providers.thinking import levels_of
from ..conversation.project import decide_again
from ..start_error import StartError
from .choosing import composition_of, pick, word

if TYPE_CHECKING:
    from .talk import LinearTalk


async def _model(talk: LinearTalk, pattern: str) -> None:
    composition = composition_of(talk)
    registry = composition.choice.registry
    if registry is None:
        raise StartError("A script plays the model here; it cannot be changed.")
    fitting, level = await asyncio.to_thread(registry.fitting, pattern)
    if not pattern or len(fitting) > 1:
        ready = registry.ready()
        names = [model_name(model) for model in fitting or registry.models() if model.provider in ready or fitting]
        picked = await pick(talk, f"Which model? Now {model_name(composition.agent.setup.model)}", names)
        if picked is None:
            return
        pattern = f"{names[picked]}:{level}" if level else names[picked]
    await asyncio.to_thread(composition.change_model, pattern)
    for notice in composition.choice.notices:
        talk.output.line("warning", notice)
    talk.output.line("status", f"{composition.agent.setup.model.label} answers from now on")


async def _thinking(talk: LinearTalk, wanted: str) -> None:
    composition = composition_of(talk)
    setup = composition.agent.setup
    level = await word(talk, "thinking level", wanted, levels_of(setup.model), setup.thinking_level)
    if level is not None:
        composition.set_thinking(cast("ThinkingLevel", level))
        talk.output.line("status", f"thinking {level}")


async def _approval(talk: LinearTalk, wanted: str) -> None:
    composition = composition_of(talk)
    mode = await word(talk, "approval mode", wanted, get_args(ApprovalMode), composition.approval.mode)
    if mode is not None:
        composition.approval.mode = cast("ApprovalMode", mode)
        talk.output.line("status", f"approval {mode}")


async def _rules(talk: LinearTalk, _: str) -> None:
    """What goes without a question; one of them can be taken back."""
    book = composition_of(talk).approval.rules
    if book is None:
        raise StartError("There are no rules here.")
    try:
        rules = [str(rule) for rule in await book.listed()]
        if not rules:
            talk.output.line("status", "no rules: every call that the approval mode asks about is asked about")
            return
        picked = await pick(talk, "Which of these rules shall no longer hold?", rules)
        if picked is None:
            return
        if [str(rule) for rule in await book.listed()] != rules:
            raise StartError("The rules have changed meanwhile: choose again.")
        await book.remove(picked)
    except (RuleError, TimeoutError) as error:
        raise StartError(str(error)) from None
    talk.output.line("status", f"no longer: {rules[picked]}")


async def _trust(talk: LinearTalk, _: str) -> None:
    is_trusted = await decide_again(talk.paths, _cwd(talk), talk.trust.ask_again)
    if is_trusted is None:
        talk.output.line("status", "this project brings nothing that needs trust")
    else:
        word = "trusted" if is_trusted else "not trusted"
        talk.output.line("status", f"this project is {word} from the next session on: /new starts one")


def _cwd(talk: LinearTalk) -> Path:
    return Path.cwd() if talk.composition is None else talk.composition.cwd


SETUP_COMMANDS: Mapping[str, Callable[[LinearTalk, str], Awaitable[object]]] = {
    "model": _model,
    "thinking": _thinking,
    "approval": _approval,
    "rules": _rules,
    "trust": _trust,
}
"""By the command's name."""
