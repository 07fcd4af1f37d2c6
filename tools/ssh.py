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
from dataclasses import dataclass

import anyio
import anyio.to_thread

from . import remote_scripts as scripts
from .children import end_child
from .local import kind_of_mode, refuse_special
from .operations import Command, DirectoryEntry, FileKind, FileReader, FileStat, Operations, Process, StaleFileError
from .ssh_process import SshProcess

CONNECT_TIMEOUT = 15
"""Seconds until a machine that does not answer is given up."""

_KINDS: dict[str, FileKind] = {"f": "file", "d": "directory", "p": "fifo", "s": "socket", "c": "device"}


@dataclass(frozen=True, slots=True)
class Remote:
    """Where ``--remote`` points: what `ssh` takes as its destination, and the folder there."""

    destination: str
    folder: str


def parse_remote(text: str) -> Remote:
    """``user@host:/path``, ``host:folder`` or ``host``; `ValueError` for what `ssh` would take as an option."""
    match = re.fullmatch(
        r"(?P<destination>(?:[^\s:@/\[-][^\s:@/]*@)?\[[0-9a-fA-F:]+\]|[^\s:/\[-][^\s:/\[]*)(?::(?P<folder>.*))?", text
    )
    if match is None:
        raise ValueError(f"{text!r} is no remote folder; it looks like user@host:/path")
    return Remote(match["destination"].replace("[", "").replace("]", ""), match["folder"] or "~")


async def remote_folder(operations: Operations, remote: Remote) -> str:
    """The absolute path of the folder, relative to the home there; `OSError` if it is no folder or out of reach."""
    home = await operations.home()
    folder = re.sub(r"^~(?=/|$)", lambda _: home, remote.folder)
    path = await operations.realpath(posixpath.normpath(posixpath.join(home, folder)))
    if (await operations.stat(path)).kind != "directory":
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
    return path


@dataclass(frozen=True, slots=True)
class _Answer:
    code: int
    output: bytes
    errors: str


