"""A list of sessions is made from both ends of their files."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from pyagent_tui.agent.messages import AssistantMessage, TextContent, UserMessage
from pyagent_tui.sessions.folders import project_folder
from pyagent_tui.sessions.listing import NO_MESSAGES, iter_sessions, list_sessions, summarise
from pyagent_tui.sessions.locate import files_with_id, project_folders
from pyagent_tui.sessions.session import Session
from pyagent_tui.tests.pace import budget, least_cost
from pyagent_tui.tests.sessions.building import HEADER, chain, line, reply, stored, user, write_file


def test_a_summary_names_the_session_and_its_last_message(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path / "data", session_id="abc")
    session.append_message(UserMessage((TextContent("  first\n question "),), 1_700_000_000_000))
    session.append_message(AssistantMessage((TextContent("x"),), timestamp=1_700_000_005_000))
    session.append_model_change("p", "m")
    session.close()
    (summary,) = list_sessions(project_folders(tmp_path / "data"))
    assert (summary.id, summary.cwd, summary.title) == ("abc", str(tmp_path), "first question")
    assert (summary.modified, summary.messages) == (1_700_000_005_000, 2)


def test_a_name_stands_before_the_first_message_and_may_be_cleared(tmp_path: Path) -> None:
    named = {"type": "session_info", "id": "n", "parentId": None, "timestamp": "t", "name": " my\nname "}
    cleared = {**named, "id": "c", "name": ""}
    path = tmp_path / "a.jsonl"
    assert [s.title for s in [summarise(write_file(path, [*chain(2), named]))] if s] == ["my name"]
    assert [s.title for s in [summarise(write_file(path, [*chain(2), named, cleared]))] if s] == ["text 0"]
    assert [s.title for s in [summarise(write_file(path, []))] if s] == [NO_MESSAGES]


def test_the_last_used_comes_first_whatever_the_files_own_time(tmp_path: Path) -> None:
    for name, time in (("old", 1_000), ("new", 9_000), ("middle", 5_000)):
        write_file(tmp_path / f"{name}.jsonl", [stored("a", None, name, timestamp=time)])
    assert [summary.title for summary in list_sessions([tmp_path])] == ["new", "middle", "old"]


def test_damaged_and_foreign_files_do_not_break_the_list(tmp_path: Path) -> None:
    write_file(tmp_path / "good.jsonl", chain(2))
    write_file(tmp_path / "torn.jsonl", [*chain(2), b'{"type":"message","id":"x","parentId'])
    (tmp_path / "garbage.jsonl").write_bytes(b"\0" * 100)
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "notes.txt").write_text("no session")
    (tmp_path / "folder.jsonl").mkdir()
    listed = {summary.path.name for summary in list_sessions([tmp_path, tmp_path / "nowhere"])}
    assert listed == {"good.jsonl", "torn.jsonl"}


@pytest.mark.parametrize("size", [20_000, 300_000, 3_000_000])
def test_a_huge_first_and_last_message_still_give_a_title(tmp_path: Path, size: int) -> None:
    path = write_file(tmp_path / "a.jsonl", [stored("a", None, "begin " + 'é"' * size), stored("b", "a", "z" * size)])
    summary = summarise(path)
    assert summary is not None
    assert summary.title.startswith('begin é"é')


def test_a_huge_file_costs_neither_time_nor_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    filler = line(stored("m", "e1", "y" * 1_000_000, "assistant"))
    with path.open("wb") as file:
        file.write(line(HEADER) + b"".join(map(line, chain(2))))
        for _ in range(40):
            file.write(filler)
        file.write(line(stored("e", "m", "last", timestamp=77)))
    tracemalloc.start()
    summary = summarise(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert summary is not None
    assert (summary.title, summary.modified, summary.messages) == ("text 0", 77, None)
    assert peak < 2_000_000


def test_thousands_of_sessions_are_listed_in_a_moment_and_little_memory(tmp_path: Path) -> None:
    folder = project_folder(tmp_path, tmp_path)
    folder.mkdir(parents=True)
    content = line(HEADER) + b"".join(map(line, chain(4)))
    for number in range(3_000):
        (folder / f"{number:04}.jsonl").write_bytes(content)
    with (folder / "huge.jsonl").open("wb") as file:
        file.write(content + line(stored("m", "e3", "y" * 5_000_000, "assistant")))
        file.truncate(200_000_000)
    assert next(iter_sessions([folder])).title == "text 0"
    assert sum(1 for _ in iter_sessions([folder])) == 3_001
    to_first = least_cost(lambda: next(iter_sessions([folder])))
    whole = least_cost(lambda: list(iter_sessions([folder])), tries=2)
    assert to_first < whole / 2, "the list is filled while it is read"
    assert whole < budget(4)
    tracemalloc.start()
    for _ in iter_sessions([folder]):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8_000_000


def test_sessions_are_found_by_the_beginning_of_their_id(tmp_path: Path) -> None:
    for id_ in ("abc-1", "abd-2"):
        session = Session.start(tmp_path, tmp_path, session_id=id_)
        session.append_message(user("x"))
        session.append_message(reply("y"))
        session.close()
    folders = project_folders(tmp_path)
    assert folders == [project_folder(tmp_path, tmp_path)]
    assert [path.stem[-5:] for path in files_with_id(folders, "abc")] == ["abc-1"]
    assert len(list(files_with_id(folders, "ab"))) == 2
    assert list(files_with_id(folders, "zz")) == []
