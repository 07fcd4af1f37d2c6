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
    """What of this project counts only after trust, as far as it exists. Opens nothing."""
    folder = project / PROJECT_FOLDER
    yield from (folder / name for name in GUARDED if os.path.lexists(folder / name))
    own = home and home / SHARED_SKILLS
    for above in (project, *project.absolute().parents):
        if above / SHARED_SKILLS != own and os.path.lexists(above / SHARED_SKILLS):
            yield above / SHARED_SKILLS
