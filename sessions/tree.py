"""The tree of a session's entries: a new entry becomes a child of the leaf; moving the leaf makes a branch.

History is never edited. Everything here is in memory; `writer` puts lines on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .entries import Entry, LabelEntry, SessionEntry, SessionInfoEntry
from .identifiers import new_entry_id


class UnknownEntryError(LookupError):
    """No entry of the session has this id."""

    def __init__(self, entry_id: str) -> None:
        super().__init__(f"no entry {entry_id} in this session")


class SessionTree:
    """Entries by id, in file order. Cycles, orphans and double ids of a damaged file are survived: no walk is endless."""

    def __init__(self, entries: Iterable[SessionEntry] = ()) -> None:
        self._entries: dict[str, SessionEntry] = {}
        self._children: dict[str | None, list[str]] = {}
        self._labels: dict[str, LabelEntry] = {}
        self._name: str | None = None
        self.leaf_id: str | None = None
        for entry in entries:
            self._entries[entry.id] = entry
            self._note(entry)
            self.leaf_id = entry.id
        self._cut_cycles()
        for entry in self._entries.values():
            self._children.setdefault(self._known_parent(entry), []).append(entry.id)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[SessionEntry]:
        return iter(self._entries.values())

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._entries

    def __getitem__(self, entry_id: str) -> SessionEntry:
        """The entry; raises `UnknownEntryError`."""
        try:
            return self._entries[entry_id]
        except KeyError:
            raise UnknownEntryError(entry_id) from None

    def new_id(self) -> str:
        """An id that no entry has."""
        return new_entry_id(self._entries)

    def add(self, entry: SessionEntry) -> None:
        """Put a new entry into the tree and move the leaf to it."""
        self._entries[entry.id] = entry
        self._children.setdefault(entry.parent_id, []).append(entry.id)
        self._note(entry)
        self.leaf_id = entry.id

    def branch(self, entry_id: str | None) -> None:
        """Move the leaf to an entry, or before the first one (None). Raises `UnknownEntryError`."""
        self.leaf_id = None if entry_id is None else self[entry_id].id

    def path(self, entry_id: str | None = None) -> list[SessionEntry]:
        """From the root to an entry (the leaf unless given). Raises `UnknownEntryError`."""
        path = list(self.upwards(entry_id))
        path.reverse()
        return path

    def upwards(self, entry_id: str | None = None) -> Iterator[SessionEntry]:
        """From an entry (the leaf unless given) to the root, as far as one asks. Raises `UnknownEntryError`."""
        current = self.leaf_id if entry_id is None else self[entry_id].id
        while current is not None:
            entry = self._entries[current]
            yield entry
            current = self._known_parent(entry)

    def children(self, entry_id: str | None) -> list[SessionEntry]:
        """The children of an entry (None: the roots), oldest first."""
        found = [self._entries[child] for child in self._children.get(entry_id, ())]
        return sorted(found, key=lambda entry: entry.timestamp)

    def common_ancestor(self, first: str | None, second: str | None) -> str | None:
        """The deepest entry on both paths; None if they share none."""
        if first is None or second is None:
            return None
        ancestors = {entry.id for entry in self.path(first)}
        return next((entry.id for entry in reversed(self.path(second)) if entry.id in ancestors), None)

    @property
    def name(self) -> str | None:
        """The session's name: the latest one given, on whatever branch."""
        return self._name

    @property
    def labels(self) -> dict[str, str]:
        """Labels by the id of the entry they name."""
        return {target: entry.label for target, entry in self._labels.items() if entry.label}

    def label_time(self, entry_id: str) -> str | None:
        """When an entry got its label (UTC text), None without one."""
        entry = self._labels.get(entry_id)
        return entry.timestamp if entry and entry.label else None

    def _note(self, entry: Entry) -> None:
        if isinstance(entry, LabelEntry):
            self._labels[entry.target_id] = entry
        elif isinstance(entry, SessionInfoEntry):
            self._name = clean_name(entry.name) or None

    def _known_parent(self, entry: SessionEntry) -> str | None:
        return entry.parent_id if entry.parent_id in self._entries else None

    def _cut_cycles(self) -> None:
        """Make every entry reach a root: the first entry of a cycle, in file order, becomes one."""
        safe: set[str] = set()
        for entry in self._entries.values():
            trail: list[str] = []
            current: str | None = entry.id
            while current is not None and current not in safe:
                safe.add(current)
                trail.append(current)
                current = self._known_parent(self._entries[current])
            if current in trail:
                self._first(trail[trail.index(current) :]).parent_id = None

    def _first(self, ids: list[str]) -> SessionEntry:
        return next(entry for entry in self._entries.values() if entry.id in ids)


def clean_name(name: str) -> str:
    """A session name on one line, without blanks around it."""
    return " ".join(name.split())
