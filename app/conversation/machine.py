"""Another machine to work on: reached over ssh, with what is known of the folder there."""

from __future__ import annotations

import errno
from collections.abc import AsyncGenerator, Sequence

from ...agent.frozen import frozen
from ...context.project_files import ProjectFiles
from ...tools.remote import Remote
from ...tools.ssh import SshOperations, remote_folder
from ..start_error import StartError
from .remote_files import RemotePaths, find_remote_files, list_remote_files

KEY_HINT = " Nothing can be asked here, so it must let you in without a password: see ssh-copy-id and ssh-agent."
HOST_HINT = " Connect to it once with ssh, to say that its key is right."
HINTS = {"Permission denied": KEY_HINT, "Host key verification failed": HOST_HINT}
"""What helps, by what `ssh` says."""


@frozen
class RemoteMachine:
    """A folder of another machine that was reached; `remote` has its absolute path, `files` are its instructions."""

    remote: Remote
    operations: SshOperations
    files: ProjectFiles = ProjectFiles()

    @property
    def folder(self) -> str:
        """The folder's path there."""
        return self.remote.folder

    @property
    def address(self) -> str:
        """What sessions know the folder by."""
        return self.remote.address

    def list_files(self) -> AsyncGenerator[Sequence[str]]:
        """The files of the folder, for ``@``."""
        return list_remote_files(self.operations, self.folder)

    def paths(self) -> RemotePaths:
        """What Tab completes paths from."""
        return RemotePaths(self.operations, self.folder)

    def describe(self) -> str:
        """The working folder, for the model."""
        return f"{self.folder}\nThis folder is on another machine, {self.remote.host}; all tools work there."


async def reach(remote: Remote, *, with_files: bool = True) -> RemoteMachine:
    """Connect; close its `operations` when done. Raises `StartError` with what can be done."""
    operations = SshOperations(remote.destination)
    try:
        folder = await remote_folder(operations, remote)
        files = await find_remote_files(operations, folder) if with_files else ProjectFiles()
        return RemoteMachine(Remote(remote.destination, folder), operations, files)
    except BaseException as error:
        await operations.aclose()
        if isinstance(error, OSError):
            raise StartError(_reason(remote, error)) from None
        raise


def _reason(remote: Remote, error: OSError) -> str:
    if error.filename == "ssh":
        return "--remote needs the program ssh, which was not found."
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return f"There is no folder {remote.folder} on {remote.host}."
    words = error.strerror or str(error)
    hint = next((hint for part, hint in HINTS.items() if part in words), "")
    return f"{remote.host} cannot be reached: {words.rstrip('.')}.{hint}"
