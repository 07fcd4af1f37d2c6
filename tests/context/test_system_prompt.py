import os
import re
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel

from pyagent_tui.agent.tool import Tool, ToolContext, ToolResult
from pyagent_tui.context.project_files import ContextFile
from pyagent_tui.context.system_prompt import RULES, SHELL_SEARCH, build_system_prompt


class NoArguments(BaseModel):
    pass


class PlainTool(Tool[NoArguments]):
    label = "plain"
    description = "Does a thing.\nAt length."
    Arguments = NoArguments

    async def execute(self, call_id: str, arguments: NoArguments, context: ToolContext) -> ToolResult:
        return ToolResult.of("")


class Bash(PlainTool):
    name = "bash"
    prompt_snippet = "run a command"
    prompt_guidelines: ClassVar[tuple[str, ...]] = ("Quote paths.",)


class Grep(PlainTool):
    name = "grep"
    prompt_snippet = "search in files"
    prompt_guidelines: ClassVar[tuple[str, ...]] = ("Quote paths.", "Prefer grep to guessing.")


class Custom(PlainTool):
    name = "custom"


FILES = (ContextFile(Path("/home/AGENTS.md"), "outer\n"), ContextFile(Path("/home/shop/AGENTS.md"), "inner"))


def section(prompt: str, name: str) -> str | None:
    found = re.search(rf"^<{name}>\n(.*?)\n</{name}>$", prompt, re.MULTILINE | re.DOTALL)
    return found and found[1]


def test_sections_come_in_order() -> None:
    prompt = build_system_prompt([Bash()], "/home/shop", FILES, append="Be kind.", skills="<skill/>")
    order = ["tools", "rules", "addendum", "project_context", "skills", "cwd"]
    assert re.findall(r"^<(\w+)>$", prompt, re.MULTILINE) == order
    assert section(prompt, "addendum") == "Be kind."
    assert section(prompt, "skills") == "<skill/>"
    assert section(prompt, "cwd") == "/home/shop"


def test_what_is_absent_has_no_section() -> None:
    prompt = build_system_prompt([Bash()], "/")
    assert re.findall(r"^<(\w+)>$", prompt, re.MULTILINE) == ["tools", "rules", "cwd"]


def test_only_active_tools_are_spoken_of() -> None:
    prompt = build_system_prompt([Bash(), Custom()], "/")
    assert section(prompt, "tools") == "- bash: run a command\n- custom: Does a thing."
    assert "grep to guessing" not in prompt


def test_no_tools_are_none() -> None:
    assert section(build_system_prompt([], "/"), "tools") == "(none)"


def test_a_guideline_of_two_tools_comes_once() -> None:
    rules = section(build_system_prompt([Bash(), Grep()], "/"), "rules") or ""
    assert rules.splitlines()[:2] == ["- Quote paths.", "- Prefer grep to guessing."]
    assert rules.count("Quote paths.") == 1
    assert all(rule in rules for rule in RULES)


def test_the_shell_is_for_searching_only_without_search_tools() -> None:
    assert SHELL_SEARCH in build_system_prompt([Bash()], "/")
    assert SHELL_SEARCH not in build_system_prompt([Bash(), Grep()], "/")
    assert SHELL_SEARCH not in build_system_prompt([], "/")


def test_a_custom_prompt_replaces_the_work_and_keeps_the_place() -> None:
    prompt = build_system_prompt([Bash()], "/x", FILES, custom="You are a poet.", append="Rhyme.")
    assert prompt.startswith("You are a poet.\n")
    assert section(prompt, "tools") is None
    assert section(prompt, "rules") is None
    assert section(prompt, "addendum") == "Rhyme."
    assert section(prompt, "cwd") == "/x"
    assert "inner" in prompt


def test_project_files_come_outermost_first_with_their_paths() -> None:
    text = section(build_system_prompt([], "/", FILES), "project_context") or ""
    assert text.endswith(
        '<file path="/home/AGENTS.md">\nouter\n</file>\n\n<file path="/home/shop/AGENTS.md">\ninner\n</file>'
    )


def test_the_prompt_is_the_same_bytes_in_another_process_hash_and_locale() -> None:
    code = (
        "import importlib.util, hashlib, sys;"
        f"spec=importlib.util.spec_from_file_location('t', {__file__!r});"
        "t=importlib.util.module_from_spec(spec);spec.loader.exec_module(t);"
        "p=t.build_system_prompt([t.Bash(),t.Grep(),t.Custom()],'/é',t.FILES,append='x');"
        "print(hashlib.sha256(p.encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": zone},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, locale, zone in [("1", "C", "UTC"), ("2", "C.UTF-8", "Asia/Tokyo")]
    }
    assert len(digests) == 1


def test_the_prompt_is_short() -> None:
    assert len(build_system_prompt([], "/")) < 2500
