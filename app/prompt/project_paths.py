"""Where the editor's paths come from: the folder, here or on another machine, in which the agent works."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ...widgets.editor.editor import Editor
from .file_index import FileIndex, Host
from .files import list_files
from .paths import LocalPaths

if TYPE_CHECKING:
    from ..conversation.machine import RemoteMachine


class ProjectPaths:
    """Gives the editor its sources for ``@`` and Tab. The index of a folder is kept while the work stays there."""

    def __init__(self, editor: Editor, host: Host) -> None:
        self._editor = editor
        self._host = host
        self._folder: Path | None = None
        self._index: FileIndex | None = None

    def work_at(self, folder: Path, machine: RemoteMachine | None = None) -> None:
        """The agent works in this folder, or in that of another machine."""
        if machine is not None:
            self._folder, self._index = None, FileIndex(machine.list_files, self._host)
            self._editor.complete_path = machine.paths().complete
        elif folder != self._folder:
            self._folder, self._index = folder, FileIndex(partial(list_files, folder), self._host)
            self._editor.complete_path = LocalPaths(folder).complete
        if self._index is not None:
            self._editor.complete_file = self._index.complete

    def files_changed(self) -> None:
        """Something has run that may have made files, or removed some."""
        if self._index is not None:
            self._index.files_changed()
