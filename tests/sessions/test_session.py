"""A session keeps what was said, as a tree, in a file that only its owner can read."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.agent.messages import (
    AssistantMessage,
    CustomMessage,
    ImageContent,
    Message,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pyagent_tui.sessions.entries import MessageEntry
from pyagent_tui.sessions.file import SessionFileError
from pyagent_tui.sessions.folders import project_folder
from pyagent_tui.sessions.session import ReadOnlySessionError, Session
from pyagent_tui.sessions.tree import UnknownEntryError
from pyagent_tui.sessions.writer import SessionLockedError

pytestmark = pytest.mark.anyio


def user(text: str) -> UserMessage:
    return UserMessage.of(text)


def reply(text: str, *calls: ToolCall) -> AssistantMessage:
    return AssistantMessage((TextContent(text), *calls), "anthropic-messages", "anthropic", "model-a")


def lines_of(path: Path | None) -> list[dict[str, Any]]:
    assert path is not None
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_nothing_is_on_disk_before_the_first_message(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path / "data", "a name")
    session.append_model_change("anthropic", "model-a")
    session.append_thinking_level("high")
    assert not (tmp_path / "data").exists()
    session.append_message(user("hello"))
    kinds = [line["type"] for line in lines_of(session.path)]
    assert kinds == ["session", "session_info", "model_change", "thinking_level_change", "message"]
    session.close()


def test_what_was_said_is_there_again_after_opening(tmp_path: Path) -> None:
    call = ToolCall("c1", "read", {"path": "a"})
    said: list[Message] = [
        user("hello"),
        reply("let me see", call),
        ToolResultMessage("c1", "read", (TextContent("x"),)),
    ]
    session = Session.start(tmp_path, tmp_path / "data")
    session.append_thinking_level("high")
    for message in said:
        session.append_message(message)
    session.append_model_change("openai", "model-b")
    session.close()
    assert session.path is not None
    again = Session.open(session.path)
    assert list(again.messages()) == said
    assert again.context().model == ("openai", "model-b")
    assert again.context().thinking_level == "high"
    assert (again.id, again.cwd, again.warning) == (session.id, str(tmp_path), None)
    again.close()


def test_a_message_that_someone_holds_is_not_read_a_second_time(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path / "data")
    message = user("hello")
    entry = session.tree[session.append_message(message)]
    assert isinstance(entry, MessageEntry)
    assert entry.message is message
    session.close()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_files_and_folders_are_private_under_any_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        session = Session.start(tmp_path, tmp_path / "deep" / "data")
        session.append_message(user("secret"))
        session.close()
    finally:
        os.umask(before)
    assert session.path is not None
    assert stat.S_IMODE(session.path.stat().st_mode) == 0o600
    for folder in (session.path.parent, session.path.parent.parent, tmp_path / "deep"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_a_message_is_durable_after_flushed(tmp_path: Path) -> None:
    durable: list[str] = []
    session = Session.start(tmp_path, tmp_path / "data", on_durable=durable.extend)
    first = session.append_message(user("a"))
    second = session.append_message(reply("b"))
    assert await session.flushed(second)
    assert await session.flushed(first)
    session.close()
    assert durable == [first, second]


async def test_a_session_in_memory_works_alike_and_leaves_no_file(tmp_path: Path) -> None:
    session = Session.in_memory(tmp_path, "n")
    entry = session.append_message(user("hello"))
    session.append_message(reply("hi"))
    assert [type(message).__name__ for message in session.messages()] == ["UserMessage", "AssistantMessage"]
    assert (session.path, session.is_saved, session.name) == (None, False, "n")
    assert not await session.flushed(entry)
    assert session.close() == 0
    assert list(tmp_path.iterdir()) == []


def test_branching_goes_on_from_the_earlier_entry_and_loses_nothing(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path / "data")
    first = session.append_message(user("one"))
    session.append_message(reply("uno"))
    session.branch(first)
    session.append_message(reply("eins"))
    session.close()
    assert session.path is not None
    again = Session.open(session.path)
    texts = [message.text for message in again.messages() if isinstance(message, (UserMessage, AssistantMessage))]
    assert texts == ["one", "eins"]
    assert len(again.tree.children(first)) == 2
    with pytest.raises(UnknownEntryError):
        again.branch("nowhere")
    again.close()


def test_a_second_writer_is_refused_and_may_read(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path / "data")
    session.append_message(user("one"))
    assert session.path is not None
    with pytest.raises(SessionLockedError):
        Session.open(session.path)
    reading = Session.open(session.path, read_only=True)
    assert len(reading.messages()) == 1
    with pytest.raises(ReadOnlySessionError):
        reading.append_message(user("no"))
    session.close()
    Session.open(session.path).close()


def test_the_latest_session_of_a_folder_is_found_also_through_a_link(tmp_path: Path) -> None:
    project, link, data = tmp_path / "project", tmp_path / "link", tmp_path / "data"
    project.mkdir()
    link.symlink_to(project)
    for text in ("old", "new"):
        session = Session.start(project, data, session_id=text)
        session.append_message(user(text))
        session.close()
        assert session.path is not None
        os.utime(session.path, (1_000, 1_000 if text == "old" else 2_000))
    (project_folder(data, project) / "zz.jsonl").write_text("garbage\n")
    found = Session.latest(link, data)
    assert found is not None
    assert found.id == "new"
    found.close()
    assert Session.latest(tmp_path, data) is None


@pytest.mark.parametrize("bad", ["", "-a", "a/b", "a b", "..", "é"])
def test_a_bad_session_id_is_refused(tmp_path: Path, bad: str) -> None:
    with pytest.raises(ValueError, match="not a session id"):
        Session.start(tmp_path, tmp_path, session_id=bad)


def test_names_and_labels_are_kept_on_one_line(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path / "data")
    first = session.append_message(user("one"))
    session.set_name("  my\nname ")
    session.set_label(first, " start ")
    with pytest.raises(UnknownEntryError):
        session.set_label("nowhere", "x")
    session.close()
    assert session.path is not None
    again = Session.open(session.path)
    assert (again.name, again.tree.labels) == ("my name", {first: "start"})
    again.set_name("")
    again.set_label(first, "")
    assert (again.name, again.tree.labels) == (None, {})
    again.close()


def test_an_extensions_message_is_stored_as_the_format_wants(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path / "data")
    session.append_message(user("one"))
    message = CustomMessage("note", (TextContent("x"),), False, {"a": 1}, 1_700_000_000_123)
    session.append_message(message)
    assert lines_of(session.path)[-1]["type"] == "custom_message"
    session.close()
    assert session.path is not None
    again = Session.open(session.path)
    assert again.messages()[-1] == message
    again.close()


def test_odd_characters_and_numbers_do_not_poison_the_file(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path / "data")
    session.append_message(user("a\ud83db \u2028 \x00 é 😀"))
    session.append_message(reply("x", ToolCall("c", "f", {"n": float("nan"), "m": [float("inf")]})))
    session.append_message(user("end"))
    session.close()
    assert session.path is not None
    assert b"NaN" not in session.path.read_bytes()
    again = Session.open(session.path)
    first, second, last = again.messages()
    assert isinstance(first, UserMessage)
    assert first.text == "a\ud83db \u2028 \x00 é 😀"
    assert isinstance(second, AssistantMessage)
    assert second.tool_calls[0].arguments == {"n": None, "m": [None]}
    assert last == session.messages()[-1]
    again.close()


def test_a_huge_picture_is_not_kept_but_named(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path / "data")
    session.append_message(UserMessage((TextContent("look"), ImageContent("A" * 12_000_000, "image/png"))))
    session.close()
    assert session.path is not None
    assert session.path.stat().st_size < 2_000
    assert "picture of 9.0 MB" in session.path.read_text()


def test_an_empty_file_becomes_a_session_at_that_path(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    session = Session.open(path)
    assert lines_of(path)[0]["type"] == "session"
    session.append_message(user("hi"))
    session.close()
    assert len(lines_of(path)) == 2


@pytest.mark.parametrize("content", ["garbage", "garbage\n", '{"type":"message","id":"x"}\n', "[1]\n{}\n"])
def test_a_file_that_is_no_session_is_refused_and_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    with pytest.raises(SessionFileError):
        Session.open(path)
    assert path.read_text() == content
