"""Kills a program that writes sessions and files, again and again, and counts what was lost. It must be nothing.

    python benchmarks/crash.py                    # 200 kills at random moments
    python benchmarks/crash.py --runs 2000
    python benchmarks/crash.py --faults           # strace: a kill, ENOSPC and EIO at every k-th write, fsync and rename

A run appends messages to a session, reports them, waits for some to be durable and reports those ("ack"), and replaces
a file of the project. Afterwards the session is opened as a person would resume it. Exit status 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from pyagent_tui.agent.messages import AssistantMessage, Message, TextContent, UserMessage
from pyagent_tui.sessions.entries import MessageEntry
from pyagent_tui.sessions.file import SessionFileError
from pyagent_tui.sessions.session import Session
from pyagent_tui.sessions.writer import SessionLockedError
from pyagent_tui.tools.atomic import write_file

BLOCK = 64 * 1024
FAULTS = (
    ("write", "signal=KILL"),
    ("write", "error=ENOSPC"),
    ("write", "error=EIO"),
    ("fsync", "signal=KILL"),
    ("fsync", "error=EIO"),
    ("fsync", "error=ENOSPC"),
    ("rename", "signal=KILL"),
    ("rename", "error=EIO"),
)


# What runs until it is killed


def digest(message: Message | None) -> str:
    """A short fingerprint of a message's text."""
    text = message.text if isinstance(message, (UserMessage, AssistantMessage)) else ""
    return hashlib.sha1(text.encode()).hexdigest()[:12]


def new_message(chance: random.Random, number: int) -> Message:
    size = chance.choice((10, 100, 1_000, 10_000, 200_000))
    text = f"{number} " + chance.choice('aé😀\0\u2028"\\') * size
    return UserMessage.of(text) if number % 2 else AssistantMessage((TextContent(text),))


