"""May this call run? By what it can do to the world, by the mode, and by asking the person."""

from __future__ import annotations

import asyncio
from typing import Literal, TypeAlias

from ..agent.approval import ApprovalAnswer, ApprovalMode, ApprovalRequest, AskApproval
from ..agent.hooks import Allow, BeforeHook, Block, CallRequest, Decision, Rewrite
from ..agent.messages import JsonObject
from ..agent.tool import Effect, ToolError

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
REFUSED = "The person refused this call; it did not run. Don't repeat it in another form."
REFUSED_WITH_REASON = "The person refused this call; it did not run. They say: {reason}"


class ApprovalPolicy:
    """Decides each call before it runs; asks through `ask` (None: there is nobody), one question at a time.

    `mode` may be changed at any time: it holds for every call that is not decided yet.
    """

    def __init__(self, mode: ApprovalMode = "review", ask: AskApproval | None = None) -> None:
        self._mode: ApprovalMode = mode
        self._ask = ask
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
        decision = self._decide_alone(request.tool.effect)
        if decision is not None:
            return decision
        async with self._question:
            # The question before this one may have settled it ("apply all", another mode).
            return self._decide_alone(request.tool.effect) or await self._decide_together(request)

    def _decide_alone(self, effect: Effect) -> Decision | None:
        """What needs no person; None where one must be asked."""
        match VERDICTS[self._mode][effect]:
            case "allow":
                return Allow()
            case "refuse":
                return Block(READ_ONLY)
            case "ask":
                if effect in self._all_allowed:
                    return Allow()
                return Block(_nobody_to_ask(self._mode, effect)) if self._ask is None else None

    async def _decide_together(self, request: CallRequest) -> Decision:
        assert self._ask is not None
        await request.earlier_changes()
        try:
            preview = await request.tool.preview(request.arguments)
        except ToolError as error:
            return Block(str(error), is_failure=True, details=error.details)
        arguments = _wire_arguments(request)
        question = ApprovalRequest(request.call.id, request.tool.name, request.tool.effect, arguments, preview)
        answer = await self._ask(question)
        if answer.verdict == "apply_all":
            self._all_allowed.add(request.tool.effect)
        return _decision(answer, arguments)


def _wire_arguments(request: CallRequest) -> JsonObject:
    """The validated arguments in the shape the model sends them: what was not given is left out."""
    return request.arguments.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _decision(answer: ApprovalAnswer, arguments: JsonObject) -> Decision:
    if answer.verdict == "refuse":
        reason = (answer.reason or "").strip()
        return Block(REFUSED_WITH_REASON.format(reason=reason) if reason else REFUSED)
    if answer.arguments is None or answer.arguments == arguments:
        return Allow(answer.note)
    return Rewrite(answer.arguments, answer.note)


def _nobody_to_ask(mode: ApprovalMode, effect: Effect) -> str:
    if effect == "change":
        return NOBODY_TO_ASK.format(mode=mode, what="a file is changed", option="edits")
    return NOBODY_TO_ASK.format(mode=mode, what="a command runs", option="auto")
