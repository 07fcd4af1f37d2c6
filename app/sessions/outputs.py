"""Long outputs of commands: kept with the session whose results name them, gone when it has not been used for long."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ...sessions.session import Session

KEPT_SECONDS = 7 * 24 * 3600
"""How long outputs stay after their session was opened, or kept an output, for the last time."""


def output_folder(outputs: Path, session: Session) -> tuple[Path, Callable[[], object]]:
    """The folder for a session's outputs, and what is to be done with it at the end.

    It need not exist. That of a session without a file goes away with the program, as all of such a session does.
    """
    if session.path is None:
        folder = Path(tempfile.gettempdir(), f"pyagent-tui-{session.id}")
        return folder, lambda: shutil.rmtree(folder, ignore_errors=True)
    # The stem of the file, not the id: a file from elsewhere may claim any id.
    folder = outputs / session.path.stem
    with suppress(OSError):
        os.utime(folder)
    return folder, lambda: None


def remove_old_outputs(outputs: Path, now: float | None = None) -> None:
    """Remove the folders of sessions that were not used for `KEPT_SECONDS`. Reads disk; raises nothing."""
    oldest = (time.time() if now is None else now) - KEPT_SECONDS
    with suppress(OSError), os.scandir(outputs) as items:
        for item in items:
            with suppress(OSError):
                if item.is_dir(follow_symlinks=False) and item.stat(follow_symlinks=False).st_mtime < oldest:
                    shutil.rmtree(item.path, ignore_errors=True)
