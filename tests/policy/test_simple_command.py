"""A command that a rule lets run by its beginning is one simple command: bash itself says so."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pyagent_tui.policy.prefixes import PREFIXES, covers, prefix_of
from pyagent_tui.policy.rules import CallFacts, CommandPrefix
from pyagent_tui.policy.simple_command import split_simple

BASH = shutil.which("bash")
RULE = CommandPrefix("bash", ("pytest",))


def facts(command: str) -> CallFacts:
    return CallFacts("bash", {"command": command}, command)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("pytest -q", ("pytest", "-q")),
        ("  pytest   -q ", ("pytest", "-q")),
        ("pytest -k 'a and not b'", ("pytest", "-k", "a and not b")),
        ('pytest --deselect="a b"', ("pytest", "--deselect=a b")),
        ("pytest ''", ("pytest", "")),
        ("git log --oneline -5 main..HEAD", ("git", "log", "--oneline", "-5", "main..HEAD")),
    ],
)
def test_plain_commands_are_read(command: str, words: tuple[str, ...]) -> None:
    assert split_simple(command) == words


HOSTILE = [
    "pytest; rm x",
    "pytest|sh",
    "pytest & rm x",
    "pytest && rm x",
    "pytest\nrm x",
    "pytest\rrm x",
    "pytest $(rm x)",
    "pytest `rm x`",
    'pytest "$(rm x)"',
    'pytest "`rm x`"',
    "pytest <(rm x)",
    "pytest > x",
    "pytest 2>x",
    "pytest < x",
    "pytest $HOME",
    "pytest ${x:=y}",
    "pytest *",
    "pytest ?",
    "pytest [a]",
    "pytest {a,b}",
    "pytest ~",
    "pytest \\\nrm",
    "pytest # x",
    "pytest !x",
    "PATH=/tmp pytest",
    "pytest 'a\nb'",
    "pytest '",
    'pytest "',
    "pytest\t-q",
    "pytest\u00a0-q",
    "pytest \u202e-q",
    "pytest \x1b[2K",
    "pytest \0",
    "./pytest",
    "/tmp/pytest",
    "pytest\\ x",
    "'pytest' -q",
    "time pytest",
    "! pytest",
    "eval pytest",
    "exec pytest",
    "if pytest",
    "{ pytest",
    "(pytest)",
    "pytest()",
    "pytest@x",
    "pytesting",
    "",
    " ",
]


@pytest.mark.parametrize("command", HOSTILE)
def test_a_prefix_rule_does_not_cover_what_is_not_plainly_its_command(command: str) -> None:
    assert not RULE.allows(facts(command))


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf x",
        "sudo ls",
        "sh -c x",
        "bash x",
        "python -c x",
        "python x.py",
        "node x",
        "git push",
        "git -c core.pager=x log",
        "git commit",
        "curl x",
        "wget x",
        "env x",
        "xargs x",
        "find . -exec x",
        "find .",
        "sed -i x y",
        "awk x",
        "tee x",
        "dd",
        "cp a b",
        "mv a b",
        "ssh x",
        "npx x",
        "npm install x",
        "npm exec x",
        "pip install x",
        "docker run x",
        "cargo run",
        "cargo install x",
        "go run x",
        "go generate",
        "make",
        "timeout 5 rm x",
        "nohup x",
        "uv run x",
        "tar xf x",
        "echo x",
    ],
)
def test_only_the_exact_command_is_offered_for_what_can_do_more(command: str) -> None:
    words = split_simple(command)
    assert words is None or prefix_of(words) is None


@pytest.mark.parametrize(
    "command",
    [
        "pytest --basetemp=/home/u",
        "pytest -p evil",
        "pytest -qp evil",
        "pytest -c evil.ini",
        "pytest -o x=y",
        "pytest @evil",
        "pytest --junitxml=x",
        "ruff check --config evil",
        "mypy --config-file evil",
        "mypy @evil",
        "cargo test --config evil",
        "cargo build -Z x",
        "go test -exec evil",
        "go test --toolexec=evil",
        "go test -ldflags=-extld=evil",
        "go build -o x",
        "git log --output=x",
        "git diff --ext-diff",
        "git log --outp=x",
        "npm test --script-shell=evil",
        "npm run lint --prefix=evil",
        "make test SHELL=evil",
        "make test -f evil",
        "make test -sf evil",
        "make test --eval=evil",
        "make -C evil",
        "npm run -x",
    ],
)
def test_options_that_write_or_run_something_else_are_asked_about(command: str) -> None:
    words = split_simple(command)
    assert words is not None
    assert prefix_of(words) is None
    assert not any(covers(prefix.words, words) for prefix in PREFIXES)


HARMLESS = st.lists(
    st.sampled_from(
        ["-q", " ", "tests", " a::b", "'a b'", '"a b"', " --maxfail=1", " -k ", "a=b", "+x", " '", ' "', "a"]
    ),
    max_size=3,
).map("".join)
SIGNS = ";|&$`()<>\n\r\t\\'\"#*?[]{}~!^%=,@:\x00\x1b\x7f\u00a0\u202e"
NASTY = st.sampled_from(
    [*SIGNS, "$(touch x)", "`touch x`", ";touch x", "&&touch x", "|touch x", "\ntouch x", ">x", "<(touch x)", "$'\\n'"]
) | st.sampled_from(
    [
        '"$HOME"',
        '"$(touch x)"',
        '"`touch x`"',
        "$HOME",
        "~root",
        "{a,b}",
        "[a-z]",
        "\\ ",
        '\\"',
        "#x",
        " # x",
        "2>x",
        "!!",
        "",
    ]
)
COMMANDS = st.tuples(HARMLESS, NASTY, HARMLESS).map(lambda parts: "pytest " + "".join(parts))


@pytest.mark.skipif(BASH is None or sys.platform == "win32", reason="bash says what it makes of a command")
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(command=COMMANDS.filter(lambda command: RULE.allows(facts(command))))
@example(command="pytest -k 'a;b' \"c|d\"")
def test_what_a_prefix_rule_covers_is_one_simple_command_to_bash(
    command: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    words, leftovers = bash_runs(command, tmp_path_factory.mktemp("oracle"))
    assert words == [list(split_simple(command) or ())]
    assert leftovers == []


def bash_runs(command: str, folder: Path) -> tuple[list[list[str]], list[str]]:
    """The programs that bash starts for a command, by their words, and the files that it leaves.

    Every name that is looked up ends in one function that writes down its words; bash traces what it runs, so a builtin
    shows too.
    """
    log, work = folder / "log", folder / "work"
    work.mkdir()
    handler = f'command_not_found_handle() {{ printf "%s\\0" "$#" "$@" >> {log}; }} 2>/dev/null'
    trace = subprocess.run(
        [str(BASH), "--noprofile", "--norc", "-c", f'{handler}\nPATH=/nowhere\nset -x\neval "$COMMAND"\nset +x'],
        env={"COMMAND": command, "PS4": "+ ", "LC_ALL": "C"},
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
    ).stderr.splitlines()
    # The trace holds the eval, the command (its words again in the handler, below "++" or deeper), and the end.
    traced = [line for line in trace if line.startswith("++ ")]
    assert len(traced) == 1, trace
    fields = log.read_text().split("\0")[:-1] if log.exists() else []
    calls: list[list[str]] = []
    while fields:
        count = int(fields.pop(0))
        calls.append([fields.pop(0) for _ in range(count)])
    return calls, sorted(os.listdir(work))


@pytest.mark.skipif(BASH is None or sys.platform == "win32", reason="bash says what it makes of a command")
def test_the_oracle_sees_a_second_command(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        bash_runs("pytest; true", tmp_path)
