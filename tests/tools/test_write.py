import errno
import os
from pathlib import Path

import pytest

from pyagent_tui.agent.details import DiffDetails
from pyagent_tui.tests.tools.workbench import Workbench
from pyagent_tui.tools import atomic
from pyagent_tui.tools.local import version_of
from pyagent_tui.tools.operations import StaleFileError

pytestmark = pytest.mark.anyio


async def test_a_new_file_gets_its_folders_and_exactly_its_content(bench: Workbench) -> None:
    result = await bench.call("write", path="a/b/c.txt", content="é\r\nx")
    path = bench.root / "a/b/c.txt"
    assert path.read_bytes() == "é\r\nx".encode()
    assert isinstance(result.details, DiffDetails)
    assert result.details.created
    assert result.details.patch.startswith("--- /dev/null\n+++ b/a/b/c.txt\n@@ -0,0 +1,2 @@\n")
    assert result.changed_paths == (str(path),)


async def test_a_new_file_has_the_mode_of_the_umask(bench: Workbench) -> None:
    before = os.umask(0o027)
    try:
        await bench.call("write", path="f", content="x")
    finally:
        os.umask(before)
    assert (bench.root / "f").stat().st_mode & 0o777 == 0o640


async def test_a_preview_makes_no_folder(bench: Workbench) -> None:
    details = await bench.preview("write", path="a/b", content="x\n")
    assert details.created
    assert list(bench.root.iterdir()) == []


async def test_an_unread_file_is_not_replaced(bench: Workbench) -> None:
    path = bench.file("f", "old")
    assert "has not been read" in await bench.refused("write", path="f", content="new")
    with pytest.raises(Exception, match="has not been read"):
        await bench.preview("write", path="f", content="new")
    assert path.read_text() == "old"


async def test_a_file_that_changed_since_is_not_replaced(bench: Workbench) -> None:
    path = await bench.seen("f", "one\n")
    path.write_text("two\n")
    assert "has changed" in await bench.refused("write", path="f", content="new")
    assert path.read_text() == "two\n"


async def test_a_parent_that_is_a_file_is_an_error(bench: Workbench) -> None:
    bench.file("f", "x")
    assert "not a directory" in await bench.refused("write", path="f/g", content="x")


async def test_half_a_character_is_refused(bench: Workbench) -> None:
    assert "half of a character" in await bench.refused("write", path="f", content="a\ud800")


async def test_only_line_endings_can_change(bench: Workbench) -> None:
    path = await bench.seen("f", b"a\r\nb\r\n")
    result = await bench.call("write", path="f", content="a\nb\n")
    assert path.read_bytes() == b"a\nb\n"
    assert isinstance(result.details, DiffDetails)
    assert result.details.note == "Only the line endings change: from CRLF to LF."


async def test_only_the_encoding_can_change(bench: Workbench) -> None:
    await bench.seen("f", b"\xef\xbb\xbfa\n")
    result = await bench.call("write", path="f", content="a\n")
    assert isinstance(result.details, DiffDetails)
    assert result.details.note == "Only the encoding changes."


async def test_text_with_a_nul_is_shown_before_it_is_written(bench: Workbench) -> None:
    details = await bench.preview("write", path="f.sh", content="#!/bin/sh\n\0\nrm -rf /\n")
    assert isinstance(details, DiffDetails)
    assert "+\0\n+rm -rf /\n" in details.patch
    assert (details.added, details.note) == (3, None)


async def test_what_replaces_a_binary_file_is_shown(bench: Workbench) -> None:
    path = bench.file("f", b"\0\1")
    bench.state.remember([str(path)], b"\0\1")
    details = (await bench.call("write", path="f", content="text\n")).details
    assert isinstance(details, DiffDetails)
    assert not details.created
    assert "+text\n" in details.patch
    assert details.note == "What it replaces cannot be shown: it is a binary file (2 bytes)."


def stays(path: Path) -> atomic.IsAsSeen:
    version = version_of(path.lstat())
    return lambda status: status is not None and version_of(status) == version


def fails_with(number: int) -> object:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_a_failed_write_leaves_the_old_content_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", fails_with(errno.ENOSPC))
    with pytest.raises(OSError, match="No space"):
        atomic.write_file(str(path), b"new", stays(path))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_into_a_linked_file_puts_the_old_content_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    path.write_text("old content")
    (tmp_path / "other").hardlink_to(path)
    real, failed = os.ftruncate, list[int]()

    def fail_once(descriptor: int, size: int) -> None:
        if not failed:
            failed.append(size)
            raise OSError(errno.EIO, "broken")
        real(descriptor, size)

    monkeypatch.setattr(os, "ftruncate", fail_once)
    with pytest.raises(OSError, match="broken"):
        atomic.write_file(str(path), b"new", stays(path))
    assert path.read_text() == "old content"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["f", "other"]


def test_where_renaming_is_impossible_the_file_is_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_text("old content")
    inode = path.stat().st_ino
    monkeypatch.setattr(os, "replace", fails_with(errno.EBUSY))
    atomic.write_file(str(path), b"new", stays(path))
    assert path.read_text() == "new"
    assert path.stat().st_ino == inode
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_whose_owner_cannot_be_kept_is_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    inode = path.stat().st_ino
    monkeypatch.setattr(os, "fchmod", fails_with(errno.EPERM))
    atomic.write_file(str(path), b"new", stays(path))
    assert (path.read_text(), path.stat().st_ino) == ("new", inode)


def test_a_file_that_appeared_meanwhile_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    real = os.link

    def link_late(source: str, target: str) -> None:
        path.write_text("theirs")
        real(source, target)

    monkeypatch.setattr(os, "link", link_late)
    with pytest.raises(StaleFileError):
        atomic.write_file(str(path), b"ours", lambda status: status is None)
    assert path.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_changed_while_we_wrote_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    real = os.fsync

    def change_meanwhile(descriptor: int) -> None:
        path.write_text("theirs")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", change_meanwhile)
    with pytest.raises(StaleFileError):
        atomic.write_file(str(path), b"ours", stays(path))
    assert path.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_the_longest_possible_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    atomic.write_file(str(path), b"1", lambda status: status is None)
    atomic.write_file(str(path), b"2", stays(path))
    assert path.read_bytes() == b"2"


async def test_that_line_endings_change_too_is_told(bench: Workbench) -> None:
    await bench.seen("f", b"a\r\nb\r\n")
    assert (
        await bench.preview("write", path="f", content="a\nc\n")
    ).note == "Line endings change too: from CRLF to LF."
    assert (await bench.preview("write", path="f", content="a\r\nc\r\n")).note is None
