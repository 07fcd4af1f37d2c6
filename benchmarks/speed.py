"""How fast the program is: start, streaming, a loop of tools, stopping, resuming, without the screen.

    python benchmarks/speed.py [NAME …] [--repeat N]

Each figure comes from the real program in a real pty (pyte emulates the terminal), asking a real HTTP server on
loopback. Nothing outside is needed. Machines differ: compare figures of one run, first of all with its first rows,
which say what Python and a bare Textual app need here.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from pyagent_tui.agent.messages import AssistantMessage, Message, TextContent, Usage, UserMessage
from pyagent_tui.sessions.session import Session
from pyagent_tui.tests.providers.loopback import Answer, Asked, Pause, Piece, Server, json_answer, serving, sse
from pyagent_tui.tests.terminal import Terminal

PROGRAM = str(Path(sys.executable).with_name("pyagent-tui"))
TOKENS = 20_000
TURNS = 200
MESSAGES = 5_000
END = "the-end-of-it"
PARAGRAPH = "Some *words* of a `reply` that goes on, with a [link](https://example.org) and **more** of them. "
BLOCK = "\n\n```python\ndef add(a: int, b: int) -> int:\n    return a + b\n```\n\n- one\n- two\n\n"

BARE_APP = """
from textual.app import App
from textual.widgets import Input
class Bare(App):
    def compose(self):
        yield Input(placeholder="ready")
Bare().run()
"""

REQUEST = """
import asyncio, httpx
async def main():
    async with httpx.AsyncClient(verify=False): pass
