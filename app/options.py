"""The options of the command line: one table, from which the parser and `--help` are made."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from .settings.rules import is_mixed
from .spelling import did_you_mean

if TYPE_CHECKING:
    from ..tools.remote import Remote

PROGRAM = "pyagent-tui"

# The words of `ApprovalMode` and `ThinkingLevel`, again: to import them would double the time of `--version`.
APPROVAL_MODES = ("review", "edits", "auto", "read-only")
THINKING_LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")


class Option(NamedTuple):
    """One row of the table: its spellings, what `--help` says, and argparse's own keywords."""

    flags: tuple[str, ...]
    help: str
    extra: dict[str, Any]


class Group(NamedTuple):
    title: str
    options: tuple[Option, ...]


def _choice(*words: str) -> dict[str, Any]:
    def read(word: str) -> str:
        if word in words:
            return word
        raise argparse.ArgumentTypeError(f"{word!r} is none of {', '.join(words)}{did_you_mean(word, words)}")

    return {"type": read, "metavar": "|".join(words) if len(words) <= 4 else "LEVEL"}


def _names(text: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.split(",") if word.strip())
    if not words:
        raise argparse.ArgumentTypeError("names of tools are missing; separate them with commas")
    return words


def _tools(text: str) -> tuple[str, ...]:
    words = _names(text)
    if is_mixed(words):
        raise argparse.ArgumentTypeError(
            "either name the tools (read,grep) or change the usual ones (+grep,-bash), not both"
        )
    return words


def _count(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1")
    return value


def _money(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no amount of US dollars above 0")
    return value


def _remote(text: str) -> Remote:
    from ..tools.remote import parse_remote

    try:
        return parse_remote(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _given(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("the value is empty")
    return text


def _option(*flags: str, help: str, **extra: Any) -> Option:
    return Option(flags, help, extra)


def _switch(*flags: str, help: str, **extra: Any) -> Option:
    return Option(flags, help, {"action": "store_true", **extra})


def _text(*flags: str, metavar: str, help: str, **extra: Any) -> Option:
    return Option(flags, help, {"metavar": metavar, "type": _given, **extra})


class _Version(argparse.Action):
    """Print the version; reads it only when asked."""

    def __init__(self, option_strings: Sequence[str], dest: str, **rest: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=rest.get("help"))

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from .. import __version__

        sys.stdout.write(f"{PROGRAM} {__version__}\n")
        parser.exit(0)


GROUPS: tuple[Group, ...] = (
    Group(
        "Model",
        (
            _text("--provider", metavar="NAME", help="the provider, such as anthropic or openai"),
            _text(
                "--model", metavar="MODEL", help="the model: its id, provider/id, or part of it; :LEVEL sets thinking"
            ),
            _option(
                "--thinking",
                help=f"how much it may think: {', '.join(THINKING_LEVELS)}",
                **_choice(*THINKING_LEVELS),
            ),
            _text(
                "--api-key",
                metavar="KEY",
                help="the key for this run; other users of this machine may see it, so prefer the environment",
            ),
            _option(
                "--list-models",
                metavar="SEARCH",
                nargs="?",
                const="",
                help="list the models that can be used, and exit",
            ),
        ),
    ),
    Group(
        "Session",
        (
            _switch("-c", "--continue", dest="continue_last", help="go on with the last session of this folder"),
            _switch("-r", "--resume", help="choose a session to go on with"),
            _text("--session", metavar="ID|FILE", help="go on with this session"),
            _text("--fork", metavar="ID|FILE", help="go on with a copy of this session"),
            _switch("--no-session", help="keep nothing of this session on disk"),
            _text("--session-dir", metavar="DIR", help="the folder for sessions"),
            _text("-n", "--name", metavar="NAME", help="name the session"),
            _option(
                "--export",
                metavar="ID|FILE [OUT]",
                nargs="+",
                type=_given,
                help="write a session to OUT (.html, .md or .jsonl; an HTML file here unless given), and exit",
            ),
        ),
    ),
    Group(
        "What it may do",
        (
            _option(
                "--approval",
                help="what asks you first: review (the default) changes and commands, edits only commands, auto nothing; read-only refuses both",
                **_choice(*APPROVAL_MODES),
            ),
            _option(
                "--sandbox",
                help="confine commands (Linux, with bubblewrap): auto (the default) those that nobody read before they run, on all, off none",
                **_choice("auto", "on", "off"),
            ),
            _option(
                "-t",
                "--tools",
                metavar="NAMES",
                type=_tools,
                help="only these tools, comma-separated; or changes, as in +grep,+find",
            ),
            _option("--exclude-tools", metavar="NAMES", type=_names, default=(), help="not these tools"),
            _switch("--no-tools", help="no tools at all"),
            _switch("--no-builtin-tools", help="only tools that extensions bring"),
            _option(
                "--trust",
                action="store_const",
                const=True,
                help="for this run trust what the project brings: settings, skills, prompts",
            ),
            _option(
                "--no-trust",
                dest="trust",
                action="store_const",
                const=False,
                help="for this run leave alone what the project brings",
            ),
            _option(
                "--remote",
                metavar="[USER@]HOST:DIR",
                type=_remote,
                help="work in this folder of another machine, reached with ssh: files and commands are there",
            ),
            _option("--max-turns", metavar="N", type=_count, help="stop a run after N replies of the model"),
            _option("--max-cost", metavar="USD", type=_money, help="stop a run when it has cost so much"),
        ),
    ),
    Group(
        "What it is told",
        (
            _text("--system-prompt", metavar="TEXT|FILE", help="replace the system prompt"),
            _text("--append-system-prompt", metavar="TEXT|FILE", help="add to the system prompt"),
            _switch("--no-context-files", help="leave AGENTS.md and its kin unread"),
        ),
    ),
    Group(
        "On the screen",
        (_switch("--no-mouse", help="leave the mouse to the terminal, whose own selection then works"),),
    ),
    Group(
        "Without the screen",
        (
            _switch("-p", "--print", help="print the final answer and exit; what comes on stdin joins the message"),
            _switch(
                "--linear",
                help="talk in plain lines, without moving the cursor: for screen readers, simple terminals and logs",
            ),
            _option("--mode", help="print the final text, or one JSON event per line", **_choice("text", "json")),
        ),
    ),
    Group(
        "Trying it out",
        (
            _switch("--demo", help="a scripted model works on a small temporary project: no key, no network"),
            _switch("--demo-without-model", help="the demo, but only if no model is configured"),
            _text("--script", metavar="FILE", help="play a scenario file instead of asking a model"),
        ),
    ),
    Group(
        "Help",
        (
            _option("-h", "--help", action="help", default=argparse.SUPPRESS, help="show this and exit"),
            _option("--version", action=_Version, help="show the version and exit"),
        ),
    ),
)


CLASHES: tuple[tuple[str, ...], ...] = (
    ("continue_last", "resume", "session", "fork", "export"),
    ("no_session", "continue_last"),
    ("no_session", "resume"),
    ("no_session", "session"),
    ("no_session", "fork"),
    ("no_tools", "tools"),
    ("demo", "demo_without_model", "script"),
    ("remote", "demo"),
    ("remote", "demo_without_model"),
    ("print", "resume"),
    ("mode", "resume"),
    ("print", "linear"),
    ("mode", "linear"),
)
"""Options, by their field in `Arguments`, of which at most one may be given."""
