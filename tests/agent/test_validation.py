"""Which arguments pass, and what the model is told of those that do not."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from pyagent_tui.agent.messages import ToolCall
from pyagent_tui.agent.tool import Tool, ToolContext, ToolResult
from pyagent_tui.agent.validation import RECEIVED_LIMIT, InvalidArguments, validate


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")

    old: str
    note: str | None = None


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: str
    limit: int | None = Field(default=None, ge=1)
    parts: list[Part] = []


class Sample(Tool[Arguments]):
    name = "sample"
    label = "sample"
    description = "A sample."
    Arguments = Arguments

    async def execute(self, call_id: str, arguments: Arguments, context: ToolContext) -> ToolResult:
        return ToolResult.of("ran")


def check(arguments: dict[str, Any], **fields: Any) -> Arguments:
    parsed = validate(Sample(), ToolCall("1", "sample", arguments, **fields))
    assert isinstance(parsed, Arguments)
    return parsed


def refusal(arguments: dict[str, Any], **fields: Any) -> str:
    with pytest.raises(InvalidArguments) as caught:
        check(arguments, **fields)
    return str(caught.value)


def test_numeric_strings_count_as_numbers() -> None:
    assert check({"path": "a", "limit": "5"}).limit == 5


@pytest.mark.parametrize("value", ["ten", {}, 1.5, "", 0])
def test_what_is_no_number_does_not_count_as_one(value: Any) -> None:
    assert "- limit: " in refusal({"path": "a", "limit": value})


def test_an_optional_null_counts_as_absent_at_any_depth() -> None:
    parsed = check({"path": "a", "limit": None, "parts": [{"old": "x", "note": None}]})
    assert parsed.limit is None
    assert "limit" not in parsed.model_fields_set
    assert "note" not in parsed.parts[0].model_fields_set
    assert check({"path": "a", "parts": None}).parts == []


def test_a_required_null_is_refused() -> None:
    assert "- path: input should be a valid string" in refusal({"path": None})
    assert "- parts.0.old: " in refusal({"path": "a", "parts": [{"old": None}]})


def test_unknown_fields_are_refused_by_dotted_path() -> None:
    text = refusal({"path": "a", "more": 1, "parts": [{"old": "x", "odd": 1}]})
    assert "- more: unknown field" in text
    assert "- parts.0.odd: unknown field" in text


def test_an_unknown_null_is_refused_too() -> None:
    assert "- more: unknown field" in refusal({"path": "a", "more": None})


def test_the_error_names_the_tool_each_field_and_what_came_in() -> None:
    assert refusal({"limit": "x"}).splitlines() == [
        "Invalid arguments for sample:",
        "- path: missing",
        "- limit: input should be a valid integer, unable to parse string as an integer",
        "Received:",
        "{",
        '  "limit": "x"',
        "}",
    ]


def test_what_came_in_is_shown_in_bounds() -> None:
    text = refusal({"limit": "y" * 10_000})
    assert len(text) < RECEIVED_LIMIT + 500
    assert "more characters" in text


def test_malformed_json_is_refused_with_its_text_and_reason() -> None:
    text = refusal({}, raw_arguments='{"path": a}', parse_error="Expecting value at character 9")
    assert "Expecting value at character 9" in text
    assert '{"path": a}' in text
