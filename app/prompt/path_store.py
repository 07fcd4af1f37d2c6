"""Paths as they are listed, and the best of them for what is typed, both a little at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest

from ...widgets.editor.completion import Completion
from ...widgets.text.fuzzy import fuzzy_patterns, fuzzy_score

MOST_FILES = 200_000
"""Files that a store holds at most."""

MOST_SHOWN = 20
RANKED = 100
"""Paths among which folders come first."""

BLOCK = 100
"""Paths that are looked at in one go: under a millisecond."""


class PathStore:
    """Relative paths of files and of their folders (those end in ``/``), each with its small letters."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.small: list[str] = []
        self.top: set[str] = set()
        """What lies in the folder itself."""
        self._folders: set[str] = set()
        self._files = 0
        self._last: str = ""

    @property
    def is_full(self) -> bool:
        return self._files >= MOST_FILES

    def add(self, files: Sequence[str]) -> None:
        """Take in files, and the folders that lead to them; one that comes twice in a row counts once.

        Under a millisecond for a thousand.
        """
        files = [file for file in dict.fromkeys(files) if file != self._last][: MOST_FILES - self._files]
        if not files:
            return
        self._last = files[-1]
        self._files += len(files)
        self._put(sorted(self._new_folders({file.rpartition("/")[0] for file in files})))
        self._put(files)

    def _new_folders(self, folders: Iterable[str]) -> Iterator[str]:
        """Those of the folders, and of the ones around them, that were not there yet, each with its ``/``."""
        for folder in folders:
            while folder and folder not in self._folders:
                self._folders.add(folder)
                yield f"{folder}/"
                folder = folder.rpartition("/")[0]

    def _put(self, paths: Sequence[str]) -> None:
        self.paths += paths
        joined = "\0".join(paths)
        small = joined.lower()
        self.small += paths if small == joined else small.split("\0")
        self.top.update(path for path in paths if "/" not in path[:-1])


class Ranking:
    """The best paths of a store for what is typed; `step` goes on through it, also when it has grown."""

    def __init__(self, store: PathStore, typed: str) -> None:
        self._store = store
        self._typed = typed
        self._patterns = fuzzy_patterns(typed)
        self._position = 0
        self._best: list[tuple[float, str]] = []

    @property
    def is_through(self) -> bool:
        """Whether every path that there is was looked at."""
        return not self._patterns or self._position >= len(self._store.paths)

    @property
    def has_found(self) -> bool:
        return bool(self._best if self._patterns else self._store.top)

    def step(self) -> None:
        """Look at the next `BLOCK` paths."""
        end = min(self._position + BLOCK, len(self._store.paths))
        small, paths = self._store.small, self._store.paths
        found = [
            (score, paths[index])
            for index in range(self._position, end)
            if all(pattern.search(small[index]) for pattern in self._patterns)
            and (score := fuzzy_score(self._typed, small[index])) is not None
        ]
        self._position = end
        if found:
            self._best = nsmallest(RANKED, self._best + found)

    def completions(self) -> Sequence[Completion]:
        """The best so far, folders first; without a query what lies in the folder itself."""
        found = [path for _, path in self._best] if self._patterns else sorted(self._store.top)
        found.sort(key=lambda path: not path.endswith("/"))
        return [Completion(path, stays_open=path.endswith("/")) for path in found[:MOST_SHOWN]]
