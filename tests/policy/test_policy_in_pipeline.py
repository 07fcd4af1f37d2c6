"""The policies in the place where they work: the core's own call pipeline."""

from typing import Any, ClassVar

import pytest

from pyagent_tui.agent.approval import ApprovalAnswer, ApprovalRequest, AskApproval
from pyagent_tui.agent.messages import ToolCall
from pyagent_tui.agent.pipeline import Admitted, Pipeline, Settled
from pyagent_tui.agent.tool import Effect, Tool, ToolContext, ToolResult
from pyagent_tui.policy.approval import ApprovalPolicy
from pyagent_tui.policy.secrets import make_redactor, redaction_guard
from pyagent_tui.tools.arguments import ToolArguments

pytestmark = pytest.mark.anyio


class NoteArguments(ToolArguments):
    text: str


class Keep(Tool[NoteArguments]):
    """Keeps what it is given."""

    name: ClassVar[str] = "keep"
    label: ClassVar[str] = "keep"
    description: ClassVar[str] = "Keeps a text."
    effect: ClassVar[Effect] = "change"
    Arguments = NoteArguments

    def __init__(self) -> None:
        self.kept: list[str] = []

    async def execute(self, call_id: str, arguments: NoteArguments, context: ToolContext) -> ToolResult:
        self.kept.append(arguments.text)
        return ToolResult.of(f"kept {arguments.text}")


class Look(Keep):
    name: ClassVar[str] = "look"
    effect: ClassVar[Effect] = "read"


async def run(pipeline: Pipeline, name: str = "keep", **arguments: Any) -> Settled:
    """Send one call through all stages."""
    admitted = await pipeline.admit(ToolCall("c1", name, dict(arguments)))
    return await pipeline.execute(admitted, ToolContext()) if isinstance(admitted, Admitted) else admitted


def asking(answer: ApprovalAnswer) -> AskApproval:
    async def ask(_: ApprovalRequest) -> ApprovalAnswer:
        return answer

    return ask


def guarded_by(tool: Keep, ask: AskApproval | None) -> Pipeline:
    return Pipeline({tool.name: tool}, (ApprovalPolicy("review", ask).before_hook(),))


async def test_what_the_person_applies_runs() -> None:
    tool = Keep()
    settled = await run(guarded_by(tool, asking(ApprovalAnswer("apply"))), text="a")
    assert (settled.outcome, tool.kept) == ("ok", ["a"])


async def test_what_the_person_changes_runs_changed_and_the_model_is_told() -> None:
    tool = Keep()
    answer = ApprovalAnswer("apply", arguments={"text": "b"}, note="The person changed the text.")
    settled = await run(guarded_by(tool, asking(answer)), text="a")
    assert tool.kept == ["b"]
    assert "kept b" in settled.result.text
    assert "The person changed the text." in settled.result.text


async def test_a_change_that_does_not_fit_is_validated_again_and_does_not_run() -> None:
    tool = Keep()
    settled = await run(guarded_by(tool, asking(ApprovalAnswer("apply", arguments={"txt": "b"}))), text="a")
    assert (settled.outcome, tool.kept) == ("blocked", [])


async def test_refused_headless_and_failing_questions_do_not_run() -> None:
    async def fail(_: ApprovalRequest) -> ApprovalAnswer:
        raise RuntimeError("the screen is gone")

    for ask in (asking(ApprovalAnswer("refuse", reason="no")), None, fail):
        tool = Keep()
        settled = await run(guarded_by(tool, ask), text="a")
        assert (settled.outcome, settled.result.is_error, tool.kept) == ("blocked", True, [])


async def test_a_redaction_mark_is_never_written_over_its_secret() -> None:
    keep, look = Keep(), Look()
    redact = make_redactor({"API KEY": "correct-horse-battery"})
    pipeline = Pipeline({"keep": keep, "look": look}, (redaction_guard(),), redactors=(redact,))
    seen = await run(pipeline, "look", text="KEY=correct-horse-battery")
    assert seen.result.text == "kept KEY=[redacted: API KEY]"
    written = await run(pipeline, text=seen.result.text)
    assert (written.outcome, keep.kept) == ("blocked", [])
    assert "[redacted: API KEY] stands for a secret" in written.result.text
    assert (await run(pipeline, text="[redacted]")).outcome == "ok"
    assert (await run(pipeline, "look", text="[redacted: key]")).outcome == "ok"
