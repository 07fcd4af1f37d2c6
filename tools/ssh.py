"""A machine reached over ssh, by the `ssh` program of this one: nothing has to be installed there."""

from __future__ import annotations

import asyncio
import errno
import os
import posixpath
import re
import secrets
import shlex
import shutil
import stat as stat_module
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress

import anyio
import anyio.to_thread

from .children import end_child
from .local import kind_of_mode, refuse_special
from .memory import MemoryReader
from .operations import Command, DirectoryEntry, FileKind, FileReader, FileStat, Operations, Process, StaleFileError
from .remote import Remote
from .remote_scripts import EINVAL, EISDIR, ESTALE, LIBRARY, RUN
from .ssh_process import SshProcess
from .ssh_shell import Answer, RemoteShell

SMALL = 64 * 1024
"""Bytes of a file up to which it passes through the shared shell."""

CONNECT_TIMEOUT = 15
"""Seconds until a machine that does not answer is given up."""

_KINDS: dict[str, FileKind] = {"f": "file", "d": "directory", "p": "fifo", "s": "socket", "c": "device"}


async def remote_folder(operations: Operations, remote: Remote) -> str:
    """The absolute path of the folder, relative to the home there; `OSError` if it is no folder or out of reach."""
    home = await operations.home()
    folder = re.sub(r"^~(?=/|$)", lambda _: home, remote.folder)
    path = await operations.realpath(posixpath.normpath(posixpath.join(home, folder)))
    if (await operations.stat(path)).kind != "directory":
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
    return path


