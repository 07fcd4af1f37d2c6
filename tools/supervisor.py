"""The process that starts commands: a small program of its own, run by path, importing nothing of ours.

The keeper starts it once. It always has one *reaper* forked and waiting for the next command. A reaper makes itself a
subreaper (``PR_SET_CHILD_SUBREAPER``, Linux): whatever the command's descendants do (setsid, double fork, nohup), they
stay below it, so "the whole tree" is exact and its end is known without polling. When the program at the other end of
the sockets goes away, however it ends, each reaper ends its tree and itself.

A request is one message on the supervisor's socket (``SOCK_SEQPACKET``) with three descriptors: the output's write end,
the reaper's control socket, and a file with the NUL-separated fields *cwd*, ``merge`` or ``drop`` (of stderr), *number
of arguments*, the arguments, then each ``NAME=VALUE`` of the environment. On the control socket come the lines
``spawned PID`` or ``failed ERRNO``; ``exited STATUS`` (as waitpid gives it) once the command itself has ended; ``gone``
once no descendant is left, after which the reaper ends. It takes the lines ``kill SECONDS`` (SIGTERM, then SIGKILL) and
``count`` (answer: ``count N``).
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import signal
import socket
import struct
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
SWEEP_DELAY = 0.005
"""Seconds between the signal to those that the kernel lists and the look at every process of the machine: mostly nobody
is left by then, and all are known to be gone that much sooner."""

FINAL_GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL when the program has gone away."""

DESCRIPTORS = struct.Struct("3i")
RESET_SIGNALS = ("SIGPIPE", "SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGXFSZ", "SIGCHLD")
"""What a command finds at its default: Python and the supervisor ignore or handle these."""


def main(descriptor: int) -> None:
    """Keep one reaper waiting until the other end closes; then end what is left."""
    channel = socket.socket(fileno=descriptor)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    become_subreaper()
    while True:
        taken = fork_reaper(channel)
        poll = select.poll()
        poll.register(channel, 0)
        poll.register(taken, select.POLLIN)
        events = dict(poll.poll())
        os.close(taken)
        if channel.fileno() in events:
            break
    end_everything()


def fork_reaper(channel: socket.socket) -> int:
    """Start a reaper that waits for the next request; a descriptor that closes once it has taken one."""
    taken, taken_end = os.pipe()
    if os.fork() == 0:
        os.close(taken)
        try:
            reaper = Reaper()
            request = receive(channel)
            channel.close()
            os.close(taken_end)
            if request is not None:
                reaper.run(request)
        finally:
            os._exit(0)
    os.close(taken_end)
    return taken


class Request:
    """One command to start, as it came in."""

    def __init__(self, output: int, control: int, body: int) -> None:
        self.output = output
        self.control = socket.socket(fileno=control)
        fields = _read_whole(body).split(b"\0")
        self.cwd, self.errors = fields[0], fields[1]
        count = int(fields[2])
        self.argv = fields[3 : 3 + count]
        pairs = (field.partition(b"=") for field in fields[3 + count :])
        self.environment = {name: value for name, _, value in pairs}


def receive(channel: socket.socket) -> Request | None:
    """The next request, None when the other end has closed."""
    message, ancillary, _, _ = channel.recvmsg(16, socket.CMSG_SPACE(DESCRIPTORS.size))
    if not message:
        return None
    descriptors = DESCRIPTORS.unpack(ancillary[0][2])
    for number in descriptors:
        os.set_inheritable(number, False)
    return Request(*descriptors)


