"""What a project brings that counts only once the person trusts it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

PROJECT_FOLDER = ".pyagent"
"""The folder in a project that holds what it brings for this program."""

GUARDED = (
    "config.toml",
    "models.toml",
    "mcp.json",
    "extensions",
    "skills",
    "prompts",
    "themes",
    "SYSTEM.md",
    "APPEND_SYSTEM.md",
)
"""Names in that folder that are left alone without trust."""

SHARED_SKILLS = Path(".agents") / "skills"


def guarded_resources(project: Path, home: Path | None = None) -> Iterator[Path]:
    """What of this project counts only after trust, as far as it exists. Opens nothing.

    Shared skills are those from the folder up to the repository's root (to the home folder, where there is none): the
    ones that `context.locations.skill_folders` reads.
    """
    folder = project / PROJECT_FOLDER
    yield from (folder / name for name in GUARDED if os.path.lexists(folder / name))
    project = project.absolute()
    for above in (project, *project.parents):
        if above == home:
            return
        if os.path.lexists(above / SHARED_SKILLS):
            yield above / SHARED_SKILLS
        if (above / ".git").exists():
            return
