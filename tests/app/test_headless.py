"""Without the screen: the real program as a process, its stdout, stderr and exit status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.agent.json_values import object_of
from pyagent_tui.tests.stage_app import call, say
from pyagent_tui.tests.stored_sessions import entries


class Program:
    """The console script in a project of its own, on a scenario."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.script = folder / "script.json"
        keys = {name for name in os.environ if name.endswith(("_API_KEY", "_BASE_URL", "_TOKEN"))}
        self.environment = {name: value for name, value in os.environ.items() if name not in keys}
        self.environment["PYAGENT_TUI_HOME"] = str(folder / "home")

    def argv(self, *words: str, turns: Sequence[dict[str, Any]] | None = None) -> list[str]:
        if turns is not None:
            self.script.write_text(json.dumps({"turns": list(turns)}))
            words = ("--script", str(self.script), *words)
        return [sys.executable, "-P", "-m", "pyagent_tui", *words]

    def run(
        self, *words: str, turns: Sequence[dict[str, Any]] | None = None, piped: bytes = b"", timeout: float = 60
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            self.argv(*words, turns=turns),
            input=piped,
            capture_output=True,
            cwd=self.project,
            env=self.environment,
            timeout=timeout,
            check=False,
        )

    def start(self, *words: str, turns: Sequence[dict[str, Any]]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.argv(*words, turns=turns),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.project,
            env=self.environment,
        )

    def sessions(self) -> list[list[dict[str, Any]]]:
        """Every session file, parsed."""
        files = sorted(Path(self.environment["PYAGENT_TUI_HOME"]).rglob("*.jsonl"))
        return [[json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def test_print_gives_the_final_text_and_nothing_else(program: Program) -> None:
    done = program.run("-p", "hi", turns=[call("read", path="nothing.txt"), say("final **text**")])
    assert (done.returncode, done.stdout, done.stderr) == (0, b"final **text**\n", b"")


def test_what_is_piped_goes_before_the_message(program: Program) -> None:
    program.run("-p", "sum", turns=[say("ok")], piped=b"1\n2\n")
    (entries,) = program.sessions()
    texts = [entry["message"]["content"] for entry in entries if entry.get("message", {}).get("role") == "user"]
    assert texts == [[{"type": "text", "text": "1\n2\nsum"}]]


def test_a_pipe_alone_is_print_mode(program: Program) -> None:
    assert program.run(turns=[say("ok")], piped=b"hi").stdout == b"ok\n"


def test_files_go_in_as_blocks_and_a_missing_one_is_an_error(program: Program) -> None:
    (program.project / "notes.md").write_text("remember\n")
    program.run("-p", "@notes.md", "do it", turns=[say("ok")])
    (entries,) = program.sessions()
    text = next(e["message"]["content"][0]["text"] for e in entries if e.get("message", {}).get("role") == "user")
    assert text == f'<file name="{program.project / "notes.md"}">\nremember\n</file>\ndo it'
    done = program.run("-p", "@nope.md", turns=[say("ok")])
    assert done.returncode == 1
    assert b"nope.md cannot be read: No such file" in done.stderr


def test_json_mode_prints_one_event_a_line_after_a_session_header(program: Program) -> None:
    turns = [
        {"parts": [{"say": "Look ", "chunk": 2}, {"call": "read", "arguments": {"path": "a"}}]},
        say("done\u2028!"),
    ]
    (program.project / "a").write_text("text\n")
    done = program.run("--mode", "json", "hi", turns=turns)
    assert done.returncode == 0
    lines = done.stdout.split(b"\n")
    assert lines.pop() == b""
    assert b"\r" not in done.stdout
    events = [json.loads(line) for line in lines]
    kinds = [event["type"] for event in events if event["type"] != "message_update"]
    assert kinds[:2] == ["session", "agent_start"]
    assert kinds[-1] == "agent_end"
    middle = ["tool_execution_start", "tool_execution_end", "message_start", "message_end", "turn_end"]
    start = kinds.index("tool_execution_start")
    assert kinds[start : start + 5] == middle
    updates = [event for event in events if event["type"] == "message_update"]
    deltas = [e["assistantMessageEvent"] for e in updates if e["assistantMessageEvent"]["type"] == "text_delta"]
    assert [event["delta"] for event in deltas[:3]] == ["Lo", "ok", " "]
    assert all("message" not in event for event in updates)
    end = next(event for event in events if event["type"] == "tool_execution_end")
    assert {"toolCallId", "toolName", "result", "isError", "durationMs"} <= set(end)


@pytest.mark.parametrize("mode", ["text", "json"])
def test_a_failing_model_is_exit_status_1_with_the_reason_on_stderr(program: Program, mode: str) -> None:
    turns = [{"parts": [{"fail": "auth", "message": "the key is wrong"}]}]
    done = program.run("--mode", mode, "hi", turns=turns)
    assert done.returncode == 1
    assert b"the key is wrong" in done.stderr
    assert b"the key is wrong" not in done.stdout or mode == "json"


def test_an_answer_that_was_cut_off_is_exit_status_1(program: Program) -> None:
    done = program.run("-p", "hi", turns=[{"parts": [{"say": "half"}], "stop_reason": "length"}])
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"cut off" in done.stderr


def test_without_a_screen_a_call_that_would_ask_is_refused_and_the_option_is_named(program: Program) -> None:
    turns = [call("write", path="new.txt", content="x"), call("bash", command="touch ran"), say("sorry")]
    done = program.run("-p", "hi", turns=turns)
    assert done.stdout == b"sorry\n"
    assert list(program.project.iterdir()) == []
    (entries,) = program.sessions()
    results = [entry["message"] for entry in entries if entry.get("message", {}).get("role") == "toolResult"]
    assert [result["isError"] for result in results] == [True, True]
    assert all("--approval" in result["content"][0]["text"] for result in results)


@pytest.mark.parametrize("mode", [("-p",), ("--linear",)])
def test_the_state_after_every_call_is_kept_though_the_model_is_asked_meanwhile(
    program: Program, mode: tuple[str, ...]
) -> None:
    turns = [call("bash", command=f"echo {number} > a.txt") for number in range(3)]
    done = program.run("--approval", "auto", *mode, "hi", turns=[*turns, say("ok")])
    assert done.returncode == 0, done.stderr
    (path,) = (Path(program.environment["PYAGENT_TUI_HOME"]) / "sessions").rglob("*.jsonl")
    stored = [entry.get("data") for entry in entries(path)]
    closing = [object_of(data) for data in stored if "closes" in object_of(data)]
    assert [(len(record["closes"]), len(record["callIds"])) for record in closing] == [(1, 1)] * 3
    assert [first["after"] == second["before"] for first, second in pairwise(closing)] == [True, True]


def test_with_approval_auto_it_works(program: Program) -> None:
    done = program.run("--approval", "auto", "-p", "hi", turns=[call("write", path="new.txt", content="x"), say("ok")])
    assert done.returncode == 0
    assert (program.project / "new.txt").read_text() == "x"


def test_a_closed_pipe_is_silent(program: Program) -> None:
    turns = [say("x" * 2_000_000, chunk=20)]
    started = program.start("--mode", "json", "hi", turns=turns)
    assert started.stdout is not None
    assert started.stderr is not None
    assert json.loads(started.stdout.readline())["type"] == "session"
    started.stdout.close()
    assert started.stderr.read() == b""
    assert started.wait(30) == 141


def test_an_interrupt_ends_the_command_and_is_exit_status_130(program: Program) -> None:
    turns = [call("bash", command="echo begun; sleep 987")]
    started = program.start("--approval", "auto", "--mode", "json", "hi", turns=turns)
    assert started.stdout is not None
    for line in started.stdout:
        if b'"tool_execution_update"' in line and b"begun" in line:
            break
    started.send_signal(signal.SIGINT)
    rest = [json.loads(line) for line in started.stdout]
    assert started.wait(30) == 130
    assert rest[-1]["type"] == "agent_end"
    end = next(event for event in rest if event["type"] == "tool_execution_end")
    assert end["isError"]


def test_nothing_to_do_is_an_error(program: Program) -> None:
    done = program.run("-p", turns=[say("x")])
    assert done.returncode == 1
    assert b"nothing to do" in done.stderr


def test_no_model_is_an_error_that_says_so(program: Program) -> None:
    done = program.run("-p", "hi")
    assert done.returncode == 1
    assert b"No model is set up" in done.stderr
    assert b"ANTHROPIC_API_KEY" in done.stderr


def test_an_unknown_model_names_the_nearest(program: Program) -> None:
    done = program.run("-p", "hi", "--model", "claud-sonet-4-5")
    assert done.returncode == 1
    assert b"claude-sonnet-4-5" in done.stderr


def test_a_server_that_is_down_is_named_with_its_address(program: Program) -> None:
    program.environment |= {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    home = Path(program.environment["PYAGENT_TUI_HOME"])
    home.mkdir()
    (home / "config.toml").write_text("[retry]\nenabled = false\n")
    done = program.run("-p", "hi", "--provider", "openai")
    assert done.returncode == 1
    assert b"127.0.0.1:9" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_broken_config_names_file_line_and_default_and_the_run_goes_on(program: Program) -> None:
    home = Path(program.environment["PYAGENT_TUI_HOME"])
    home.mkdir()
    (home / "config.toml").write_text('theme = "dark"\napproval = "always"\n')
    done = program.run("-p", "hi", turns=[say("ok")])
    assert (done.returncode, done.stdout) == (0, b"ok\n")
    assert b"config.toml:2" in done.stderr
    assert b"review" in done.stderr


def test_the_session_goes_on_with_continue(program: Program) -> None:
    program.run("-p", "one", turns=[say("first")])
    program.run("-p", "-c", "two", turns=[say("second")])
    (entries,) = program.sessions()
    said = [e["message"]["content"][0]["text"] for e in entries if e["type"] == "message"]
    assert said == ["one", "first", "two", "second"]


def test_no_session_leaves_nothing_on_disk(program: Program) -> None:
    program.run("-p", "--no-session", "one", turns=[say("first")])
    assert program.sessions() == []


def test_print_mode_imports_no_textual(program: Program) -> None:
    code = "import sys; from pyagent_tui.app.main import main; main(sys.argv[1:]); print('textual' in sys.modules)"
    argv = program.argv("-p", "hi", turns=[say("ok")])
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *argv[4:]], capture_output=True, cwd=program.project, env=program.environment
    )
    assert done.stdout == b"ok\nFalse\n"


def test_the_demo_touches_only_its_own_folder(program: Program) -> None:
    done = program.run("--demo", "--approval", "auto", "-p", "go", timeout=120)
    assert done.returncode == 0
    assert b"With the edit applied every test passes" in done.stdout
    assert list(program.project.iterdir()) == []
    assert program.sessions() == []


CODES = "\x1b]52;c;cHduZWQ=\x07\x1b[2J\u202ez\x9b2J"


def test_a_reason_reaches_the_terminal_without_control_codes(program: Program) -> None:
    done = program.run("-p", "hi", turns=[{"parts": [{"fail": "protocol", "message": f"bad {CODES}"}]}])
    words = done.stderr.decode()
    assert words.startswith("pyagent-tui: bad ␛]52;c;cHduZWQ=␇␛[2J⟨U+202E⟩z")
    assert words.rstrip("\n").isprintable()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pty")
def test_an_answer_is_literal_on_a_terminal_and_exact_in_a_pipe(program: Program) -> None:
    turns = [say(f"a\tb {CODES}")]
    assert program.run("-p", "hi", turns=turns).stdout.decode() == f"a\tb {CODES}\n"
    master, slave = os.openpty()
    argv = program.argv("-p", "hi", turns=turns)
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=slave, cwd=program.project, env=program.environment):
        os.close(slave)
        shown = os.read(master, 4096).decode()
    os.close(master)
    assert shown.startswith("a       b ␛]52;c;")
    assert "\x1b" not in shown
    assert "\x9b" not in shown


def test_commands_and_results_hold_no_key_of_a_provider(program: Program) -> None:
    program.environment["OPENAI_API_KEY"] = "a-key-that-nobody-may-see"
    (program.project / "notes").write_text("the key is a-key-that-nobody-may-see\n")
    turns = [call("bash", command='echo "[$OPENAI_API_KEY]"; cat notes'), say("ok")]
    done = program.run("--approval", "auto", "--mode", "json", "hi", turns=turns)
    assert done.returncode == 0
    assert b"a-key-that-nobody-may-see" not in done.stdout
    assert b"[]" in done.stdout
