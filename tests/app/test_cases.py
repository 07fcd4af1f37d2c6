"""What users of such programs met, tried on the whole program: bytes in, the screen out."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

import psutil
import pytest

from pyagent_tui.tests.pace import budget
from pyagent_tui.tests.providers.loopback import Answer, Pause, Piece, serving, sse
from pyagent_tui.tests.real_app import isolate, write_script
from pyagent_tui.tests.stage_app import say
from pyagent_tui.tests.terminal import Terminal

LONG = 60.0
"""Seconds for what takes a moment on an idle machine."""

BUSY = "esc stops"
ECHO = 0.3
"""Seconds from a key to its sign that nobody calls a pause; the tests allow more on a slow machine."""

MODELS = """
[providers.box]
api = "openai-completions"
base_url = "{url}/v1"
key_required = false

[[providers.box.models]]
id = "m"
context_window = 200000
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return isolate(tmp_path, monkeypatch)


@contextmanager
def opened(
    project: Path, *options: str, columns: int = 100, rows: int = 30, env: dict[str, str] | None = None
) -> Generator[Terminal]:
    """The program in a terminal, at its first prompt."""
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--approval", "auto", "--sandbox", "off", *options]
    with Terminal(argv, columns=columns, rows=rows, cwd=project, env=env, settle=False) as terminal:
        terminal.wait_for("context", LONG)
        yield terminal


def script(tmp_path: Path, *turns: dict[str, Any]) -> tuple[str, str]:
    return "--script", write_script(tmp_path, turns)


def bash(*commands: str) -> dict[str, Any]:
    return {"parts": [{"call": "bash", "arguments": {"command": command}} for command in commands]}


@contextmanager
def served(tmp_path: Path, pieces: Iterable[Piece]) -> Generator[None]:
    """A chat server in a thread of its own, whose reply is this; the program's settings know it as box/m."""
    loop, ready, done = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    (tmp_path / "config").mkdir(exist_ok=True)

    async def serve() -> None:
        async with serving(Answer(pieces)) as server:
            (tmp_path / "config" / "models.toml").write_text(MODELS.format(url=server.url))
            ready.set()
            await done.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(LONG)
    try:
        yield
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(LONG)
        loop.close()


def chunk(**delta: Any) -> bytes:
    return b"data: %s\n\n" % json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode()


def holds_busy(rows: list[str]) -> bool:
    return any(BUSY in row for row in rows)


def is_idle(rows: list[str]) -> bool:
    return not holds_busy(rows)


def echoes(terminal: Terminal, count: int = 8) -> list[float]:
    """Seconds from each of some keys to its sign in the editor, while a run goes on."""
    seconds: list[float] = []
    typed = ""
    for letter in "qwertzuiopasdfgh"[:count]:
        typed += letter
        began = monotonic()
        terminal.send(letter)
        terminal.wait_for(f"❯ {typed}", LONG)
        seconds.append(monotonic() - began)
        assert holds_busy(terminal.screen()), "the run was over before the keys were"
    return seconds


def echoes_until(terminal: Terminal, typed: str, holds: Callable[[list[str]], bool]) -> list[float]:
    """Seconds from each key to its sign in the editor, which holds what was typed, until something holds."""
    seconds: list[float] = []
    while not holds(terminal.screen()) or not seconds:
        for key, after in (("x", typed + "x"), ("\x7f", typed)):
            began = monotonic()
            terminal.send(key)
            terminal.wait_for(lambda rows, after=after: f"❯ {after}" in [row.strip() for row in rows], LONG / 2)
            seconds.append(monotonic() - began)
    return seconds


def session_lines(tmp_path: Path) -> list[str]:
    [file] = (tmp_path / "config" / "sessions").rglob("*.jsonl")
    return file.read_text().splitlines()


def press(button: int, column: int, row: int, *, release: bool = False) -> bytes:
    """A mouse report: 0 presses the left button, 32 drags with it."""
    return b"\x1b[<%d;%d;%d%s" % (button, column, row, b"m" if release else b"M")


def section(number: int) -> str:
    rows = "".join(f"| строка {row} | значение {row} | `code{row}` |\n" for row in range(4))
    code = "".join(f"def f{row}(x: int) -> int:\n    return x + {row}\n" for row in range(4))
    return (
        f"## Часть {number}\n\nОбычный текст с **жирным** и `кодом`, и ещё немного слов, чтобы строка сложилась.\n\n"
        f"| имя | что | код |\n|---|---|---|\n{rows}\n```python\n{code}```\n\n"
    )


