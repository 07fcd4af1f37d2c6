"""One call through its stages: who may stop it, who may change it, and what is never hidden."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import anyio
import pytest

from pyagent_tui.agent.details import NoteDetails, OtherDetails, OutputDetails
from pyagent_tui.agent.hooks import AfterHook, Allow, BeforeHook, Block, CallRequest, Decision, ResultPatch, Rewrite
from pyagent_tui.agent.messages import ImageContent, TextContent, ToolCall, Usage
from pyagent_tui.agent.normalise import MAX_IMAGE, MAX_TEXT, WITHHELD
from pyagent_tui.agent.pipeline import Admitted, Pipeline, Settled
from pyagent_tui.agent.tool import ToolContext, ToolError, ToolResult
from pyagent_tui.tests.harness import Empty, ScriptTool

pytestmark = pytest.mark.anyio


def before(decide: Any, timeout: float | None = 5) -> BeforeHook:
    async def run(request: CallRequest) -> Decision:
        return decide(request)

    return BeforeHook("guard", run, timeout)


def after(patch: Any) -> AfterHook:
    async def run(request: CallRequest, result: ToolResult) -> ResultPatch | None:
        return patch(result)

    return AfterHook("polish", run)


async def settle(pipeline: Pipeline, call: ToolCall | None = None) -> Settled:
    admitted = await pipeline.admit(call or ToolCall("1", "tool", {"text": "hi"}))
    if isinstance(admitted, Settled):
        return admitted
    return await pipeline.execute(admitted, ToolContext())


def pipeline(tool: ScriptTool | None = None, **hooks: Any) -> tuple[Pipeline, ScriptTool]:
    tool = tool or ScriptTool()
    return Pipeline({tool.name: tool}, **hooks), tool


async def test_only_active_tools_are_found_and_the_error_names_them() -> None:
    stages, _ = pipeline()
    settled = await settle(stages, ToolCall("1", "Read", {}))
    assert (settled.outcome, settled.duration_ms) == ("invalid", None)
    assert settled.result.text == "Tool Read not found. Active tools: tool."


async def test_a_block_keeps_the_call_from_running_and_gives_its_reason() -> None:
    stages, tool = pipeline(before=[before(lambda _: Block("not in here"))])
    settled = await settle(stages)
    assert (settled.outcome, settled.result.text, settled.result.is_error) == ("blocked", "not in here", True)
    assert tool.runs == []


async def test_a_call_that_cannot_work_has_failed_and_was_not_refused() -> None:
    stages, tool = pipeline(before=[before(lambda _: Block("no such file", is_failure=True, details=NoteDetails("n")))])
    settled = await settle(stages)
    assert (settled.outcome, settled.result.details, tool.runs) == ("failed", NoteDetails("n"), [])


async def test_a_hook_that_raises_blocks() -> None:
    def boom(_: CallRequest) -> Decision:
        raise KeyError("x")

    stages, tool = pipeline(before=[before(boom)])
    settled = await settle(stages)
    assert settled.outcome == "blocked"
    assert "guard failed: KeyError" in settled.result.text
    assert tool.runs == []


async def test_a_hook_that_takes_too_long_blocks() -> None:
    async def slow(_: CallRequest) -> Decision:
        await anyio.sleep_forever()
        return Allow()

    stages, tool = pipeline(before=[BeforeHook("slow", slow, timeout=0.01)])
    settled = await settle(stages)
    assert settled.outcome == "blocked"
    assert "slow did not decide within 0.01 s" in settled.result.text
    assert tool.runs == []


async def test_a_rewrite_runs_with_the_new_arguments_and_the_model_is_told() -> None:
    stages, tool = pipeline(before=[before(lambda _: Rewrite({"text": "new"}, "text was changed"))])
    settled = await settle(stages)
    assert [run.text for run in tool.runs] == ["new"]
    assert settled.result.text == "tool done\ntext was changed"


async def test_a_rewrite_is_validated_again() -> None:
    stages, tool = pipeline(before=[before(lambda _: Rewrite({"nonsense": 1}))])
    settled = await settle(stages)
    assert settled.outcome == "blocked"
    assert "nonsense: unknown field" in settled.result.text
    assert tool.runs == []


async def test_later_hooks_see_the_rewritten_arguments() -> None:
    seen: list[str] = []

    def look(request: CallRequest) -> Decision:
        seen.append(request.arguments.text)
        return Allow()

    stages, _ = pipeline(before=[before(lambda _: Rewrite({"text": "final"})), before(look)])
    await settle(stages)
    assert seen == ["final"]


async def test_the_first_block_wins_and_no_one_else_is_asked() -> None:
    asked: list[int] = []
    stages, _ = pipeline(before=[before(lambda _: Block("first")), before(lambda _: asked.append(1))])
    assert (await settle(stages)).result.text == "first"
    assert asked == []


async def test_an_after_hook_may_change_every_field() -> None:
    patch = ResultPatch((TextContent("new"),), NoteDetails("n"), True, Usage(input=1), True)
    stages, _ = pipeline(after=[after(lambda _: patch)])
    result = (await settle(stages)).result
    assert (result.text, result.details, result.is_error) == ("new", NoteDetails("n"), True)
    assert (result.usage, result.terminate) == (Usage(input=1), True)


async def test_an_after_hook_may_turn_an_error_into_a_success() -> None:
    async def fails(_: Empty, __: ToolContext) -> None:
        raise ToolError("no")

    stages, _ = pipeline(ScriptTool("tool", fails), after=[after(lambda _: ResultPatch(is_error=False))])
    settled = await settle(stages)
    assert (settled.outcome, settled.result.is_error) == ("ok", False)


async def test_a_failing_after_hook_keeps_the_result_and_its_error_is_attached() -> None:
    def boom(_: ToolResult) -> None:
        raise OSError("hook broke")

    stages, _ = pipeline(after=[after(boom)])
    settled = await settle(stages)
    assert settled.outcome == "ok"
    assert settled.result.text.startswith("tool done\n")
    assert "polish failed after the call: OSError: hook broke" in settled.result.text


async def test_a_tool_error_keeps_its_details() -> None:
    async def fails(_: Empty, __: ToolContext) -> None:
        raise ToolError("timed out", details=OutputDetails("x", output="partial"))

    stages, _ = pipeline(ScriptTool("tool", fails))
    result = (await settle(stages)).result
    assert result.details == OutputDetails("x", output="partial")
    assert result.is_error


def hide(text: str) -> str:
    return text.replace("s3cret", "[redacted]")


async def test_redaction_reaches_content_and_details_of_results_and_refusals() -> None:
    async def leaks(_: Empty, __: ToolContext) -> ToolResult:
        details = OtherDetails("mine", {"deep": [{"er": "s3cret"}]})
        return ToolResult.of("the key is s3cret", details)

    stages, _ = pipeline(ScriptTool("tool", leaks), redactors=[hide])
    result = (await settle(stages)).result
    assert "s3cret" not in repr(result)
    assert result.text == "the key is [redacted]"
    blocked = replace(stages, before=[before(lambda _: Block("s3cret inside"))])
    assert "s3cret" not in repr(await settle(blocked))


async def test_a_failing_redactor_withholds_the_text() -> None:
    def broken(_: str) -> str:
        raise ValueError

    stages, _ = pipeline(redactors=[broken])
    assert (await settle(stages)).result.text == WITHHELD


def test_results_are_bounded_and_valid_text() -> None:
    stages = Pipeline({})
    long = stages.normalise(ToolResult.of("x" * (MAX_TEXT + 5)))
    assert long.text.endswith("[… 5 more characters left out]")
    assert stages.normalise(ToolResult.of("a\ud83dz")).text == "a\ufffdz"
    assert stages.normalise(ToolResult.of("😀")).text == "😀"
    image = stages.normalise(ToolResult((ImageContent("A" * (MAX_IMAGE + 1), "image/png"),)))
    assert isinstance(image.content[0], TextContent)


async def test_a_shim_that_fails_refuses_the_call() -> None:
    class Shim(ScriptTool):
        def prepare_arguments(self, arguments: dict[str, Any]) -> dict[str, Any]:
            raise TypeError("odd")

    stages, tool = pipeline(Shim())
    settled = await settle(stages)
    assert (settled.outcome, tool.runs) == ("invalid", [])


async def test_admitting_runs_nothing() -> None:
    stages, tool = pipeline()
    assert isinstance(await stages.admit(ToolCall("1", "tool", {})), Admitted)
    assert tool.runs == []
