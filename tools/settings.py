"""What the person may set about the tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field
from typing import TypeAlias

from ..agent.frozen import frozen
from ..agent.permission import Permission


@frozen
class Confined:
    """What to run instead of a command, and what the model is told if it fails."""

    argv: Sequence[str]
    note: str


ConfineCommand: TypeAlias = Callable[[Sequence[str], str, Permission | None], Awaitable[Confined | None]]
"""Takes the argument vector and the folder of a command, and who let it run; None leaves it as it is.

Raises `ToolError` if it must be confined and cannot be.
"""


@frozen
class ToolSettings:
    """Settings of the built-in tools.

    `shell_path` and `command_prefix` (put before each command on lines of its own) shape `bash`; `default_timeout` is in
    seconds, None for none. `withheld_environment` names variables that commands do not get (the keys of the configured
    providers), `passed_environment` those that pass all the same. `environment` is set for every command. With
    `auto_resize_images` pictures are shrunk to what models take. Long outputs of commands are kept in `output_folder`
    (made when it is needed), None: among the temporary files.
    """

    shell_path: str | None = None
    command_prefix: str | None = None
    default_timeout: float | None = None
    withheld_environment: frozenset[str] = frozenset()
    passed_environment: frozenset[str] = frozenset()
    environment: dict[str, str] = field(default_factory=dict[str, str])
    confine: ConfineCommand | None = None
    auto_resize_images: bool = True
    output_folder: str | None = None

    @property
    def withheld(self) -> frozenset[str]:
        return self.withheld_environment - self.passed_environment
