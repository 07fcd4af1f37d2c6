"""Confining commands with bubblewrap: they see the file system, and write where they should.

Confined, a command writes only to the project, temporary and cache folders; processes outside it cannot be seen or
signalled; sockets through which other programs could be made to act (session bus, container engine, terminal
multiplexers) are out of reach, as is the file with our keys. The network is there unless it is taken away.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

from ..agent.frozen import frozen
from ..agent.permission import Permission

SandboxMode: TypeAlias = Literal["auto", "on", "off"]
"""`on`: every command of the model. `auto`: those that nobody read before they ran, where it can be done. `off`: none."""

PROBE_SECONDS = 10.0

KEPT_RUN = ("systemd/resolve", "resolvconf", "NetworkManager", "nscd", "current-system", "wrappers", "opengl-driver")
"""What stays of ``/run``: names are resolved through it, and some systems keep their programs there."""

SOCKET_FOLDER = re.compile(r"(?:tmux-|dbus-|pulse-).*|\.X11-unix|\.ICE-unix|screens")
"""Folders among the temporary files in which other programs listen."""

ROOT_CAPABILITIES = ("CAP_DAC_OVERRIDE", "CAP_CHOWN", "CAP_FOWNER", "CAP_SETUID", "CAP_SETGID", "CAP_KILL")
"""What root keeps: to work with files of every owner, nothing about the machine."""

GIT_PROTECTED = ("config", "config.worktree", "hooks", "info/attributes")
"""Files of a repository that say what git runs, also when we or the person run it outside."""

NOTE = (
    "[This command ran confined: it can write only in the project, temporary and cache folders{network}. "
    "If that is why it failed, say so; don't try to get around it.]"
)


class SandboxError(Exception):
    """Commands cannot be confined; `str(error)` says why."""


@frozen
class SandboxLimits:
    """`project` may be written, and `writable` (as far as they are there), but not `closed`. `hidden` files can't be read."""

    project: str
    writable: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    network: bool = True


class Sandbox:
    """Confines commands, as far as `mode` wants it and the machine can. What it can is found out once, when first needed.

    `fault` is why it cannot be done, where that is known beforehand.
    """

    def __init__(self, mode: SandboxMode, limits: SandboxLimits, *, fault: str | None = None) -> None:
        self.mode: SandboxMode = mode
        self.limits = limits
        self._lock = threading.Lock()
        self._fault = fault
        self._program: str | None = None

    def probe(self) -> str:
        """Why it cannot be done on this machine, empty if it can: found by running something. Blocks some 20 ms, once."""
        with self._lock:
            if self._fault is None:
                self._program, self._fault = _probe(self.limits)
            return self._fault

    def confines(self, permission: Permission | None) -> bool:
        """Whether a command that was let run so should be confined."""
        was_read = permission is not None and permission.by == "person"
        return self.mode == "on" or (self.mode == "auto" and not was_read)

    def wrap(self, argv: Sequence[str], cwd: str) -> list[str]:
        """The argument vector that runs this one confined. Blocks for the disk; raises `SandboxError`."""
        fault = self.probe()
        if fault or self._program is None:
            raise SandboxError(fault)
        return [self._program, *arguments(self.limits, cwd), "--", *argv]

    @property
    def note(self) -> str:
        """What the model is told when a confined command fails."""
        return NOTE.format(network="" if self.limits.network else ", and there is no network")

    def words(self, permission: Permission | None) -> str:
        """How a command that is let run so would be confined, for the person. Does not block."""
        if not self.confines(permission) or self._fault != "":
            return "not confined"
        return "confined" if self.limits.network else "confined, no network"

    def state(self, nobody_reads: bool) -> str:
        """For the status line: ``on``, ``auto`` (what nobody reads is confined), empty if commands run as they are.

        With `nobody_reads` (no command is asked about) ``auto`` is ``on``, and ``off`` says that it cannot be had. Does
        not block: empty until `probe` was called.
        """
        if self.mode == "off" or self._fault is None:
            return ""
        if self._fault:
            return "off" if nobody_reads else ""
        return "on" if nobody_reads else self.mode


