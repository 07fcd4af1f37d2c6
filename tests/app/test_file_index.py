"""The files for ``@``: one listing, kept; answers while it goes on; no key waits for it."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import AsyncGenerator, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.app.prompt import file_index
from pyagent_tui.app.prompt.file_index import FileIndex
from pyagent_tui.app.prompt.files import list_files
from pyagent_tui.app.prompt.path_store import PathStore, Ranking
from pyagent_tui.tests.pace import budget
from pyagent_tui.widgets.editor.completion import Completion

pytestmark = pytest.mark.anyio


class Folder:
    """A folder that is listed when the test says so; counts the listings."""

    def __init__(self, *files: str) -> None:
        self.files = list(files)
        self.count = 0
        self.goes_on = asyncio.Event()
        self.goes_on.set()
        self.tasks: list[asyncio.Task[None]] = []
        self.index = FileIndex(self.list, self.host)

    async def list(self) -> AsyncGenerator[Sequence[str]]:
        self.count += 1
        for file in list(self.files):
            yield [file]
            await self.goes_on.wait()

    def host(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.create_task(work))

    async def ask(self, typed: str) -> list[str]:
        """The last answer."""
        return texts([answer async for answer in self.index.complete(typed)][-1])


def texts(answer: Sequence[Completion]) -> list[str]:
    return [item.text for item in answer]


async def test_folders_come_first_then_the_nearest() -> None:
    folder = Folder("src/main.py", "src/deep/mine.py", "main.md", "a.txt")
    assert await folder.ask("") == ["src/", "a.txt", "main.md"]
    assert await folder.ask("main") == ["main.md", "src/main.py"]
    assert await folder.ask("deep") == ["src/deep/", "src/deep/mine.py"]
    assert await folder.ask("nothing") == []
    assert folder.count == 1


async def test_what_is_found_is_shown_while_the_listing_goes_on_and_a_newer_question_does_not_begin_it_anew() -> None:
    folder = Folder("one.txt", "other.txt")
    folder.goes_on.clear()
    asked = folder.index.complete("o")
    assert texts(await anext(asked)) == ["one.txt"]
    await asked.aclose()
    asked = folder.index.complete("on")
    assert texts(await anext(asked)) == ["one.txt"]
    folder.goes_on.set()
    assert texts([answer async for answer in asked][-1]) == ["one.txt"]
    assert await folder.ask("o") == ["one.txt", "other.txt"]
    assert folder.count == 1


async def test_new_files_are_found_after_a_run_and_the_old_list_answers_meanwhile() -> None:
    folder = Folder("old.txt")
    assert await folder.ask("txt") == ["old.txt"]
    folder.files = ["old.txt", "new.txt"]
    assert await folder.ask("txt") == ["old.txt"]
    folder.index.files_changed()
    answers = [texts(answer) async for answer in folder.index.complete("txt")]
    assert answers == [["old.txt"], ["new.txt", "old.txt"]]
    assert folder.count == 2


async def test_an_old_list_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_index, "FRESH", 0.0)
    monkeypatch.setattr(file_index, "PATIENCE", 0)
    folder = Folder("old.txt")
    await folder.ask("txt")
    folder.files = ["new.txt"]
    await asyncio.sleep(0.001)
    assert await folder.ask("txt") == ["new.txt"]


async def test_a_listing_that_breaks_off_leaves_what_there_was(tmp_path: Path) -> None:
    folder = Folder("old.txt")
    await folder.ask("")
    folder.index.files_changed()
    folder.goes_on.clear()
    asked = folder.index.complete("old")
    assert texts(await anext(asked)) == ["old.txt"]
    await asyncio.sleep(0)
    folder.tasks[-1].cancel()
    assert [answer async for answer in asked] == []
    folder.goes_on.set()
    assert await folder.ask("old") == ["old.txt"]


async def test_the_loop_goes_on_while_very_many_paths_are_searched() -> None:
    store = [f"dir_{number % 400}/sub/file_{number % 400}_{number}.txt" for number in range(100_000)]

    async def files() -> AsyncGenerator[Sequence[str]]:
        for start in range(0, len(store), 1_000):
            yield store[start : start + 1_000]

    tasks: list[asyncio.Task[None]] = []
    index = FileIndex(files, lambda work: tasks.append(asyncio.create_task(work)))
    longest, done = 0.0, False

    async def watch() -> None:
        nonlocal longest
        while not done:
            began = time.perf_counter()
            await asyncio.sleep(0)
            longest = max(longest, time.perf_counter() - began)
            await asyncio.sleep(0.001)

    watching = asyncio.create_task(watch())
    began = time.monotonic()
    first = await anext(index.complete("file_399_4"))
    until_first = time.monotonic() - began
    answers = [answer async for answer in index.complete("file_399_4399")]
    done = True
    await watching
    assert texts(answers[-1])[0] == "dir_399/sub/file_399_4399.txt"
    assert first
    assert until_first < budget(2.0)
    assert longest < budget(0.1)


def test_a_store_holds_no_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyagent_tui.app.prompt.path_store.MOST_FILES", 3)
    store = PathStore()
    store.add(["a", "a", "b/c", "d", "e"])
    assert store.is_full
    assert store.paths == ["b/", "a", "b/c", "d"]


def test_a_path_that_letters_in_order_fit_is_found_whatever_its_capitals() -> None:
    store = PathStore()
    store.add(["Src/README.md", "src/other"])
    ranking = Ranking(store, "rdm")
    ranking.step()
    assert texts(ranking.completions()) == ["Src/README.md"]


async def listed(folder: Path) -> list[str]:
    return sorted([name async for names in list_files(folder) for name in names])


async def test_without_git_everything_is_listed_but_git_itself_and_names_that_are_no_text(tmp_path: Path) -> None:
    for path in ("a.txt", ".hidden", "deep/er/b.txt", ".git/config", "line\nbreak"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    with open(bytes(tmp_path) + b"/bad\xff", "w"):
        pass
    (tmp_path / "link").symlink_to("deep")
    assert await listed(tmp_path) == [".hidden", "a.txt", "deep/er/b.txt", "line\nbreak", "link"]
    assert await listed(tmp_path / "nowhere") == []


async def test_with_git_what_it_ignores_is_left_out(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for path in ("tracked.txt", "new.txt", "build/out.o"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / ".gitignore").write_text("build/\n")
    subprocess.run(["git", "-C", str(tmp_path), "add", "tracked.txt"], check=True)
    assert await listed(tmp_path) == [".gitignore", "new.txt", "tracked.txt"]
    assert await listed(tmp_path / "build") == ["out.o"]
