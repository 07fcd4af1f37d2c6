"""Search finds what was said in any session, and its index may be lost at any time."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from subprocess import PIPE

import pytest

from pyagent_tui.agent.messages import BashExecutionMessage, TextContent, ToolCall, ToolResultMessage
from pyagent_tui.sessions.locate import project_folders
from pyagent_tui.sessions.search import INDEX_FILE, SearchError, SearchHit, SearchIndex
from pyagent_tui.sessions.session import Session
from pyagent_tui.tests.sessions.building import reply, user


def start(data: Path, cwd: Path, *questions: str) -> Session:
    session = Session.start(cwd, data)
    for question in questions:
        session.append_message(user(question))
    return session


def find(data: Path, query: str, cwd: str | None = None) -> list[SearchHit]:
    index = SearchIndex(data)
    index.update(project_folders(data))
    return index.search(query, cwd=cwd)


def test_a_hit_leads_to_its_entry(tmp_path: Path) -> None:
    session = start(tmp_path, tmp_path, "nothing here")
    session.set_name("The Parser")
    entry = session.append_message(
        reply("the tokenizer of Straße is broken", ToolCall("c", "read", {"path": "src/lexer.py"}))
    )
    session.append_message(ToolResultMessage("c", "read", (TextContent("tokenizer internals"),)))
    session.append_message(BashExecutionMessage("pytest -k lexer", "tokenizer output", 0))
    session.close()
    (hit,) = find(tmp_path, "tokenizer")
    assert (hit.path, hit.entry_id, hit.session_id, hit.name) == (session.path, entry, session.id, "The Parser")
    assert (hit.role, hit.cwd) == ("assistant", str(tmp_path))
    assert [hit.snippet[start:end] for start, end in hit.matches] == ["tokenizer"]
    assert len(find(tmp_path, "lexer")) == 2
    assert find(tmp_path, "parser")[0].entry_id == ""


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("alpha", 2),
        ("alpha gamma", 1),
        ("alp", 2),
        ("alp ", 0),
        ('"beta gamma"', 1),
        ('"gamma beta"', 0),
        ("ALPHA", 2),
        ("uber", 1),
        ("", 0),
        ("   ", 0),
        ('"', 0),
        ("AND OR NOT", 0),
        ("alpha*", 2),
        ("(alpha", 2),
        ("text:alpha", 0),
        ("日本", 1),
        ("本語 テス", 1),
        ("100%", 1),
    ],
)
def test_a_query_is_words_and_phrases_and_nothing_else(tmp_path: Path, query: str, count: int) -> None:
    start(tmp_path, tmp_path, "alpha beta gamma", "alpha Über delta", "日本語のテスト", "100 percent").close()
    assert len(find(tmp_path, query)) == count


def test_only_what_is_new_is_read(tmp_path: Path) -> None:
    first, second = start(tmp_path, tmp_path, "apple"), start(tmp_path, tmp_path, "banana")
    index, progress = SearchIndex(tmp_path), list[tuple[int, int]]()
    assert index.update(project_folders(tmp_path), lambda done, total: progress.append((done, total))) == 2
    assert progress == [(0, 2), (1, 2), (2, 2)]
    assert index.update(project_folders(tmp_path)) == 0
    first.append_message(user("cherry"))
    assert index.update(project_folders(tmp_path)) == 1
    assert len(index.search("apple")) == len(index.search("cherry")) == 1
    first.close()
    second.close()


def test_a_deleted_session_and_a_rewritten_one_are_not_found_by_their_old_text(tmp_path: Path) -> None:
    gone, changed = start(tmp_path, tmp_path, "apple"), start(tmp_path, tmp_path, "banana")
    gone.close()
    changed.close()
    assert len(find(tmp_path, "apple")) == 1
    assert gone.path is not None
    assert changed.path is not None
    gone.path.unlink()
    text = changed.path.read_text().replace("banana", "cherry pie")
    changed.path.write_text(text)
    assert find(tmp_path, "apple") == find(tmp_path, "banana") == []
    assert len(find(tmp_path, "cherry")) == 1


def test_a_line_that_is_still_being_written_is_read_later(tmp_path: Path) -> None:
    session = start(tmp_path, tmp_path, "apple")
    session.close()
    assert session.path is not None
    whole = session.path.read_bytes()
    session.path.write_bytes(whole[:-20])
    assert find(tmp_path, "apple") == []
    with session.path.open("ab") as file:
        file.write(whole[-20:])
    assert len(find(tmp_path, "apple")) == 1


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 100, None])
def test_a_lost_or_damaged_index_is_made_anew(tmp_path: Path, damage: bytes | None) -> None:
    start(tmp_path, tmp_path, "apple").close()
    assert len(find(tmp_path, "apple")) == 1
    if damage is None:
        (tmp_path / INDEX_FILE).unlink()
    else:
        (tmp_path / INDEX_FILE).write_bytes(damage)
    assert SearchIndex(tmp_path).search("apple") == []
    assert len(find(tmp_path, "apple")) == 1


def test_an_index_of_another_version_is_made_anew(tmp_path: Path) -> None:
    start(tmp_path, tmp_path, "apple").close()
    with sqlite3.connect(tmp_path / INDEX_FILE) as database:
        database.execute("PRAGMA user_version = 99")
    assert len(find(tmp_path, "apple")) == 1


def test_an_index_that_cannot_be_written_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SearchError, match="cannot be used"):
        SearchIndex(tmp_path / "file").search("x")


def test_one_projects_sessions_can_be_asked_alone_and_the_index_is_private(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        start(tmp_path / "data", tmp_path / name, f"apple {name}").close()
    hits = find(tmp_path / "data", "apple", cwd=str(tmp_path / "one"))
    assert [hit.snippet for hit in hits] == ["apple one"]
    assert (tmp_path / "data" / INDEX_FILE).stat().st_mode & 0o777 == 0o600


def test_indexing_can_be_cancelled_and_goes_on_later(tmp_path: Path) -> None:
    for number in range(3):
        start(tmp_path, tmp_path, f"apple {number}").close()
    index, calls = SearchIndex(tmp_path), list[int]()
    assert index.update(project_folders(tmp_path), lambda done, _: calls.append(done), lambda: len(calls) == 3) == 2
    assert len(index.search("apple")) == 2
    assert index.update(project_folders(tmp_path)) == 1
    assert len(index.search("apple")) == 3


def test_one_that_is_cancelled_in_the_midst_of_a_file_keeps_nothing_of_it(tmp_path: Path) -> None:
    start(tmp_path, tmp_path, *(f"zebra {number}" for number in range(20))).close()
    looks = iter(range(100))
    told: list[tuple[int, int]] = []
    index, folders = SearchIndex(tmp_path), project_folders(tmp_path)
    assert index.update(folders, lambda done, total: told.append((done, total)), lambda: next(looks) >= 5) == 0
    assert told == [(0, 1)]
    assert next(looks) < 10, "it stops within the file"
    assert index.search("zebra") == []
    assert index.update(folders) == 1
    assert len(index.search("zebra")) == 20


def test_a_lone_surrogate_does_not_stop_the_index(tmp_path: Path) -> None:
    start(tmp_path, tmp_path, "bad \ud83d apple").close()
    assert len(find(tmp_path, "apple")) == 1


FIND = """
import sys, time
from pathlib import Path
from pyagent_tui.sessions.locate import project_folders
from pyagent_tui.sessions.search import SearchIndex
data = Path(sys.argv[1])
index = SearchIndex(data)
print("ready", flush=True)
sys.stdin.readline()
index.update(project_folders(data))
print(len(index.search("apple")), flush=True)
"""


@pytest.mark.parametrize("damage", [None, b"not a database at all" * 100])
def test_programs_that_make_the_index_at_once_do_not_disturb_each_other(tmp_path: Path, damage: bytes | None) -> None:
    for _ in range(20):
        start(tmp_path, tmp_path, "apple").close()
    programs = [
        subprocess.Popen([sys.executable, "-c", FIND, str(tmp_path)], stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True)
        for _ in range(4)
    ]
    if damage is not None:
        (tmp_path / INDEX_FILE).write_bytes(damage)
    for program in programs:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("\n")
        program.stdin.flush()
    ends = [program.communicate(timeout=60) for program in programs]
    assert [output for output, _ in ends] == ["20\n"] * 4, ends


def test_an_index_that_is_missing_is_made_once_however_many_want_it(tmp_path: Path) -> None:
    faults: list[SearchError] = []

    def look(data: Path, barrier: threading.Barrier) -> None:
        barrier.wait()
        try:
            SearchIndex(data).search("apple")
        except SearchError as error:
            faults.append(error)

    for number in range(40):
        barrier = threading.Barrier(6)
        threads = [threading.Thread(target=look, args=(tmp_path / str(number), barrier)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert faults == []