asyncio.run(main())
"""


def milliseconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1000:,.0f} ms" if seconds >= 0.02 else f"{seconds * 1000:.1f} ms"


# The model


@dataclass
class Model:
    """A server that answers as `reply` says; `gaps` are the seconds from an answer to the request that follows it."""

    reply: Callable[[Asked], Answer]
    gaps: list[float] = field(default_factory=list[float])
    last: float = 0.0
    url: str = ""

    def answer(self, asked: Asked) -> Answer:
        now = time.monotonic()
        if asked.path != "/v1/chat/completions":
            return json_answer(404, {"error": "no"})
        if self.last:
            self.gaps.append(now - self.last)
        made = self.reply(asked)
        return Answer(self._noting(made.pieces), keeps_alive=False)

    def _noting(self, pieces: object) -> Iterator[Piece]:
        yield from pieces  # pyright: ignore[reportGeneralTypeIssues]
        self.last = time.monotonic()


@contextmanager
def answering(model: Model) -> Iterator[Model]:
    """Run the server in a thread of its own."""
    ready, done = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        served: Server
        async with serving(model.answer) as served:
            model.url = served.url
            ready.set()
            await done.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield model
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join()


def delta(text: str) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": {"content": text}}]}


FINISH = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9}}


def said(text: str) -> Answer:
    return Answer(sse(delta(text), FINISH, done=True))


def calls(name: str, arguments: dict[str, object], number: int) -> Answer:
    call = {"index": 0, "id": f"c{number}", "function": {"name": name, "arguments": json.dumps(arguments)}}
    finish = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 9}}
    return Answer(sse({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}, finish, done=True))


def tokens(count: int) -> list[str]:
    """Markdown in pieces of about a token."""
    text = PARAGRAPH * 8 + BLOCK
    pieces = re.findall(r"\s*\S{1,5}", text)
    return [pieces[number % len(pieces)] for number in range(count)]


# The program


class Bench:
    """A folder with a home, a project and a model for one measurement."""

    def __init__(self, root: Path, model: Model) -> None:
        self.root = root
        self.home = root / "config"
        self.project = root / "project"
        self.project.mkdir(parents=True)
        (self.project / "a.txt").write_text("one\ntwo\nthree\n")
        subprocess.run(["git", "init", "-q"], cwd=self.project, check=True)
        self.home.mkdir()
        (self.home / "models.toml").write_text(
            f'[providers.bench]\napi = "openai-completions"\nbase_url = "{model.url}/v1"\nkey = "none"\n'
            '[[providers.bench.models]]\nid = "m"\ncontext_window = 1000000\n'
        )
        self.env = {"PYAGENT_TUI_HOME": str(self.home), "HOME": str(root)}
        self.argv = [PROGRAM, "--model", "bench/m", "--approval", "auto"]

    def screen(self, *options: str) -> Terminal:
        return Terminal(
            [*self.argv, *options], columns=120, rows=40, env=self.env, cwd=self.project, kitty=True, settle=False
        )

    def headless(self, *words: str) -> float:
        """Seconds of one run without the screen."""
        began = time.monotonic()
        subprocess.run(
            [*self.argv, "-p", *words], env={**os.environ, **self.env}, cwd=self.project, check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        return time.monotonic() - began


@contextmanager
def bench(reply: Callable[[Asked], Answer]) -> Iterator[tuple[Bench, Model]]:
    with tempfile.TemporaryDirectory() as folder, answering(Model(reply)) as model:
        yield Bench(Path(folder), model), model


def ready(terminal: Terminal, began: float) -> tuple[float, float]:
    """Seconds to the first paint and to an echoed letter."""
    terminal.wait_for("❯")
    painted = time.monotonic() - began
    echo(terminal, "q")
    return painted, time.monotonic() - began


def echo(terminal: Terminal, letter: str) -> float:
    """Seconds from a key to its letter on the screen."""
    began = time.monotonic()
    row, column = terminal.cursor[1], terminal.cursor[0]
    terminal.send(letter)
    terminal.wait_for(lambda rows: rows[row][column : column + 1] == letter or any(f"❯ {letter}" in r for r in rows))
    taken = time.monotonic() - began
    terminal.send("\x7f")
    return taken


def send(terminal: Terminal, words: str) -> float:
    """Type and press Enter; the time of Enter."""
    for letter in words:
        terminal.send(letter)
        time.sleep(0.01)
    terminal.wait_for(words)
    began = time.monotonic()
    terminal.send("\r")
    return began


def cpu(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def p95(values: Sequence[float]) -> float | None:
    return sorted(values)[int(len(values) * 0.95)] if values else None


# What is measured: each gives names and figures


def limits() -> dict[str, str]:
    """What the parts below us need on this machine."""
    figures: dict[str, str] = {}
    for name, code in (("python", "pass"), ("asyncio", "import asyncio"), ("textual", "import textual.app")):
        figures[f"bare {name}"] = milliseconds(statistics.median(timed([sys.executable, "-c", code]) for _ in range(5)))
    began = time.monotonic()
    with Terminal([sys.executable, "-c", BARE_APP], settle=False) as terminal:
        terminal.wait_for("ready")
        figures["bare Textual app, first paint"] = milliseconds(time.monotonic() - began)
    figures["--version"] = milliseconds(statistics.median(timed([PROGRAM, "--version"]) for _ in range(5)))
    return figures


def timed(argv: Sequence[str]) -> float:
    began = time.monotonic()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def start() -> dict[str, str]:
    with bench(lambda _: said("hello")) as (place, _):
        with place.screen() as terminal:
            ready(terminal, time.monotonic())
        began = time.monotonic()
        with place.screen() as terminal:
            painted, typed = ready(terminal, began)
            keys = [echo(terminal, chr(97 + number % 26)) for number in range(40)]
            before = cpu(terminal.pid)
            time.sleep(3)
            idle = (cpu(terminal.pid) - before) / 3
            memory = psutil.Process(terminal.pid).memory_full_info().pss / 2**20
    return {
        "first paint": milliseconds(painted),
        "typed letter on the screen": milliseconds(typed),
        "key echo idle, p95": milliseconds(p95(keys)),
        "idle memory (PSS)": f"{memory:.0f} MiB",
        "idle CPU": f"{idle:.1%}",
    }


def stream() -> dict[str, str]:
    return _streamed(TOKENS, "full speed", lambda pieces: sse(*map(delta, pieces)))


def paced() -> dict[str, str]:
    def slowly(pieces: list[str]) -> list[Piece]:
        return [part for event in sse(*map(delta, pieces)) for part in (event, Pause(1 / 300))]

    return _streamed(1_500, "300 tokens/s", slowly)


def _streamed(count: int, name: str, events: Callable[[list[str]], Sequence[Piece]]) -> dict[str, str]:
    def reply(_: Asked) -> Answer:
        return Answer([*events(tokens(count)), *sse(delta(f"\n\n{END}"), FINISH, done=True)])

    with bench(reply) as (place, _), place.screen() as terminal:
        ready(terminal, time.monotonic())
        before, began = cpu(terminal.pid), send(terminal, "go")
        keys: list[float] = []
        while END not in terminal.text:
            keys.append(echo(terminal, chr(97 + len(keys) % 26)))
        wall = time.monotonic() - began
        return {
            f"{count:,} tokens at {name}: wall": milliseconds(wall),
            "  CPU": milliseconds(cpu(terminal.pid) - before),
            "  key echo meanwhile, p95": milliseconds(p95(keys)),
        }


def loop() -> dict[str, str]:
    def reply(asked: Asked) -> Answer:
        turn = sum(message["role"] == "assistant" for message in asked.json["messages"])
        if turn >= TURNS:
            return said(END)
        if turn % 3 == 0:
            return calls("read", {"path": "a.txt"}, turn)
        if turn % 3 == 1:
            return calls("bash", {"command": "true"}, turn)
        old, new = f"two{turn - 3 if turn > 2 else ''}\n", f"two{turn}\n"
        return calls("edit", {"path": "a.txt", "edits": [{"oldText": old, "newText": new}]}, turn)

    with bench(reply) as (place, model), place.screen() as terminal:
        ready(terminal, time.monotonic())
        send(terminal, "go")
        terminal.wait_for(END, timeout=120)
        gaps = model.gaps
        early, late = statistics.median(gaps[5:35]), statistics.median(gaps[-30:])
        return {
            f"{TURNS} turns of tools: gap per turn": milliseconds(statistics.median(gaps)),
            "  last 30 against turns 5-35": f"{late / early:.2f}x",
            **{
                f"  after {name}": milliseconds(statistics.median(gaps[number::3]))
                for number, name in enumerate(("read", "bash true", "edit"))
            },
        }


def output() -> dict[str, str]:
    def reply(asked: Asked) -> Answer:
        turn = sum(message["role"] == "assistant" for message in asked.json["messages"])
        return calls("bash", {"command": "seq 1 200000"}, 1) if turn == 0 else said(END)

    with bench(reply) as (place, model), place.screen() as terminal:
        ready(terminal, time.monotonic())
        send(terminal, "go")
        terminal.wait_for(END)
        return {"bash seq 1 200000, to the next request": milliseconds(model.gaps[0])}


def stop() -> dict[str, str]:
    shown: list[float] = []
    dead: list[float] = []
    with bench(lambda _: calls("bash", {"command": "echo up; sleep 6543.2 & sleep 6543.2 | cat"}, 1)) as (place, _):
        for _ in range(5):
            with place.screen() as terminal:
                ready(terminal, time.monotonic())
                send(terminal, "go")
                terminal.wait_for("│ up")
                procs = [
                    child for child in psutil.Process(terminal.pid).children(True) if "6543.2" in child.cmdline()[-1:]
                ]
                began = time.monotonic()
                terminal.send("\x1b[27u")
                while any(child.is_running() and child.status() != "zombie" for child in procs):
                    time.sleep(0.0005)
                dead.append(time.monotonic() - began)
                terminal.wait_for("aborted")
                shown.append(time.monotonic() - began)
    return {
        "Escape: processes ended": milliseconds(statistics.median(dead)),
        "Escape: on the screen": milliseconds(statistics.median(shown)),
    }


def resume() -> dict[str, str]:
    with bench(lambda _: said("hello")) as (place, _):
        session = Session.start(place.project, place.home, None)
        for number in range(MESSAGES):
            session.append_message(_message(number))
        session.close()
        began = time.monotonic()
        with place.screen("-c") as terminal:
            _, typed = ready(terminal, began)
            terminal.wait_for(f"message {MESSAGES - 1}")
            return {f"session of {MESSAGES:,} messages: typed letter on the screen": milliseconds(typed)}


def _message(number: int) -> Message:
    text = f"message {number}: " + PARAGRAPH * 3
    if number % 2 == 0:
        return UserMessage.of(text)
    return AssistantMessage((TextContent(text),), "openai-completions", "bench", "m", Usage(input=9, output=9))


def headless() -> dict[str, str]:
    with bench(lambda _: said("hello")) as (place, _):
        place.headless("warm")
        trips = statistics.median(place.headless("hi") for _ in range(5))
    return {
        "python with asyncio and httpx, which a request needs": milliseconds(spent(sys.executable, "-c", REQUEST)),
        "-p, one round trip": milliseconds(trips),
        "--version": milliseconds(spent(PROGRAM, "--version")),
    }


def spent(*argv: str) -> float:
    """Seconds that a program takes, the median of 5."""
    taken: list[float] = []
    for _ in range(5):
        began = time.monotonic()
        subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        taken.append(time.monotonic() - began)
    return statistics.median(taken)


MEASURES = {
    measure.__name__: measure for measure in (limits, start, stream, paced, loop, output, stop, resume, headless)
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(MEASURES)}; all without")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="measure N times and print each")
    arguments = parser.parse_args()
    for name in arguments.names or MEASURES:
        if name not in MEASURES:
            parser.error(f"unknown: {name}")
        for _ in range(arguments.repeat):
            for label, figure in MEASURES[name]().items():
                sys.stdout.write(f"{label:<58} {figure:>10}\n")
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
