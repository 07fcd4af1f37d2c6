"""Reading the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

from ..agent.frozen import frozen
from .options import CLASHES, GROUPS, PROGRAM
from .spelling import did_you_mean

if TYPE_CHECKING:
    from ..agent.approval import ApprovalMode
    from ..agent.messages import ThinkingLevel
    from ..policy.sandbox import SandboxMode
    from ..tools.remote import Remote

Mode: TypeAlias = Literal["text", "json"]


@frozen
class Arguments:
    """What the command line says. None: it says nothing, so the settings hold.

    `tools` are tools to activate, or changes (``+x``, ``-x``). `list_models` is a search, empty for all models.
    `export` is a session and, if given, the file to write.
    `files` are the ``@file`` arguments without their sign; `system_prompt` and `append_system_prompt` are a text or
    the path of a file.
    """

    command: Literal["run", "doctor"] = "run"
    messages: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    print: bool = False
    mode: Mode | None = None
    linear: bool = False
    no_mouse: bool = False
    provider: str | None = None
    model: str | None = None
    thinking: ThinkingLevel | None = None
    api_key: str | None = None
    list_models: str | None = None
    continue_last: bool = False
    resume: bool = False
    session: str | None = None
    fork: str | None = None
    export: list[str] | None = None
    no_session: bool = False
    session_dir: str | None = None
    name: str | None = None
    tools: tuple[str, ...] | None = None
    exclude_tools: tuple[str, ...] = ()
    no_tools: bool = False
    no_builtin_tools: bool = False
    approval: ApprovalMode | None = None
    remote: Remote | None = None
    sandbox: SandboxMode | None = None
    trust: bool | None = None
    max_turns: int | None = None
    max_cost: float | None = None
    system_prompt: str | None = None
    append_system_prompt: str | None = None
    no_context_files: bool = False
    demo: bool = False
    demo_without_model: bool = False
    script: str | None = None

    def for_another_session(self) -> Arguments:
        """Only what says how, not which session or what is said in it."""
        return replace(
            self, messages=(), files=(), continue_last=False, resume=False, session=None, fork=None, name=None
        )

    @property
    def names_session(self) -> bool:
        """Whether the command line asks to go on with a session that exists."""
        return self.resume or self.continue_last or self.session is not None or self.fork is not None

    @property
    def is_headless(self) -> bool:
        """Whether the command line asks for a run without a screen (redirected streams may ask for it too)."""
        return self.print or self.mode is not None


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
    if len(values["export"] or ()) > 2:
        parser.error("--export takes a session and one file to write")
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
