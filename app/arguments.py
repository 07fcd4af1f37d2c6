"""The command line. Its options stand in one table; `--help` is made from it and tells of nothing else."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

from .spelling import did_you_mean

if TYPE_CHECKING:
    from ..agent.approval import ApprovalMode
    from ..agent.messages import ThinkingLevel

PROGRAM = "pyagent-tui"
Mode: TypeAlias = Literal["text", "json"]

# The words of `ApprovalMode` and `ThinkingLevel`, again: to import them would double the time of `--version`.
APPROVAL_MODES = ("review", "edits", "auto", "read-only")
THINKING_LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the command line says. None: it says nothing, so the settings hold.

    `tools` are tools to activate, or changes (``+x``, ``-x``). `list_models` is a search, empty for all models.
    `files` are the ``@file`` arguments without their sign; `system_prompt` and `append_system_prompt` are a text or
    the path of a file.
    """

    command: Literal["run", "doctor"] = "run"
    messages: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    print: bool = False
    mode: Mode | None = None
    provider: str | None = None
    model: str | None = None
    thinking: ThinkingLevel | None = None
    api_key: str | None = None
    list_models: str | None = None
    continue_last: bool = False
    resume: bool = False
    session: str | None = None
    no_session: bool = False
    session_dir: str | None = None
    name: str | None = None
    tools: tuple[str, ...] | None = None
    exclude_tools: tuple[str, ...] = ()
    no_tools: bool = False
    no_builtin_tools: bool = False
    approval: ApprovalMode | None = None
    max_turns: int | None = None
    max_cost: float | None = None
    system_prompt: str | None = None
    append_system_prompt: str | None = None
    no_context_files: bool = False
    demo: bool = False
    demo_without_model: bool = False
    script: str | None = None

    @property
    def is_headless(self) -> bool:
        """Whether the command line asks for a run without a screen (redirected streams may ask for it too)."""
        return self.print or self.mode is not None


@dataclass(frozen=True, slots=True)
class Option:
    """One row of the table: its spellings, what `--help` says, and argparse's own keywords."""

    flags: tuple[str, ...]
    help: str
    extra: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    options: tuple[Option, ...]


def parse_arguments(argv: Sequence[str]) -> Arguments:
    """Read the arguments after the program's name.

    ``--help`` and ``--version`` print and exit 0; anything wrong prints one line on stderr and exits 2 (both as
    SystemExit).
    """
    if list(argv[:1]) == ["doctor"]:
        _doctor_parser().parse_args(argv[1:])
        return Arguments(command="doctor")
    parser = build_parser()
    before, after = _split(argv)
    found, rest = parser.parse_known_args(before)
    values = vars(found)
    _refuse_unknown(parser, rest)
    _refuse_clashes(parser, values)
    files = tuple(word[1:] for word in rest if _is_file(word))
    messages = (*(word for word in rest if not _is_file(word)), *after)
    return Arguments(messages=messages, files=files, **values)


def build_parser() -> argparse.ArgumentParser:
    """The parser that the table describes."""
    parser = _Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [options] [@file …] [message …]\n       {PROGRAM} doctor",
        description="A coding agent in your terminal. Without options it opens the screen; a message starts work at once.",
        epilog=EPILOG,
        formatter_class=_HelpFormatter,
        add_help=False,
        allow_abbrev=False,
    )
    for group in GROUPS:
        section = parser.add_argument_group(group.title)
        for option in group.options:
            section.add_argument(*option.flags, help=option.help, **option.extra)
    return parser


def _doctor_parser() -> argparse.ArgumentParser:
    return _Parser(
        prog=f"{PROGRAM} doctor",
        description="Print what this program finds on this machine. Exit status 1 if something needs mending.",
        formatter_class=_HelpFormatter,
        allow_abbrev=False,
    )


def _split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """What stands before and after the first ``--``: the latter are messages, whatever they look like."""
    words = list(argv)
    if "--" not in words:
        return words, []
    index = words.index("--")
    return words[:index], words[index + 1 :]


def _is_file(word: str) -> bool:
    return word.startswith("@") and len(word) > 1


def _refuse_unknown(parser: argparse.ArgumentParser, rest: Sequence[str]) -> None:
    """A word with a space is a message even if it begins with a dash."""
    unknown = [word for word in rest if word.startswith("-") and len(word) > 1 and " " not in word]
    if unknown:
        flag = unknown[0].partition("=")[0]
        known = [flag for group in GROUPS for option in group.options for flag in option.flags]
        hint = (
            did_you_mean(flag, known) or f"; see {PROGRAM} --help, or put -- before a message that begins with a dash"
        )
        parser.error(f"there is no option {flag}{hint}")


def _refuse_clashes(parser: argparse.ArgumentParser, values: dict[str, Any]) -> None:
    for names in CLASHES:
        given = [name for name in names if values[name]]
        if len(given) > 1:
            first, second = (_flag(name) for name in given[:2])
            parser.error(f"{first} and {second} exclude each other")


def _flag(name: str) -> str:
    return next(
        option.flags[-1]
        for group in GROUPS
        for option in group.options
        if option.extra.get("dest", option.flags[-1].lstrip("-").replace("-", "_")) == name
    )


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
    if len({word.startswith(("+", "-")) for word in words}) > 1:
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
            _switch("--no-session", help="keep nothing of this session on disk"),
            _text("--session-dir", metavar="DIR", help="the folder for sessions"),
            _text("-n", "--name", metavar="NAME", help="name the session"),
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
                "-t",
                "--tools",
                metavar="NAMES",
                type=_tools,
                help="only these tools, comma-separated; or changes, as in +grep,+find",
            ),
            _option("--exclude-tools", metavar="NAMES", type=_names, default=(), help="not these tools"),
            _switch("--no-tools", help="no tools at all"),
            _switch("--no-builtin-tools", help="only tools that extensions bring"),
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
        "Without the screen",
        (
            _switch("-p", "--print", help="print the final answer and exit; what comes on stdin joins the message"),
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
    ("continue_last", "resume", "session"),
    ("no_session", "continue_last"),
    ("no_session", "resume"),
    ("no_session", "session"),
    ("no_tools", "tools"),
    ("demo", "demo_without_model", "script"),
    ("print", "resume"),
    ("mode", "resume"),
)
"""Options, by their field in `Arguments`, of which at most one may be given."""

EPILOG = """\
Commands:
  doctor                    print what was found: terminal, keys, shells, tools, paths

Examples:
  pyagent-tui                                    open the screen here
  pyagent-tui "why does test_totals fail?"       open it and start with this
  pyagent-tui @notes.md "do what this says"      give it a file
  git diff | pyagent-tui -p "review this"        answer on stdout
  pyagent-tui --approval auto -p "run the tests and mend what fails"

Keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, …).
PYAGENT_TUI_HOME is one folder for settings and sessions.
"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the usage around it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{PROGRAM}: {message.removeprefix('argument ')}\n")


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """`-n, --name NAME` in one column, what it does in the other."""

    def __init__(self, prog: str) -> None:
        import shutil

        width = min(shutil.get_terminal_size().columns, 100)
        super().__init__(prog, max_help_position=30, width=max(width - 2, 40))

    def _format_usage(self, usage: str | None, actions: Any, groups: Any, prefix: str | None) -> str:
        return super()._format_usage(usage, actions, groups, "Usage: ")

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return super()._format_action_invocation(action)
        flags = ", ".join(action.option_strings)
        if action.nargs == 0:
            return flags
        value = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
        return f"{flags} [{value}]" if action.nargs == "?" else f"{flags} {value}"
