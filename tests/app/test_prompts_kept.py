"""What is written outlives the program."""

from __future__ import annotations

import json
import multiprocessing
import signal
import stat
import sys
from pathlib import Path

import pytest
from PIL import Image

from pyagent_tui.app.prompt.drafts import Drafts
from pyagent_tui.app.prompt.history import MOST_LINES, SLACK, PromptHistory
from pyagent_tui.app.prompt.keeping import failure
from pyagent_tui.tests.stage_app import open_app, say
from pyagent_tui.tests.terminal import Terminal


@pytest.fixture
def history(tmp_path: Path) -> PromptHistory:
    return PromptHistory(tmp_path / "config" / "history")


def add_many(path: Path, name: str) -> None:
    history = PromptHistory(path)
    for number in range(20):
        history.add(f"{name} {number}")


def test_the_history_is_read_back_in_order_and_is_the_owners_alone(history: PromptHistory, tmp_path: Path) -> None:
    assert history.load() == []
    for text in ("one", "two\nlines", "three ü"):
        history.add(text)
    assert PromptHistory(tmp_path / "config" / "history").load() == ["one", "two\nlines", "three ü"]
    assert stat.S_IMODE((tmp_path / "config" / "history").stat().st_mode) == 0o600


def test_programs_that_write_at_the_same_time_lose_no_line(tmp_path: Path) -> None:
    path = tmp_path / "history"
    context = multiprocessing.get_context("spawn")
    programs = [context.Process(target=add_many, args=(path, name)) for name in "abc"]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    prompts = PromptHistory(path).load()
    assert len(prompts) == 60
    for name in "abc":
        assert [text for text in prompts if text.startswith(name)] == [f"{name} {number}" for number in range(20)]


def test_a_line_that_was_cut_off_spoils_no_other(history: PromptHistory, tmp_path: Path) -> None:
    history.add("one")
    path = tmp_path / "config" / "history"
    with path.open("ab") as file:
        file.write(b'\xff\xfe\n[1]\nnull\n{"prompt": 3}\n{"prompt": "tw')
    history.add("three")
    assert history.load() == ["one", "three"]


def test_the_history_keeps_the_newest(history: PromptHistory, tmp_path: Path) -> None:
    path = tmp_path / "config" / "history"
    path.parent.mkdir()
    path.write_text("".join(json.dumps({"prompt": str(number)}) + "\n" for number in range(MOST_LINES + SLACK)))
    history.load()
    history.add("new")
    prompts = history.load()
    assert len(prompts) == MOST_LINES
    assert prompts[-2:] == [str(MOST_LINES + SLACK - 1), "new"]


def test_a_draft_is_left_to_nobody_while_its_program_runs(tmp_path: Path) -> None:
    mine = Drafts(tmp_path, Path("/project"))
    mine.write("half a thought")
    assert Drafts(tmp_path, Path("/project")).take_left() == []
    (own,) = tmp_path.rglob("*.json")
    assert stat.S_IMODE(own.stat().st_mode) == 0o600
    mine.write("")
    assert not own.exists()


def test_a_draft_of_another_project_or_a_damaged_one_is_not_taken(tmp_path: Path) -> None:
    Drafts(tmp_path, Path("/project")).write("mine")
    (own,) = tmp_path.rglob("*.json")
    ended = own.with_name("4194305.json")
    own.rename(ended)
    assert Drafts(tmp_path, Path("/other")).take_left() == []
    own.with_name("4194306.json").write_bytes(b'{"text": ')
    own.with_name("4194307.json").write_text("[]")
    assert Drafts(tmp_path, Path("/project")).take_left() == ["mine"]
    assert Drafts(tmp_path, Path("/project")).take_left() == []
    assert not ended.exists()
    assert json.loads(own.read_text())["text"] == "mine"


@pytest.mark.anyio
async def test_what_was_sent_is_found_by_up_and_search_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("yes")]) as stage:
        await stage.say("first question")
        await stage.idle()
    async with open_app(tmp_path, monkeypatch, [say("yes")]) as stage:
        await stage.press("up")
        assert stage.draft == "first question"
        await stage.press("ctrl+c", "ctrl+r")
        await stage.see("first question")


