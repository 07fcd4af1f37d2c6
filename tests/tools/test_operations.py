"""The contract of `Operations`, over all three machines."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from pyagent_tui.tests.tools.sshd import IS_AVAILABLE, running_sshd
from pyagent_tui.tests.tools.workbench import Workbench, alive
from pyagent_tui.tools.filestate import FileState
from pyagent_tui.tools.local import LocalOperations
from pyagent_tui.tools.memory import MemoryOperations
from pyagent_tui.tools.operations import Command, DirectoryEntry, Exit, Operations, Process, StaleFileError, read_whole
from pyagent_tui.tools.registry import create_tools
from pyagent_tui.tools.remote import parse_remote
from pyagent_tui.tools.ssh import SshOperations, remote_folder

pytestmark = pytest.mark.anyio


@dataclass
class Machine:
    """Operations, a folder on them, and a way round them to put things there."""

    operations: Operations
    root: str
    put: Callable[[str, bytes], None]
    get: Callable[[str], bytes]
    link: Callable[[str, str], None]
    hard_link: Callable[[str, str], None]
    fifo: Callable[[str], None]

    def path(self, name: str) -> str:
        return f"{self.root}/{name}"


def on_disk(operations: Operations, root: Path) -> Machine:
    def put(name: str, data: bytes) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)

    return Machine(
        operations,
        str(root),
        put,
        lambda name: (root / name).read_bytes(),
        lambda name, target: (root / name).symlink_to(target),
        lambda name, existing: (root / name).hardlink_to(root / existing),
        lambda name: os.mkfifo(root / name),
    )


def in_memory() -> Machine:
    async def run(command: Command, write: Callable[[bytes], None]) -> int:
        """A shell that knows what these tests ask of it."""
        match command.argv[-1]:
            case "echo out; echo err >&2; exit 3":
                write(b"out\nerr\n" if command.stderr == "merge" else b"out\n")
                return 3
            case 'echo "$NAME" $PWD':
                write(f"{command.environment['NAME']} {command.cwd}\n".encode())
            case "echo up; sleep 600":
                write(b"up\n")
                await anyio.sleep_forever()
            case _:
                pass
        return 0

    machine = MemoryOperations(run=run)
    machine.add_folder("/root")

    return Machine(
        machine,
        "/root",
        lambda name, data: machine.add_file(f"/root/{name}", data),
        lambda name: machine.content(f"/root/{name}"),
        lambda name, target: machine.add_link(f"/root/{name}", target),
        lambda name, existing: machine.add_hard_link(f"/root/{name}", f"/root/{existing}"),
        lambda name: machine.add_special(f"/root/{name}", "fifo"),
    )


@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[str]]]:
    if not IS_AVAILABLE:
        pytest.skip("there is no sshd here")
    with running_sshd(tmp_path_factory.mktemp("sshd")) as address:
        yield address


@pytest.fixture(scope="module")
def other_machine(sshd: tuple[str, list[str]]) -> Iterator[SshOperations]:
    operations = SshOperations(*sshd)
    yield operations
    asyncio.run(operations.aclose())


@pytest.fixture(params=["local", "memory", "ssh"])
async def machine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Machine]:
    match request.param:
        case "local":
            made = on_disk(LocalOperations(), tmp_path)
        case "memory":
            made = in_memory()
        case _:
            other: SshOperations = request.getfixturevalue("other_machine")
            yield on_disk(other, tmp_path)
            await other.close_shells()
            return
    yield made
    await made.operations.aclose()


NAMES = ["plain", "with blank", "é 漢", "-dash", "quote'\"$`", "back\\slash", "line\nbreak", ".hidden", "*"]


async def whole(machine: Machine, name: str) -> bytes:
    return (await read_whole(machine.operations, machine.path(name), 1 << 24))[0]


async def version(machine: Machine, name: str) -> str:
    return (await machine.operations.stat(machine.path(name))).version


async def test_any_name_and_any_byte_go_both_ways(machine: Machine) -> None:
    data = bytes(range(256)) * 3
    for name in NAMES:
        stat = await machine.operations.write(machine.path(name), data, version=None)
        assert machine.get(name) == data == await whole(machine, name)
        assert (stat.kind, stat.size, stat.links) == ("file", 768, 1)
    assert [entry.name for entry in await listed(machine)] == sorted(NAMES)


async def listed(machine: Machine, name: str = "") -> list[DirectoryEntry]:
    [entries] = await machine.operations.list([machine.path(name).rstrip("/")])
    assert not isinstance(entries, OSError)
    return sorted(entries, key=lambda entry: entry.name)


async def test_a_large_file_comes_in_pieces_and_whole(machine: Machine) -> None:
    data = os.urandom(3_000_000)
    await machine.operations.write(machine.path("big"), data, version=None)
    reader = await machine.operations.open(machine.path("big"))
    first = await reader.read(1000)
    assert 0 < len(first) <= 1000
    await reader.aclose()
    await reader.aclose()
    assert await whole(machine, "big") == data
    with pytest.raises(OSError, match="too large"):
        await read_whole(machine.operations, machine.path("big"), 1_000_000)


async def test_an_empty_file_is_a_file(machine: Machine) -> None:
    await machine.operations.write(machine.path("f"), b"", version=None)
    assert await whole(machine, "f") == b""


async def test_a_write_needs_the_version_that_is_there(machine: Machine) -> None:
    machine.put("f", b"old")
    old = await version(machine, "f")
    stat = await machine.operations.write(machine.path("f"), b"new", version=old)
    assert stat.version == await version(machine, "f") != old
    for stale in (old, None):
        with pytest.raises(StaleFileError):
            await machine.operations.write(machine.path("f"), b"other", version=stale)
    with pytest.raises(OSError, match=r"."):
        await machine.operations.write(machine.path("missing"), b"x", version=old)
    assert machine.get("f") == b"new"
    assert [entry.name for entry in await listed(machine)] == ["f"]


async def test_a_change_from_outside_is_another_version(machine: Machine) -> None:
    machine.put("f", b"one")
    before = await version(machine, "f")
    machine.put("f", b"two!")
    assert await version(machine, "f") != before


async def test_what_is_missing_is_file_not_found(machine: Machine) -> None:
    path = machine.path("missing")
    for call in (machine.operations.open(path), machine.operations.stat(path)):
        with pytest.raises(FileNotFoundError) as raised:
            await call
        assert raised.value.errno == errno.ENOENT


async def test_what_is_no_file_is_not_opened(machine: Machine) -> None:
    machine.fifo("fifo")
    with anyio.fail_after(30):
        with pytest.raises(OSError, match="fifo"):
            await machine.operations.open(machine.path("fifo"))
        with pytest.raises(IsADirectoryError):
            await machine.operations.open(machine.root)
    machine.put("f", b"")
    with pytest.raises(NotADirectoryError):
        await machine.operations.stat(machine.path("f/x"))


async def test_links_are_followed_or_not(machine: Machine) -> None:
    machine.put("real/f", b"x")
    machine.link("link", "real")
    machine.link("dead", "nowhere")
    machine.link("round", "round")
    assert await machine.operations.realpath(machine.path("link/f")) == machine.path("real/f")
    assert await machine.operations.realpath(machine.path("link/new/deep")) == machine.path("real/new/deep")
    assert await machine.operations.realpath(machine.path("dead")) == machine.path("nowhere")
    assert (await machine.operations.stat(machine.path("link"))).kind == "directory"
    assert (await machine.operations.stat(machine.path("link"), follow=False)).kind == "symlink"
    with pytest.raises(OSError, match=r"."):
        await machine.operations.stat(machine.path("round"))


async def test_writing_through_a_link_changes_its_target(machine: Machine) -> None:
    machine.put("real/f", b"old")
    machine.link("link", "real/f")
    await machine.operations.write(machine.path("link"), b"new", version=await version(machine, "link"))
    assert machine.get("real/f") == b"new"
    assert (await machine.operations.stat(machine.path("link"), follow=False)).kind == "symlink"


async def test_hard_links_stay_together(machine: Machine) -> None:
    machine.put("a", b"old content")
    machine.hard_link("b", "a")
    one, two = [await machine.operations.stat(machine.path(name)) for name in ("a", "b")]
    assert one.identity == two.identity
    assert one.links == 2
    await machine.operations.write(machine.path("a"), b"new", version=one.version)
    assert machine.get("b") == b"new"
    assert [entry.name for entry in await listed(machine)] == ["a", "b"]


async def test_folders_are_made_with_those_above(machine: Machine) -> None:
    await machine.operations.make_directories(machine.path("a/b c/d"))
    await machine.operations.make_directories(machine.path("a/b c/d"))
    assert (await machine.operations.stat(machine.path("a/b c/d"))).kind == "directory"
    machine.put("f", b"")
    with pytest.raises(OSError, match=r"."):
        await machine.operations.make_directories(machine.path("f/x"))


async def test_a_listing_says_what_everything_is(machine: Machine) -> None:
    machine.put("d/f", b"")
    machine.put("d/.h", b"")
    machine.put("d/sub/x", b"")
    machine.fifo("d/p")
    machine.link("d/to-file", "f")
    machine.link("d/to-folder", "sub")
    machine.link("d/dead", "nowhere")
    assert await listed(machine, "d") == [
        DirectoryEntry(".h", "file"),
        DirectoryEntry("dead", "symlink", None),
        DirectoryEntry("f", "file"),
        DirectoryEntry("p", "fifo"),
        DirectoryEntry("sub", "directory"),
        DirectoryEntry("to-file", "symlink", "file"),
        DirectoryEntry("to-folder", "symlink", "directory"),
    ]


async def test_each_folder_of_a_list_has_its_own_answer(machine: Machine) -> None:
    machine.put("a/x", b"")
    await machine.operations.make_directories(machine.path("empty"))
    paths = [machine.path(name) for name in ("missing", "a", "empty", "a/x")]
    missing, a, empty, file = await machine.operations.list(paths)
    assert isinstance(missing, FileNotFoundError)
    assert a == [DirectoryEntry("x", "file")]
    assert empty == []
    assert isinstance(file, NotADirectoryError)


async def output_of(process: Process) -> bytes:
    output = b""
    while chunk := await process.read():
        output += chunk
    return output


async def test_a_command_gives_its_output_and_its_exit(machine: Machine) -> None:
    argv = ["/bin/sh", "-c", "echo out; echo err >&2; exit 3"]
    process = await machine.operations.spawn(Command(argv, machine.root))
    assert await output_of(process) == b"out\nerr\n"
    assert await process.wait() == Exit(3) == await process.wait()
    assert await process.left_running() == 0
    process.release()
    quiet = await machine.operations.spawn(Command(argv, machine.root, stderr="drop"))
    assert await output_of(quiet) == b"out\n"
    quiet.release()


async def test_a_command_has_its_folder_and_its_variables(machine: Machine) -> None:
    machine.put("sub dir/x", b"")
    argv = ["/bin/sh", "-c", 'echo "$NAME" $PWD']
    process = await machine.operations.spawn(Command(argv, machine.path("sub dir"), {"NAME": "a 'b' é"}))
    assert (await output_of(process)).decode() == f"a 'b' é {machine.path('sub dir')}\n"
    process.release()


async def test_a_command_that_is_killed_is_gone(machine: Machine) -> None:
    process = await machine.operations.spawn(Command(["/bin/sh", "-c", "echo up; sleep 600"], machine.root))
    assert await process.read() == b"up\n"
    with anyio.fail_after(30):
        await process.kill()
        exit = await process.wait()
    assert exit != Exit(0)
    assert await process.left_running() == 0
    process.release()


async def test_what_cannot_be_started_is_an_os_error(machine: Machine) -> None:
    for argv, cwd in ((["/bin/sh", "-c", "a\0b"], machine.root), (["/bin/sh"], machine.path("missing"))):
        with pytest.raises(OSError, match=r"."):
            await machine.operations.spawn(Command(argv, cwd))


async def test_all_file_tools_work_there(machine: Machine, tmp_path: Path) -> None:
    state = FileState()
    bench = Workbench(tmp_path, machine.operations, create_tools(machine.root, machine.operations, state=state), state)
    await bench.call("write", path="src/a.py", content="x = 1\ny = 2\n")
    await bench.call("edit", path="src/a.py", oldText="y = 2", newText="y = 3")
    assert (await bench.call("read", path="src/a.py")).text == "x = 1\ny = 3\n"
    assert machine.get("src/a.py") == b"x = 1\ny = 3\n"
    machine.put("src/a.py", b"changed\n")
    assert "has changed" in await bench.refused("edit", path="src/a.py", oldText="x", newText="z")
    machine.put(".gitignore", b"*.log\n")
    machine.put("b.log", b"changed\n")
    assert (await bench.call("grep", pattern="chang")).text == "src/a.py:1: changed"
    assert (await bench.call("find", pattern="*")).text == ".gitignore\nsrc/\nsrc/a.py"
    assert (await bench.call("ls", path="src")).text == "a.py"


async def test_a_remote_command_leaves_nothing_behind(sshd: tuple[str, list[str]], tmp_path: Path) -> None:
    operations = SshOperations(*sshd)
    state = FileState()
    bench = Workbench(tmp_path, operations, create_tools(str(tmp_path), operations, state=state), state)
    text, details = await bench.run("sleep NAP & (setsid sleep NAP &) ; echo started; exit 4")
    assert "started" in text
    assert (details.exit_code, details.left_running) == (4, 2)
    async with anyio.create_task_group() as group:
        group.start_soon(bench.run, "echo partial; setsid sleep NAP & sleep NAP | cat")
        with anyio.fail_after(30):
            while bench.updates[-1].text != "partial":
                await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    assert bench.updates[-1].text == "partial\n\nCommand aborted"
    await operations.aclose()
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in running if line.startswith((b"sleep\x007541", b"sleep\x007542"))]


async def test_a_long_remote_output_is_kept_there(sshd: tuple[str, list[str]], tmp_path: Path) -> None:
    operations = SshOperations(*sshd)
    state = FileState()
    bench = Workbench(tmp_path, operations, create_tools(str(tmp_path), operations, state=state), state)
    _, details = await bench.run("seq 1 2500")
    assert details.full_output_path is not None
    path = Path(details.full_output_path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert (await bench.call("read", path=str(path), offset=1, limit=1)).text.startswith("1\n")
    path.unlink()
    await operations.aclose()


async def test_a_shell_that_was_given_up_is_started_again(sshd: tuple[str, list[str]], tmp_path: Path) -> None:
    operations = SshOperations(*sshd)
    (tmp_path / "f").write_text("x")
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(operations.stat, str(tmp_path / "f"))
            await anyio.sleep(0)
            scope.cancel()
    assert (await operations.stat(str(tmp_path / "f"))).size == 1
    await operations.aclose()


async def test_a_machine_that_cannot_be_reached_is_an_os_error(tmp_path: Path) -> None:
    operations = SshOperations("nobody@127.0.0.1", ["-F", "/dev/null", "-p", "1"])
    for call in (operations.stat("/"), operations.open("/etc/passwd"), operations.spawn(Command(["ls"], "/"))):
        with pytest.raises(OSError, match="onnect"):
            await call
    await operations.aclose()


@pytest.mark.parametrize(
    ("text", "destination", "folder"),
    [
        ("me@host:/srv/x", "me@host", "/srv/x"),
        ("host:work", "host", "work"),
        ("host", "host", "~"),
        ("me@[::1]:/x", "me@::1", "/x"),
    ],
)
def test_a_remote_is_a_destination_and_a_folder(text: str, destination: str, folder: str) -> None:
    remote = parse_remote(text)
    assert (remote.destination, remote.folder) == (destination, folder)


async def test_a_remote_folder_is_made_absolute() -> None:
    machine = MemoryOperations({"/home/work/x": b""})
    for text, path in (
        ("h", "/home"),
        ("h:", "/home"),
        ("h:~/work", "/home/work"),
        ("h:work/", "/home/work"),
        ("h:/", "/"),
    ):
        assert await remote_folder(machine, parse_remote(text)) == path
    with pytest.raises(NotADirectoryError):
        await remote_folder(machine, parse_remote("h:work/x"))
    with pytest.raises(FileNotFoundError):
        await remote_folder(machine, parse_remote("h:missing"))


@pytest.mark.parametrize("text", ["", "-oProxyCommand=x:/", ":/x", "/local", "a b:/x"])
def test_what_is_no_remote_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no remote folder"):
        parse_remote(text)


@pytest.mark.skipif(not IS_AVAILABLE, reason="there is no sshd here")
async def test_a_lost_connection_ends_the_command_and_says_so(tmp_path: Path) -> None:
    with running_sshd(tmp_path) as address:
        machine = SshOperations(*address)
        process = await machine.spawn(Command(["sleep", "86399.7531"], "/"))
    await machine._end_connection()
    assert await process.wait() == Exit(None, "a lost connection")
    assert await process.left_running() == 0
    await process.kill()
    assert await process.read() == b""
    process.release()
    with pytest.raises(ConnectionError):
        await machine.stat("/")
    await machine.aclose()
    for pid in alive("86399.7531"):
        os.kill(pid, signal.SIGKILL)
