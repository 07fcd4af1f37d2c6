"""Whatever a crash does to a file, everything whole is read, and appending never harms it further."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pyagent_tui.sessions.file import read_session_file
from pyagent_tui.sessions.repair import prepare, torn_path
from pyagent_tui.sessions.session import Session
from pyagent_tui.tests.sessions.building import chain, line, lines_of, reply, stored, texts, user, write_file


def make_file(path: Path) -> list[bytes]:
    session = Session.start(path.parent, path.parent, folder=path.parent, session_id="made")
    session.append_message(reply("a"))
    for index in range(4):
        session.append_message(user(f"ü{index}"))
    session.close()
    assert session.path is not None
    session.path.rename(path)
    return path.read_bytes().splitlines(keepends=True)


def test_a_tail_torn_at_any_byte_of_the_last_three_records_is_repaired_and_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / "torn.jsonl"
    lines = make_file(path)
    whole = b"".join(lines)
    for cut in range(len(b"".join(lines[:-3])), len(whole) + 1):
        path.write_bytes(whole[:cut])
        torn_path(path).unlink(missing_ok=True)
        kept = sum(1 for end in range(len(lines) + 1) if len(b"".join(lines[:end]).rstrip(b"\n")) <= cut) - 1
        if cut % 10:
            repair_and_append(path, kept)
        else:
            go_on(path, kept)
        check_repaired(path, whole[:cut], lines, kept)


def go_on(path: Path, kept: int) -> None:
    """As a person would: open, say something, close."""
    session = Session.open(path)
    assert (len(session.messages()), session.warning) == (kept - 1, None)
    session.append_message(user("went on"))
    session.close()


def repair_and_append(path: Path, kept: int) -> None:
    """The same without the waits for the disk."""
    file = read_session_file(path)
    assert (len(file.entries), file.warning) == (kept - 1, None)
    descriptor = prepare(os.open(path, os.O_RDWR | os.O_APPEND), file)
    os.write(descriptor, line(stored("new", file.entries[-1].id, "went on")))
    os.close(descriptor)


def check_repaired(path: Path, before: bytes, lines: list[bytes], kept: int) -> None:
    after = path.read_bytes().splitlines(keepends=True)
    assert after[:kept] == lines[:kept]
    assert json.loads(after[kept])["message"]["content"][0]["text"] == "went on"
    assert json.loads(after[kept])["parentId"] == json.loads(after[kept - 1])["id"]
    assert len(after) == kept + 1
    torn = before[len(b"".join(lines[:kept])) :]
    aside = torn_path(path).read_bytes() if torn_path(path).exists() else b""
    assert aside == (torn + b"\n" if torn else b"")


def test_opening_a_torn_file_without_appending_changes_nothing(tmp_path: Path) -> None:
    path = write_file(tmp_path / "a.jsonl", [*chain(3), b'{"type":"mess'])
    before = path.read_bytes()
    Session.open(path).close()
    assert path.read_bytes() == before


def test_one_broken_line_and_one_of_nuls_cost_only_themselves(tmp_path: Path) -> None:
    entries: list[dict[str, object] | bytes] = [*chain(50)]
    entries[18] = b"\0" * 300 + b"\n"
    entries[28] = b'{"a":\n'
    session = Session.open(write_file(tmp_path / "a.jsonl", entries))
    assert texts(session) == [f"text {i}" for i in range(50) if i not in (18, 28)]
    assert session.tree["e19"].parent_id == "e17"
    assert session.warning is not None
    assert "2 damaged lines" in session.warning
    assert "20, 30" in session.warning
    session.close()


def test_children_of_a_lost_entry_go_to_its_own_parent_when_its_line_still_names_it(tmp_path: Path) -> None:
    torn = line(stored("e2", "e0", "lost"))[:-30] + b"\n"
    later = [stored("e3", "e1", "other branch"), stored("e4", "e2", "child of the lost one")]
    session = Session.open(write_file(tmp_path / "a.jsonl", [*chain(2), torn, *later]))
    assert session.tree["e4"].parent_id == "e0"
    assert texts(session) == ["text 0", "child of the lost one"]
    session.close()


def test_a_record_that_an_older_crash_glued_to_a_torn_one_is_saved(tmp_path: Path) -> None:
    glued = line(stored("e2", "e1", "torn"))[:70] + line(stored("e3", "e1", "whole"))
    session = Session.open(write_file(tmp_path / "a.jsonl", [*chain(2), glued]))
    assert texts(session) == ["text 0", "text 1", "whole"]
    assert session.warning
    session.close()


def test_nuls_before_a_record_do_not_lose_it(tmp_path: Path) -> None:
    session = Session.open(write_file(tmp_path / "a.jsonl", [*chain(2), b"\0" * 64 + line(stored("e2", "e1", "kept"))]))
    assert texts(session) == ["text 0", "text 1", "kept"]
    session.close()


def test_a_message_that_is_damaged_inside_is_left_out_and_its_children_stay(tmp_path: Path) -> None:
    bad = line(stored("e1", "e0", "abc")).replace(b'"abc"', b'"a"bc"')
    session = Session.open(write_file(tmp_path / "a.jsonl", [*chain(1), bad, stored("e2", "e1", "after")]))
    assert texts(session) == ["text 0", "after"]
    session.close()


def test_a_byte_that_is_no_utf8_costs_one_character(tmp_path: Path) -> None:
    bad = line(stored("e1", "e0", "abXc")).replace(b"X", b"\xff")
    session = Session.open(write_file(tmp_path / "a.jsonl", [*chain(1), bad]))
    assert texts(session) == ["text 0", "ab\ufffdc"]
    session.close()


@pytest.mark.parametrize(
    "parents",
    [
        {"a": "a", "b": "a"},
        {"a": "b", "b": "a", "c": "b"},
        {"a": "c", "b": "a", "c": "b", "d": "c"},
        {"t": "a", "a": "b", "b": "a"},
    ],
)
def test_cycles_end_and_every_entry_is_reached_from_a_root(tmp_path: Path, parents: dict[str, str]) -> None:
    entries = [stored(id_, parent, id_) for id_, parent in parents.items()]
    session = Session.open(write_file(tmp_path / "a.jsonl", entries))
    assert session.messages()
    reached: list[str] = []
    waiting = session.tree.children(None)
    while waiting:
        entry = waiting.pop()
        reached.append(entry.id)
        waiting.extend(session.tree.children(entry.id))
    assert sorted(reached) == sorted(parents)
    session.close()


def test_orphans_of_a_file_without_damage_are_roots(tmp_path: Path) -> None:
    session = Session.open(write_file(tmp_path / "a.jsonl", [*chain(2), stored("x", "gone", "orphan")]))
    assert [entry.id for entry in session.tree.children(None)] == ["e0", "x"]
    assert texts(session) == ["orphan"]
    session.close()


def test_the_same_entry_twice_counts_once(tmp_path: Path) -> None:
    session = Session.open(write_file(tmp_path / "a.jsonl", [*chain(2), chain(2)[1]]))
    assert texts(session) == ["text 0", "text 1"]
    assert len(session.tree.children("e0")) == 1
    session.close()


def test_entries_of_unknown_types_are_kept_and_can_be_parents(tmp_path: Path) -> None:
    strange = {"type": "hologram", "id": "h", "parentId": "e0", "timestamp": "t", "beam": [1, 2]}
    session = Session.open(write_file(tmp_path / "a.jsonl", [*chain(1), strange, stored("e1", "h", "after")]))
    assert texts(session) == ["text 0", "after"]
    assert session.tree["h"].stored == strange
    session.close()


def test_null_content_and_a_system_message_are_tolerated(tmp_path: Path) -> None:
    null = stored("e1", "e0", "", content=None)
    system = stored("e2", "e1", "be brief", "system")
    session = Session.open(write_file(tmp_path / "a.jsonl", [*chain(1), null, system, stored("e3", "e2", "end")]))
    assert texts(session) == ["text 0", "", "end"]
    session.close()


def test_lines_in_another_spelling_are_read_too(tmp_path: Path) -> None:
    spaced = json.dumps(dict(reversed(stored("e1", "e0", "other order").items()))).encode() + b"\r\n\n"
    session = Session.open(write_file(tmp_path / "a.jsonl", [*chain(1), spaced]))
    assert (texts(session), session.warning) == (["text 0", "other order"], None)
    session.close()


def test_version_1_gets_ids_and_parents_once(tmp_path: Path) -> None:
    header = {"type": "session", "id": "old", "timestamp": "2025-01-01T00:00:00.000Z", "cwd": "/tmp"}
    entries = [{key: value for key, value in entry.items() if key not in ("id", "parentId")} for entry in chain(4)]
    entries.insert(3, {"type": "compaction", "summary": "so far", "firstKeptEntryIndex": 2, "tokensBefore": 9})
    path = write_file(tmp_path / "old.jsonl", entries, header)
    before = path.read_bytes()
    session = Session.open(path)
    assert texts(session) == ["text 1", "text 2", "text 3"]
    assert path.read_bytes() == before
    session.append_message(user("went on"))
    session.close()
    again = lines_of(path)
    assert (again[0]["version"], len(again)) == (3, 7)
    assert [item["parentId"] for item in again[1:]] == [None, *(item["id"] for item in again[1:-1])]
    assert again[4]["firstKeptEntryId"] == again[2]["id"]
    assert not read_session_file(path).needs_rewrite


def test_version_2_calls_the_custom_role_by_its_new_name(tmp_path: Path) -> None:
    header = {"type": "session", "version": 2, "id": "old", "timestamp": "t", "cwd": "/tmp"}
    hook = stored("e1", "e0", "hooked", "hookMessage", customType="x", display=True)
    session = Session.open(write_file(tmp_path / "old.jsonl", [*chain(1), hook], header))
    assert [type(message).__name__ for message in session.messages()] == ["UserMessage", "CustomMessage"]
    session.close()
