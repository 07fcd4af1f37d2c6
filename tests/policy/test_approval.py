from collections.abc import Callable
from typing import Any, ClassVar

import anyio
import pytest
from pydantic import BaseModel, ConfigDict, Field

from pyagent_tui.agent.approval import ApprovalAnswer, ApprovalMode, ApprovalRequest, AskApproval
from pyagent_tui.agent.details import Details, NoteDetails
from pyagent_tui.agent.hooks import Allow, Block, CallRequest, Rewrite
from pyagent_tui.agent.messages import ToolCall
from pyagent_tui.agent.permission import Permission
from pyagent_tui.agent.tool import Effect, Tool, ToolContext, ToolError, ToolResult
from pyagent_tui.policy.approval import ApprovalPolicy

pytestmark = pytest.mark.anyio


class PathArguments(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: str
    limit: int | None = None
    dry: bool = Field(default=False, alias="dryRun")


class ProbeTool(Tool[PathArguments]):
    name: ClassVar[str] = "probe"
    label: ClassVar[str] = "probe"
    description: ClassVar[str] = "A probe."
    Arguments = PathArguments

    def __init__(self, effect: Effect) -> None:
        self.effect = effect  # type: ignore[misc]
        self.previews = 0

    async def preview(self, arguments: PathArguments) -> Details | None:
        self.previews += 1
        if arguments.path == "bad":
            raise ToolError("no such text in bad")
        return NoteDetails(f"would touch {arguments.path}")

    async def execute(self, call_id: str, arguments: PathArguments, context: ToolContext) -> ToolResult:
        raise AssertionError("a decision must not run the call")


def request(effect: Effect, call_id: str = "c1", **arguments: Any) -> CallRequest:
    arguments = arguments or {"path": "a.txt"}
    call = ToolCall(call_id, "probe", dict(arguments))
    return CallRequest(call, ProbeTool(effect), PathArguments.model_validate(arguments))


def answering(*answers: ApprovalAnswer) -> tuple[AskApproval, list[ApprovalRequest]]:
    """A person who gives these answers, and what they were asked."""
    asked: list[ApprovalRequest] = []
    left = list(answers)

    async def ask(question: ApprovalRequest) -> ApprovalAnswer:
        asked.append(question)
        return left.pop(0)

    return ask, asked


APPLY = ApprovalAnswer("apply")
BY_PERSON = Allow(permission=Permission("allowed", "person"))
BY_RUN = Allow(permission=Permission("allowed", "run"))


def by_mode(mode: str) -> Allow:
    return Allow(permission=Permission("allowed", "mode", mode))


@pytest.mark.parametrize(
    ("mode", "effect", "expected"),
    [
        ("review", "read", "goes"),
        ("review", "change", "asks"),
        ("review", "command", "asks"),
        ("edits", "read", "goes"),
        ("edits", "change", "goes"),
        ("edits", "command", "asks"),
        ("auto", "read", "goes"),
        ("auto", "change", "goes"),
        ("auto", "command", "goes"),
        ("read-only", "read", "goes"),
        ("read-only", "change", "refused"),
        ("read-only", "command", "refused"),
    ],
)
async def test_mode_and_effect_decide(mode: ApprovalMode, effect: Effect, expected: str) -> None:
    ask, asked = answering(APPLY)
    decision = await ApprovalPolicy(mode, ask).decide(request(effect))
    outcome = "refused" if isinstance(decision, Block) else "asks" if asked else "goes"
    assert outcome == expected
    if isinstance(decision, Block):
        assert "read-only" in decision.reason


async def test_the_person_sees_the_final_arguments_and_the_preview() -> None:
    ask, asked = answering(APPLY)
    decision = await ApprovalPolicy("review", ask).decide(request("change", path="a", limit=2, dryRun=True))
    assert decision == BY_PERSON
    assert asked == [
        ApprovalRequest(
            "c1", "probe", "change", {"path": "a", "limit": 2, "dryRun": True}, NoteDetails("would touch a")
        )
    ]


async def test_a_call_that_cannot_work_is_blocked_and_nobody_is_asked() -> None:
    ask, asked = answering()
    assert await ApprovalPolicy("review", ask).decide(request("change", path="bad")) == Block(
        "no such text in bad", is_failure=True
    )
    assert asked == []


async def test_what_need_not_ask_is_not_previewed() -> None:
    waiting = request("change", path="bad")
    assert await ApprovalPolicy("auto").decide(waiting) == by_mode("auto")
    assert isinstance(waiting.tool, ProbeTool)
    assert waiting.tool.previews == 0


@pytest.mark.parametrize(("effect", "option"), [("change", "--approval edits"), ("command", "--approval auto")])
async def test_without_a_person_the_refusal_names_the_option(effect: Effect, option: str) -> None:
    decision = await ApprovalPolicy("review").decide(request(effect))
    assert isinstance(decision, Block)
    assert option in decision.reason
    assert isinstance(await ApprovalPolicy("edits").decide(request("command")), Block)


async def test_the_option_that_a_refusal_names_does_allow_the_call() -> None:
    assert await ApprovalPolicy("edits").decide(request("change")) == by_mode("edits")
    assert await ApprovalPolicy("auto").decide(request("command")) == by_mode("auto")


async def test_a_refusal_tells_the_model_who_and_why() -> None:
    ask, _ = answering(ApprovalAnswer("refuse"), ApprovalAnswer("refuse", reason=" use Decimal "))
    policy = ApprovalPolicy("review", ask)
    bare, reasoned = await policy.decide(request("change")), await policy.decide(request("change"))
    assert isinstance(bare, Block)
    assert isinstance(reasoned, Block)
    assert "person refused" in bare.reason
    assert reasoned.reason.endswith("They say: use Decimal")


async def test_changed_arguments_are_a_rewrite_with_its_note() -> None:
    ask, _ = answering(ApprovalAnswer("apply", arguments={"path": "b"}, note="the person changed the path"))
    assert await ApprovalPolicy("review", ask).decide(request("change")) == Rewrite(
        {"path": "b"},
        "the person changed the path",
        Permission("changed", "person", "the person changed the path"),
    )


async def test_the_same_arguments_are_no_rewrite() -> None:
    ask, asked = answering(ApprovalAnswer("apply", arguments={"path": "a.txt"}, note="seen"))
    assert await ApprovalPolicy("review", ask).decide(request("change")) == Allow(
        "seen", Permission("allowed", "person")
    )
    assert asked[0].arguments == {"path": "a.txt"}


async def test_apply_all_holds_for_the_run_and_no_longer() -> None:
    ask, asked = answering(ApprovalAnswer("apply_all"), APPLY)
    policy = ApprovalPolicy("review", ask)
    await policy.decide(request("change"))
    assert await policy.decide(request("change")) == BY_RUN
    assert len(asked) == 1
    policy.new_run()
    await policy.decide(request("change"))
    assert len(asked) == 2


async def test_apply_all_on_a_change_lets_no_command_run_unasked() -> None:
    ask, asked = answering(ApprovalAnswer("apply_all"), APPLY)
    policy = ApprovalPolicy("review", ask)
    await policy.decide(request("change"))
    await policy.decide(request("command"))
    assert [question.effect for question in asked] == ["change", "command"]


async def test_a_new_mode_ends_apply_all_and_holds_at_once() -> None:
    ask, asked = answering(ApprovalAnswer("apply_all"), APPLY)
    policy = ApprovalPolicy("review", ask)
    await policy.decide(request("change"))
    policy.mode = "read-only"
    assert isinstance(await policy.decide(request("change")), Block)
    policy.mode = "review"
    await policy.decide(request("change"))
    assert len(asked) == 2


class Person:
    """Answers only when told to; knows how many questions are open at once."""

    def __init__(self) -> None:
        self.open = 0
        self.most = 0
        self.asked: list[str] = []
        self.arrived = anyio.Event()
        self.answers: dict[str, ApprovalAnswer] = {}
        self.may_answer = anyio.Event()

    async def ask(self, question: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(question.tool_call_id)
        self.open += 1
        self.most = max(self.most, self.open)
        self.arrived.set()
        try:
            await self.may_answer.wait()
            return self.answers.get(question.tool_call_id, APPLY)
        finally:
            self.open -= 1


async def decide_three(
    policy: ApprovalPolicy, person: Person, meanwhile: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    decisions: dict[str, Any] = {}

    async def decide(call_id: str) -> None:
        decisions[call_id] = await policy.decide(request("change", call_id))

    async with anyio.create_task_group() as tasks:
        for call_id in ("c1", "c2", "c3"):
            tasks.start_soon(decide, call_id)
        await person.arrived.wait()
        meanwhile()
        person.may_answer.set()
    return decisions


async def test_one_question_at_a_time_in_order() -> None:
    person = Person()
    decisions = await decide_three(ApprovalPolicy("review", person.ask), person)
    assert (person.asked, person.most) == (["c1", "c2", "c3"], 1)
    assert set(decisions.values()) == {BY_PERSON}


async def test_apply_all_answers_the_questions_that_wait() -> None:
    person = Person()
    person.answers["c1"] = ApprovalAnswer("apply_all")
    decisions = await decide_three(ApprovalPolicy("review", person.ask), person)
    assert person.asked == ["c1"]
    assert [decisions["c2"], decisions["c3"]] == [BY_RUN, BY_RUN]


async def test_a_new_mode_decides_the_questions_that_wait() -> None:
    person = Person()
    policy = ApprovalPolicy("review", person.ask)
    decisions = await decide_three(policy, person, lambda: setattr(policy, "mode", "read-only"))
    assert person.asked == ["c1"]
    assert decisions["c1"] == BY_PERSON
    assert isinstance(decisions["c2"], Block)


async def test_a_cancelled_question_frees_the_next() -> None:
    person = Person()
    policy = ApprovalPolicy("review", person.ask)
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(policy.decide, request("change", "c1"))
            tasks.start_soon(policy.decide, request("change", "c2"))
            await person.arrived.wait()
            scope.cancel()
    assert scope.cancelled_caught
    assert person.open == 0
    ask, asked = answering(APPLY)
    policy_after = policy
    policy_after._ask = ask  # pyright: ignore[reportPrivateUsage]
    with anyio.fail_after(2):
        assert await policy_after.decide(request("change", "c3")) == BY_PERSON
    assert [question.tool_call_id for question in asked] == ["c3"]


async def test_the_hook_waits_for_ever_and_is_named() -> None:
    policy = ApprovalPolicy("auto")
    hook = policy.before_hook()
    assert (hook.name, hook.timeout) == ("approval", None)
    assert await hook.decide(request("command")) == by_mode("auto")
