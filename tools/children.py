"""Ending a child process of asyncio."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress

import anyio


async def end_child(process: asyncio.subprocess.Process) -> None:
    """Kill it if it still runs, and wait until it is gone; done even when cancelled."""
    if process.returncode is not None:
        return
    # `Process.kill` asks the system for the exit status first, and asyncio then misses it.
    with suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.kill(process.pid, signal.SIGKILL)
    with anyio.CancelScope(shield=True):
        await process.communicate()