class SshOperations:
    """Files and processes of another machine. `options` are passed to `ssh`; it never asks for anything.

    One connection is shared by everything (``ControlMaster``) and closed by `aclose`, together with all processes that
    were started through it.
    """

    def __init__(self, destination: str, options: Sequence[str] = ()) -> None:
        self.destination = destination
        self.mark = secrets.token_hex(8)
        self._folder = tempfile.mkdtemp(prefix="pyagent-ssh-")
        self._options = [
            "-o",
            "BatchMode=yes",
            "-o",
            f"ConnectTimeout={CONNECT_TIMEOUT}",
            "-o",
            "ControlMaster=auto",
            "-o",
            f"ControlPath={self._folder}/control",
            "-o",
            "ControlPersist=60",
            "-o",
            "ServerAliveInterval=15",
            *options,
            "-T",
        ]
        self._commands = 0
        self._home: str | None = None
        self._is_used = False

    async def home(self) -> str:
        if self._home is None:
            self._home = os.fsdecode((await self._ask(scripts.HOME)).output)
        return self._home

    async def which(self, name: str) -> str | None:
        answer = await self._run(scripts.WHICH, [name])
        found = os.fsdecode(answer.output).strip()
        return found if answer.code == 0 and found.startswith("/") else None

    async def stat(self, path: str, *, follow: bool = True) -> FileStat:
        answer = await self._ask(scripts.STAT, path, "yes" if follow else "no", path)
        return _stat(answer.output)

    async def realpath(self, path: str) -> str:
        answer = await self._ask(scripts.REALPATH, path, path)
        return posixpath.normpath(os.fsdecode(answer.output))

    async def open(self, path: str) -> FileReader:
        process = await self._start(scripts.OPEN, [path], stdin=False)
        assert process.stdout is not None
        try:
            line = await process.stdout.readline()
            if not line:
                await self._explain_open(process, path)
            return SshReader(_stat(line), process)
        except BaseException:
            await end_child(process)
            raise

    async def write(self, path: str, data: bytes, *, version: str | None) -> FileStat:
        # Not broken off half-way: whoever comes next must find it finished.
        writing = asyncio.get_running_loop().create_task(self._write(path, data, version))
        with anyio.CancelScope(shield=True):
            await asyncio.wait([writing])
        return _stat(writing.result().output)

    async def _write(self, path: str, data: bytes, version: str | None) -> _Answer:
        real = await self.realpath(path)
        if version is not None:
            status = await self.stat(real, follow=False)
            refuse_special(status.kind, path)
            if not status.mode & 0o222:
                raise PermissionError(errno.EACCES, "The file is read-only", path)
        answer = await self._run(scripts.WRITE, [real, version or "", str(len(data)), secrets.token_hex(6)], data)
        if answer.code == scripts.ESTALE:
            raise StaleFileError(path)
        _raise_for(answer, path)
        return answer

    async def make_directories(self, path: str) -> None:
        await self._ask(scripts.MAKE_DIRECTORIES, path, path)

    async def list(self, paths: Sequence[str]) -> list[list[DirectoryEntry] | OSError]:
        answer = await self._ask(scripts.LIST, "", *paths)
        return _listings(answer.output, paths)

    async def spawn(self, command: Command) -> Process:
        if any("\0" in part for part in (*command.argv, command.cwd)):
            raise OSError("A command cannot contain a NUL character")
        self._commands += 1
        mark = f"{self.mark}-{self._commands}-"
        environment = [f"{name}={value}" for name, value in command.environment.items()]
        removed = [part for name in sorted(command.withheld) for part in ("-u", name)]
        marked = f"PYAGENT_TUI_COMMAND={mark}"
        arguments = [command.cwd, command.argv[0], command.stderr, *removed, marked, *environment, *command.argv]
        process = await self._start(scripts.RUN, arguments, stdin=False)
        return await SshProcess.start(process, mark, command, self._run_for_process)

    async def keep_output(self, local_path: str) -> str:
        async with await anyio.open_file(local_path, "rb") as file:
            data = await file.read()
        path = f"/tmp/pyagent-output-{secrets.token_hex(8)}.log"
        await self._ask('umask 077; cat > "$1"', path, path, data=data)
        os.unlink(local_path)
        return path

    async def aclose(self) -> None:
        with anyio.CancelScope(shield=True), anyio.move_on_after(10):
            if self._is_used:
                if self._commands:
                    await self._run(scripts.KILL, [f"{self.mark}-", "", "2000"])
                await self._control("exit")
        await anyio.to_thread.run_sync(lambda: shutil.rmtree(self._folder, ignore_errors=True))

    async def _control(self, verb: str) -> None:
        process = await asyncio.create_subprocess_exec(
            "ssh",
            *self._options,
            "-O",
            verb,
            self.destination,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        await process.wait()

    async def _run_for_process(self, script: str, arguments: list[str]) -> bytes:
        return (await self._run(script, arguments)).output

    async def _ask(self, script: str, path: str = "", *arguments: str, data: bytes = b"") -> _Answer:
        answer = await self._run(script, arguments, data)
        _raise_for(answer, path)
        return answer

    async def _run(self, script: str, arguments: Sequence[str], data: bytes = b"") -> _Answer:
        process = await self._start(script, arguments, stdin=True)
        try:
            output, errors = await process.communicate(data)
        except BaseException:
            await end_child(process)
            raise
        return _Answer(process.returncode or 0, output, errors.decode("utf-8", "replace").strip())

    async def _start(self, script: str, arguments: Sequence[str], *, stdin: bool) -> asyncio.subprocess.Process:
        remote = shlex.join(["exec", "sh", "-c", script, "sh", *arguments])
        self._is_used = True
        return await asyncio.create_subprocess_exec(
            "ssh",
            *self._options,
            "--",
            self.destination,
            os.fsencode(remote),
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=sys.platform != "win32",
            limit=1 << 20,
        )

    async def _explain_open(self, process: asyncio.subprocess.Process, path: str) -> None:
        _, errors = await process.communicate()
        code = process.returncode or scripts.EIO
        if code in (scripts.EINVAL, scripts.EISDIR):
            refuse_special((await self.stat(path)).kind, path)
        _raise_for(_Answer(code, b"", errors.decode("utf-8", "replace").strip()), path)
        raise OSError(errno.EIO, "It could not be read", path)


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
    """Out of a line of `remote_scripts.STAT`; the whole of it is the version."""
    text = line.decode("ascii", "replace").strip()
    try:
        raw, size, links, device, inode = text.split()[:5]
        mode = int(raw, 16)
        return FileStat(kind_of_mode(mode), int(size), stat_module.S_IMODE(mode), int(links), f"{device}:{inode}", text)
    except ValueError:
        raise OSError(errno.EIO, f"The other machine answered something unknown: {text[:200]}") from None


_BY_WORDS = {os.strerror(number): number for number in (1, 2, 13, 17, 20, 21, 26, 27, 28, 30, 36, 39, 40, 116)}


def _raise_for(answer: _Answer, path: str) -> None:
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
