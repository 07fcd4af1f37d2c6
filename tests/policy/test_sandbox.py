"""Commands confined for real: bubblewrap, the real tool, the real supervisor."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest

from pyagent_tui.agent.approval import ApprovalMode
from pyagent_tui.agent.details import OutputDetails
from pyagent_tui.agent.permission import Permission
from pyagent_tui.agent.tool import ToolContext, ToolResult
from pyagent_tui.app.conversation.confinement import confiner
from pyagent_tui.policy.sandbox import Sandbox, SandboxLimits, SandboxMode
from pyagent_tui.tools.arguments import CommandArguments
from pyagent_tui.tools.bash import BashTool
from pyagent_tui.tools.local import LocalOperations
from pyagent_tui.tools.settings import ToolSettings

FAULT = Sandbox("on", SandboxLimits("/")).probe()

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(bool(FAULT), reason=FAULT)]

BY_MODE = Permission("allowed", "mode", "auto")
BY_PERSON = Permission("allowed", "person")


class Bench:
    """A project below a home folder; the temporary folder is elsewhere, so that only the project can be written."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.project = home / "project"
        self.project.mkdir()
        self.operations = LocalOperations()

    def sandbox(self, mode: SandboxMode = "on", *, network: bool = True) -> Sandbox:
        config = self.home / "config"
        config.mkdir(exist_ok=True)
        (config / "auth.json").write_text("the key")
        (config / "rules.toml").write_text("")
        (self.home / "cache").mkdir(exist_ok=True)
        return Sandbox(
            mode,
            SandboxLimits(
                str(self.project), (str(self.home / "cache"),), (str(config),), (str(config / "auth.json"),), network
            ),
        )

    async def run(
        self,
        command: str,
        sandbox: Sandbox | None = None,
        permission: Permission = BY_MODE,
        timeout: float | None = None,
    ) -> ToolResult:
        settings = ToolSettings(confine=confiner(sandbox or self.sandbox()))
        tool = BashTool(self.operations, str(self.project), settings)
        return await tool.execute(
            "c", CommandArguments(command=command, timeout=timeout), ToolContext(permission=permission)
        )


@pytest.fixture
async def bench() -> AsyncGenerator[Bench]:
    """Not among the temporary files, which may be written."""
    base = next((path for path in (Path.home(), Path("/var/lib"), Path("/srv")) if os.access(path, os.W_OK)), None)
    if base is None:
        pytest.skip("no folder outside of the temporary ones can be written")
    home = base / f".pyagent-tui-test-{os.getpid()}-{time.monotonic_ns()}"
    home.mkdir(mode=0o700)
    bench = Bench(home)
    try:
        yield bench
    finally:
        await bench.operations.aclose()
        subprocess.run(["rm", "-rf", str(home)], check=True)


def details(result: ToolResult) -> OutputDetails:
    assert isinstance(result.details, OutputDetails)
    return result.details


async def test_only_the_project_temporary_and_listed_folders_can_be_written(bench: Bench) -> None:
    away = bench.home / "away"
    command = (
        "echo a > in && mkdir -p sub && echo b > sub/in && echo c > ../cache/in && echo d > /tmp/pyagent-$$ && "
        f"rm /tmp/pyagent-$$ && echo fine; echo e > {away}; echo f > /etc/pyagent-test; touch ~/.pyagent-test"
    )
    result = await bench.run(command)
    assert "fine" in result.text
    assert result.text.count("Read-only file system") == 3
    assert (bench.project / "sub" / "in").read_text() == "b\n"
    assert not away.exists()
    assert details(result).confined
    assert "ran confined" in result.text


async def test_what_decides_what_runs_outside_stays_as_it_is(bench: Bench) -> None:
    subprocess.run(["git", "init", "-q", str(bench.project)], check=True)
    (bench.project / ".pyagent").mkdir()
    (bench.project / "sub").mkdir()
    bench.sandbox()
    for command in (
        "echo x >> .git/config",
        "git config core.fsmonitor evil",
        "echo x > .git/hooks/pre-commit",
        "mv .git/hooks .git/other",
        "echo x > .pyagent/config.toml",
        "echo x > ../config/rules.toml",
    ):
        assert (await bench.run(command)).is_error, command
    commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log --oneline"
    assert not (await bench.run(commit)).is_error


