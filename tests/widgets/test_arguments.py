"""The telling argument of a call, whole or while it streams."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pyagent_tui.widgets.transcript.arguments import HEAD_SIZE, ArgumentsHead, relative_path, telling_argument


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"path": "/src/shop/a.py", "offset": 3}, "shop/a.py"),
        ({"command": "ls -la", "timeout": 5}, "ls -la"),
        ({"pattern": "float(", "path": "/src/shop"}, "float( in shop"),
        ({"pattern": "*.py", "path": "."}, "*.py"),
        ({"url": "http://x"}, "http://x"),
        ({"city": "Bonn", "days": 3}, "city=Bonn"),
        ({"edits": [1, 2]}, ""),
        ({}, ""),
        ({"command": "a\nb\tc\x1b[2J"}, "a b c␛[2J"),
        ({"path": "a\nb\tc\r.txt"}, "a␊b␉c␍.txt"),
        ({"pattern": "x", "path": "a\nb"}, "x in a␊b"),
        ({"path": 7}, "path=7"),
    ],
)
def test_one_argument_tells_what_a_call_is_about(arguments: dict[str, Any], expected: str) -> None:
    assert telling_argument(arguments, "/src") == expected


def test_paths_outside_the_folder_stay_whole() -> None:
    assert relative_path("/srcother/a", "/src") == "/srcother/a"
    assert relative_path("/src/a", "/src/") == "a"
    assert relative_path("a", "") == "a"


def test_the_value_grows_with_the_fragments() -> None:
    head = ArgumentsHead()
    seen: list[str] = []
    for character in json.dumps({"command": 'echo "hé" \\ \n done', "timeout": 3}):
        if head.feed(character):
            seen.append(head.value())
    assert seen[0] == "e"
    assert seen[-1] == 'echo "hé" \\   done'


def test_a_path_after_other_arguments_is_found_too() -> None:
    head = ArgumentsHead()
    head.feed('{"limit": "5", "path": "/src/a.p')
    assert head.value("/src") == "a.p"
    head.feed('y", "content": "')
    assert head.value("/src") == "a.py"


def test_a_huge_argument_is_counted_and_not_read() -> None:
    head = ArgumentsHead()
    head.feed('{"content": "')
    for _ in range(500):
        head.feed("x" * 4096)
    assert head.size == 13 + 500 * 4096
    assert len(head._head) == HEAD_SIZE  # pyright: ignore[reportPrivateUsage]


def test_nothing_is_read_again_once_the_telling_argument_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = 0
    read = ArgumentsHead._read  # pyright: ignore[reportPrivateUsage]

    def counted(self: ArgumentsHead) -> None:
        nonlocal reads
        reads += 1
        read(self)

    monkeypatch.setattr(ArgumentsHead, "_read", counted)
    head = ArgumentsHead()
    head.feed('{"path": "a.py", ')
    for _ in range(100):
        assert not head.feed("more")
    assert reads == 1
