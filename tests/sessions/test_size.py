"""Opening a session costs by its number of entries, not by what they hold."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

from pyagent_tui.sessions.session import Session
from pyagent_tui.tests.sessions.building import chain, line, stored, user, write_file


def opened_bytes(path: Path) -> int:
    """How much memory an open session holds, without its context."""
    tracemalloc.start()
    session = Session.open(path, read_only=True)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    session.close()
    return held


def long_file(path: Path, count: int, text: str) -> Path:
    entries: list[dict[str, Any] | bytes] = [*chain(1)]
    entries += [line(stored(f"e{index}", f"e{index - 1}", text)) for index in range(1, count)]
    return write_file(path, entries)


def test_memory_is_flat_against_the_size_on_disk(tmp_path: Path) -> None:
    small = opened_bytes(long_file(tmp_path / "small.jsonl", 1_000, "x" * 20))
    large = opened_bytes(long_file(tmp_path / "large.jsonl", 1_000, "x" * 20_000))
    assert large < small * 1.2
    assert small < 1_500_000


def test_what_was_appended_is_not_held_twice(tmp_path: Path) -> None:
    session = Session.start(tmp_path, tmp_path)
    tracemalloc.start()
    entry_ids = [session.append_message(user("y" * 100_000)) for _ in range(100)]
    session.close()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(session.tree) == len(entry_ids)
    assert held < 1_000_000
