"""Commands about the session, on the real app."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from pyagent_tui.agent.messages import ToolResultMessage
from pyagent_tui.app.conversation.job import Job
from pyagent_tui.app.screens.prompts import PromptsScreen
from pyagent_tui.app.sessions.report import report
from pyagent_tui.app.terminal.clipboard import copy_text
from pyagent_tui.sessions.session import Session
from pyagent_tui.sessions.statistics import SessionStatistics
from pyagent_tui.tests.stage_app import AppStage, call, open_app, say
from pyagent_tui.tests.stored_sessions import entries, said, store_session, talk
from pyagent_tui.widgets.transcript.message_cells import UserCell
from pyagent_tui.widgets.transcript.tool_cell import ToolCell

pytestmark = pytest.mark.anyio


def session_of(stage: AppStage) -> Session:
    composition = stage.app.conversation.composition
    assert composition is not None
    return composition.session


def path_of(stage: AppStage) -> Path:
    path = session_of(stage).path
    assert path is not None
    return path


def unwrapped(stage: AppStage) -> str:
    """The screen without blanks and line breaks: long words are broken to the width."""
    return "".join(stage.text().split())


async def test_fork_goes_back_before_a_message_and_gives_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store_session(tmp_path, *talk("one", "first", "two", "second", "three", "third"))
    async with open_app(tmp_path, monkeypatch, [say("anew")], session=str(path)) as stage:
        await stage.see("third")
        await stage.say("/fork")
        await stage.until(lambda: isinstance(stage.app.screen, PromptsScreen))
        await stage.see("❯ three")
        await stage.press("up", "enter")
        await stage.until(lambda: stage.draft == "two")
        assert path_of(stage) != path
        await stage.until(lambda: "second" not in stage.text() and "first" in stage.text())
        await stage.press("enter")
        await stage.see("anew")
        copy = path_of(stage)
        assert session_of(stage).header.parent_session == str(path)
    assert said(copy) == ["one", "first", "two", "anew"]
    assert said(path) == ["one", "first", "two", "second", "three", "third"]


async def test_forking_the_first_message_begins_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *talk("one", "first"))
    async with open_app(tmp_path, monkeypatch, [say("x")], session=str(path)) as stage:
        await stage.see("first")
        await stage.say("/fork")
        await stage.see("Fork before which")
        await stage.press("enter")
        await stage.until(lambda: stage.draft == "one" and path_of(stage) != path)
        assert stage.messages == []
        assert session_of(stage).header.parent_session == str(path)


async def test_a_text_in_the_editor_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *talk("one", "first"))
    async with open_app(tmp_path, monkeypatch, [say("x")], session=str(path)) as stage:
        await stage.see("first")
        await stage.say("/fork")
        await stage.see("Fork before which")
        stage.app.view.editor.set_text("my draft")
        await stage.press("enter")
        await stage.until(lambda: path_of(stage) != path)
        await stage.pilot.pause()
        assert stage.draft == "my draft"


async def test_clone_goes_on_with_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *talk("one", "first"), name="mine")
    async with open_app(tmp_path, monkeypatch, [say("on")], session=str(path)) as stage:
        await stage.see("first")
        await stage.say("/clone")
        await stage.until(lambda: path_of(stage) != path)
        await stage.see("This is a copy")
        await stage.say("more")
        await stage.see("on")
        copy = path_of(stage)
    assert said(copy) == ["one", "first", "more", "on"]
    assert said(path) == ["one", "first"]


async def test_an_empty_session_cannot_be_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        for command in ("/clone", "/fork"):
            await stage.say(command)
        await stage.until(lambda: stage.text().count("Nothing was said here yet.") == 2)


async def test_the_approval_mode_goes_along_to_another_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *talk("one", "first"))
    async with open_app(tmp_path, monkeypatch, [say("x")], session=str(path)) as stage:
        await stage.say("/approval edits")
        await stage.until(lambda: stage.app.view.status.approval == "edits")
        await stage.say("/clone")
        await stage.until(lambda: path_of(stage) != path)
        composition = stage.app.conversation.composition
        assert composition is not None
        assert composition.approval.mode == "edits"


@pytest.mark.parametrize(("command", "calls"), [("/new", 0), ("/clone", 1), ("/demo", 0)])
async def test_what_runs_ends_in_the_session_that_it_belongs_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, calls: int
) -> None:
    turns = [call("bash", command="echo begun; sleep 60")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        before = stage.app.conversation.composition
        await stage.say("run it")
        await stage.see("running")
        await stage.see("begun")
        await stage.say(command)
        await stage.until(lambda: stage.app.conversation.composition not in (None, before), "the other session")
        await stage.pilot.pause()
        rows = [cell for cell in stage.app.view.transcript.history.cells if isinstance(cell, ToolCell)]
        assert [row.argument("") for row in rows] == ["echo begun; sleep 60"] * calls
        assert before is not None
        last = before.session.messages()[-1]
        assert isinstance(last, ToolResultMessage)
        assert "aborted" in last.text


async def test_a_name_is_shown_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *talk("one", "first"))
    async with open_app(tmp_path, monkeypatch, [say("x")], session=str(path)) as stage:
        await stage.say("/name  totals   as Decimal ")
        await stage.see("The session is named totals as Decimal.")
        await stage.say("/name")
        await stage.until(lambda: stage.text().count("The session is named totals as Decimal.") == 2, "the name again")
    assert entries(path)[-1]["name"] == "totals as Decimal"


async def test_session_tells_file_counts_and_cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *talk("one", "first", "two", "second"))
    async with open_app(tmp_path, monkeypatch, [say("x")], session=str(path), size=(100, 30)) as stage:
        await stage.say("/session")
        await stage.see("2 by you, 2 by the model")
        assert path.name in unwrapped(stage)


@pytest.mark.parametrize(("ending", "holds"), [("html", "<!DOCTYPE html>"), ("md", "## User"), ("jsonl", '"session"')])
async def test_export_writes_what_the_ending_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, holds: str
) -> None:
    path = store_session(tmp_path, *talk("one", "first answer"))
    async with open_app(tmp_path, monkeypatch, [say("x")], session=str(path)) as stage:
        await stage.see("first answer")
        await stage.say(f"/export out.{ending}")
        await stage.see("Written to")
        target = stage.project / f"out.{ending}"
        text = target.read_text()
        assert holds in text
        assert "first answer" in text
        assert stat.S_IMODE(target.stat().st_mode) == 0o600


async def test_export_refuses_other_endings_and_its_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *talk("one", "first answer"))
    before = path.read_bytes()
    async with open_app(tmp_path, monkeypatch, [say("x")], session=str(path)) as stage:
        await stage.say("/export out.pdf")
        await stage.see("out.pdf should end in .html, .md or .jsonl")
        await stage.say(f"/export {path}")
        await stage.see("own file")
    assert path.read_bytes().startswith(before)


async def test_import_copies_a_file_and_goes_on_with_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = store_session(tmp_path, *talk("from afar", "answer")).rename(tmp_path / "given.jsonl")
    async with open_app(tmp_path, monkeypatch, [say("on")]) as stage:
        await stage.say("/import ../given.jsonl")
        await stage.see("from afar")
        await stage.see("Imported from")
        await stage.say("more")
        await stage.see("on")
        copy = path_of(stage)
        await stage.idle()
        await stage.say("/import missing.jsonl")
        await stage.until(lambda: "missing.jsonlisnotasessionfile" in unwrapped(stage))
    assert said(copy) == ["from afar", "answer", "more", "on"]
    assert said(source) == ["from afar", "answer"]


async def test_import_shows_how_far_it_is_and_escape_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = store_session(tmp_path, *talk("from afar", "x" * 3_000_000)).rename(tmp_path / "given.jsonl")
    may_go_on = threading.Event()
    megabytes = Job.megabytes

    def slowly(job: Job, done: int, total: int) -> bool:
        megabytes(job, done, total)
        may_go_on.wait(30)
        return megabytes(job, done, total)

    monkeypatch.setattr(Job, "megabytes", slowly)
    async with open_app(tmp_path, monkeypatch, [say("still here")]) as stage:
        await stage.say("/import ../given.jsonl")
        await stage.see("importing 1 of 3 MB · esc stops")
        await stage.press("escape")
        may_go_on.set()
        await stage.see("Import stopped; nothing was copied.")
        await stage.say("more")
        await stage.see("still here")
        await stage.idle()
        assert [path for path in source.parent.rglob("*") if path.suffix == ".jsonl"] == [source, path_of(stage)]


async def test_copy_hands_the_last_answer_to_a_tool_and_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "bin" / "xclip"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\ncat > {tmp_path}/copied\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("DISPLAY", ":9")
    for name in ("WAYLAND_DISPLAY", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    async with open_app(tmp_path, monkeypatch, [say("the *answer* 漢")]) as stage:
        await stage.say("/copy")
        await stage.see("There is no answer to copy yet.")
        await stage.say("hi")
        await stage.see("the answer")
        await stage.idle()
        await stage.say("/copy")
        await stage.see("Copied with xclip.")
    assert (tmp_path / "copied").read_text("utf-8") == "the *answer* 漢"


def test_without_a_tool_the_terminal_is_asked_and_nothing_is_promised() -> None:
    sent: list[str] = []
    assert "it does not say" in copy_text("text", sent.append, {"PATH": "/nowhere", "DISPLAY": ":0"})
    assert sent == ["text"]
    said = copy_text("x" * 100_000, sent.append, {})
    assert said == "Not copied: it needs wl-copy, xclip or pbcopy here; 100,000 bytes are too many for the terminal."
    assert sent == ["text"]


def test_over_ssh_only_the_terminal_has_the_clipboard(tmp_path: Path) -> None:
    tool = tmp_path / "wl-copy"
    tool.write_text("#!/bin/sh\ncat > /dev/null\n")
    tool.chmod(0o755)
    sent: list[str] = []
    environment = {"PATH": str(tmp_path), "WAYLAND_DISPLAY": "wayland-0", "SSH_TTY": "/dev/pts/1"}
    copy_text("text", sent.append, environment)
    assert sent == ["text"]


# The command line


def program(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"turns": [say("answer of the script")]}))
    return subprocess.run(
        [sys.executable, "-P", "-m", "pyagent_tui", *words],
        cwd=tmp_path / "project",
        env={**os.environ, "PYAGENT_TUI_HOME": str(tmp_path / "home")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_export_on_the_command_line_takes_an_id_or_a_file(tmp_path: Path) -> None:
    path = store_session(tmp_path, *talk("one", "first answer"))
    session_id = path.stem.rpartition("_")[2]
    done = program(tmp_path, "--export", session_id[:20])
    target = tmp_path / "project" / f"{path.stem}.html"
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{target}\n", "")
    assert "first answer" in target.read_text()
    assert program(tmp_path, "--export", str(path), "x.md").returncode == 0
    assert "first answer" in (tmp_path / "project" / "x.md").read_text()
    missing = program(tmp_path, "--export", "nope")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "no session 'nope'" in missing.stderr


def test_fork_on_the_command_line_leaves_the_session_alone(tmp_path: Path) -> None:
    path = store_session(tmp_path, *talk("one", "first answer"))
    before = path.read_bytes()
    done = program(tmp_path, "--script", "../script.json", "--fork", str(path), "-p", "go on")
    assert (done.returncode, done.stdout) == (0, "answer of the script\n")
    assert path.read_bytes() == before
    (copy,) = [file for file in path.parent.iterdir() if file != path]
    assert said(copy) == ["one", "first answer", "go on", "answer of the script"]
    clash = program(tmp_path, "--fork", str(path), "-c", "-p", "x")
    assert clash.returncode == 2


def test_without_a_screen_a_gone_folder_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    path = store_session(tmp_path, *talk("one", "first answer"), cwd=tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    (tmp_path / "project").mkdir()
    done = program(tmp_path, "--script", "../script.json", "--session", str(path), "-p", "go on")
    assert done.returncode == 1
    assert "The folder of this session is gone" in done.stderr
    assert "--fork" in done.stderr


def test_resume_without_a_screen_is_refused(tmp_path: Path) -> None:
    store_session(tmp_path, *talk("one", "first answer"))
    done = program(tmp_path, "--script", "../script.json", "--resume", "go on")
    assert done.returncode == 1
    assert "--continue or --session" in done.stderr


# The disk


async def test_a_disk_that_refuses_is_said_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    block = tmp_path / "home" / "sessions"
    block.write_text("a file where the folder should be")
    async with open_app(tmp_path, monkeypatch, [say("one"), say("two")]) as stage:
        await stage.say("first")
        await stage.see("The session cannot be saved")
        await stage.see("one")
        await stage.idle()
        block.unlink()
        await stage.see("The session is saved again; nothing was lost.")
        await stage.say("second")
        await stage.see("two")
        await stage.idle()
        path = path_of(stage)
    assert said(path) == ["first", "one", "second", "two"]


def test_what_could_not_be_saved_is_said_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "sessions").write_text("a file where the folder should be")
    done = program(tmp_path, "--script", "../script.json", "-p", "hi")
    assert (done.returncode, done.stdout) == (0, "answer of the script\n")
    assert "cannot be saved" in done.stderr
    assert "lines of the session could not be saved" in done.stderr


async def test_a_message_is_shown_at_once_and_its_mark_is_lit_when_it_is_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on, fsync = threading.Event(), os.fsync

    def slow_fsync(descriptor: int) -> None:
        may_go_on.wait(30)
        fsync(descriptor)

    async with open_app(tmp_path, monkeypatch, [say("an answer")]) as stage:
        monkeypatch.setattr(os, "fsync", slow_fsync)
        await stage.say("is it safe?")
        await stage.see("an answer")
        (cell,) = [cell for cell in stage.app.view.transcript.history.cells if isinstance(cell, UserCell)]
        assert cell.saving != "saved"
        await stage.see("not on disk yet")
        may_go_on.set()
        await stage.until(lambda: cell.saving == "saved")
        await stage.until(lambda: "not on disk yet" not in stage.text())


def test_one_of_a_kind_is_told_in_the_singular(tmp_path: Path) -> None:
    session = Session.open(store_session(tmp_path, *talk("one", "first")))
    statistics = SessionStatistics(messages=Counter({"toolResult": 1, "bashExecution": 2}))
    assert "1 result, 2 commands of yours" in report(session, statistics)
