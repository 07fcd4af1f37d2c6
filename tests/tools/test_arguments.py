"""What the model is told of arguments is what is checked."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, cast

import pytest

from pyagent_tui.agent.messages import ToolCall
from pyagent_tui.agent.validation import InvalidArguments, validate
from pyagent_tui.tools.registry import create_tools

TOOLS = {**create_tools("/"), **create_tools("/", windows=True)}

WORDS = ("title", "description")


def bare(schema: Any, definitions: dict[str, Any]) -> Any:
    """A schema without words for the reader and without references."""
    if isinstance(schema, list):
        return [bare(item, definitions) for item in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    schema = cast("dict[str, Any]", schema)
    if "$ref" in schema:
        return bare(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    is_names = not isinstance(schema.get("type", ""), str) or not schema.keys() & {"type", "anyOf"}
    left_out = () if is_names else (*WORDS, "$defs")
    return {key: bare(item, definitions) for key, item in schema.items() if key not in left_out}


@pytest.mark.parametrize("name", TOOLS)
def test_the_schema_that_is_sent_is_that_of_the_model_that_checks(name: str) -> None:
    tool = TOOLS[name]
    made = tool.Arguments.model_json_schema()
    assert tool.spec.parameters is tool.parameters
    assert bare(tool.parameters, {}) == bare(made, made.get("$defs", {}))
    assert list(tool.parameters["properties"]) == list(made["properties"])


def described(schema: dict[str, Any]) -> list[bool]:
    inner = [part for part in (schema.get("items"), *schema.get("properties", {}).values()) if part]
    own = ["description" in part for part in schema.get("properties", {}).values()]
    return [*own, *(word for part in inner for word in described(part))]


@pytest.mark.parametrize("name", TOOLS)
def test_every_argument_is_described_to_the_model(name: str) -> None:
    words = described(TOOLS[name].parameters)
    assert words
    assert all(words)


def test_tools_are_made_and_described_without_pydantic() -> None:
    code = (
        "import sys; from pyagent_tui.tools.registry import create_tools;"
        "print(len([tool.spec for tool in create_tools('/').values()]), 'pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["7", "False"]


@pytest.mark.parametrize("limit", [True, 0, "many"])
def test_what_is_no_count_is_refused(limit: Any) -> None:
    with pytest.raises(InvalidArguments, match="limit"):
        validate(TOOLS["read"], ToolCall("1", "read", {"path": "a", "limit": limit}))
