"""What is typed behind a colon in Vim's normal mode: leaving, shell commands, and every slash command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..commands import BY_NAME, find_command
from ..conversation.shell_commands import MARK
from ..settings.shown import tell
from ..spelling import did_you_mean
from .commands import run_command

if TYPE_CHECKING:
    from ..tui import PyAgentApp

LEAVES = frozenset({"q", "qa", "qall", "wq", "wqa", "x", "xa", "exit"})
"""Vim's words for leaving, with or without an exclamation mark. A draft is kept for the next start."""

WRITES = frozenset({"w", "wa", "up", "update"})

SAME = {"h": "help", "e": "new", "enew": "new", "quit": "quit"}
"""Vim's words for slash commands of another name."""


def run_line(app: PyAgentApp, line: str) -> None:
    """Do what the line says; the draft stays as it is."""
    if line.startswith(MARK):
        app.commands.send(line)
        return
    name, _, argument = line.partition(" ")
    word = name.removesuffix("!")
    found = find_command(f"/{SAME.get(word, word)} {argument}")
    if word in LEAVES:
        app.leave()
    elif found is not None:
        run_command(app, *found)
    elif word in WRITES:
        tell(app, "the draft is kept by itself")
    else:
        near = did_you_mean(word, BY_NAME) or "; :q leaves"
        tell(app, f"there is no :{name}{near}")