def test_a_long_answer_streams_with_live_keys_and_its_cost_does_not_grow(project: Path, tmp_path: Path) -> None:
    parts = 40
    pieces = [
        text[at : at + 30] for number in range(parts) for text in [section(number)] for at in range(0, len(text), 30)
    ]
    sent: list[float] = []

    def reply() -> Generator[Piece]:
        for piece in pieces:
            yield chunk(content=piece)
            yield Pause(0.003)
        yield from sse({"choices": [{"index": 0, "delta": {"content": "\nВсё."}, "finish_reason": "stop"}]})
        sent.append(monotonic())

    with served(tmp_path, reply()), opened(project, "--model", "box/m") as terminal:
        program = psutil.Process(terminal.pid)
        spent: list[float] = []

        def reached(number: int) -> Callable[[list[str]], bool]:
            return lambda rows: any(int(found) >= number for found in re.findall(r"Часть (\d+)", "\n".join(rows)))

        terminal.send("hi\r")
        for number in (5, 15):
            terminal.wait_for(reached(number), LONG)
            spent.append(program.cpu_times().user)
        keys = echoes(terminal)
        for number in (29, 39):
            terminal.wait_for(reached(number), LONG)
            spent.append(program.cpu_times().user)
        terminal.wait_for("Всё.", LONG)
        lag = monotonic() - sent[0]
        terminal.wait_for(is_idle, LONG)
        early, late = spent[1] - spent[0], spent[3] - spent[2]
        assert median(keys) < budget(ECHO), keys
        assert late < 2.5 * early + 0.2, spent
        assert lag < budget(1.5)


REASONING = {
    "content": {"reasoning_content": "\n"},
    "details": {"reasoning_details": [{"type": "reasoning.text", "text": "\n", "index": 0}]},
}


@pytest.mark.parametrize("kind", REASONING)
def test_twenty_thousand_pieces_of_reasoning_leave_the_keys_alive_and_one_small_block(
    project: Path, tmp_path: Path, kind: str
) -> None:
    def reply() -> Generator[Piece]:
        for _ in range(200):
            yield chunk(**REASONING[kind]) * 100
            yield Pause(0.008)
        yield from sse({"choices": [{"index": 0, "delta": {"content": "Thought."}, "finish_reason": "stop"}]})

    with served(tmp_path, reply()), opened(project, "--model", "box/m") as terminal:
        terminal.send("hi\r")
        terminal.wait_for(holds_busy, LONG)
        keys = echoes(terminal)
        rows = terminal.wait_for("Thought.", LONG)
        terminal.wait_for(is_idle, LONG)
        between = [row for row in rows[rows.index(next(row for row in rows if "❯ hi" in row)) :] if row.strip()]
        assert "Thought." in between[1] or "Thought." in between[2], rows
        assert median(keys) < budget(ECHO), keys
    lines = session_lines(tmp_path)
    assert max(map(len, lines)) < 100 * 1024
    [answer] = [json.loads(line)["message"] for line in lines if '"role":"assistant"' in line.replace(" ", "")]
    assert [block["type"] for block in answer["content"]].count("thinking") <= 1


def numbers(rows: Sequence[str]) -> list[int]:
    return [int(found) for row in rows for found in re.findall(r"line (\d+)\.", row)]


def test_what_one_reads_stays_while_the_answer_goes_on(project: Path, tmp_path: Path) -> None:
    text = "\n\n".join(f"line {number}." for number in range(500))
    turn = {"parts": [{"say": text, "chunk": 11, "delay": 0.004}]}
    with opened(project, *script(tmp_path, turn)) as terminal:
        terminal.send("go\r")
        terminal.wait_for(lambda rows: max(numbers(rows), default=0) >= 200, LONG)
        terminal.send("\x1b[5~\x1b[5~")
        rows = terminal.wait_for("new line", LONG)
        first = min(numbers(rows))
        terminal.send(press(0, 10, 8) + press(0, 10, 8, release=True))
        terminal.resize(99, 30)
        terminal.wait_for(lambda rows: more(rows) >= more_before(terminal, rows) + 60, LONG)
        assert holds_busy(terminal.screen())
        assert min(numbers(terminal.screen())) == first
        terminal.send("\x1b[1;5F")
        terminal.wait_for(lambda rows: max(numbers(rows), default=0) > first + 100, LONG)
        terminal.wait_for("line 499.", LONG)


def more(rows: Sequence[str]) -> int:
    """How many new lines the hint counts."""
    found = re.search(r"(\d+) new lines?", "\n".join(rows))
    return int(found[1]) if found else 0


def more_before(terminal: Terminal, rows: Sequence[str]) -> int:
    """The first count that was asked about."""
    counted: list[int] = terminal.__dict__.setdefault("counted", [])
    if not counted:
        counted.append(more(rows))
    return counted[0]


