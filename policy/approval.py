"""May this call run? By what it can do to the world, by the mode, by the person's rules, and by asking the person."""

from __future__ import annotations

import asyncio
from typing import Literal, TypeAlias

from ..agent.approval import ApprovalAnswer, ApprovalMode, ApprovalRequest, AskApproval
from ..agent.details import Details, DiffDetails
from ..agent.hooks import Allow, BeforeHook, Block, CallRequest, Decision, Rewrite
from ..agent.messages import JsonObject
from ..agent.permission import Permission
from ..agent.tool import Effect, ToolError
from .places import Places
from .rule_book import RuleBook
from .rules import CallFacts, Offer

Verdict: TypeAlias = Literal["allow", "ask", "refuse"]

VERDICTS: dict[ApprovalMode, dict[Effect, Verdict]] = {
    "review": {"read": "allow", "change": "ask", "command": "ask"},
    "edits": {"read": "allow", "change": "allow", "command": "ask"},
    "auto": {"read": "allow", "change": "allow", "command": "allow"},
    "read-only": {"read": "allow", "change": "refuse", "command": "refuse"},
}

READ_ONLY = (
    "Not run: approval is set to read-only, so files can't be changed and commands can't be run. "
    "Work with what you can read, and describe what you would change."
)
NOBODY_TO_ASK = (
    "Not run: approval is set to {mode}, which asks the person before {what}, and without a screen nobody can be asked. "
    "It runs only when the program is started with `--approval {option}`. Don't try another way; say what you would have done."
)
OUTSIDE = (
    "Not run: {path} is not in the project (or decides what programs run), and such a change is never made without a "
    "question; without a screen nobody can be asked. Don't try another way; say what you would have done."
)
REFUSED = "The person refused this call; it did not run. Don't repeat it in another form."
REFUSED_WITH_REASON = "The person refused this call; it did not run. They say: {reason}"


class ApprovalPolicy:
    """Decides each call before it runs; asks through `ask` (None: there is nobody), one question at a time.

    `mode` may be changed at any time: it holds for every call that is not decided yet. `rules` let calls run that would
    ask. Changes of files that `places` does not hold ask in the mode ``edits`` too.
    """

    def __init__(
        self,
        mode: ApprovalMode = "review",
        ask: AskApproval | None = None,
        *,
        rules: RuleBook | None = None,
        places: Places | None = None,
    ) -> None:
        self._mode: ApprovalMode = mode
        self._ask = ask
        self.rules = rules
        self._places = places
        self._all_allowed: set[Effect] = set()
        self._question = asyncio.Lock()

    @property
    def mode(self) -> ApprovalMode:
        return self._mode

    @mode.setter
    def mode(self, mode: ApprovalMode) -> None:
        """A new mode also ends an "apply all" that was given under the old one."""
        self._mode = mode
        self._all_allowed.clear()

    def before_hook(self) -> BeforeHook:
        """The hook for the agent; it waits for the person without limit and is cancelled with the call."""
        return BeforeHook("approval", self.decide, timeout=None)

    def new_run(self) -> None:
        """Forget "apply all": it was given for the run that is over."""
        self._all_allowed.clear()

    async def decide(self, request: CallRequest) -> Decision:
        """Allow, block or rewrite one valid call. Raises only what `ask` raises."""
        effect = request.tool.effect
        if VERDICTS[self._mode][effect] == "refuse":
            return self._refuse()
        if effect == "read":
            return Allow()
        facts = await _facts(request)
        decision = await self._decide_alone(effect, facts)
        if decision is not None:
            return decision
        async with self._question:
            # The question before this one may have settled it ("apply all", a rule, another mode).
            return await self._decide_alone(effect, facts) or await self._decide_together(request, facts)

    async def _decide_alone(self, effect: Effect, facts: CallFacts) -> Decision | None:
        """What needs no person; None where one must be asked."""
        verdict = VERDICTS[self._mode][effect]
        if verdict == "refuse":
            return self._refuse()
        is_usual = self._mode == "auto" or facts.path is None or self._places is None or self._places.holds(facts.path)
        if verdict == "allow" and is_usual:
            return Allow(permission=Permission("allowed", "mode", self._mode))
        if effect in self._all_allowed and is_usual:
            return Allow(permission=Permission("allowed", "run"))
        if self.rules is not None and is_usual and (rule := await self.rules.allowing(facts)) is not None:
            return Allow(permission=Permission("allowed", "rule", rule))
        if self._ask is not None:
            return None
        reason = _nobody_to_ask(self._mode, effect) if is_usual else OUTSIDE.format(path=facts.path)
        return Block(reason, permission=Permission("refused", "nobody"))

    def _refuse(self) -> Block:
        return Block(READ_ONLY, permission=Permission("refused", "mode", self._mode))

    async def _decide_together(self, request: CallRequest, facts: CallFacts) -> Decision:
        assert self._ask is not None
        await request.earlier_changes()
        try:
            preview = await request.tool.preview(request.arguments)
        except ToolError as error:
            return Block(str(error), is_failure=True, details=error.details)
        arguments = _wire_arguments(request)
        effect = request.tool.effect
        offers = () if self.rules is None else self.rules.offers(facts)
        answer = await self._ask(
            ApprovalRequest(request.call.id, request.tool.name, effect, arguments, preview, tuple(map(str, offers)))
        )
        if answer.verdict == "apply_all":
            self._all_allowed.add(effect)
        chosen = offers[answer.rule] if answer.rule is not None else None
        if chosen is not None and self.rules is not None and answer.verdict != "refuse":
            await self.rules.add(chosen)
        return _decision(answer, arguments, preview, chosen)


