"""Ignore files (gitignore syntax) on the way down a folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..agent.frozen import frozen

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

# pathspec passes on what `re` makes of a range such as [z-a].
BAD_PATTERN = (ValueError, re.error)
NAMES = (".gitignore", ".ignore", ".fdignore")


@frozen
class IgnoreRules:
    """The rules that hold in a folder: its own and those of the folders above it, nearest last."""

    layers: tuple[tuple[Path, GitIgnoreSpec], ...] = ()

    def below(self, folder: Path) -> IgnoreRules:
        """These rules with those of `folder`, if it has any."""
        lines = [line for name in NAMES for line in _lines(folder / name)]
        if not lines:
            return self
        from pathspec import GitIgnoreSpec

        try:
            spec = GitIgnoreSpec.from_lines(lines)
        except BAD_PATTERN:
            spec = GitIgnoreSpec.from_lines(_valid(lines))
        return IgnoreRules((*self.layers, (folder, spec)))

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Whether the nearest rule that speaks of this path leaves it out."""
        for folder, spec in reversed(self.layers):
            relative = os.path.relpath(path, folder).replace(os.sep, "/")
            verdict = spec.check_file(f"{relative}/" if is_folder else relative).include
            if verdict is not None:
                return verdict
        return False


def _valid(lines: list[str]) -> Iterator[str]:
    """The lines that are patterns: one bad line does not undo the others, as in git."""
    from pathspec import GitIgnoreSpec

    for line in lines:
        with suppress(*BAD_PATTERN):
            GitIgnoreSpec.from_lines([line])
            yield line


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(errors="replace").splitlines()
    except OSError:
        return []
