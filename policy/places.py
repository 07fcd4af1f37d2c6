"""Where changes may go without a question: the project and the folder for temporary files, but not what runs programs."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..agent.frozen import frozen
from .rules import is_below, is_protected


@frozen
class Places:
    """Real paths: the project, other open folders, and folders in which every change is asked about (our own settings)."""

    project: str
    open: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()

    @classmethod
    def of(cls, project: str, open: Sequence[str] = (), closed: Sequence[str] = ()) -> Places:
        """With the real paths of these folders. Reads disk."""
        return cls(
            *(os.path.realpath(project),), tuple(map(os.path.realpath, open)), tuple(map(os.path.realpath, closed))
        )

    def holds(self, path: str) -> bool:
        """Whether a change of the file with this real path is nothing unusual."""
        if any(is_below(path, folder) or path == folder for folder in self.closed):
            return False
        if is_below(path, self.project):
            return not is_protected(path, self.project)
        return any(is_below(path, folder) for folder in self.open)
