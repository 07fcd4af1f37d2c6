"""What this program has started and must not leave behind."""

from __future__ import annotations

import os
import sys
from functools import partial

import anyio.to_thread

from .closers import Closers
from .operations import Command, Process
from .portable import PortableProcess
from .supervised import SupervisedProcess, Supervisor

IS_SUPERVISED = sys.platform == "linux"


class ProcessKeeper:
    """Starts commands and ends all of them, with everything that descends from them, in `close`.

    On Linux a supervisor process does the work, so that the tree is exact and ends even if this program is killed.
    Elsewhere (`supervised` False) each command is a process group, and escaped descendants are found by a mark in their
    environment where the system shows it.
    """

    def __init__(self, *, supervised: bool = IS_SUPERVISED) -> None:
        self._supervisor = Supervisor() if supervised else None
        self._closers = Closers()

    async def spawn(self, command: Command) -> Process:
        """Start a command; `OSError` if that fails or the keeper is closed."""
        check_command(command)
        if self._closers.is_closed:
            raise OSError("No command can be started any more: the program is ending")
        if self._supervisor is not None:
            return await SupervisedProcess.start(self._supervisor, command, full_environment(command), self._closers)
        return await anyio.to_thread.run_sync(
            partial(PortableProcess, command, full_environment(command), self._closers)
        )

    def warm(self) -> None:
        """Start what the first command would have to wait for; blocks some 30 ms."""
        if self._supervisor is not None:
            self._supervisor.start()

    def close(self) -> None:
        """End everything: SIGTERM now, SIGKILL 2 s later. Returns at once (elsewhere than on Linux: once it is done)."""
        self._closers.close()
        if self._supervisor is not None:
            self._supervisor.close()


MAX_ARGUMENT = 128 * 1024 - 1
"""Bytes of one argument that Linux takes (``MAX_ARG_STRLEN``)."""


def check_command(command: Command) -> None:
    """Raise the `OSError` that says why such a command can never start."""
    for part in command.argv:
        if "\0" in part:
            raise OSError("A command cannot contain a NUL character")
        size = len(part.encode("utf-8", "surrogatepass"))
        if size > MAX_ARGUMENT and sys.platform == "linux":
            raise OSError(f"The command is too long: {size:,} bytes, at most {MAX_ARGUMENT:,} can be started")


def full_environment(command: Command) -> dict[str, str]:
    """This program's variables without the withheld ones, and the command's own."""
    passed = {name: value for name, value in os.environ.items() if name not in command.withheld}
    return passed | dict(command.environment)
