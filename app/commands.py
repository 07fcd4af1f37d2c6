"""Slash commands: one table for the editor's completion, the help screen and the docs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..agent.frozen import frozen
from .spelling import did_you_mean


@frozen
class Command:
    """A command `/name`; `argument` describes what may follow, empty if nothing may."""

    name: str
    about: str
    argument: str = ""


COMMANDS: tuple[Command, ...] = (
    Command("help", "all keys and commands"),
    Command("model", "choose the model, from a list or by name", "[name]"),
    Command("thinking", "how much the model may think", "[level]"),
    Command("theme", "choose how the screen looks", "[name]"),
    Command("settings", "every setting, to be changed"),
    Command("approval", "what asks before it happens", "[mode]"),
    Command("rules", "what goes without a question, and taking it back", "[remove number]"),
    Command("retry", "ask once more after a reply that failed"),
    Command("new", "start a new session"),
    Command("resume", "go on with another session"),
    Command("name", "name this session", "[name]"),
    Command("session", "this session: file, messages, tokens, cost"),
    Command("tree", "every branch of this session: look, go there, label"),
    Command("diff", "what this session has changed, file by file"),
    Command("usage", "context and cost, turn by turn"),
    Command("find", "find a text in this transcript", "[text]"),
    Command("search", "find what was said in any session", "[words]"),
    Command("compact", "summarise the conversation to make room", "[what to keep]"),
    Command("rewind", "go back before a message: conversation, files or both", "[undo]"),
    Command("fork", "a new session up to before one of your messages"),
    Command("clone", "go on with a copy of this session"),
    Command("copy", "copy the last answer"),
    Command("export", "write this session to a file: .html, .md or .jsonl", "[path]"),
    Command("import", "go on with a session file from elsewhere", "path"),
    Command("reload", "read keys.toml again"),
    Command("trust", "decide about what this project brings"),
    Command("login", "store the key of a provider", "[provider]"),
    Command("logout", "forget a stored key", "[provider]"),
    Command("demo", "play the demo in a temporary project"),
    Command("quit", "leave"),
)

_LIKE_A_COMMAND = re.compile(r"/([a-z][a-z-]+)(?: [^\n]*)?")

BY_NAME = {command.name: command for command in COMMANDS}

ALIASES = {"hotkeys": "help", "clear": "new", "exit": "quit"}
"""Names by which people know a command from elsewhere."""


def find_command(text: str) -> tuple[Command, str] | None:
    """The command that a text calls, with its argument; None if it calls none (then it is an ordinary prompt)."""
    if not text.startswith("/") or "\n" in text:
        return None
    name, _, argument = text[1:].partition(" ")
    command = BY_NAME.get(ALIASES.get(name, name))
    return (command, argument.strip()) if command else None


def misspelt(text: str, more: Iterable[Command] = ()) -> str:
    """What to say of a prompt that looks like a command and is none; empty for every other text.

    One word behind a slash always does, more words only if the first is a slip of the pen.

    `more` are the commands of templates and skills.
    """
    like = _LIKE_A_COMMAND.fullmatch(text)
    names = {*BY_NAME, *(command.name for command in more)}
    if like is None or like[1] in names:
        return ""
    is_alone = text == f"/{like[1]}"
    near = did_you_mean(like[1], names, cutoff=0.6 if is_alone else 0.75)
    if not near and not is_alone:
        return ""
    near = near.replace("did you mean ", "did you mean /")
    return f"There is no command /{like[1]}{near or '; /help shows them all.'} A blank before it sends it as a message."
