"""What the model is told before the first message.

The text depends on nothing but the arguments (no clock, no locale, no unordered set), so that the same project and
tools give the same bytes and a provider's prompt cache holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..agent.tool import AnyTool
from .project_files import ContextFile

PREAMBLE = """\
You are the coding agent of pyagent-tui, a program that runs in the person's terminal. You work on the real files of \
their project with the tools below. They watch every step, may steer you while you work, and may refuse a call: then \
do not try the same thing another way, but go by what they say."""

RULES = (
    "Look before you change: read the files that matter and follow the conventions you find there.",
    "Make the smallest change that does the whole job. Leave unrelated code, formatting and comments as they are.",
    "Check your work: run the tests, the program or the linter, and mend what fails. Say plainly what you could not check.",
    "Never claim that something ran or works unless you saw it. Report failures with the message that matters.",
    "Independent calls belong in one reply; they run side by side.",
    "Do not commit, push, install or delete what you were not asked to, and keep secrets out of files and output.",
    "If the request leaves a choice that is costly to undo, ask; otherwise take the sensible one and say which.",
    "Be concise. Answer first, then what the person needs to know. No praise, no retelling of the diff.",
    "Name files by path, with the line where it helps: src/app.py:42.",
)

SHELL_SEARCH = "Use bash to look around (ls, find, and rg or grep)."
SEARCH_TOOLS = frozenset({"grep", "find", "ls"})


def build_system_prompt(
    tools: Sequence[AnyTool],
    cwd: Path | str,
    project_files: Sequence[ContextFile] = (),
    custom: str | None = None,
    append: str | None = None,
    skills: str | None = None,
) -> str:
    """The system prompt for these active tools.

    `custom` replaces what is said of the work and the tools and keeps the rest; `append` stands after it. `skills` is
    the list that `skills.describe_skills` makes.
    """
    sections = [custom.strip()] if custom else [PREAMBLE, _tools_section(tools), _rules_section(tools)]
    if append and append.strip():
        sections.append(_tagged("addendum", append.strip()))
    if project_files:
        sections.append(_project_section(project_files))
    if skills:
        sections.append(_tagged("skills", skills))
    sections.append(_tagged("cwd", str(cwd)))
    return "\n\n".join(sections) + "\n"


def _tools_section(tools: Sequence[AnyTool]) -> str:
    return _tagged("tools", "\n".join(f"- {tool.name}: {_snippet(tool)}" for tool in tools) or "(none)")


def _snippet(tool: AnyTool) -> str:
    return tool.prompt_snippet or tool.description.strip().partition("\n")[0]


def _rules_section(tools: Sequence[AnyTool]) -> str:
    names = {tool.name for tool in tools}
    search = [SHELL_SEARCH] if "bash" in names and not names & SEARCH_TOOLS else []
    guidelines = (line for tool in tools for line in tool.prompt_guidelines)
    return _tagged("rules", _bullets([*search, *guidelines, *RULES]))


def _project_section(files: Sequence[ContextFile]) -> str:
    """The nearer file has the last word, as it comes last."""
    intro = "Instructions kept with the project, outermost first. Follow them; where two disagree, the later one holds."
    blocks = [f'<file path="{file.path}">\n{file.text.strip()}\n</file>' for file in files]
    return _tagged("project_context", "\n\n".join([intro, *blocks]))


def _bullets(lines: Iterable[str]) -> str:
    """Each line once, in order of first appearance: two tools may bring the same rule."""
    return "\n".join(f"- {line}" for line in dict.fromkeys(line.strip() for line in lines) if line)


def _tagged(name: str, text: str) -> str:
    return f"<{name}>\n{text}\n</{name}>"