def block(number: int) -> bytes:
    """File content of which any mixture with another can be told."""
    return f"{number:08d}".encode() * (BLOCK // 8)


async def work(path: Path, project_file: Path, seed: int, count: int) -> None:
    """Say, keep, report; each report is one write, so that a kill never tears it."""
    chance = random.Random(seed)
    session = Session.open(path)
    for number in range(count):
        message = new_message(chance, number)
        entry_id = session.append_message(message)
        report("said", entry_id, digest(message))
        if chance.random() < 0.3 and await session.flushed(entry_id):
            report("ack", entry_id, digest(message))
        try:
            write_file(str(project_file), block(chance.randrange(10**8)), lambda _: True)
        except OSError:
            report("refused", "file", "")
    report("closed", str(session.close()), "")


def report(word: str, first: str, second: str) -> None:
    os.write(1, f"{word} {first} {second}\n".encode())


# Checking what is left


class Tally(Counter[str]):
    """Counts of everything that was seen; those in `WRONG` must stay 0."""

    WRONG = ("programs crashed", "acknowledged lost", "appended lost", "sessions not resumed", "files mixed")

    def check(self, path: Path, project_file: Path, reports: str, *, is_killed: bool) -> None:
        self["runs"] += 1
        self["killed"] += is_killed
        lines = [line.split(" ") for line in reports.splitlines() if line.count(" ") == 2]
        acknowledged = {id_: text for word, id_, text in lines if word == "ack"}
        said = {id_: text for word, id_, text in lines if word == "said"}
        unsaved = sum(int(id_) for word, id_, _ in lines if word == "closed")
        self["acknowledged"] += len(acknowledged)
        try:
            kept = self._resume(path)
        except (SessionFileError, SessionLockedError) as error:
            print(f"not resumed: {error}", file=sys.stderr)
            self["sessions not resumed"] += 1
            return
        self["acknowledged lost"] += sum(kept.get(id_) != text for id_, text in acknowledged.items())
        # What a refusing disk never took is told at the end ("closed"), so it is not lost without a word.
        self["appended lost"] += max(sum(kept.get(id_) != text for id_, text in said.items()) - unsaved, 0)
        self["appended"] += len(said)
        self["files mixed"] += not is_whole(project_file)

    def _resume(self, path: Path) -> dict[str, str]:
        session = Session.open(path)
        self["damage warned"] += session.warning is not None
        kept = {entry.id: digest(entry.message) for entry in session.tree if isinstance(entry, MessageEntry)}
        session.append_message(UserMessage.of("resumed"))
        if session.close():
            self["sessions not resumed"] += 1
        return kept

    def is_good(self) -> bool:
        return not any(self[word] for word in self.WRONG)

    def print(self, title: str, seconds: float) -> None:
        order = ("runs", "killed", "appended", "acknowledged", "damage warned", *self.WRONG)
        print(f"{title}: " + ", ".join(f"{word} {self[word]}" for word in order) + f" ({seconds:.0f} s)")


def is_whole(project_file: Path) -> bool:
    """Whether the file is one that was written, from the first byte to the last."""
    data = project_file.read_bytes()
    return len(data) == BLOCK and data == data[:8] * (BLOCK // 8)


def fresh(folder: Path, number: int) -> tuple[Path, Path]:
    """An empty session file and a project file with its first content."""
    path, project_file = folder / f"session-{number}.jsonl", folder / f"file-{number}.txt"
    path.touch()
    project_file.write_bytes(block(0))
    return path, project_file


# Kills at random moments


def kill_runs(folder: Path, runs: int, seed: int) -> Tally:
    """Every session lives through ten kills."""
    chance = random.Random(seed)
    tally = Tally()
    path, project_file = fresh(folder, 0)
    for number in range(runs):
        if number and number % 10 == 0:
            path, project_file = fresh(folder, number)
        reports, is_killed = fork_and_kill(path, project_file, chance)
        tally.check(path, project_file, reports, is_killed=is_killed)
    return tally


def fork_and_kill(path: Path, project_file: Path, chance: random.Random) -> tuple[str, bool]:
    """Run `work` in a forked process for a random time; what it reported, and whether the kill hit it at work."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        os.dup2(writing, 1)
        try:
            asyncio.run(work(path, project_file, chance.randrange(10**9), 1_000))
        finally:
            os._exit(1)
    os.close(writing)
    chance.random()
    reports = read_until(reading, time.monotonic() + chance.uniform(0.01, 0.12))
    os.kill(process, signal.SIGKILL)
    reports += read_until(reading, None)
    os.close(reading)
    _, status = os.waitpid(process, 0)
    return reports.decode(), os.WIFSIGNALED(status)


def read_until(descriptor: int, deadline: float | None) -> bytes:
    """What comes through a pipe until the deadline (None: until its end)."""
    data = b""
    while True:
        left = None if deadline is None else max(deadline - time.monotonic(), 0)
        if not select.select([descriptor], [], [], left)[0]:
            break
        part = os.read(descriptor, 1 << 16)
        if not part:
            break
        data += part
    return data


# Faults of the system


def fault_runs(folder: Path, count: int, every: int) -> Tally:
    """Each fault at each k-th call on the session's file and on the project's file, once and for good."""
    tally = Tally()
    number = 0
    for call, fault in FAULTS:
        for when in range(1, count + 1, every):
            for forever in ("", "+") if "error" in fault else ("",):
                number += 1
                path, project_file = fresh(folder, number)
                injected = f"{fault}:when={when}{forever}"
                reports, status = run_with_fault(path, project_file, call, injected, number)
                tally.check(path, project_file, reports, is_killed=status != 0)
                if status and "error" in fault:
                    print(f"{call} {injected}: ended with {status}", file=sys.stderr)
                    tally["programs crashed"] += 1
    return tally


def run_with_fault(path: Path, project_file: Path, call: str, fault: str, seed: int) -> tuple[str, int]:
    calls = {"rename": "rename,renameat,renameat2", "fsync": "fsync,fdatasync"}.get(call, call)
    tracer = ["strace", "-f", "-o", os.devnull, "-P", str(path), "-P", str(project_file)]
    tracer += ["-e", f"trace={calls}", "-e", f"inject={calls}:{fault}"]
    child = [sys.executable, "-P", __file__, "--work", str(path), str(project_file), str(seed), "12"]
    done = subprocess.run([*tracer, *child], capture_output=True, text=True, timeout=60)
    if done.returncode == 1:
        print(done.stderr, file=sys.stderr)
    return done.stdout, done.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200, help="kills at random moments")
    parser.add_argument("--faults", action="store_true", help="inject faults with strace as well")
    parser.add_argument("--count", type=int, default=14, help="up to which call of a run faults are injected")
    parser.add_argument("--every", type=int, default=1, help="inject at every so many calls only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        path, project_file, seed, count = options.work
        asyncio.run(work(Path(path), Path(project_file), int(seed), int(count)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return run(Path(folder), options)


def run(folder: Path, options: argparse.Namespace) -> int:
    start = time.monotonic()
    tally = kill_runs(folder, options.runs, options.seed)
    tally.print("kills at random moments", time.monotonic() - start)
    good = tally.is_good()
    if options.faults and shutil.which("strace"):
        start = time.monotonic()
        faults = folder / "faults"
        faults.mkdir()
        tally = fault_runs(faults, options.count, options.every)
        tally.print("faults at every k-th call", time.monotonic() - start)
        good = good and tally.is_good()
    elif options.faults:
        print("strace is not installed: no faults injected")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
