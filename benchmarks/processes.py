"""How the tool `bash` deals with processes: a table of command shapes, of cancelling, and of survivors.

    python benchmarks/processes.py [--portable]

First part: commands that leave something behind which holds the output pipe. Shown are the time from the shell's own
end (it writes the time as its last act) to the result, the processes that the result counts, and those alive
afterwards and after `close`. Second part: the time from a cancellation to the moment when the tool has returned, and
survivors. Third part: the cost of `true` against a bare `subprocess`, and what a long output costs.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import anyio
import psutil

from pyagent_tui.agent.details import OutputDetails
from pyagent_tui.agent.tool import ToolContext, ToolResult
from pyagent_tui.tools.bash import BashTool
from pyagent_tui.tools.keeper import ProcessKeeper
from pyagent_tui.tools.local import LocalOperations
from pyagent_tui.tools.settings import ToolSettings

MARK = "87654.25"
"""Seconds that nobody else sleeps: by them the processes of this run are known."""

SHAPES = {
    "plain": f"sleep {MARK} & echo out",
    "chatty": f"(while :; do echo x; sleep 0.01; done; sleep {MARK}) & sleep {MARK} & echo out",
    "stdout only": f"sleep {MARK} 2>/dev/null & echo out",
    "stderr only": f"sleep {MARK} >/dev/null & echo out",
    "nohup": f"nohup sleep {MARK} & echo out",
    "setsid": f"setsid sleep {MARK} & echo out",
    "double fork": f"(setsid sh -c 'sleep {MARK} & sleep {MARK}' &) ; echo out",
    "coproc": f"coproc sleep {MARK}; echo out",
    "detached": f"setsid sleep {MARK} </dev/null >/dev/null 2>&1 & echo out",
    "env -i": f"env -i setsid sleep {MARK} & echo out",
}
CANCELLED = {
    "one process": f"echo up; sleep {MARK}",
    "pipeline": f"echo up; sleep {MARK} | cat",
    "background": f"sleep {MARK} & sleep {MARK} & echo up; sleep {MARK}",
    "setsid": f"setsid sleep {MARK} & echo up; setsid sleep {MARK}",
    "double fork": f"(setsid sh -c 'sleep {MARK} & sleep {MARK}' &) ; echo up; sleep {MARK}",
    "stopped": f"sleep {MARK} & kill -STOP $!; echo up; sleep {MARK}",
    "ignores SIGTERM": f"trap '' TERM; echo up; sleep {MARK}",
}


def survivors() -> int:
    count = 0
    for process in psutil.process_iter():
        try:
            count += MARK in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            continue
    return count


class Bench:
    """The tool with a fresh keeper."""

    def __init__(self, *, supervised: bool) -> None:
        self.operations = LocalOperations(ProcessKeeper(supervised=supervised))
        self.tool = BashTool(self.operations, tempfile.gettempdir(), ToolSettings())
        self.updates: list[ToolResult] = []

    async def run(self, command: str) -> ToolResult:
        self.updates.clear()
        return await self.tool.execute("1", self.tool.Arguments(command=command), ToolContext(self.updates.append))

    async def close(self) -> None:
        await self.operations.aclose()
        with anyio.move_on_after(4):
            while survivors():
                await anyio.sleep(0.02)


async def shapes(supervised: bool) -> None:
    print(f"\n{'left behind':14} {'after the shell':>15} {'counted':>8} {'alive':>6} {'after close':>12}")
    for name, command in SHAPES.items():
        bench = Bench(supervised=supervised)
        with tempfile.NamedTemporaryFile() as stamp:
            result = await bench.run(f"{command}; date +%s.%N >{stamp.name}")
            seconds = time.time() - float(Path(stamp.name).read_text())
        assert isinstance(result.details, OutputDetails)
        assert "out" in result.text or name == "chatty"
        alive = survivors()
        await bench.close()
        counted = result.details.left_running
        print(f"{name:14} {seconds * 1000:12.0f} ms {counted:8} {alive:6} {survivors():12}")


async def cancelling(supervised: bool) -> None:
    print(f"\n{'cancelled':16} {'until it returned':>18} {'survivors':>10} {'output kept':>12}")
    for name, command in CANCELLED.items():
        bench = Bench(supervised=supervised)
        times: list[float] = []
        kept = alive = 0
        before = survivors()
        for _ in range(1 if name == "ignores SIGTERM" else 5):
            times.append(await _cancelled(bench, command))
            alive += survivors() - before
            kept += bench.updates[-1].text.startswith("up")
        await bench.close()
        print(f"{name:16} {statistics.median(times) * 1000:15.0f} ms {alive:10} {kept:8} of {len(times)}")


async def _cancelled(bench: Bench, command: str) -> float:
    """Seconds from the cancellation to the return."""
    task = asyncio.get_running_loop().create_task(bench.run(command))
    while not bench.updates or "up" not in bench.updates[-1].text:
        await anyio.sleep(0.005)
    await anyio.sleep(0.1)
    began = time.perf_counter()
    task.cancel()
    await asyncio.wait([task])
    return time.perf_counter() - began


async def costs(supervised: bool) -> None:
    bench = Bench(supervised=supervised)
    await bench.run("true")
    ours, bare = list[float](), list[float]()
    for _ in range(40):
        ours.append(await _timed(bench, "true"))
        began = time.perf_counter()
        subprocess.run(["/bin/bash", "-c", "true"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
        bare.append(time.perf_counter() - began)
        await anyio.sleep(0.01)
    print(f"\ntrue: {_quartiles(ours)}; bare subprocess: {_quartiles(bare)}")
    for command in ("seq 1 200000", "yes | head -c 300000000"):
        before = psutil.Process().memory_info().rss
        seconds = await _timed(bench, command)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before) / 1e6
        print(f"{command}: {seconds * 1000:.0f} ms, memory peak +{grown:.0f} MB")
    await bench.close()


async def _timed(bench: Bench, command: str) -> float:
    began = time.perf_counter()
    result = await bench.run(command)
    seconds = time.perf_counter() - began
    assert isinstance(result.details, OutputDetails)
    if result.details.full_output_path is not None:
        os.unlink(result.details.full_output_path)
    return seconds


def _quartiles(seconds: list[float]) -> str:
    low, middle, _ = statistics.quantiles(seconds, n=4)
    return f"{min(seconds) * 1000:.1f} / {low * 1000:.1f} / {middle * 1000:.1f} ms (least, quartile, median)"


async def run(supervised: bool) -> None:
    print("supervised" if supervised else "portable", f"(load {os.getloadavg()[0]:.1f})")
    await shapes(supervised)
    await cancelling(supervised)
    await costs(supervised)


def end_survivors() -> None:
    """What escaped (without a supervisor ``env -i setsid`` does) is reported above and ended here."""
    for process in psutil.process_iter():
        try:
            if MARK in process.cmdline():
                process.kill()
        except psutil.Error:
            continue


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--portable", action="store_true", help="measure the way of systems other than Linux")
    portable = parser.parse_args().portable
    try:
        asyncio.run(run(not portable))
    finally:
        end_survivors()


if __name__ == "__main__":
    main()
