"""The slash commands of the linear mode: those of the one table that need no screen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ..commands import COMMANDS, Command
from ..start_error import StartError
from .session_commands import SESSION_COMMANDS
from .setup_commands import SETUP_COMMANDS

if TYPE_CHECKING:
    from .talk import LinearTalk

KEYS = (
    "A line is sent with Enter. While a run goes on it steers: the model gets it after the calls under way.",
    "A line that begins with > waits until the run is done.",
    "A line that begins with ! is a command of yours, and the model is told of it; with !! it is not.",
    "A backslash at the end of a line continues it on the next one.",
    "A question is answered by the number of an answer.",
    "Ctrl+C stops the run; twice it quits. Ctrl+D quits when the run is done.",
)

INSTEAD = {
    "settings": "config.toml holds them; pyagent-tui doctor says where it is",
    "login": "the provider's variable, such as ANTHROPIC_API_KEY, works here too",
    "theme": "there are no colours here",
    "search": "/resume lists the sessions of this folder",
}
"""What helps where a command needs the full screen."""


async def run_linear_command(talk: LinearTalk, command: Command, argument: str) -> None:
    """Do what the command says. Raises `StartError` with what cannot be done."""
    if argument and not command.argument:
        raise StartError(f"/{command.name} takes nothing behind it; nothing was done.")
    action = ACTIONS.get(command.name)
    if action is None:
        hint = f" Here: {INSTEAD[command.name]}." if command.name in INSTEAD else ""
        raise StartError(f"/{command.name} needs the full screen: start without --linear.{hint}")
    await action(talk, argument)


async def _help(talk: LinearTalk, _: str) -> None:
    known = [command for command in COMMANDS if command.name in ACTIONS]
    names = [f"/{command.name} {command.argument}".rstrip() for command in known]
    rows = [f"{name}: {command.about}" for name, command in zip(names, known, strict=True)]
    talk.output.line("help", "keys and commands", [*KEYS, *rows])


ACTIONS: dict[str, Callable[[LinearTalk, str], Awaitable[object]]] = {
    "help": _help,
    **SETUP_COMMANDS,
    **SESSION_COMMANDS,
}
"""By the command's name; ``quit`` is the loop's own."""
