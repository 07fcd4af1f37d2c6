"""The tool `powershell`, on Windows."""

from __future__ import annotations

import base64
from typing import ClassVar

from ..agent.tool import ToolError
from .bash import ShellTool

_BEFORE = (
    "$ProgressPreference='SilentlyContinue';[Console]::OutputEncoding=$OutputEncoding=[Text.UTF8Encoding]::new($false);"
)
_AFTER = "\nif ($null -ne $LASTEXITCODE) { exit $LASTEXITCODE } elseif (-not $?) { exit 1 }"


class PowerShellTool(ShellTool):
    """Runs a command in PowerShell; version 7 (`pwsh`) where it is installed."""

    name = "powershell"
    label = "powershell"
    description = (
        "Run a command in PowerShell, in the working folder, and return its output. Of a long output the end is "
        "returned and the whole is kept in a file named in the result. Standard input is empty."
    )
    output_prefix: ClassVar[str] = "pyagent-powershell-"
    prompt_snippet = "Run commands in PowerShell"

    async def argv(self, command: str) -> list[str]:
        for name in ("pwsh", "powershell"):
            program = await self._operations.which(name)
            if program is not None:
                return [program, "-NoLogo", "-NoProfile", "-NonInteractive", "-EncodedCommand", encoded(command)]
        raise ToolError("PowerShell was not found.")


def encoded(command: str) -> str:
    """The command as PowerShell takes it without any quoting: base64 of UTF-16, with UTF-8 output and its exit code."""
    return base64.b64encode(f"{_BEFORE}\n{command}{_AFTER}".encode("utf-16-le")).decode("ascii")