def drag(column: int, row: int, to_column: int, to_row: int) -> bytes:
    return (
        press(0, column, row)
        + press(32, column + 1, row)
        + press(32, to_column, to_row)
        + press(0, to_column, to_row, release=True)
    )


def place_of(terminal: Terminal, words: str) -> tuple[int, int]:
    """Column and row of some words, from 1 as the mouse counts."""
    rows = terminal.wait_for(words, LONG)
    row = next(number for number, text in enumerate(rows) if words in text)
    return rows[row].index(words) + 1, row + 1


def test_clicks_and_drags_over_a_reply_that_streams_do_not_end_the_program(project: Path, tmp_path: Path) -> None:
    text = "".join(section(number) for number in range(12))
    turn = {"parts": [{"say": text, "chunk": 20, "delay": 0.006}]}
    with opened(project, *script(tmp_path, turn, say("Still here."))) as terminal:
        terminal.send("go\r")
        terminal.wait_for("Часть 0", LONG)
        drags = 0
        while holds_busy(terminal.screen()):
            before = len(terminal.output)
            terminal.send(drag(4 + drags % 40, 3 + drags % 20, 60 - drags % 30, 22 - drags % 19))
            terminal.send(press(0, 30, 10) + press(0, 30, 10, release=True))
            drags += 1
            terminal.wait_for(lambda rows, before=before: len(terminal.output) > before or is_idle(rows), LONG)
        assert drags > 20
        terminal.wait_for("Часть 11", LONG)
        terminal.send("and now\r")
        terminal.wait_for("Still here.", LONG)
        terminal.send("\x04")
        assert terminal.wait(LONG) == 0


def test_a_large_write_and_an_edit_of_a_large_file_leave_the_keys_alive(project: Path, tmp_path: Path) -> None:
    content = "".join(f"{number:05} a line of a file that is being written\n" for number in range(44_000))
    lines = [f"number {number}\n" for number in range(60_000)]
    (project / "large.txt").write_text("".join(lines))
    write = {"call": "write", "arguments": {"path": "new.txt", "content": content}, "fragment": 4096, "delay": 0.004}
    look = {"call": "read", "arguments": {"path": "large.txt", "offset": 29_990, "limit": 20}}
    edits = [{"oldText": "number 30000\n", "newText": "number thirty thousand\n"}]
    edit = {"call": "edit", "arguments": {"path": "large.txt", "edits": edits}}
    with opened(project, *script(tmp_path, {"parts": [look]}, {"parts": [write, edit]})) as terminal:
        terminal.send("go\r")
        terminal.wait_for("new.txt", LONG)
        early = echoes(terminal, 6)
        assert not (project / "new.txt").exists()
        late = echoes_until(
            terminal, "qwertz", lambda rows: any("large.txt" in row and "applied" in row for row in rows)
        )
        terminal.wait_for("thirty thousand", LONG)
        assert "too large to be shown" in terminal.text
    assert (project / "new.txt").read_text() == content
    lines[30_000] = "number thirty thousand\n"
    assert (project / "large.txt").read_text() == "".join(lines)
    assert median(early) < budget(ECHO), early
    assert median(late) < budget(ECHO), late


@pytest.mark.skipif(sys.platform != "linux", reason="open files are counted in /proc")
def test_much_output_grows_neither_memory_nor_the_number_of_open_files(project: Path, tmp_path: Path) -> None:
    count = 40
    turns = [bash("seq 1 5000"), say("First."), bash("yes | head -c 100000000; echo; echo the end")]
    turns += [bash("seq 1 5000") for _ in range(count)]
    with opened(project, *script(tmp_path, *turns, say("Done."))) as terminal:
        program = psutil.Process(terminal.pid)
        terminal.send("go\r")
        terminal.wait_for("First.", LONG)
        terminal.wait_for(is_idle, LONG)
        memory, files = program.memory_info().rss, len(os.listdir(f"/proc/{terminal.pid}/fd"))
        terminal.send("on\r")
        terminal.wait_for(holds_busy, LONG)
        terminal.send("alive")
        terminal.wait_for("❯ alive", LONG)
        terminal.wait_for("Done.", 2 * LONG)
        terminal.wait_for(is_idle, LONG)
        assert "earlier lines" in terminal.text
        assert program.memory_info().rss - memory < 60_000_000
        assert len(os.listdir(f"/proc/{terminal.pid}/fd")) <= files + 1
    results = "\n".join(session_lines(tmp_path))
    kept = [Path(found) for found in dict.fromkeys(re.findall(r"Full output: (/[^\]\"\\]+)", results))]
    assert max(path.stat().st_size for path in kept) > 100_000_000
    assert len(kept) == count + 2


