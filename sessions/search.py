"""Full-text search over all sessions: a derived index (SQLite FTS5) that may be deleted at any time."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Generator, Iterable
from contextlib import closing, contextmanager
from pathlib import Path

from ..agent.frozen import frozen
from .folders import PRIVATE_FILE, make_private_folder
from .indexing import FileState, IndexedText, read_texts
from .locate import session_files
from .lock import locked

INDEX_FILE = "search.sqlite"
SCHEMA_VERSION = 1
BUSY_SECONDS = 10.0

_SCHEMA = """
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT UNIQUE, inode INTEGER, size INTEGER, changed INTEGER,
    end INTEGER, mark BLOB, session_id TEXT, cwd TEXT, name TEXT);
CREATE TABLE entries (id INTEGER PRIMARY KEY, file INTEGER, entry_id TEXT, role TEXT, time TEXT);
CREATE INDEX entries_of_file ON entries (file);
CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = "unicode61 remove_diacritics 2");
"""
_WORD = re.compile(r'"([^"]+)"|(\S+)')
_UNSEGMENTED = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff\u0e00-\u0eff]")
_BEGIN, _END = "\x02", "\x03"


class SearchError(Exception):
    """The index cannot be used; `str(error)` says why."""


@frozen
class SearchHit:
    """An entry that matches. `snippet` is literal text around the match, `matches` are its (start, end) in it.

    `timestamp` is UTC text; `entry_id` is empty for a hit in the session's name.
    """

    path: Path
    session_id: str
    cwd: str
    name: str | None
    entry_id: str
    role: str
    timestamp: str
    snippet: str
    matches: tuple[tuple[int, int], ...]


class SearchIndex:
    """The index in `data_dir`. Every method blocks: call them in a thread. Each opens its own connection."""

    def __init__(self, data_dir: Path) -> None:
        self.path = data_dir / INDEX_FILE

    def update(
        self,
        folders: Iterable[Path],
        on_progress: Callable[[int, int], None] = lambda done, total: None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> int:
        """Index what is new in these folders, newest files first; the number of files read.

        `on_progress` gets (files done, files in all). What is done stays done when cancelled. Raises `SearchError`.
        """
        files = [(path, folder) for folder in folders for path, _ in session_files(folder)]
        read = 0
        with self._connection() as database:
            known = {row[0]: FileState(*row[1:]) for row in database.execute(_KNOWN)}
            on_progress(0, len(files))
            for number, (path, _) in enumerate(files):
                read += _index_file(database, path, known.pop(str(path), None), is_cancelled)
                if is_cancelled():
                    return read
                on_progress(number + 1, len(files))
            covered = {str(folder) for _, folder in files}
            _forget(database, [path for path in known if str(Path(path).parent) in covered or not Path(path).exists()])
        return read

    def search(self, query: str, limit: int = 50, cwd: str | None = None) -> list[SearchHit]:
        """Entries that hold all words of the query, best first; "quoted phrases" together, the last word as a beginning.

        `cwd` keeps to one project's sessions. Raises `SearchError`.
        """
        words = [phrase or word for phrase, word in _WORD.findall(query)]
        if not words:
            return []
        shown, condition, argument = _condition(query, words)
        sql = _SEARCH.format(shown=shown, condition=condition, cwd="AND files.cwd = ?" if cwd else "")
        with self._connection() as database:
            rows = database.execute(sql, (*argument, *((cwd,) if cwd else ()), limit)).fetchall()
        return [_hit(row, words) for row in rows]

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        try:
            with closing(self._open()) as database:
                yield database
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
                self.path.unlink(missing_ok=True)  # damaged inside: the next use makes it anew
            raise SearchError(f"the search index cannot be used: {error}") from error

    def _open(self) -> sqlite3.Connection:
        """The index, made anew if it is missing, damaged or of another version; by one program at a time."""
        make_private_folder(self.path.parent)
        return self._existing() or self._make()

    def _existing(self) -> sqlite3.Connection | None:
        if not self.path.exists():
            return None
        database = self._connect()
        try:
            # Derived data: a crash may cost it, so no write waits for the disk.
            database.execute("PRAGMA synchronous = OFF")
            if database.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION:
                return database
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                database.close()
                raise
        except sqlite3.DatabaseError:
            pass
        database.close()
        return None

    def _make(self) -> sqlite3.Connection:
        """Make the index beside and put it in place whole, so that nobody meets half of one."""
        with locked(self.path.with_suffix(".lock"), BUSY_SECONDS):
            if (made := self._existing()) is not None:
                return made
            new = self.path.with_suffix(".new")
            _remove_index(new)
            new.touch(PRIVATE_FILE)
            new.chmod(PRIVATE_FILE)
            with closing(sqlite3.connect(new, isolation_level=None)) as database:
                database.execute("PRAGMA synchronous = OFF")
                database.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
            _remove_index(self.path)
            os.replace(new, self.path)
            database = self._connect()
            database.execute("PRAGMA synchronous = OFF")
            return database

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)


def _remove_index(path: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


_KNOWN = "SELECT path, inode, size, changed, end, mark FROM files"
_SEARCH = """
SELECT files.path, files.session_id, files.cwd, files.name, entries.entry_id, entries.role, entries.time, {shown}
FROM texts JOIN entries ON entries.id = texts.rowid JOIN files ON files.id = entries.file
WHERE {condition} {cwd} ORDER BY rank, entries.time DESC LIMIT ?
"""
_SNIPPET = f"snippet(texts, 0, '{_BEGIN}', '{_END}', '…', 16)"


def _condition(query: str, words: list[str]) -> tuple[str, str, list[str]]:
    """What to show, what to ask for, and its arguments.

    Word search; where a script does not part words by blanks, a search for the characters themselves.
    """
    if _UNSEGMENTED.search(query):
        like = " AND ".join("texts.text LIKE ? ESCAPE '\\'" for _ in words)
        return "texts.text", like, ["%" + re.sub(r"([%_\\])", r"\\\1", word) + "%" for word in words]
    terms = ['"' + word.replace('"', '""') + '"' for word in words]
    # A word that is still being typed matches as a beginning.
    is_open = bool(re.search(r"\w$", query))
    return _SNIPPET, "texts MATCH ?", [" ".join(terms) + ("*" if is_open else "")]


def _hit(row: tuple[str, str, str, str, str, str, str, str], words: list[str]) -> SearchHit:
    path, session_id, cwd, name, entry_id, role, time, marked = row
    if _BEGIN not in marked:
        marked = _mark(marked, words[0])
    snippet, matches = _unmark(" ".join(marked.split()))
    return SearchHit(Path(path), session_id, cwd, name or None, entry_id, role, time, snippet, matches)


def _mark(text: str, word: str, around: int = 60) -> str:
    start = max(text.lower().find(word.lower()), 0)
    end = start + len(word)
    before, after = text[max(start - around, 0) : start], text[end : end + around]
    return f"{'…' if start > around else ''}{before}{_BEGIN}{text[start:end]}{_END}{after}"


def _unmark(marked: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    snippet, matches, start = "", list[tuple[int, int]](), 0
    for part in re.split(f"([{_BEGIN}{_END}])", marked):
        if part == _BEGIN:
            start = len(snippet)
        elif part == _END:
            matches.append((start, len(snippet)))
        else:
            snippet += part
    return snippet, tuple(matches)


def _index_file(
    database: sqlite3.Connection, path: Path, known: FileState | None, is_cancelled: Callable[[], bool]
) -> bool:
    """Bring one file up to date; whether it was read. One that is cancelled meanwhile stays as it was."""
    try:
        state = FileState.of(path)
        if known is not None and known.is_same(state):
            return False
        start = known.end if known is not None and known.is_grown_to(state, path) else 0
        found = read_texts(path, start, is_cancelled)
    except OSError:
        return False
    if found is None:
        return False
    database.execute("BEGIN IMMEDIATE")
    try:
        if start == 0:
            _remove(database, path)
        _store(database, path, state, found)
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")
    return True


def _store(database: sqlite3.Connection, path: Path, state: FileState, found: IndexedText) -> None:
    database.execute(
        "INSERT OR IGNORE INTO files (path, session_id, cwd) VALUES (?, ?, ?)", (str(path), found.session_id, found.cwd)
    )
    database.execute(
        "UPDATE files SET inode = ?, size = ?, changed = ?, end = ?, mark = ?, name = coalesce(?, name) WHERE path = ?",
        (state.inode, state.size, state.changed, found.end, found.mark, found.name, str(path)),
    )
    (file,) = database.execute("SELECT id FROM files WHERE path = ?", (str(path),)).fetchone()
    (first,) = database.execute("SELECT coalesce(max(id), 0) + 1 FROM entries").fetchone()
    numbered = list(enumerate(found.rows, first))
    entries = ((number, file, entry_id, role, time) for number, (entry_id, role, time, _) in numbered)
    database.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", entries)
    texts = ((number, text) for number, (_, _, _, text) in numbered)
    database.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", texts)


def _remove(database: sqlite3.Connection, path: str | Path) -> None:
    found = database.execute("SELECT id FROM files WHERE path = ?", (str(path),)).fetchone()
    if found:
        database.execute("DELETE FROM texts WHERE rowid IN (SELECT id FROM entries WHERE file = ?)", found)
        database.execute("DELETE FROM entries WHERE file = ?", found)
        database.execute("DELETE FROM files WHERE id = ?", found)


def _forget(database: sqlite3.Connection, paths: list[str]) -> None:
    for path in paths:
        _remove(database, path)