def find_program() -> str | None:
    """The path of bubblewrap: on PATH, or installed with this program (the extra ``sandbox``)."""
    return shutil.which("bwrap") or shutil.which("bwrap", path=sysconfig.get_path("scripts"))


def _probe(limits: SandboxLimits) -> tuple[str | None, str]:
    if sys.platform != "linux":
        return None, "commands can be confined on Linux only"
    program = find_program()
    if program is None:
        return None, "bubblewrap (bwrap) was not found; install it, or this program's extra: sandbox"
    try:
        done = subprocess.run(
            [program, *arguments(limits, "/"), "--", "/bin/sh", "-c", ":"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, f"{program} cannot be used: {error}"
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
        return None, f"{program} cannot confine anything here: {reason}"
    return program, ""


def arguments(limits: SandboxLimits, cwd: str) -> list[str]:
    """The options of bubblewrap for these limits, a command's folder among them. Reads disk."""
    words = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", *_capabilities()]
    if not limits.network:
        words.append("--unshare-net")
    words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    words += [word for pair in _run_folder(limits.network) for word in pair]
    for folder in _writable(limits):
        words += ["--bind", folder, folder]
    for folder in _listening(_temporary()):
        words += ["--tmpfs", folder]
    for path in _protected(limits):
        words += ["--ro-bind", path, path]
    for path in limits.hidden:
        if os.path.exists(path):
            words += ["--ro-bind", "/dev/null", os.path.realpath(path)]
    return [*words, "--chdir", cwd]


def _capabilities() -> list[str]:
    if os.geteuid():
        return []
    return ["--cap-drop", "ALL", *(word for name in ROOT_CAPABILITIES for word in ("--cap-add", name))]


def _run_folder(network: bool) -> Iterator[tuple[str, ...]]:
    """``/run`` without the sockets of other programs; the key agent stays where there is a network to use it."""
    if os.path.isdir("/run"):
        yield "--tmpfs", "/run"
        yield from (("--ro-bind-try", f"/run/{name}", f"/run/{name}") for name in KEPT_RUN)
    agent = os.environ.get("SSH_AUTH_SOCK", "")
    if network and agent.startswith("/run/"):
        yield "--ro-bind-try", agent, agent
    for name in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "TMUX", "STY"):
        yield "--unsetenv", name


def _temporary() -> tuple[str, ...]:
    return tuple(dict.fromkeys(os.path.realpath(folder) for folder in ("/tmp", "/var/tmp", tempfile.gettempdir())))


def _writable(limits: SandboxLimits) -> list[str]:
    """Each folder once, outer ones first: a later mount would hide what an earlier one opened."""
    wanted = [*_temporary(), *limits.writable, limits.project, *_git_folders(limits.project)]
    return sorted({os.path.realpath(folder) for folder in wanted if os.path.isdir(folder)})


def _listening(folders: Sequence[str]) -> Iterator[str]:
    """Folders among the temporary files in which other programs listen."""
    for folder in folders:
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if SOCKET_FOLDER.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                    yield entry.path


def _protected(limits: SandboxLimits) -> list[str]:
    """What stays as it is although it is in a folder that may be written: it decides what runs outside."""
    paths = [*limits.closed, os.path.join(limits.project, ".pyagent")]
    paths += [os.path.join(folder, name) for folder in _git_folders(limits.project) for name in GIT_PROTECTED]
    return sorted({os.path.realpath(path) for path in paths if os.path.exists(path)})


def _git_folders(project: str) -> list[str]:
    """The repository's own folder around the project; of a linked worktree both its folder and the shared one."""
    for parent in (Path(project), *Path(project).parents):
        marker = parent / ".git"
        if marker.is_dir():
            return [str(marker)]
        if marker.is_file():
            return _linked(marker)
    return []


def _linked(marker: Path) -> list[str]:
    try:
        folder = marker.parent / marker.read_text(encoding="utf-8").strip().removeprefix("gitdir: ")
        shared = folder / (folder / "commondir").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return []
    return [str(path) for path in (folder, shared) if (path / "HEAD").is_file()]