@pytest.mark.anyio
async def test_keys_of_the_app_are_the_searchs_while_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("yes")]) as stage:
        for leave in ("ctrl+c", "ctrl+g", "escape"):
            await stage.press("ctrl+r", *"why?")
            await stage.see("search why? nothing was sent yet")
            await stage.press(leave)
            assert not stage.app.view.editor.is_searching
        assert stage.app.is_running
        assert len(stage.app.screen_stack) == 1
        await stage.press(*"hello", "enter")
        await stage.see("yes")
        assert stage.said() == ["hello"]


@pytest.mark.anyio
async def test_a_history_that_cannot_be_written_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "history").mkdir()
    async with open_app(tmp_path, monkeypatch, [say("yes"), say("again")]) as stage:
        await stage.say("one")
        await stage.see("yes")
        await stage.say("two")
        await stage.see("again")
        assert stage.text().count("are not kept") == 1


def test_what_was_being_written_comes_back_after_a_kill(tmp_path: Path) -> None:
    env = {"PYAGENT_TUI_HOME": str(tmp_path / "home"), "PYTHONPATH": ""}
    project = tmp_path / "project"
    project.mkdir()
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"turns": [say("yes")]}))
    program = [sys.executable, "-P", "-m", "pyagent_tui", "--script", str(script)]
    drafts = tmp_path / "home" / "drafts"

    def draft() -> str:
        return "".join(path.read_text() for path in drafts.rglob("*.json"))

    with Terminal(program, env=env, cwd=project) as terminal:
        terminal.wait_for("❯")
        terminal.send("dear agent, please")
        terminal.wait_for(lambda _: "please" in draft())
        terminal.kill(signal.SIGKILL)
        assert terminal.wait() == -signal.SIGKILL
    with Terminal(program, env=env, cwd=project) as terminal:
        terminal.wait_for("dear agent, please")
        terminal.wait_for("is back in the editor")
        terminal.send("\r")
        terminal.wait_for("yes")
        terminal.wait_for(lambda _: draft() == "")
        terminal.kill(signal.SIGKILL)
        terminal.wait()
    with Terminal(program, env=env, cwd=project) as terminal:
        terminal.wait_for("Scripted model")
        terminal.send("\x1b[A")
        terminal.wait_for("dear agent, please")
        assert "is back in" not in terminal.text


@pytest.mark.anyio
async def test_a_draft_that_comes_back_without_its_pictures_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = Drafts(tmp_path / "home" / "drafts", tmp_path / "project")
    left.write("see [image #1]")
    own = next((tmp_path / "home" / "drafts").rglob("*.json"))
    own.write_text(own.read_text().replace('"started": ', '"started": 1'))
    async with open_app(tmp_path, monkeypatch, [say("yes")]) as stage:
        await stage.see("is back in the editor. Its pictures are gone: drop them again.")
        assert stage.draft == "see [image #1]"


def test_a_failure_names_the_file_if_there_is_one() -> None:
    assert failure(OSError(30, "Read-only file system", "/x")) == (
        "Prompts and drafts are not kept: /x: Read-only file system"
    )
    assert failure(OSError(28, "No space left on device")) == "Prompts and drafts are not kept: No space left on device"


@pytest.mark.anyio
@pytest.mark.parametrize("keys", [("up",), ("ctrl+r", "s", "enter")])
async def test_an_earlier_prompt_without_its_pictures_says_so_while_it_stands_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...]
) -> None:
    gone = "Its pictures are gone: drop them again"
    shot = tmp_path / "shot.png"
    Image.new("RGB", (30, 20), "red").save(shot)
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        stage.app.view.editor.insert("see ")
        stage.app.view.editor.paste(str(shot))
        await stage.until(lambda: "[image #1]" in stage.draft, "the picture")
        await stage.press("enter")
        await stage.see("red")
        await stage.press(*keys)
        await stage.until(lambda: stage.draft == "see [image #1]", "the prompt")
        await stage.press("ctrl+c")
        assert gone not in stage.text()
    async with open_app(tmp_path, monkeypatch, [say("red")]) as stage:
        await stage.until(lambda: len(stage.app.view.editor.history.entries) > 0, "the history")
        await stage.press(*keys)
        await stage.until(lambda: stage.draft == "see [image #1]", "the prompt")
        await stage.see(gone)
        await stage.press("x")
        assert gone in stage.text()
        await stage.press("ctrl+c")
        await stage.until(lambda: gone not in stage.text(), "the end of it")
