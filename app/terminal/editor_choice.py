"""Which editor opens the person's texts."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping

USUAL = ("notepad",) if os.name == "nt" else ("sensible-editor", "editor", "nano", "vim", "vi")
"""Editors to open where nobody has named one: Debian's own choice first, the others from easy to hard."""


def editor_command(setting: str | None, environ: Mapping[str, str] = os.environ) -> list[str]:
    """The words of the command: of the setting, else of VISUAL, else of EDITOR, else an editor that is there; none without."""
    wanted = setting or environ.get("VISUAL") or environ.get("EDITOR") or usual_editor(environ.get("PATH"))
    try:
        return shlex.split(wanted, posix=os.name != "nt")
    except ValueError:
        return wanted.split()


def usual_editor(path: str | None) -> str:
    """The first editor of those that most systems have; empty if there is none. `path` is that of the environment."""
    return next((name for name in USUAL if shutil.which(name, path=path)), "")
