"""What the model is told before the conversation: the system prompt and what it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...agent.tool import AnyTool
from ...context.locations import text_or_file
from ...context.project_files import ProjectFiles, find_project_files
from ...context.skills import describe_skills
from ...context.system_prompt import build_system_prompt
from ..arguments import Arguments
from ..paths import Paths
from ..start_error import StartError
from .project import Project

if TYPE_CHECKING:
    from .machine import RemoteMachine


def system_prompt(
    arguments: Arguments, paths: Paths, project: Project, tools: list[AnyTool], machine: RemoteMachine | None
) -> tuple[str, tuple[str, ...]]:
    """What the command line says goes before what files say."""
    wants_files = not (arguments.no_context_files or arguments.demo)
    found = _project_files(paths, project, machine) if wants_files else None
    try:
        custom, append = map(_given_text, (arguments.system_prompt, arguments.append_system_prompt))
    except OSError as error:
        raise StartError(f"{error.filename} cannot be read: {error.strerror}") from None
    prompt = build_system_prompt(
        tools,
        project.cwd if machine is None else machine.describe(),
        found.files if found else (),
        custom or project.texts.custom,
        append or project.texts.append,
        # Skills are files of this machine, where no tool of the model reaches them.
        describe_skills(project.skills if machine is None else (), [tool.name for tool in tools]),
    )
    return prompt, found.notices if found else ()


def _project_files(paths: Paths, project: Project, machine: RemoteMachine | None) -> ProjectFiles:
    """The instructions that count: the person's own, and those of the project wherever it is."""
    if machine is None:
        return find_project_files(project.cwd, paths.config)
    own, there = find_project_files(None, paths.config), machine.files
    return ProjectFiles((*own.files, *there.files), (*own.notices, *there.notices))


def _given_text(value: str | None) -> str | None:
    return None if value is None else text_or_file(value)
