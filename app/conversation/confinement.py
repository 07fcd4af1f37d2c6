"""The sandbox of one conversation: from the settings to what wraps its commands."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from ...agent.permission import Permission
from ...agent.tool import ToolError
from ...policy.sandbox import Sandbox, SandboxError, SandboxLimits, SandboxMode
from ...tools.settings import ConfineCommand, Confined
from ..paths import Paths
from ..settings.model import Settings
from ..start_error import StartError

ELSEWHERE = "commands on another machine cannot be confined"


def open_sandbox(mode: SandboxMode, settings: Settings, cwd: Path, paths: Paths, *, is_remote: bool = False) -> Sandbox:
    """The sandbox that the settings ask for; `StartError` if it must be there and cannot. Blocks only if it must."""
    limits = SandboxLimits(
        os.path.realpath(cwd),
        writable=tuple(os.path.expanduser(folder) for folder in settings.sandbox_writable),
        closed=(str(paths.config), str(paths.data)),
        hidden=(str(paths.auth_file),),
        network=settings.sandbox_network,
    )
    sandbox = Sandbox(mode, limits, fault=ELSEWHERE if is_remote else None)
    if mode == "on" and (fault := sandbox.probe()):
        raise StartError(f"the sandbox is set to on, but {fault}")
    return sandbox


def unconfined_notice(wanted: SandboxMode | None, sandbox: Sandbox) -> tuple[str, ...]:
    """What to say where the command line asked for ``auto`` and it cannot be had. Blocks."""
    fault = sandbox.probe() if wanted == "auto" else ""
    return (f"Commands are not confined: {fault}.",) if fault else ()


def confiner(sandbox: Sandbox) -> ConfineCommand:
    """What `bash` asks before each command."""

    async def confine(argv: Sequence[str], cwd: str, permission: Permission | None) -> Confined | None:
        if not sandbox.confines(permission):
            return None
        try:
            return Confined(await asyncio.to_thread(sandbox.wrap, argv, cwd), sandbox.note)
        except SandboxError as error:
            if sandbox.mode == "on":
                raise ToolError(f"Not run: commands must be confined, but {error}.") from None
            return None

    return confine
