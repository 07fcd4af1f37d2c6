"""A branch copied into a file of its own keeps what it needs and nothing else."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from pyagent_tui.sessions.file import SessionFileError
from pyagent_tui.sessions.fork import export_jsonl, fork_session, import_session
from pyagent_tui.sessions.session import Session
from pyagent_tui.sessions.trash import move_to_trash
from pyagent_tui.tests.sessions.building import chain, lines_of, reply, texts, user, write_file


@pytest.fixture
def source(tmp_path: Path) -> Session:
    session = Session.start(tmp_path, tmp_path / "data", "origin")
    first = session.append_message(user("one"))
    session.append_message(reply("uno"))
    session.set_label(first, "here")
    kept = session.append_message(user("two"))
    session.append_message(reply("dos"))
    other = session.append_message(user("elsewhere"))
    session.set_label(other, "there")
    session.branch(kept)
    return session


def test_a_fork_holds_the_path_its_labels_and_its_origin(source: Session, tmp_path: Path) -> None:
    fork = fork_session(source, source.leaf_id, tmp_path / "data")
    fork.append_message(reply("zwei"))
    fork.close()
    source.close()
    assert fork.path is not None
    assert (fork.path.parent, fork.header.parent_session) == (
        source.path.parent if source.path else None,
        str(source.path),
    )
    again = Session.open(fork.path)
    assert texts(again) == ["one", "uno", "two", "zwei"]
    assert list(again.tree.labels.values()) == ["here"]
    assert again.name == "origin"
    ids = [item["id"] for item in lines_of(fork.path)]
    assert len(set(ids)) == len(ids)
    again.close()


def test_a_fork_is_on_disk_at_once_if_something_was_said_on_it(source: Session, tmp_path: Path) -> None:
    fork = fork_session(source, source.leaf_id, tmp_path / "data")
    assert fork.is_saved
    empty = fork_session(source, None, tmp_path / "data")
    assert empty.path is not None
    assert not empty.path.exists()
    empty.append_message(user("begin"))
    assert [item["type"] for item in lines_of(empty.path)] == ["session", "message"]
    for session in (fork, empty, source):
        session.close()


def test_a_fork_copies_what_it_does_not_understand(tmp_path: Path) -> None:
    strange = {"type": "hologram", "id": "h", "parentId": "e1", "timestamp": "t", "beam": [1]}
    first = {**chain(1)[0], "futureField": {"x": 1}}
    source = Session.open(write_file(tmp_path / "a.jsonl", [first, *chain(2)[1:], strange]), read_only=True)
    fork = fork_session(source, source.leaf_id, tmp_path / "data", cwd=tmp_path)
    assert lines_of(fork.path)[1:] == [first, chain(2)[1], strange]
    fork.close()
    source.close()


def test_a_fork_leaves_damaged_entries_out(tmp_path: Path) -> None:
    lines = [json.dumps(item, separators=(",", ":")).encode() + b"\n" for item in chain(3)]
    lines[1] = lines[1].replace(b'"text 1"', b'"te"xt"')
    source = Session.open(write_file(tmp_path / "a.jsonl", [*lines]), read_only=True)
    fork = fork_session(source, source.leaf_id, tmp_path / "data")
    assert texts(fork) == ["text 0", "text 2"]
    assert len(lines_of(fork.path)) == 3
    fork.close()
    source.close()


def test_the_jsonl_export_is_the_branch_in_one_line(source: Session, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    export_jsonl(source, target)
    exported = lines_of(target)
    assert exported[0]["id"] == source.id
    assert [item["parentId"] for item in exported[1:]] == [None, *(item["id"] for item in exported[1:-1])]
    session = Session.open(target)
    assert texts(session) == ["one", "uno", "two"]
    session.close()
    source.close()
    assert target.stat().st_mode & 0o777 == 0o600


def test_an_import_is_a_private_copy_that_clashes_with_nothing(tmp_path: Path) -> None:
    path = write_file(tmp_path / "a.jsonl", chain(2))
    first = import_session(path, tmp_path / "data", tmp_path)
    second = import_session(path, tmp_path / "data", tmp_path)
    assert first is not None
    assert second is not None
    assert [first.name, second.name] == ["a.jsonl", "a-1.jsonl"]
    assert second.read_bytes() == path.read_bytes()
    assert second.stat().st_mode & 0o777 == 0o600
    (tmp_path / "b.jsonl").write_text("no session")
    with pytest.raises(SessionFileError):
        import_session(tmp_path / "b.jsonl", tmp_path / "data", tmp_path)


def test_an_import_that_is_stopped_or_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_file(tmp_path / "a.jsonl", chain(2))
    told: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> bool:
        told.append((done, total))
        return False

    def fail(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space")

    assert import_session(path, tmp_path / "data", tmp_path, tell=stop) is None
    assert told == [(path.stat().st_size,) * 2]
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space"):
        import_session(path, tmp_path / "data", tmp_path)
    assert not [each for each in (tmp_path / "data").rglob("*") if each.is_file()]


def test_a_deleted_session_is_in_the_trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("HOME", str(tmp_path))
    places: list[Path] = []
    for _ in range(2):
        places.append(move_to_trash(write_file(tmp_path / "a b.jsonl", chain(2)), tmp_path / "data"))
    assert not (tmp_path / "a b.jsonl").exists()
    assert len(set(places)) == 2
    assert all(len(lines_of(place)) == 3 for place in places)
    if (tmp_path / "share").exists():
        note = (tmp_path / "share" / "Trash" / "info" / "a b.jsonl.trashinfo").read_text()
        assert f"Path={tmp_path}/a%20b.jsonl" in note