async def _facts(request: CallRequest) -> CallFacts:
    """What rules may look at."""
    arguments = _wire_arguments(request)
    command = arguments.get("command") if request.tool.effect == "command" else None
    is_shell = isinstance(command, str) and arguments.keys() <= {"command", "timeout"}
    path: str | None = None
    if request.tool.effect == "change":
        try:
            path = await request.tool.target(request.arguments)
        except (ToolError, OSError):
            # It cannot work; the preview or the call itself says why.
            path = None
    return CallFacts(request.tool.name, arguments, command if is_shell else None, path)


def _wire_arguments(request: CallRequest) -> JsonObject:
    """The validated arguments in the shape the model sends them: what was not given is left out."""
    return request.arguments.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _decision(answer: ApprovalAnswer, arguments: JsonObject, preview: Details | None, chosen: Offer | None) -> Decision:
    if answer.verdict == "refuse":
        return _refusal(answer, preview)
    words = str(chosen) if chosen is not None else "and all further ones in this run" * (answer.verdict == "apply_all")
    if answer.arguments is None or answer.arguments == arguments:
        return Allow(answer.note, Permission("allowed", "person", words))
    return Rewrite(answer.arguments, answer.note, _changed(answer))


def _refusal(answer: ApprovalAnswer, preview: Details | None) -> Block:
    """The change that was refused stays with the call, to be looked at."""
    reason = (answer.reason or "").strip()
    told = REFUSED_WITH_REASON.format(reason=reason) if reason else " ".join(filter(None, (REFUSED, answer.note)))
    details = preview if isinstance(preview, DiffDetails) else None
    return Block(told, details=details, permission=Permission("refused", "person", reason))


def _changed(answer: ApprovalAnswer) -> Permission:
    """The record of what the person changed: the command, or how much of a change and which parts."""
    if answer.command:
        return Permission("changed", "person", command=answer.command)
    first, _, rest = (answer.note or "").partition("\n")
    return Permission("changed", "person", answer.words or first, parts=rest)


def _nobody_to_ask(mode: ApprovalMode, effect: Effect) -> str:
    if effect == "change":
        return NOBODY_TO_ASK.format(mode=mode, what="a file is changed", option="edits")
    return NOBODY_TO_ASK.format(mode=mode, what="a command runs", option="auto")
