"""Lines reach the disk in order and whole, or wait in memory until the disk takes them."""

from __future__ import annotations

import json
import os
import queue
import resource
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pyagent_tui.sessions import writer as writer_module
from pyagent_tui.sessions.session import Session
from pyagent_tui.tests.sessions.building import lines_of, texts, user

pytestmark = pytest.mark.anyio


@contextmanager
def disk_full_at(size: int) -> Generator[None]:
    """The system itself refuses to let any file grow beyond `size` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(autouse=True)
def quick_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "RETRY_SECONDS", 0.02)


async def test_a_full_disk_is_told_once_and_the_backlog_is_written_in_order(tmp_path: Path) -> None:
    warnings: list[str] = []
    session = Session.start(tmp_path, tmp_path / "data", on_warning=warnings.append)
    first = session.append_message(user("message 0"))
    assert await session.flushed(first)
    assert session.path is not None
    before = session.path.read_bytes()
    with disk_full_at(len(before) + 10):
        late = [session.append_message(user(f"message {index}")) for index in range(1, 6)]
        assert not await session.flushed(late[0])
        assert not session.is_saved
        assert texts(session) == [f"message {index}" for index in range(6)]
        assert session.path.read_bytes()[: len(before)] == before
    last = session.append_message(user("message 6"))
    assert await session.flushed(last)
    assert session.is_saved
    session.close()
    assert [line["message"]["content"][0]["text"] for line in lines_of(session.path)[1:]] == texts(session)
    assert len(warnings) == 2
    assert "cannot be saved" in warnings[0]


def test_the_backlog_is_written_without_a_further_append(tmp_path: Path) -> None:
    saved: queue.Queue[str] = queue.Queue()
    session = Session.start(tmp_path, tmp_path / "data", on_durable=lambda ids: [saved.put(id_) for id_ in ids].clear())
    first = session.append_message(user("a"))
    assert saved.get(timeout=30) == first
    assert session.path is not None
    with disk_full_at(session.path.stat().st_size):
        second = session.append_message(user("b"))
        assert session.path.read_bytes().count(b"\n") == 2
    assert saved.get(timeout=30) == second
    session.close()
    assert len(lines_of(session.path)) == 3


def test_a_home_that_cannot_be_written_leaves_the_session_in_memory_until_it_can(tmp_path: Path) -> None:
    blocked = tmp_path / "data"
    blocked.write_text("a file where the folder should be")
    warnings: list[str] = []
    session = Session.start(tmp_path, blocked, on_warning=warnings.append)
    session.append_message(user("a"))
    session.append_message(user("b"))
    assert (len(warnings), session.is_saved, texts(session)) == (1, False, ["a", "b"])
    blocked.unlink()
    session.append_message(user("c"))
    assert session.is_saved
    assert session.close() == 0
    assert len(lines_of(session.path)) == 4


def test_closing_tells_how_much_could_not_be_saved(tmp_path: Path) -> None:
    blocked = tmp_path / "data"
    blocked.write_text("")
    session = Session.start(tmp_path, blocked)
    session.append_message(user("a"))
    assert session.close() == 2


async def test_lines_of_a_failed_sync_are_written_again_before_they_count_as_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session.start(tmp_path, tmp_path / "data")
    assert await session.flushed(session.append_message(user("a")))
    real, failures = os.fsync, [OSError(5, "Input/output error")]

    def fsync(descriptor: int) -> None:
        if failures:
            # What the kernel does after a failed write-back: the page is gone.
            os.ftruncate(descriptor, os.fstat(descriptor).st_size - 20)
            raise failures.pop()
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    lost = session.append_message(user("b"))
    assert not await session.flushed(lost)
    assert await session.flushed(session.append_message(user("c")))
    session.close()
    assert [line["message"]["content"][0]["text"] for line in lines_of(session.path)[1:]] == ["a", "b", "c"]


async def test_a_line_behind_ours_from_a_program_without_locks_survives_our_repair(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path / "data")
    session.append_message(user("a"))
    assert session.path is not None
    with disk_full_at(session.path.stat().st_size + 10):
        session.append_message(user("b"))
    foreign = {
        "type": "custom",
        "id": "foreign",
        "parentId": None,
        "timestamp": "t",
        "customType": "x",
        "data": "y" * 500,
    }
    with session.path.open("a") as file:
        file.write("\n" + json.dumps(foreign) + "\n")
    session.append_message(user("c"))
    session.close()
    again = Session.open(session.path)
    assert "foreign" in again.tree
    assert texts(again) == ["a", "b", "c"]
    again.close()


async def test_a_deleted_session_file_comes_back_whole(tmp_path: Path) -> None:
    warnings: list[str] = []
    session = Session.start(tmp_path, tmp_path / "data", on_warning=warnings.append)
    assert await session.flushed(session.append_message(user("a")))
    assert session.path is not None
    shutil.rmtree(tmp_path / "data")
    assert await session.flushed(session.append_message(user("b")))
    assert await session.flushed(session.append_message(user("c")))
    assert len(warnings) == 1
    assert texts(session) == ["a", "b", "c"]
    session.close()
    again = Session.open(session.path)
    assert texts(again) == ["a", "b", "c"]
    again.close()


async def test_a_session_file_that_was_replaced_goes_on_beside_the_other(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path / "data")
    assert await session.flushed(session.append_message(user("a")))
    first = session.path
    assert first is not None
    first.unlink()
    first.write_text("another")
    assert await session.flushed(session.append_message(user("b")))
    session.close()
    assert first.read_text() == "another"
    assert session.path is not None
    assert session.path.name == f"{first.stem}-1.jsonl"
    again = Session.open(session.path)
    assert texts(again) == ["a", "b"]
    again.close()


APPENDER = """
import sys
from pathlib import Path
from pyagent_tui.agent.messages import UserMessage
from pyagent_tui.sessions.session import Session
from pyagent_tui.sessions.writer import SessionLockedError

session = None
while session is None:
    try:
        session = Session.open(Path(sys.argv[1]))
    except SessionLockedError:
        continue
for index in range(200):
    session.append_message(UserMessage.of(f"{sys.argv[2]} {index}"))
sys.exit(session.close())
"""


def test_two_instances_append_200_each_and_no_line_is_lost_or_mixed(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path / "data")
    session.append_message(user("first"))
    session.close()
    for _ in range(2):
        command = [sys.executable, "-P", "-c", APPENDER, str(session.path)]
        processes = [subprocess.Popen([*command, name]) for name in ("one", "two")]
        assert [process.wait(30) for process in processes] == [0, 0]
    assert session.path is not None
    again = Session.open(session.path)
    assert (len(texts(again)), again.warning) == (801, None)
    again.close()
