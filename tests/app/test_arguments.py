import dataclasses
import subprocess
import sys
from typing import get_args

import pytest

from pyagent_tui import __version__
from pyagent_tui.agent.approval import ApprovalMode
from pyagent_tui.agent.messages import ThinkingLevel
from pyagent_tui.app.arguments import Arguments, parse_arguments
from pyagent_tui.app.options import APPROVAL_MODES, GROUPS, THINKING_LEVELS


def refusal(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """The one line on stderr with which these arguments are refused."""
    with pytest.raises(SystemExit) as stopped:
        parse_arguments(argv)
    captured = capsys.readouterr()
    assert stopped.value.code == 2
    assert captured.out == ""
    assert captured.err.endswith("\n")
    assert captured.err.count("\n") == 1
    return captured.err.strip()


def shown(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    with pytest.raises(SystemExit) as stopped:
        parse_arguments(argv)
    assert stopped.value.code == 0
    return capsys.readouterr().out


def test_nothing_given_says_nothing() -> None:
    assert parse_arguments([]) == Arguments()


def test_messages_and_files_may_stand_between_options() -> None:
    found = parse_arguments(["first", "--model", "m", "@a b.txt", "second", "-p", "@c.py"])
    assert found == Arguments(messages=("first", "second"), files=("a b.txt", "c.py"), model="m", print=True)


def test_after_two_dashes_everything_is_a_message() -> None:
    assert parse_arguments(["-p", "--", "--model", "@x", "doctor"]) == Arguments(
        messages=("--model", "@x", "doctor"), print=True
    )


def test_a_message_may_begin_with_a_dash_if_it_has_a_space_or_is_one() -> None:
    assert parse_arguments(["- a list item", "-"]).messages == ("- a list item", "-")


def test_a_lone_at_sign_is_a_message() -> None:
    assert parse_arguments(["@"]).messages == ("@",)


def test_every_option_reaches_its_field() -> None:
    argv = (
        "--mode json --provider p --model m --thinking xhigh --api-key k --list-models q --session s --session-dir d "
        "-n name -t read,bash --exclude-tools edit,write --no-builtin-tools --approval read-only --max-turns 3 "
        "--max-cost 0.5 --system-prompt S --append-system-prompt A --no-context-files --script f"
    )
    assert parse_arguments(argv.split()) == Arguments(
        mode="json",
        provider="p",
        model="m",
        thinking="xhigh",
        api_key="k",
        list_models="q",
        session="s",
        session_dir="d",
        name="name",
        tools=("read", "bash"),
        exclude_tools=("edit", "write"),
        no_builtin_tools=True,
        approval="read-only",
        max_turns=3,
        max_cost=0.5,
        system_prompt="S",
        append_system_prompt="A",
        no_context_files=True,
        script="f",
    )


@pytest.mark.parametrize(
    ("flag", "field"),
    [
        ("-p", "print"),
        ("--print", "print"),
        ("-c", "continue_last"),
        ("--continue", "continue_last"),
        ("-r", "resume"),
        ("--resume", "resume"),
        ("--no-session", "no_session"),
        ("--no-tools", "no_tools"),
        ("--demo", "demo"),
        ("--demo-without-model", "demo_without_model"),
    ],
)
def test_a_switch_is_on_only_if_given(flag: str, field: str) -> None:
    assert parse_arguments([flag]) == dataclasses.replace(Arguments(), **{field: True})


def test_all_models_are_listed_without_a_search() -> None:
    assert parse_arguments(["--list-models"]).list_models == ""
    assert parse_arguments([]).list_models is None


def test_tools_may_be_changes() -> None:
    assert parse_arguments(["-t", "+grep, +find"]).tools == ("+grep", "+find")
    assert parse_arguments(["--tools=-bash"]).tools == ("-bash",)


def test_doctor_is_a_command_only_as_the_first_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert parse_arguments(["doctor"]) == Arguments(command="doctor")
    assert parse_arguments(["-p", "doctor"]).messages == ("doctor",)
    assert "Exit status 1" in shown(capsys, "doctor", "--help")
    assert refusal(capsys, "doctor", "--fast") == "pyagent-tui: unrecognized arguments: --fast"


def test_headless_is_asked_for_by_print_or_mode() -> None:
    assert [parse_arguments(argv).is_headless for argv in (["-p"], ["--mode", "text"], ["hi"])] == [True, True, False]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--modle", "x"], "there is no option --modle; did you mean --mode or --model?"),
        (["--aproval=auto"], "there is no option --aproval; did you mean --approval?"),
        (["--app", "auto"], "there is no option --app"),
        (["-x"], "put -- before a message that begins with a dash"),
        (["--approval", "yolo"], "--approval: 'yolo' is none of review, edits, auto, read-only"),
        (["--approval", "revew"], "did you mean review?"),
        (["--mode", "jsn"], "'jsn' is none of text, json; did you mean json?"),
        (["--thinking", "hgh"], "did you mean high?"),
        (["--max-turns", "0"], "--max-turns: '0' is no whole number from 1"),
        (["--max-turns", "many"], "'many' is no whole number from 1"),
        (["--max-cost", "nan"], "'nan' is no amount of US dollars above 0"),
        (["--max-cost", "-1"], "--max-cost"),
        (["--model"], "--model: expected one argument"),
        (["--model", " "], "--model: the value is empty"),
        (["-t", "read,+grep"], "not both"),
        (["-t", ","], "names of tools are missing"),
        (["-c", "-r"], "--continue and --resume exclude each other"),
        (["--session", "x", "--no-session"], "--no-session and --session exclude each other"),
        (["--demo", "--script", "x"], "--demo and --script exclude each other"),
        (["--no-tools", "-t", "read"], "--no-tools and --tools exclude each other"),
        (["-p", "-r"], "--print and --resume exclude each other"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(capsys: pytest.CaptureFixture[str], argv: list[str], words: str) -> None:
    line = refusal(capsys, *argv)
    assert line.startswith("pyagent-tui: ")
    assert words in line


@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_help_names_every_option_and_fits_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    text = shown(capsys, "--help")
    for group in GROUPS:
        assert f"\n{group.title}:\n" in text
        for option in group.options:
            assert f"  {', '.join(option.flags)}" in text
            assert option.help.split()[0] in text
    options = text.partition("Commands:")[0].partition("Model:")[2]
    assert max(map(len, options.splitlines())) <= min(int(columns), 100)


def test_help_tells_of_no_option_twice() -> None:
    flags = [flag for group in GROUPS for option in group.options for flag in option.flags]
    assert len(flags) == len(set(flags))


def test_the_words_are_those_of_the_core() -> None:
    assert get_args(ApprovalMode) == APPROVAL_MODES
    assert get_args(ThinkingLevel) == THINKING_LEVELS


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "--version") == f"pyagent-tui {__version__}\n"


def test_reading_the_arguments_imports_next_to_nothing() -> None:
    code = (
        "import sys; from pyagent_tui.app.arguments import parse_arguments; parse_arguments(['-p', 'hi']);"
        "print(sorted(m for m in sys.modules if m.startswith('pyagent_tui.') or m in "
        "('pydantic', 'textual', 'httpx', 'anyio', 'asyncio', 'difflib', 'json', 'platformdirs')))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = ["", ".arguments", ".options", ".settings", ".settings.rules", ".spelling"]
    assert found.stdout.strip() == str(
        [
            *(f"pyagent_tui.agent{name}" for name in ("", ".definition", ".frozen")),
            *(f"pyagent_tui.app{name}" for name in ours),
        ]
    )
