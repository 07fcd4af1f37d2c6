"""Which tools a conversation has, and what they are told of this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ...agent.tool import AnyTool
from ...policy.environment import withheld_names
from ...tools.registry import ToolChoice, select_tools
from ...tools.settings import ToolSettings
from ..arguments import Arguments
from ..settings.model import Settings
from ..start_error import StartError

if TYPE_CHECKING:
    pass


def tool_settings(
    settings: Settings, secrets: frozenset[str], session_id: str, outputs: Path, *, is_remote: bool
) -> ToolSettings:
    return ToolSettings(
        shell_path=settings.shell_path,
        command_prefix=settings.shell_command_prefix,
        default_timeout=settings.command_timeout,
        # What variables another machine has is not known here, so all are withheld there.
        withheld_environment=withheld_names(
            dict.fromkeys(secrets, "") if is_remote else os.environ,
            withheld=secrets,
            passed=settings.pass_environment,
        ),
        environment={"PYAGENT_TUI": "1", "PYAGENT_TUI_SESSION_ID": session_id},
        output_folder=str(outputs),
    )


def active_tools(arguments: Arguments, settings: Settings, tools: dict[str, AnyTool]) -> dict[str, AnyTool]:
    choice = ToolChoice(
        default=settings.default_tools,
        only=arguments.tools,
        excluded=arguments.exclude_tools,
        no_tools=arguments.no_tools,
        no_builtin=arguments.no_builtin_tools,
    )
    try:
        return select_tools(tools, choice, builtin=tools)
    except ValueError as error:
        raise StartError(str(error)) from None
