import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import anyio
import psutil
import pytest

from pyagent_tui.agent.details import OutputDetails
from pyagent_tui.agent.permission import Permission
from pyagent_tui.agent.tool import ToolError
from pyagent_tui.tests.pace import budget
from pyagent_tui.tests.tools.workbench import Workbench, alive
from pyagent_tui.tools.bash import BashTool
from pyagent_tui.tools.keeper import ProcessKeeper
from pyagent_tui.tools.local import LocalOperations
from pyagent_tui.tools.operations import Command
from pyagent_tui.tools.settings import Confined, ToolSettings
from pyagent_tui.tools.supervisor import descendants, listed_descendants

pytestmark = pytest.mark.anyio


async def until(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    with anyio.move_on_after(seconds):
        while not condition():
            await anyio.sleep(0.01)
        return True
    return False


@pytest.fixture(params=["supervised", "portable"])
def either(request: pytest.FixtureRequest, bench: Workbench) -> Iterator[Workbench]:
    """The tools with both ways of running commands."""
    if request.param == "supervised":
        yield bench
        return
    operations = LocalOperations(ProcessKeeper(supervised=False))
    bench.operations = operations
    bench.tools["bash"] = BashTool(operations, str(bench.root), ToolSettings())
    yield bench
    operations.keeper.close()


async def test_output_comes_as_it_was_written_with_the_exit_code(either: Workbench) -> None:
    text, details = await either.run("echo out; echo err >&2; exit 3")
    assert text == "out\nerr\n\nCommand exited with code 3"
    assert (details.exit_code, details.signal, details.total_lines) == (3, None, 2)


async def test_a_failing_command_is_an_error_result_and_a_good_one_is_not(bench: Workbench) -> None:
    assert (await bench.call("bash", command="false")).is_error
    assert not (await bench.call("bash", command="true")).is_error


async def test_no_output_is_said(bench: Workbench) -> None:
    assert (await bench.run("true"))[0] == "(no output)"


async def test_a_signal_is_named(either: Workbench) -> None:
    text, details = await either.run("kill -KILL $$")
    assert "ended by SIGKILL" in text
    assert (details.exit_code, details.signal) == (None, "SIGKILL")
    assert "code 137 (SIGKILL)" in (await either.run("sh -c 'kill -KILL $$'; exit $?"))[0]


async def test_there_is_no_input_and_no_terminal(either: Workbench) -> None:
    text, _ = await either.run("cat; python3 -c \"open('/dev/tty')\"; test -t 0 || echo none")
    assert "No such device or address: '/dev/tty'" in text
    assert text.endswith("none")


@pytest.mark.parametrize(
    "command",
    [
        "sleep NAP & echo started",
        "(while :; do echo x; sleep 0.02; done) & echo started",
        "yes | head -n 20 & (trap '' PIPE; while :; do echo x; sleep 0.001; done) & echo started",
        "sleep NAP 2>/dev/null & echo started",
        "sleep NAP >/dev/null & echo started",
        "nohup sleep NAP & echo started",
        "setsid sleep NAP & echo started",
        "(setsid sh -c 'sleep NAP & sleep NAP' &) ; echo started",
        "coproc sleep NAP; echo started",
        "env -i setsid sleep NAP & echo started",
    ],
)
async def test_a_command_that_leaves_a_process_returns_soon_and_says_so(bench: Workbench, command: str) -> None:
    limit, began = budget(1.0), time.monotonic()
    text, details = await bench.run(command)
    # 0.5 s after the shell's exit, and some for starting it on a busy machine.
    assert time.monotonic() - began < limit
    assert "started" in text
    assert details.exit_code == 0
    assert details.left_running >= 1
    assert "left running" in text
    bench.local.keeper.close()
    assert await until(lambda: not alive(bench.nap))


async def test_a_server_that_goes_on_writing_is_not_ended_by_its_pipe(bench: Workbench) -> None:
    marker = bench.root / "beats"
    await bench.run(f"(while :; do echo beat; echo x >>{marker}; sleep 0.01; done) & echo ok")
    size = marker.stat().st_size
    assert await until(lambda: marker.stat().st_size > size + 100)


async def test_a_portable_background_process_is_counted_and_ended(either: Workbench) -> None:
    _, details = await either.run("sleep NAP & (setsid sleep NAP &) ; echo started")
    assert details.left_running == 2
    await either.operations.aclose()
    assert await until(lambda: not alive(either.nap))


async def test_cancelling_ends_the_whole_tree_and_keeps_the_output(either: Workbench) -> None:
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(_cancel_when_started, either, scope)
            await either.run("echo partial; sleep NAP & (setsid sleep NAP &) ; setsid sleep NAP & sleep NAP | cat")
    assert scope.cancelled_caught
    assert not alive(either.nap)
    last = either.updates[-1]
    assert last.text == "partial\n\nCommand aborted"
    assert isinstance(last.details, OutputDetails)
    assert last.details.aborted
    assert last.is_error


async def _cancel_when_started(bench: Workbench, scope: anyio.CancelScope) -> None:
    await until(lambda: len(alive(bench.nap)) >= 4 and any("partial" in update.text for update in bench.updates))
    scope.cancel()


async def test_a_stopped_process_does_not_wait_for_sigkill(either: Workbench) -> None:
    limit, began = budget(2.0), time.monotonic()
    await either.run("sleep NAP & kill -STOP $!; wait", timeout=0.3)
    assert time.monotonic() - began < limit
    assert not alive(either.nap)


async def test_what_ignores_sigterm_is_killed_after_two_seconds(bench: Workbench) -> None:
    async def stop(scope: anyio.CancelScope) -> None:
        await until(lambda: "ready" in bench.updates[-1].text if bench.updates else False)
        scope.cancel()

    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(stop, scope)
            await bench.run("trap '' TERM; python3 -c \"import time\nprint('ready', flush=True)\ntime.sleep(NAP)\"")
    assert not alive(bench.nap)


async def test_a_timeout_keeps_the_output_and_ends_the_tree(either: Workbench) -> None:
    text, details = await either.run("echo one; setsid sleep NAP & sleep NAP", timeout=0.5)
    assert text == "one\n\nCommand timed out after 0.5 s and was ended"
    assert details.timed_out
    assert not alive(either.nap)


async def test_the_default_timeout_comes_from_the_settings(bench: Workbench) -> None:
    tool = BashTool(bench.operations, str(bench.root), ToolSettings(default_timeout=0.3))
    bench.tools["bash"] = tool
    assert "timed out after 0.3 s" in (await bench.run("sleep 60"))[0]


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan"), 1e12, "soon"])
def test_a_timeout_that_is_none_is_refused(bench: Workbench, timeout: object) -> None:
    with pytest.raises(ValueError, match="validation error"):
        bench.validated("bash", {"command": "ls", "timeout": timeout})


def test_a_numeric_string_is_a_timeout(bench: Workbench) -> None:
    assert bench.validated("bash", {"command": "ls", "timeout": "5"}).timeout == 5


async def test_lines_appear_while_the_command_runs(bench: Workbench) -> None:
    seen: list[str] = []
    gate = bench.root / "gate"

    async def open_gate() -> None:
        await until(lambda: any("first" in update.text for update in bench.updates))
        seen.append(bench.updates[-1].text)
        gate.touch()

    async with anyio.create_task_group() as group:
        group.start_soon(open_gate)
        text, _ = await bench.run(f"echo first; while [ ! -e {gate} ]; do sleep 0.01; done; echo second")
        assert text == "first\nsecond"
    assert seen == ["first"]


async def test_updates_come_at_most_every_tenth_of_a_second_and_are_small(bench: Workbench) -> None:
    began = time.monotonic()
    await bench.run("for i in $(seq 60); do seq 1 500; sleep 0.01; done")
    assert len(bench.updates) <= 2 + (time.monotonic() - began) / 0.1
    assert max(len(update.text) for update in bench.updates) <= 16 * 1024


async def test_bytes_of_a_character_may_come_one_by_one(bench: Workbench) -> None:
    text, _ = await bench.run("for b in 'c3' a9 e4 b8 ad e2 9c 85; do printf \"\\x$b\"; sleep 0.02; done")
    assert text == "é中✅"
    assert "�" not in "".join(update.text for update in bench.updates)


async def test_bytes_that_are_no_utf_8_are_marked(bench: Workbench) -> None:
    assert (await bench.run("printf 'ok\\xff\\xfe\\x80\\n'"))[0] == "ok���"
    await bench.run("head -c 200000 /dev/urandom")


async def test_a_progress_bar_shows_its_last_state(bench: Workbench) -> None:
    command = "printf 'P 10%%\\rP 20%%\\rP 100%%\\nok\\n\\033[2J\\033[5A\\033[1mup\\033[0m\\n'"
    text, details = await bench.run(command)
    assert text == "P 100%\nok\nup"
    assert details.output == "P 100%\nok\n\x1b[1mup\x1b[0m"


async def test_a_long_output_keeps_its_end_and_all_of_it_in_a_private_file(bench: Workbench) -> None:
    text, details = await bench.run("seq 1 2500")
    assert text.startswith("501\n")
    assert "[Lines 501-2500 of 2500 shown. Full output: " in text
    assert details.full_output_path is not None
    path = Path(details.full_output_path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() == "".join(f"{n}\n" for n in range(1, 2501))
    assert details.truncation is not None
    assert (details.truncation.total_lines, details.truncation.output_lines) == (2500, 2000)
    path.unlink()


async def test_the_limit_of_lines_is_exact(bench: Workbench) -> None:
    _, details = await bench.run("seq 1 2000")
    assert details.truncation is None
    assert details.full_output_path is None
    text, details = await bench.run("seq 1 2001")
    assert "[Lines 2-2001 of 2001 shown." in text
    os.unlink(details.full_output_path or "")


async def test_one_huge_line_keeps_its_end(bench: Workbench) -> None:
    text, details = await bench.run("printf 'é%.0s' $(seq 40000)")
    assert "[The last 50.0KB of line 1 shown" in text
    assert set(text.split("\n")[0]) == {"é"}
    os.unlink(details.full_output_path or "")


async def test_much_output_passes_in_bounded_memory(bench: Workbench) -> None:
    await bench.run("true")
    before = psutil.Process().memory_info().rss
    text, details = await bench.run("yes | head -c 300000000")
    assert "Lines 149998001-150000000 of 150000000 shown" in text
    assert psutil.Process().memory_info().rss - before < 60_000_000
    assert os.stat(details.full_output_path or "").st_size == 300_000_000
    os.unlink(details.full_output_path or "")


async def test_no_descriptor_is_left_open(bench: Workbench) -> None:
    await bench.run("true")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        await bench.run("seq 1 10")
    assert await until(lambda: len(os.listdir("/proc/self/fd")) <= before)


async def test_keys_are_withheld_and_the_marks_are_there(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    monkeypatch.setenv("OTHER_API_KEY", "wanted")
    both = frozenset({"SOME_API_KEY", "OTHER_API_KEY"})
    settings = ToolSettings(withheld_environment=both, passed_environment=frozenset({"OTHER_API_KEY"}))
    bench.tools["bash"] = BashTool(bench.operations, str(bench.root), settings)
    text, _ = await bench.run("env | grep -E '_API_KEY=|^PYAGENT_TUI(_SESSION_ID)?=' | sort")
    assert text == "OTHER_API_KEY=wanted\nPYAGENT_TUI=1\nPYAGENT_TUI_SESSION_ID=the-session"


async def test_a_prefix_runs_before_each_command(bench: Workbench) -> None:
    settings = ToolSettings(command_prefix="x=from-prefix")
    bench.tools["bash"] = BashTool(bench.operations, str(bench.root), settings)
    assert (await bench.run("echo $x"))[0] == "from-prefix"


async def test_what_confines_gets_the_whole_command_and_a_failure_tells_of_it(bench: Workbench) -> None:
    async def confine(argv: Sequence[str], cwd: str, permission: Permission | None) -> Confined:
        assert permission is None
        return Confined(["/usr/bin/env", f"WRAPPED={cwd}", *argv], "[confined]")

    bench.tools["bash"] = BashTool(bench.operations, str(bench.root), ToolSettings(confine=confine))
    text, details = await bench.run("echo $WRAPPED")
    assert text == str(bench.root)
    assert details.confined
    assert (await bench.run("exit 3"))[0].endswith("code 3\n\n[confined]")


async def test_what_cannot_be_started_is_an_error_result(either: Workbench) -> None:
    assert "NUL" in await either.refused("bash", command="echo a\0b")
    assert "too long" in await either.refused("bash", command="echo " + "x" * 3_000_000)
    operations = either.operations
    missing = BashTool(operations, str(either.root), ToolSettings(shell_path="/no/such/sh"))
    either.tools["bash"] = missing
    assert "/no/such/sh was not found" in await either.refused("bash", command="ls")
    gone = either.root / "gone"
    either.tools["bash"] = BashTool(operations, str(gone), ToolSettings())
    assert f"the working folder {gone} is not there" in await either.refused("bash", command="ls")


@pytest.mark.parametrize(("text", "folder"), [("echo \ud83d", "/"), ("true", "/no/such/folder")])
async def test_a_failed_start_leaves_nothing_behind(bench: Workbench, text: str, folder: str) -> None:
    await bench.run("true")
    keeper = bench.local.keeper
    await until(lambda: not keeper._closers)  # pyright: ignore[reportPrivateUsage]
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    before = psutil.Process().num_fds()
    with pytest.raises((OSError, UnicodeEncodeError)):
        await keeper.spawn(Command(["/bin/sh", "-c", text], folder))
    assert await until(lambda: psutil.Process().num_fds() <= before)
    assert not keeper._closers  # pyright: ignore[reportPrivateUsage]
    gc.collect()
    await anyio.wait_all_tasks_blocked()
    assert not complaints


IN_ASCII = """\
import asyncio
from pyagent_tui.agent.tool import ToolContext
from pyagent_tui.tools.bash import BashTool
from pyagent_tui.tools.local import LocalOperations
from pyagent_tui.agent.permission import Permission
from pyagent_tui.tools.settings import Confined, ToolSettings

async def main():
    operations = LocalOperations()
    tool = BashTool(operations, "/", ToolSettings())
    result = await tool.execute("c", tool.Arguments(command="echo \\u00e9\\u4e2d"), ToolContext())
    operations.keeper.close()
    print(ascii(result.text))

asyncio.run(main())
"""


def test_a_command_may_hold_what_the_locale_lacks() -> None:
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([sys.executable, "-c", IN_ASCII], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("'\\xe9\\u4e2d'\n", "")


async def test_a_closed_keeper_starts_nothing(bench: Workbench) -> None:
    await bench.operations.aclose()
    with pytest.raises(ToolError, match="program is ending"):
        await bench.run("true")


async def test_a_supervisor_that_was_killed_is_replaced(bench: Workbench) -> None:
    await bench.run("true")
    [supervisor] = [child.pid for child in psutil.Process().children() if "supervisor.py" in " ".join(child.cmdline())]
    os.kill(supervisor, signal.SIGKILL)
    assert await until(lambda: psutil.Process(supervisor).status() == psutil.STATUS_ZOMBIE)
    assert (await bench.run("echo again"))[0] == "again"


@pytest.mark.skipif(sys.platform != "linux", reason="the supervisor is for Linux")
async def test_the_kernel_lists_a_whole_tree_without_a_look_at_every_process() -> None:
    tree = subprocess.Popen(["bash", "-c", "sleep 1000 & setsid sleep 1000 & bash -c 'sleep 1000; true'"])
    try:
        assert await until(lambda: len(psutil.Process(tree.pid).children(recursive=True)) == 4)
        if not os.path.exists(f"/proc/{tree.pid}/task/{tree.pid}/children"):
            pytest.skip("a kernel without lists of children")
        listed = listed_descendants(tree.pid)
        assert listed == descendants(tree.pid)
        assert len(listed) == 4
        assert listed_descendants(2**22 + 1) == set()
    finally:
        for process in psutil.Process(tree.pid).children(recursive=True):
            process.kill()
        tree.kill()
        tree.wait()


async def test_everything_ends_when_the_program_is_killed(bench: Workbench) -> None:
    script = (
        "import asyncio, os, signal, sys\n"
        "from pyagent_tui.tools.local import LocalOperations\n"
        "from pyagent_tui.tools.operations import Command\n"
        "async def main():\n"
        "    process = await LocalOperations().spawn(Command(['/bin/sh', '-c',"
        " 'sleep NAP & setsid sleep NAP & echo up; sleep NAP'], '/'))\n"
        "    await process.read()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    subprocess.run([sys.executable, "-c", script.replace("NAP", bench.nap)], check=False)
    assert await until(lambda: not alive(bench.nap))
