"""The chosen tools are the same everywhere: what the model is told, what the prompt says, what a call is looked up in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from pyagent_tui.app.arguments import parse_arguments
from pyagent_tui.app.conversation.composer import compose
from pyagent_tui.app.conversation.project import open_project
from pyagent_tui.app.paths import find_paths
from pyagent_tui.app.start_error import StartError
from pyagent_tui.tests.real_app import isolate, write_script
from pyagent_tui.tests.stage_app import say

pytestmark = pytest.mark.anyio


async def chosen(tmp_path: Path, project: Path, *words: str) -> list[str]:
    """The names of the active tools, after a look at all the places where they are."""
    arguments = parse_arguments(["--script", write_script(tmp_path, [say("x")]), "--no-session", *words])
    paths = find_paths()
    opened = await open_project(arguments, paths, project)
    composition = compose(arguments, opened, paths, lambda _: None)
    try:
        setup = composition.agent.setup
        told = [spec.name for spec in setup.tool_specs]
        prompt = re.search(r"<tools>\n(.*?)\n</tools>", setup.system_prompt, re.DOTALL)
        assert prompt is not None
        listed = re.findall(r"^- (\w+):", prompt[1], re.MULTILINE)
        assert told == list(setup.pipeline.tools) == listed
        assert ("(none)" in prompt[1]) == (not told)
        for tool in setup.pipeline.tools.values():
            assert all(guideline in setup.system_prompt for guideline in tool.prompt_guidelines)
        return told
    finally:
        await composition.aclose()


@pytest.mark.parametrize(
    ("settings", "words", "names"),
    [
        ("", (), ["read", "bash", "edit", "write"]),
        ("", ("--tools", "read,grep"), ["read", "grep"]),
        ("", ("--tools", "+grep,-bash"), ["read", "edit", "write", "grep"]),
        ("", ("--exclude-tools", "bash,write"), ["read", "edit"]),
        ("", ("--no-tools",), []),
        ("", ("--no-builtin-tools",), []),
        ('default_tools = ["read", "ls"]', (), ["read", "ls"]),
        ('default_tools = ["+find"]', ("--exclude-tools", "edit"), ["read", "bash", "write", "find"]),
        ('default_tools = ["read", "ls"]', ("--tools", "bash"), ["bash"]),
        ('default_tools = ["read", "ls"]', ("--no-tools",), []),
    ],
)
async def test_one_set_for_schema_prompt_and_lookup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, words: Sequence[str], names: list[str]
) -> None:
    project = isolate(tmp_path, monkeypatch)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(f"{settings}\n")
    assert await chosen(tmp_path, project, *words) == names


async def test_a_tool_that_is_not_there_ends_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = isolate(tmp_path, monkeypatch)
    with pytest.raises(StartError, match="There is no tool 'raed'"):
        await chosen(tmp_path, project, "--tools", "raed")
