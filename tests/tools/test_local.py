"""What the local machine's files cost, and that they come whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest

from pyagent_tui.tools.local import HEAD, LocalOperations
from pyagent_tui.tools.operations import FileStat, read_whole
from pyagent_tui.tools.paths import resolve_path

pytestmark = pytest.mark.anyio


async def test_a_small_file_waits_for_a_thread_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "small").write_bytes(b"some bytes\n")
    waits: list[object] = []
    run_sync: Any = anyio.to_thread.run_sync

    async def counted(work: Any, *given: Any, **named: Any) -> Any:
        waits.append(work)
        return await run_sync(work, *given, **named)

    monkeypatch.setattr(anyio.to_thread, "run_sync", counted)
    data, stat = await read_whole(LocalOperations(), str(tmp_path / "small"), 1000)
    assert (data, stat.size) == (b"some bytes\n", 11)
    assert len(waits) == 1


@pytest.mark.parametrize("size", [0, 1, HEAD - 1, HEAD, HEAD + 1, 3 * HEAD + 7])
@pytest.mark.parametrize("piece", [1000, HEAD, 1 << 20])
async def test_a_file_comes_whole_in_pieces_of_any_size(tmp_path: Path, size: int, piece: int) -> None:
    content = (bytes(range(256)) * (size // 256 + 1))[:size]
    (tmp_path / "file").write_bytes(content)
    reader = await LocalOperations().open(str(tmp_path / "file"))
    pieces: list[bytes] = []
    while read := await reader.read(piece):
        pieces.append(read)
    assert b"".join(pieces) == content
    assert all(len(read) <= piece for read in pieces)
    assert await reader.read(piece) == b""
    await reader.aclose()


@pytest.mark.skipif(not Path("/proc/kallsyms").exists(), reason="/proc is Linux's")
async def test_a_file_of_the_system_that_says_it_is_empty_comes_whole() -> None:
    data, stat = await read_whole(LocalOperations(), "/proc/kallsyms", 1 << 26)
    assert stat.size == 0
    assert data.count(b"\n") == Path("/proc/kallsyms").read_bytes().count(b"\n")


class NothingThere(LocalOperations):
    """Must not be asked."""

    async def stat(self, path: str, *, follow: bool = True) -> FileStat:
        raise AssertionError(f"{path} was looked at")


async def test_a_path_with_one_reading_is_not_looked_for() -> None:
    assert await resolve_path(NothingThere(), "/work", "a/../b c") == "/work/b c"
    assert await resolve_path(NothingThere(), "/work", "file:///x%20y") == "/x y"
    with pytest.raises(AssertionError, match="/work/~ was"):
        await resolve_path(NothingThere(), "/work", "~")
