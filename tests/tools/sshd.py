"""A real ssh server on loopback, for the time of a test run."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

PROGRAM = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")
IS_AVAILABLE = PROGRAM is not None and shutil.which("ssh") is not None and shutil.which("ssh-keygen") is not None

_CONFIG = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
MaxStartups 100
MaxSessions 100
"""


@contextmanager
def running_sshd(folder: Path) -> Generator[tuple[str, list[str]]]:
    """Yields the destination and the options with which `ssh` reaches it."""
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    port = _free_port()
    config = folder / "config"
    config.write_text(_CONFIG.format(port=port, folder=folder))
    server = subprocess.Popen([str(PROGRAM), "-D", "-e", "-f", config], stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        keys = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"]
        yield f"{getpass.getuser()}@127.0.0.1", ["-F", "/dev/null", "-p", str(port), "-i", str(folder / "user"), *keys]
    finally:
        server.terminate()
        server.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_for(port: int) -> None:
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.01)
        else:
            return
    raise RuntimeError("sshd does not listen")
