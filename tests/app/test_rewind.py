"""The project's files go back with the conversation, on the real app and a real git store."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.agent.messages import CustomMessage
from pyagent_tui.app.screens.choice import ChoiceScreen
from pyagent_tui.app.screens.prompts import PromptsScreen
from pyagent_tui.app.screens.tree import TreeScreen
from pyagent_tui.app.sessions import rewind
from pyagent_tui.sessions.project_files import ProjectFiles
from pyagent_tui.sessions.shadow_git import ShadowGit
from pyagent_tui.tests.stage_app import AppStage, call, open_app, say
from pyagent_tui.tests.stored_sessions import entries

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")]


def write(path: str, content: str) -> dict[str, Any]:
    return call("write", path=path, content=content)


TWO_STEPS = [
    call("read", path="a.txt"),
    write("a.txt", "one\n"),
    say("first done"),
    call("bash", command="echo two > a.txt; echo new > b.txt"),
    say("second done"),
]


def files(stage: AppStage) -> dict[str, str]:
    return {path.name: path.read_text() for path in stage.project.iterdir() if path.is_file()}


async def two_steps(stage: AppStage) -> None:
    """a.txt is zero, one, two; b.txt is new with the second step."""
    (stage.project / "a.txt").write_text("zero\n")
    (stage.project / "mine.txt").write_text("mine\n")
    for words, done in (("read it first", "first done"), ("and the second", "second done")):
        await stage.say(words)
        await stage.see(done)
        await stage.idle()
    assert files(stage) == {"a.txt": "two\n", "b.txt": "new\n", "mine.txt": "mine\n"}


async def choose_prompt(stage: AppStage, *keys: str) -> None:
    await stage.say("/rewind")
    await stage.until(lambda: isinstance(stage.app.screen, PromptsScreen))
    await stage.press(*keys, "enter")


async def test_conversation_and_files_go_back_before_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, TWO_STEPS, approval="auto") as stage:
        await two_steps(stage)
        await choose_prompt(stage)
        await stage.see("a.txt changes")
        await stage.see("b.txt goes away")
        await stage.press("b")
        await stage.until(lambda: stage.draft == "and the second")
        assert files(stage) == {"a.txt": "one\n", "mine.txt": "mine\n"}
        assert stage.said() == ["read it first"]


async def test_only_the_conversation_is_the_safe_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [*TWO_STEPS, call("bash", command="echo three > a.txt"), say("third done")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await two_steps(stage)
        await choose_prompt(stage)
        await stage.see("Go back with what?")
        await stage.press("enter")
        await stage.until(lambda: stage.draft == "and the second")
        assert files(stage)["a.txt"] == "two\n"
        await stage.press("enter")
        await stage.see("third done")
        await stage.idle()
        # What was left behind counts as a change on the new branch: going to the beginning undoes it too.
        await choose_prompt(stage, "up")
        await stage.see("Go back with what?")
        await stage.press("b")
        await stage.until(lambda: stage.draft == "read it first")
        assert files(stage) == {"a.txt": "zero\n", "mine.txt": "mine\n"}


async def test_only_the_files_leaves_the_conversation_and_tells_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, TWO_STEPS, approval="auto") as stage:
        await two_steps(stage)
        await choose_prompt(stage, "up")
        await stage.see("Go back with what?")
        await stage.press("f")
        await stage.until(lambda: files(stage) == {"a.txt": "zero\n", "mine.txt": "mine\n"})
        await stage.see("/rewind undo takes that back")
        assert stage.said() == ["read it first", "and the second"]
        told = stage.messages[-1]
        assert isinstance(told, CustomMessage)
        await stage.say("/rewind undo")
        await stage.until(lambda: files(stage) == {"a.txt": "two\n", "b.txt": "new\n", "mine.txt": "mine\n"})


async def test_what_the_person_changed_since_is_shown_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, TWO_STEPS, approval="auto") as stage:
        await two_steps(stage)
        (stage.project / "a.txt").write_text("by hand\n")
        (stage.project / "mine.txt").write_text("mine, changed\n")
        await choose_prompt(stage)
        await stage.see("Changed by you or others since")
        assert "mine.txt" not in stage.text()
        await stage.press("b")
        await stage.until(lambda: stage.draft == "and the second")
        assert files(stage) == {"a.txt": "by hand\n", "mine.txt": "mine, changed\n"}


async def test_going_to_the_other_branch_brings_its_files_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [*TWO_STEPS, write("c.txt", "other\n"), say("other done")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await two_steps(stage)
        await choose_prompt(stage)
        await stage.see("Go back with what?")
        await stage.press("b")
        await stage.until(lambda: stage.draft == "and the second")
        await stage.press("ctrl+c")
        await stage.say("another way")
        await stage.see("other done")
        await stage.idle()
        assert files(stage) == {"a.txt": "one\n", "c.txt": "other\n", "mine.txt": "mine\n"}
        await stage.say("/tree")
        await stage.until(lambda: isinstance(stage.app.screen, TreeScreen))
        await stage.press(*"second done")
        await stage.pilot.pause(0.1)
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, ChoiceScreen))
        await stage.see("c.txt goes away")
        await stage.press("b")
        await stage.see("You leave a branch.")
        await stage.press("n")
        await stage.until(lambda: files(stage) == {"a.txt": "two\n", "b.txt": "new\n", "mine.txt": "mine\n"})
        assert stage.said() == ["read it first", "and the second"]


async def test_a_stopped_command_counts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [call("bash", command="echo half > half.txt; sleep 60"), say("never")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await stage.say("do it slowly")
        await stage.until(lambda: (stage.project / "half.txt").exists())
        await stage.press("escape")
        await stage.idle()
        await choose_prompt(stage)
        await stage.see("half.txt goes away")
        await stage.press("b")
        await stage.until(lambda: not (stage.project / "half.txt").exists())


async def test_where_nothing_changed_nobody_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("just talk")], approval="auto") as stage:
        await stage.say("hello")
        await stage.see("just talk")
        await stage.idle()
        await choose_prompt(stage)
        await stage.until(lambda: stage.draft == "hello")
        assert stage.messages == []
        await stage.press("ctrl+c")
        await stage.say("/rewind undo")
        await stage.see("No files were brought back")


async def test_a_fork_knows_how_its_files_came_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, TWO_STEPS, approval="auto") as stage:
        await two_steps(stage)
        await stage.say("/fork")
        await stage.until(lambda: isinstance(stage.app.screen, PromptsScreen))
        await stage.press("enter")
        await stage.until(lambda: stage.draft == "and the second")
        await stage.press("ctrl+c")
        await choose_prompt(stage)
        await stage.see("b.txt goes away")
        await stage.press("b")
        await stage.until(lambda: files(stage) == {"a.txt": "zero\n", "mine.txt": "mine\n"})


async def test_without_git_the_work_goes_on_and_it_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    which = shutil.which

    def which_but_git(name: str) -> str | None:
        return None if name == "git" else which(name)

    monkeypatch.setattr(shutil, "which", which_but_git)
    async with open_app(tmp_path, monkeypatch, TWO_STEPS, approval="auto") as stage:
        await two_steps(stage)
        assert stage.text().count("git is not installed") == 1
        (path,) = (tmp_path / "home" / "sessions").rglob("*.jsonl")
        assert "custom" not in [entry["type"] for entry in entries(path)]


async def test_the_model_is_asked_while_the_state_after_a_call_is_being_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [call("bash", command="echo one > a.txt"), say("first done"), call("bash", command="echo two > a.txt")]
    looks, may_go_on = list[int](), threading.Event()
    look = ProjectFiles.look

    def slow_look(files: ProjectFiles, skipped: Collection[str] = ()) -> list[str]:
        if (tmp_path / "project" / "a.txt").exists() and not looks:
            looks.append(1)
            may_go_on.wait(30)
        return look(files, skipped)

    monkeypatch.setattr(ProjectFiles, "look", slow_look)
    async with open_app(tmp_path, monkeypatch, [*turns, say("second done")], approval="auto") as stage:
        await stage.say("one")
        await stage.see("first done")
        await stage.idle()
        assert looks
        await stage.say("two")
        await stage.until(lambda: len(stage.messages) == 6, "the second call")
        assert files(stage) == {"a.txt": "one\n"}
        may_go_on.set()
        await stage.see("second done")
        await stage.idle()
        await choose_prompt(stage)
        await stage.see("a.txt changes")
        await stage.press("b")
        await stage.until(lambda: files(stage) == {"a.txt": "one\n"})


async def test_after_a_kill_it_is_said_which_calls_changes_are_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, TWO_STEPS, approval="auto") as stage:
        await two_steps(stage)
    (path,) = (tmp_path / "home" / "sessions").rglob("*.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    (last,) = [line for line in lines if '"closes"' in line][1:]
    path.write_text("".join(lines[: lines.index(last)]))
    async with open_app(tmp_path, monkeypatch, [say("again")], approval="auto", session=str(path)) as stage:
        await stage.say("go on")
        await stage.see("again")
        await stage.idle()
        await choose_prompt(stage, "up", "up")
        await stage.see("a.txt")
        await stage.see("stay as they are")
        await stage.see("The program was killed at these calls, so what they changed stays:")
        await stage.see("bash echo two > a.txt; echo new > b.txt")
        await stage.press("c")
        await stage.until(lambda: stage.draft == "read it first")
        assert files(stage) == {"a.txt": "two\n", "b.txt": "new\n", "mine.txt": "mine\n"}


async def test_reading_a_large_project_shows_how_far_it_is_and_holds_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = asyncio.Event()
    run_git = ShadowGit._git  # pyright: ignore[reportPrivateUsage]

    async def slow_git(git: ShadowGit, *arguments: str, data: bytes = b"", none_is: int = 0) -> bytes:
        if arguments[0] == "update-index" and b"f500\0" in data:
            await may_go_on.wait()
        return await run_git(git, *arguments, data=data, none_is=none_is)

    monkeypatch.setattr(ShadowGit, "_git", slow_git)
    monkeypatch.setattr(rewind, "BEGIN_SECONDS", 0.3)
    (tmp_path / "project").mkdir()
    for number in range(900):
        (tmp_path / "project" / f"f{number}").write_text(f"{number}\n")
    async with open_app(tmp_path, monkeypatch, TWO_STEPS, approval="auto") as stage:
        await stage.say("go")
        await stage.see("reading the project for /rewind")
        await stage.see("of 900")
        await stage.see("first done")
        await stage.see("still being read")
        may_go_on.set()
        await stage.idle()
        await stage.until(lambda: "reading the project for" not in stage.text())
        await stage.say("on")
        await stage.see("second done")
        await stage.idle()
        await choose_prompt(stage)
        await stage.see("a.txt changes")
        await stage.press("escape")
