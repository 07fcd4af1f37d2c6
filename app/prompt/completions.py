"""What the editor completes behind a slash: the names of commands."""

from __future__ import annotations

from collections.abc import Sequence

from ...widgets.editor.completion import Completion
from ...widgets.text.fuzzy import fuzzy_filter
from ..commands import BY_NAME, COMMANDS, Command


def complete_command(typed: str, more: Sequence[Command] = ()) -> Sequence[Completion]:
    """Candidates for ``/…``: the command's name; its arguments are the command's own business.

    `more` are the commands of templates and skills; one with the name of a built-in command is hidden by it.
    """
    if " " in typed:
        return ()
    commands = (*COMMANDS, *(command for command in more if command.name not in BY_NAME))
    found = fuzzy_filter(typed[1:], commands, lambda command: command.name) if typed[1:] else commands
    return [
        Completion(
            f"/{command.name}",
            f"/{command.name} {command.argument}".rstrip(),
            command.about,
            sends=not command.argument,
        )
        for command in found
    ]