def test_there_is_a_sign_of_life_from_the_prompt_to_the_answer(project: Path, tmp_path: Path) -> None:
    turns = [bash("sleep 2.2"), {"first_delay": 3.2, "parts": [{"say": "Done."}]}]
    with opened(project, *script(tmp_path, *turns)) as terminal:
        terminal.send("go\r")
        terminal.wait_for(holds_busy, LONG)
        seen: list[list[str]] = []
        sizes: list[int] = []

        def watch(rows: list[str]) -> bool:
            seen.append(rows)
            sizes.append(len(terminal.output))
            return "Done." in "\n".join(rows)

        terminal.wait_for(watch, LONG)
        assert all(map(holds_busy, seen[:-1]))
        running = dict.fromkeys(row.strip() for rows in seen for row in rows if "running" in row)
        waiting = dict.fromkeys(row.strip() for rows in seen for row in rows if "waiting for the model" in row)
        assert len({row[0] for row in running}) > 2, running
        times = {time for row in running for time in re.findall(r"\d\.\d s", row)}
        assert len(times) > 2, running
        assert len(waiting) > 2, waiting
        frames = [size - before for before, size in pairwise(sizes[:-1])]
        assert median(frames) < 600, "more than the row of the spinner is drawn"


def test_each_end_of_a_call_looks_different_without_colour(project: Path, tmp_path: Path) -> None:
    turns = [bash("echo fine"), bash("exit 3"), bash("sleep 61")]
    with opened(project, *script(tmp_path, *turns), env={"NO_COLOR": "1"}) as terminal:
        terminal.send("go\r")
        rows = terminal.wait_for(lambda rows: any("sleep 61" in row and "running" in row for row in rows), LONG)
        terminal.send("\x1b")
        rows = terminal.wait_for(lambda rows: any("sleep 61" in row and "aborted" in row for row in rows), LONG)
    ends = {words: next(row.strip() for row in rows if words in row) for words in ("echo fine", "exit 3", "sleep 61")}
    assert [row[0] for row in ends.values()] == ["✓", "✗", "◼"]
    assert "exit 3" in ends["exit 3"].replace("exit 3", "", 1)


SSH = {"SSH_TTY": "/dev/pts/1", "TMUX": "/tmp/tmux,1,0", "DISPLAY": "", "WAYLAND_DISPLAY": ""}


def test_what_the_mouse_selects_goes_through_ssh_and_tmux_and_nothing_more_is_claimed(
    project: Path, tmp_path: Path
) -> None:
    with opened(project, *script(tmp_path, say("The very words.")), env=SSH) as terminal:
        terminal.send("hi\r")
        column, row = place_of(terminal, "The very words.")
        terminal.wait_for(is_idle, LONG)
        terminal.send(drag(column + 4, row, column + 8, row))
        terminal.send("\x03")
        terminal.wait_for("The selection: sent to the terminal's clipboard; whether it took it, it does not say.", LONG)
        encoded = base64.b64encode(b"very").decode().rstrip("=").encode()
        terminal.wait_for_output(b"\x1b]52;c;" + encoded)
        terminal.wait_for_output(b"\x1bPtmux;\x1b\x1b]52;c;" + encoded)


def test_a_tool_that_copies_is_named_and_the_editor_can_be_copied_from(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SSH_TTY", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    tool = tmp_path / "bin" / "wl-copy"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\ncat > {tmp_path}/copied\n")
    tool.chmod(0o755)
    env = {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": "", "PATH": f"{tool.parent}:{os.environ['PATH']}"}
    with opened(project, *script(tmp_path, say("The very words.")), env=env) as terminal:
        terminal.send("words of a draft")
        column, row = place_of(terminal, "words of a draft")
        terminal.send(drag(column + 9, row, column + 16, row))
        terminal.send("\x03")
        terminal.wait_for("The selection: copied with wl-copy.", LONG)
        assert (tmp_path / "copied").read_text() == "a draft"
        assert "❯ words of a draft" in terminal.text
        terminal.send("\x03")
        terminal.wait_for(lambda rows: not any("words of a draft" in row for row in rows), LONG)
        terminal.send("hi\r")
        terminal.wait_for("The very words.", LONG)
        terminal.wait_for(is_idle, LONG)
        terminal.send("/copy\r")
        terminal.wait_for(
            lambda rows: any("opied with wl-copy" in row and "selection" not in row for row in rows), LONG
        )
        assert (tmp_path / "copied").read_text() == "The very words."