class SshOperations:
    """Files and processes of another machine. `options` are passed to `ssh`; it never asks for anything.

    One connection is shared by everything (``ControlMaster``) and closed by `aclose`, together with all processes that
    were started through it.
    """

    def __init__(self, destination: str, options: Sequence[str] = ()) -> None:
        self._destination = destination
        self._mark = secrets.token_hex(8)
        self._folder = tempfile.mkdtemp(prefix="pyagent-ssh-")
        self._ssh = ["ssh", *options, *_options(self._folder), "-T"]
        self._files = RemoteShell([*self._ssh, "--", destination])
        self._processes = RemoteShell([*self._ssh, "--", destination])
        self._commands = 0
        self._home: str | None = None
        self._is_used = False
        self._is_closed = False

    async def home(self) -> str:
        if self._home is None:
            self._home = os.fsdecode((await self._ask("home_folder")).output)
        return self._home

    async def which(self, name: str) -> str | None:
        self._is_used = True
        answer = await self._files.ask("find_program", [name])
        found = os.fsdecode(answer.output).strip()
        return found if answer.code == 0 and found.startswith("/") else None

    async def stat(self, path: str, *, follow: bool = True) -> FileStat:
        return _stat((await self._ask("stat_file", "yes" if follow else "no", path, path=path)).output)

    async def realpath(self, path: str) -> str:
        return posixpath.normpath(os.fsdecode((await self._ask("real_path", path, path=path)).output))

    async def open(self, path: str) -> FileReader:
        answer = await self._ask("read_small", path, str(SMALL), path=path)
        line, _, content = answer.output.partition(b"\n")
        stat = _stat(line)
        if stat.size <= SMALL:
            return MemoryReader(content, stat)
        return await self._open_large(path)

    async def write(self, path: str, data: bytes, *, version: str | None) -> FileStat:
        # Not broken off half-way: whoever comes next must find it finished.
        writing = asyncio.get_running_loop().create_task(self._write(path, data, version))
        with anyio.CancelScope(shield=True):
            await asyncio.wait([writing])
        return _stat(writing.result().output)

    async def make_directories(self, path: str) -> None:
        await self._ask("make_folders", path, path=path)

    async def list(self, paths: Sequence[str]) -> list[list[DirectoryEntry] | OSError]:
        return _listings((await self._ask("list_folders", *paths)).output, paths)

    async def spawn(self, command: Command) -> Process:
        if any("\0" in part for part in (*command.argv, command.cwd)):
            raise OSError("A command cannot contain a NUL character")
        self._commands += 1
        mark = f"{self._mark}-{self._commands}-"
        environment = [f"{name}={value}" for name, value in command.environment.items()]
        removed = [part for name in sorted(command.withheld) for part in ("-u", name)]
        marked = f"PYAGENT_TUI_COMMAND={mark}"
        arguments = [command.cwd, command.argv[0], command.stderr, *removed, marked, *environment, *command.argv]
        process = await self._start(RUN, arguments)
        return await SshProcess.start(process, mark, command, self._ask_of_processes)

    async def keep_output(self, local_path: str) -> str:
        path = f"/tmp/pyagent-output-{secrets.token_hex(8)}.log"
        with open(local_path, "rb") as file:
            process = await self._start(f'{LIBRARY}\n(keep_output "$1")', [path], stdin=file.fileno())
            _raise_for(await _answer(process), path)
        os.unlink(local_path)
        return path

    async def aclose(self) -> None:
        """End what was started there and the connection; may be called twice."""
        if self._is_closed:
            return
        self._is_closed = True
        with anyio.CancelScope(shield=True), anyio.move_on_after(10):
            if self._commands:
                # A machine that is out of reach has ended the connection, and with it what it could end.
                with suppress(ConnectionError):
                    await self._processes.ask("end_tree", [f"{self._mark}-", "", "2000"])
            await self.close_shells()
            if self._is_used:
                await self._end_connection()
        await anyio.to_thread.run_sync(lambda: shutil.rmtree(self._folder, ignore_errors=True))

    async def close_shells(self) -> None:
        """Give up the shared shells; the connection stays and the next call starts new ones."""
        await self._files.close()
        await self._processes.close()

    async def _open_large(self, path: str) -> FileReader:
        process = await self._start(f'{LIBRARY}\n(open_file "$1")', [path])
        assert process.stdout is not None
        try:
            line = await process.stdout.readline()
            if not line:
                raise OSError(errno.EIO, "It could not be read", path)
            return SshReader(_stat(line), process)
        except BaseException:
            await end_child(process)
            raise

    async def _write(self, path: str, data: bytes, version: str | None) -> Answer:
        real = await self.realpath(path)
        if version is not None:
            status = await self.stat(real, follow=False)
            refuse_special(status.kind, path)
            if not status.mode & 0o222:
                raise PermissionError(errno.EACCES, "The file is read-only", path)
        arguments = [real, version or "", str(len(data)), secrets.token_hex(6)]
        if len(data) <= SMALL:
            answer = await self._files.ask("write_file", arguments, data)
        else:
            answer = await self._send('(write_file "$@")', arguments, data)
        if answer.code == ESTALE:
            raise StaleFileError(path)
        _raise_for(answer, path)
        return answer

    async def _ask(self, function: str, *arguments: str, path: str = "") -> Answer:
        self._is_used = True
        answer = await self._files.ask(function, arguments)
        if answer.code in (EINVAL, EISDIR):
            refuse_special((await self.stat(path)).kind, path)
        _raise_for(answer, path)
        return answer

    async def _ask_of_processes(self, function: str, arguments: list[str]) -> bytes:
        return (await self._processes.ask(function, arguments)).output

    async def _send(self, script: str, arguments: Sequence[str], data: bytes) -> Answer:
        """Run a script with much input, in a session of its own."""
        return await _answer(await self._start(f"{LIBRARY}\n{script}", arguments, stdin=subprocess.PIPE), data)

    async def _start(
        self, script: str, arguments: Sequence[str], stdin: int = subprocess.DEVNULL
    ) -> asyncio.subprocess.Process:
        self._is_used = True
        return await asyncio.create_subprocess_exec(
            *self._ssh,
            "--",
            self._destination,
            os.fsencode(shlex.join(["exec", "sh", "-c", script, "sh", *arguments])),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=sys.platform != "win32",
            limit=1 << 20,
        )

    async def _end_connection(self) -> None:
        process = await asyncio.create_subprocess_exec(
            *self._ssh,
            "-O",
            "exit",
            self._destination,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        await process.wait()


async def _answer(process: asyncio.subprocess.Process, data: bytes | None = None) -> Answer:
    try:
        output, errors = await process.communicate(data)
    except BaseException:
        await end_child(process)
        raise
    return Answer(process.returncode or 0, output, errors.decode("utf-8", "replace").strip())


def _options(folder: str) -> list[str]:
    settings = {
        "BatchMode": "yes",
        "ConnectTimeout": CONNECT_TIMEOUT,
        "ControlMaster": "auto",
        "ControlPath": f"{folder}/control",
        "ControlPersist": 60,
        "ServerAliveInterval": 15,
    }
    return [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]


class SshReader:
    """A file of the other machine, as it comes."""

    def __init__(self, stat: FileStat, process: asyncio.subprocess.Process) -> None:
        self.stat = stat
        self._process = process

    async def read(self, size: int) -> bytes:
        assert self._process.stdout is not None
        return await self._process.stdout.read(size)

    async def aclose(self) -> None:
        await end_child(self._process)


def _stat(line: bytes) -> FileStat:
    """Out of the state that `remote_scripts` prints; the whole of it is the version."""
    text = line.decode("ascii", "replace").strip()
    try:
        raw, size, links, device, inode = text.split()[:5]
        mode = int(raw, 16)
        return FileStat(kind_of_mode(mode), int(size), stat_module.S_IMODE(mode), int(links), f"{device}:{inode}", text)
    except ValueError:
        raise OSError(errno.EIO, f"The other machine answered something unknown: {text[:200]}") from None


_BY_WORDS = {os.strerror(number): number for number in (1, 2, 13, 17, 20, 21, 26, 27, 28, 30, 36, 39, 40, 116)}


def _raise_for(answer: Answer, path: str) -> None:
    """The `OSError` that an answer means, if it means one."""
    if answer.code == 0:
        return
    if answer.code == 255:
        raise ConnectionError(errno.ENOTCONN, answer.errors.splitlines()[-1] if answer.errors else "ssh failed")
    words = answer.errors.splitlines()[-1].rpartition(": ")[2] if answer.errors else ""
    number = _BY_WORDS.get(words) or (answer.code if answer.code in errno.errorcode else errno.EIO)
    raise OSError(number, os.strerror(number) if words in _BY_WORDS or not words else words, path)


def _listings(output: bytes, paths: Sequence[str]) -> list[list[DirectoryEntry] | OSError]:
    listings: list[list[DirectoryEntry] | OSError] = []
    for field in output.split(b"\0")[:-1]:
        if field == b"D":
            listings.append([])
        elif field[:1] == b"E":
            number = int(field[1:])
            listings.append(OSError(number, os.strerror(number), paths[len(listings)]))
        elif listings and isinstance(listings[-1], list):
            listings[-1].append(_entry(field))
    return listings


def _entry(field: bytes) -> DirectoryEntry:
    kind = field[:1].decode()
    if kind == "l":
        return DirectoryEntry(os.fsdecode(field[2:]), "symlink", _KINDS.get(field[1:2].decode()))
    return DirectoryEntry(os.fsdecode(field[1:]), _KINDS.get(kind, "device"))
