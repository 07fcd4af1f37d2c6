"""The real program in a real terminal, talking HTTP to a real server on loopback."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from pyagent_tui.agent.messages import JsonObject
from pyagent_tui.tests.providers.loopback import Answer, Hang, Pause, Piece, serving
from pyagent_tui.tests.terminal import Terminal

pytestmark = pytest.mark.anyio


def event(kind: str, **data: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()


def begin() -> list[Piece]:
    usage = {"input_tokens": 1000, "output_tokens": 1}
    return [event("message_start", message={"id": "m", "model": "x", "role": "assistant", "usage": usage})]


def text(*words: str, index: int = 0) -> list[Piece]:
    """A block of text, a delta and a short pause a word."""
    pieces: list[Piece] = [event("content_block_start", index=index, content_block={"type": "text", "text": ""})]
    for word in words:
        delta = {"type": "text_delta", "text": word}
        pieces += [event("content_block_delta", index=index, delta=delta), Pause(0.05)]
    return [*pieces, event("content_block_stop", index=index)]


def tool(name: str, arguments: JsonObject, *, id: str = "toolu_1", index: int = 0) -> list[Piece]:
    block: JsonObject = {"type": "tool_use", "id": id, "name": name, "input": {}}
    delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    return [
        event("content_block_start", index=index, content_block=block),
        event("content_block_delta", index=index, delta=delta),
        event("content_block_stop", index=index),
    ]


def end(reason: str = "end_turn") -> list[Piece]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [event("message_delta", delta=delta, usage={"output_tokens": 20}), event("message_stop")]


@contextmanager
def program(tmp_path: Path, url: str, *options: str, columns: int = 100, rows: int = 30) -> Generator[Terminal]:
    """The program on a terminal of its own, pointed at the server."""
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    keep = {name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_URL", "_TOKEN"))}
    environment = {
        **keep,
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "ANTHROPIC_API_KEY": "test",
        "ANTHROPIC_BASE_URL": url,
        "PYAGENT_TUI_HOME": str(tmp_path / "home"),
    }
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--model", "anthropic/claude-sonnet-4-5", *options]
    with Terminal(argv, columns=columns, rows=rows, env=environment, cwd=project) as terminal:
        yield terminal


async def see(terminal: Terminal, words: str) -> list[str]:
    return await anyio.to_thread.run_sync(lambda: terminal.wait_for(words, 30))


async def test_an_answer_streams_onto_the_screen_while_it_comes(tmp_path: Path) -> None:
    first = Answer([*begin(), *text("Streams ", "word ", "by ", "word."), *end()])
    async with serving(first) as server:
        with program(tmp_path, server.url) as terminal:
            await see(terminal, "❯")
            terminal.send("hello there\r")
            await see(terminal, "Streams word by word.")
            await see(terminal, "1.0k in")
            asked = server.asked[0].json
            assert asked["stream"] is True
            assert asked["messages"][-1]["content"][-1]["text"] == "hello there"
            assert [entry["name"] for entry in asked["tools"]] == ["read", "bash", "edit", "write"]


async def test_a_whole_job_with_a_review_a_command_and_a_steering_message(tmp_path: Path) -> None:
    write = {"path": "hello.py", "content": "print('hello ' * 2)\n"}
    command = {"command": "python3 hello.py; until [ -e go ]; do sleep 0.05; done"}
    answers = [
        Answer([*begin(), *text("I write it."), *tool("write", write, index=1), *end("tool_use")]),
        Answer([*begin(), *tool("bash", command, id="toolu_2"), *end("tool_use")]),
        Answer([*begin(), *text("All ", "done."), *end()]),
    ]
    async with serving(*answers) as server:
        with program(tmp_path, server.url) as terminal:
            await see(terminal, "❯")
            terminal.send("write a program\r")
            await see(terminal, "+ print('hello ' * 2)")
            await see(terminal, "apply this change")
            file = tmp_path / "project" / "hello.py"
            assert not file.exists()
            await anyio.sleep(0.5)
            terminal.send("y")
            await see(terminal, "run this command?")
            assert file.read_text() == "print('hello ' * 2)\n"
            await anyio.sleep(0.5)
            terminal.send("y")
            await see(terminal, "│ hello hello")
            terminal.send("and be brief\r")
            await see(terminal, "↳ steer")
            (tmp_path / "project" / "go").touch()
            await see(terminal, "All done.")
            last = server.asked[2].json["messages"][-1]["content"]
            assert [block["type"] for block in last] == ["tool_result", "text"]
            assert "hello hello" in json.dumps(last[0])
            assert last[1]["text"] == "and be brief"


async def test_escape_stops_a_server_that_says_nothing_more(tmp_path: Path) -> None:
    async with serving(Answer([*begin(), *text("Wait for it")[:-1], Hang()])) as server:
        with program(tmp_path, server.url) as terminal:
            await see(terminal, "❯")
            terminal.send("hello\r")
            await see(terminal, "Wait for it")
            terminal.send(b"my draft")
            await see(terminal, "my draft")
            terminal.send(b"\x1b")
            await see(terminal, "aborted")
            with anyio.fail_after(30):
                await server.closed_early.wait()
            assert any("my draft" in line for line in terminal.screen())


@pytest.mark.parametrize("keys", [b"\x1b\r", b"\x1b[13;3u", b"\x11"])
async def test_the_bytes_of_a_follow_up_queue_it(tmp_path: Path, keys: bytes) -> None:
    slow = Answer([*begin(), *text("Slow")[:-1], Hang()])
    async with serving(slow) as server:
        with program(tmp_path, server.url) as terminal:
            await see(terminal, "❯")
            terminal.send("hello\r")
            await see(terminal, "Slow")
            terminal.send(b"later on" + keys)
            await see(terminal, "⇣ later   later on")
            assert len(server.asked) == 1


async def test_a_server_that_is_down_is_named_with_its_address_and_the_wait_can_be_ended(tmp_path: Path) -> None:
    with program(tmp_path, "http://127.0.0.1:9") as terminal:
        await see(terminal, "❯")
        terminal.send("hello\r")
        await see(terminal, "127.0.0.1:9")
        await see(terminal, "attempt 1 of 3")
        terminal.send(b"\x1b")
        await anyio.to_thread.run_sync(lambda: terminal.wait_for(_is_idle, 10))
        assert "attempt" not in terminal.text


def _is_idle(rows: list[str]) -> bool:
    return not any("esc stops" in row for row in rows)


async def test_quitting_gives_the_terminal_back_as_it_was(tmp_path: Path) -> None:
    with program(tmp_path, "http://127.0.0.1:9") as terminal:
        before = terminal.settings
        await see(terminal, "❯")
        terminal.send(b"\x04")
        assert await anyio.to_thread.run_sync(lambda: terminal.wait(20)) == 0
        assert terminal.settings == before
        for sequence in (b"\x1b[?1049l", b"\x1b[?1000l", b"\x1b[?2004l", b"\x1b[?25h"):
            assert sequence in terminal.output


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (60, 15), (20, 5)])
async def test_small_terminals_work(tmp_path: Path, columns: int, rows: int) -> None:
    async with serving(Answer([*begin(), *text("Hi!"), *end()])) as server:
        with program(tmp_path, server.url, columns=columns, rows=rows) as terminal:
            await see(terminal, "❯")
            terminal.send("hello\r")
            await see(terminal, "Hi!")


async def test_closing_the_window_ends_the_program_in_order(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {"PYAGENT_TUI_HOME": str(tmp_path / "home"), "TMPDIR": str(temporary)}
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--demo"]
    with Terminal(argv, columns=100, rows=30, env=environment, cwd=tmp_path) as terminal:
        await see(terminal, "run this command?")
        assert list(temporary.glob("pyagent-tui-demo-*"))
        terminal.hang_up()
        assert await anyio.to_thread.run_sync(terminal.wait) == 129
    assert not list(temporary.glob("pyagent-tui-demo-*"))
