"""Copying text: by the system's own tool where there is one, else through the terminal."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

TIMEOUT = 3.0
"""Seconds that a tool may take."""

OSC_52_LIMIT = 74_994
"""Bytes that common terminals take at once (base64 of them in 100,000 characters)."""

_TOOLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--input", "--clipboard")),
    ("WSL_DISTRO_NAME", ("clip.exe",)),
    ("TMUX", ("tmux", "load-buffer", "-w", "-")),
    ("TERMUX_VERSION", ("termux-clipboard-set",)),
)
"""What copies, and the variable without which it cannot work."""


def copy_text(text: str, through_terminal: Callable[[str], None], environ: Mapping[str, str] = os.environ) -> str:
    """Copy it; one sentence that says what is known of the outcome. Blocks for a moment: use a thread.

    `through_terminal` sends OSC 52, which a terminal may take, refuse or ignore without a word. Over SSH only the
    terminal has the person's clipboard.
    """
    for command in [] if "SSH_TTY" in environ else _commands(environ):
        if _runs(command, text):
            return f"Copied with {command[0]}."
    size = len(text.encode("utf-8", "replace"))
    if size > OSC_52_LIMIT:
        return f"Not copied: it needs wl-copy, xclip or pbcopy here; {size:,} bytes are too many for the terminal."
    through_terminal(text)
    return "Sent to the terminal's clipboard; whether it took it, it does not say."


def _commands(environ: Mapping[str, str]) -> list[Sequence[str]]:
    wanted = [command for variable, command in _TOOLS if environ.get(variable)]
    own: dict[str, tuple[str, ...]] = {"darwin": ("pbcopy",), "win32": ("clip.exe",)}
    wanted += [own[sys.platform]] if sys.platform in own else []
    return [command for command in wanted if shutil.which(command[0], path=environ.get("PATH"))]


def _runs(command: Sequence[str], text: str) -> bool:
    encoding = "utf-16" if command[0] == "clip.exe" else "utf-8"
    try:
        # xclip stays to serve what was copied: it must not hold a pipe of ours.
        done = subprocess.run(
            command,
            input=text.encode(encoding, "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT,
            start_new_session=True,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def through_tmux(text: str) -> str:
    """OSC 52 wrapped so that tmux passes it on to the terminal outside, where tmux allows that."""
    data = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
    return f"\x1bPtmux;\x1b\x1b]52;c;{data}\a\x1b\\"