async def test_a_linked_worktree_can_commit(bench: Bench) -> None:
    main = bench.home / "main"
    git = ["git", "-C", str(main), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    bench.project.rmdir()
    subprocess.run([*git, "worktree", "add", "-q", str(bench.project)], check=True, capture_output=True)
    commit = "echo a > a; git add a; git -c user.name=a -c user.email=a@b commit -q -m y"
    result = await bench.run(commit)
    assert not result.is_error, result.text
    assert (await bench.run("echo x > ../main/a")).is_error


async def test_keys_processes_and_sockets_of_others_are_out_of_reach(bench: Bench) -> None:
    sandbox = bench.sandbox()
    assert "the key" not in (await bench.run("cat ../config/auth.json", sandbox)).text
    outside = subprocess.Popen(["sleep", "60"])
    try:
        assert (await bench.run(f"kill {outside.pid} || ls /proc/{outside.pid}", sandbox)).is_error
        assert outside.poll() is None
    finally:
        outside.kill()
        outside.wait()
    assert (await bench.run("ls /run | grep -v systemd; ls -A /run/user /run/docker.sock", sandbox)).is_error


@pytest.mark.parametrize("network", [True, False])
async def test_the_network_is_there_unless_it_is_taken_away(bench: Bench, network: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        result = await bench.run(f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached", bench.sandbox(network=network))
    assert ("reached" in result.text) == network
    if not network:
        assert "no network" in result.text


async def test_auto_confines_what_nobody_read(bench: Bench) -> None:
    auto = bench.sandbox("auto")
    for permission, confined in [
        (BY_MODE, True),
        (Permission("allowed", "rule", "x"), True),
        (Permission("allowed", "run"), True),
        (BY_PERSON, False),
        (Permission("changed", "person"), False),
    ]:
        result = await bench.run("touch ../away && rm ../away", auto, permission)
        assert (details(result).confined, result.is_error) == (confined, confined)
    assert details(await bench.run("true", bench.sandbox("on"), BY_PERSON)).confined
    assert not details(await bench.run("true", bench.sandbox("off"), BY_MODE)).confined


@pytest.mark.parametrize(
    ("mode", "approval", "state"),
    [("on", "review", "on"), ("auto", "review", "auto"), ("auto", "auto", "on"), ("off", "auto", "")],
)
async def test_the_status_line_says_what_it_got(
    bench: Bench, mode: SandboxMode, approval: ApprovalMode, state: str
) -> None:
    sandbox = bench.sandbox(mode)
    assert sandbox.state(approval == "auto") == ""
    sandbox.probe()
    assert sandbox.state(approval == "auto") == state


async def test_exit_codes_and_signals_pass_through(bench: Bench) -> None:
    assert details(await bench.run("exit 7")).exit_code == 7
    assert "code 143" in (await bench.run("kill $$")).text


async def test_what_a_confined_command_leaves_is_counted_goes_on_and_is_ended(bench: Bench) -> None:
    sandbox = bench.sandbox()
    assert details(await bench.run("true", sandbox)).left_running == 0
    mark = f"{300 + os.getpid() % 100}.{time.monotonic_ns() % 10**6}"
    result = await bench.run(f"sleep {mark} & (setsid sleep {mark} &) ; echo started", sandbox)
    assert details(result).left_running == 2
    assert running(mark) == 2
    await bench.operations.aclose()
    with anyio.fail_after(30):
        while running(mark):
            await anyio.sleep(0.05)


async def test_a_confined_tree_ends_with_its_time_limit_and_when_it_is_cancelled(bench: Bench) -> None:
    mark = f"{400 + os.getpid() % 100}.{time.monotonic_ns() % 10**6}"
    command = f"trap '' TERM; (setsid sleep {mark} &) ; sleep {mark} & wait; wait"
    result = await bench.run(command, timeout=0.5)
    assert details(result).timed_out
    assert running(mark) == 0
    sandbox = bench.sandbox()
    with anyio.move_on_after(1):
        await bench.run(command, sandbox)
    assert running(mark) == 0


async def test_a_confined_tree_ends_when_the_program_is_killed(bench: Bench) -> None:
    mark = f"{500 + os.getpid() % 100}.{time.monotonic_ns() % 10**6}"
    code = f"""
import asyncio
from pathlib import Path
from pyagent_tui.tests.policy.test_sandbox import Bench
bench = Bench.__new__(Bench)
from pyagent_tui.tools.local import LocalOperations
bench.home, bench.project, bench.operations = Path({str(bench.home)!r}), Path({str(bench.project)!r}), LocalOperations()
asyncio.run(bench.run("(setsid sleep {mark} &) ; sleep {mark}"))
"""
    program = subprocess.Popen([sys.executable, "-c", code])
    with anyio.fail_after(60):
        while running(mark) < 2:
            await anyio.sleep(0.05)
        program.kill()
        program.wait()
        while running(mark):
            await anyio.sleep(0.05)


def running(mark: str) -> int:
    """How many ``sleep`` processes with this argument live."""
    count = 0
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    count += file.read() == f"sleep\0{mark}\0".encode()
            except OSError:
                continue
    return count
