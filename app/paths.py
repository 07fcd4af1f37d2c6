"""Where this program keeps its files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..agent.frozen import frozen

APP = "pyagent-tui"


@frozen
class Paths:
    """The two folders and the names in them. Nothing here exists until somebody writes it."""

    config: Path
    data: Path

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def models_file(self) -> Path:
        return self.config / "models.toml"

    @property
    def keys_file(self) -> Path:
        return self.config / "keys.toml"

    @property
    def auth_file(self) -> Path:
        return self.config / "auth.json"

    @property
    def trust_file(self) -> Path:
        return self.config / "trust.json"

    @property
    def rules_file(self) -> Path:
        return self.config / "rules.toml"

    @property
    def history_file(self) -> Path:
        return self.config / "history"

    @property
    def sessions(self) -> Path:
        return self.data / "sessions"

    @property
    def outputs(self) -> Path:
        return self.data / "outputs"

    @property
    def themes(self) -> Path:
        return self.config / "themes"

    @property
    def log_file(self) -> Path:
        return self.data / "pyagent-tui.log"

    @property
    def drafts(self) -> Path:
        return self.data / "drafts"


def find_paths(environ: Mapping[str, str] = os.environ) -> Paths:
    """`PYAGENT_TUI_HOME` for both if it is set, else the platform's own folders.

    Where no home folder can be found (HOME unset and no such user), a private folder among the temporary files.
    """
    home = environ.get("PYAGENT_TUI_HOME")
    if home:
        folder = Path(home).expanduser().absolute()
        return Paths(folder, folder)
    if os.path.expanduser("~") == "~":
        folder = _homeless_folder()
        return Paths(folder, folder)
    import platformdirs

    return Paths(
        platformdirs.user_config_path(APP, appauthor=False, roaming=True),
        platformdirs.user_data_path(APP, appauthor=False),
    )


def _homeless_folder() -> Path:
    """A folder that is ours alone: one of another owner at the usual place is not used."""
    folder = Path(tempfile.gettempdir()) / f"{APP}-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        # A link has an open mode of its own, so it is not followed either.
        if found.st_uid != os.getuid() or found.st_mode & 0o077:
            return Path(tempfile.mkdtemp(prefix=f"{APP}-"))
    except OSError:
        return Path(tempfile.mkdtemp(prefix=f"{APP}-"))
    return folder
