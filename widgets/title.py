"""The title line: where one is, in which session, with which model."""

from __future__ import annotations

from typing import ClassVar

from textual.reactive import reactive

from .editor.rows import clip
from .text.edge_line import EdgeLine, Part
from .text.outside_text import outside_line, outside_name

NAME = 24
"""Cells that a long session name keeps where it is narrow."""


class TitleLine(EdgeLine):
    """One line at the top: folder, branch, session name, model, thinking level. Empty fields are not shown."""

    DEFAULT_CSS = """
    TitleLine {
        color: $foreground 80%;
        & > .title--separator { color: $foreground 40%; }
        & > .title--folder { color: $foreground; text-style: bold; }
        & > .title--branch { color: $text-accent; }
        & > .title--muted { color: $foreground 70%; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"title--separator", "title--folder", "title--branch", "title--muted"}

    PREFIX = "title"

    host: reactive[str] = reactive("")
    """The machine of the folder, where it is another one."""
    folder: reactive[str] = reactive("")
    """The working folder, the home folder as ``~``."""
    branch: reactive[str] = reactive("")
    """The git branch, with a ``*`` if something is not committed."""
    session: reactive[str] = reactive("")
    model: reactive[str] = reactive("")
    thinking: reactive[str] = reactive("")

    def parts(self) -> tuple[list[Part], list[Part]]:
        folder = outside_name(self.folder)
        last = folder.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or folder
        if self.host:
            host = outside_line(self.host)
            folder, last = f"{host}:{folder}", f"{host.rpartition('@')[2]}:{last}"
        left = [
            Part(folder, 1, "folder", short=last, short_rank=5),
            Part(outside_line(self.branch), 2, "branch", separator="  "),
        ]
        session = outside_line(self.session)
        clipped = clip(session, NAME)
        right = [
            Part(session, 4, "muted", short=clipped if clipped != session else "", short_rank=6),
            Part(outside_line(self.model), 0),
            Part(outside_line(self.thinking), 3, "muted"),
        ]
        return left, right