def _read_whole(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return file.read()


def end_everything() -> None:
    """End what is left when the program is gone: reapers do it for their own, this is for what lost its reaper."""
    deadline = time.monotonic() + FINAL_GRACE
    signal_tree(signal.SIGTERM)
    while descendants(os.getpid()):
        if time.monotonic() > deadline:
            signal_tree(signal.SIGKILL)
        time.sleep(0.05)


def become_subreaper() -> None:
    """Have orphaned descendants handed to this process, where the system can do that."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        return


class Reaper:
    """Starts one command and stays until its whole tree is gone."""

    def __init__(self) -> None:
        os.setsid()
        become_subreaper()
        self._control: socket.socket | None = None
        self._pid = 0
        self._deadline: float | None = None
        self._signalled: set[int] = set()
        self._sweep_at: float | None = None
        self._wakeup, wakeup_end = os.pipe()
        os.set_blocking(wakeup_end, False)
        signal.set_wakeup_fd(wakeup_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _notice)
        self._null = os.open(os.devnull, os.O_RDWR)

    def run(self, request: Request) -> None:
        """Start the command, then tell what happens and do what is asked until nothing is left."""
        self._control = request.control
        if not self._spawn(request):
            return
        os.close(request.output)
        os.chdir("/")
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._wakeup, select.POLLIN)
        while self._reap():
            for descriptor, _ in poll.poll(self._timeout()):
                if descriptor == self._wakeup:
                    os.read(self._wakeup, 512)
                elif not self._obey(self._control):
                    poll.unregister(self._control)
            self._enforce()
        self._tell("gone")

    def _spawn(self, request: Request) -> bool:
        errors = self._null if request.errors == b"drop" else request.output
        actions = [
            (os.POSIX_SPAWN_DUP2, self._null, 0),
            (os.POSIX_SPAWN_DUP2, request.output, 1),
            (os.POSIX_SPAWN_DUP2, errors, 2),
        ]
        try:
            os.chdir(request.cwd)
            self._pid = os.posix_spawn(
                request.argv[0],
                request.argv,
                request.environment,
                file_actions=actions,
                setsid=True,
                setsigmask=[],
                setsigdef=[getattr(signal, name) for name in RESET_SIGNALS],
            )
        except OSError as error:
            self._tell(f"failed {error.errno or errno.EIO}")
            return False
        self._tell(f"spawned {self._pid}")
        return True

    def _reap(self) -> bool:
        """Collect what has ended; False once no descendant is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._pid:
                self._pid = 0
                self._tell(f"exited {status}")

    def _obey(self, control: socket.socket) -> bool:
        """Do what the control socket says; False when its other end is closed."""
        try:
            data = control.recv(4096)
        except OSError:
            data = b""
        for line in data.decode("ascii", "replace").splitlines():
            match line.split():
                case ["kill", seconds]:
                    self._begin_kill(float(seconds))
                case ["count"]:
                    self._tell(f"count {sum(not is_sandbox(pid) for pid in descendants(os.getpid()))}")
                case _:
                    pass
        if not data:
            self._begin_kill(FINAL_GRACE)
        return bool(data)

    def _begin_kill(self, grace: float) -> None:
        deadline = time.monotonic() + grace
        self._deadline = deadline if self._deadline is None else min(self._deadline, deadline)
        listed = listed_descendants(os.getpid()) - self._signalled
        _send_all(listed, signal.SIGTERM)
        self._signalled |= listed
        self._sweep_at = time.monotonic() + SWEEP_DELAY

    def _enforce(self) -> None:
        if self._sweep_at is not None and time.monotonic() >= self._sweep_at:
            self._sweep_at = None
            signal_others(signal.SIGTERM, self._signalled)
        if self._deadline is not None and time.monotonic() >= self._deadline:
            signal_tree(signal.SIGKILL)

    def _timeout(self) -> float | None:
        """Milliseconds until there is something to do unasked, None for ever."""
        if self._deadline is None:
            return None
        if self._sweep_at is not None:
            return max(1.0, (self._sweep_at - time.monotonic()) * 1000)
        # Past the deadline, what a dying tree still forks is caught by killing again.
        return max(10.0, (self._deadline - time.monotonic()) * 1000)

    def _tell(self, line: str) -> None:
        if self._control is None:
            return
        try:
            self._control.sendall(line.encode() + b"\n")
        except OSError:
            # Nobody listens any more; `_obey` notices the same.
            return


def _notice(_number: int, _frame: object) -> None:
    """A handler, so that SIGCHLD is written to the wake-up pipe."""


def signal_tree(number: signal.Signals) -> None:
    """Send a signal to every descendant of this process, also to those forked meanwhile (some rounds).

    First to those that the kernel lists, which takes a tenth of a look at every process of the machine.
    """
    done = listed_descendants(os.getpid())
    _send_all(done, number)
    signal_others(number, done)


def signal_others(number: signal.Signals, done: set[int]) -> None:
    """Send a signal to the descendants that are not in `done`, and add them to it."""
    for _ in range(20):
        new = descendants(os.getpid()) - done
        if not new:
            return
        _send_all(new, number)
        done |= new


def _send_all(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        _send(pid, number)
        if number == signal.SIGTERM:
            _send(pid, signal.SIGCONT)


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def listed_descendants(root: int) -> set[int]:
    """Those below `root` by the kernel's own lists, which may miss one while others end; zombies count.

    Source: proc_pid_task(5). Empty where the kernel keeps no lists.
    """
    found: set[int] = set()
    pending = [root]
    while pending:
        for child in _listed_children(pending.pop()):
            if child not in found:
                found.add(child)
                pending.append(child)
    return found


def _listed_children(pid: int) -> list[int]:
    children: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                children += map(int, file.read().split())
    except OSError:
        # It has ended, or there are no lists: the slow search finds what is left.
        return children
    return children


def descendants(root: int) -> set[int]:
    """The live processes below `root` (zombies left out)."""
    children = _children_by_parent()
    found: set[int] = set()
    pending = [root]
    while pending:
        for child in children.get(pending.pop(), ()):
            if child not in found:
                found.add(child)
                pending.append(child)
    return found


def is_sandbox(pid: int) -> bool:
    """Whether a process is bubblewrap's own, which ends with the last process inside it: nobody left it running."""
    try:
        with open(f"/proc/{pid}/comm", "rb") as file:
            return file.read() == b"bwrap\n"
    except OSError:
        return False


def _children_by_parent() -> dict[int, list[int]]:
    table: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                # The name in brackets may hold anything, so the fields are counted from the last bracket.
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields and fields[0] not in (b"Z", b"X"):
            table.setdefault(int(fields[1]), []).append(int(name))
    return table


if __name__ == "__main__":
    main(int(sys.argv[1]))
