"""`/diff` on the real app: what a session has changed, from a real git store or from its edits."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.app.screens.diff import DiffScreen
from pyagent_tui.tests.stage_app import AppStage, call, open_app, say
from pyagent_tui.widgets.diff.session_diff import FileCell

pytestmark = pytest.mark.anyio
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

WORK: list[dict[str, Any]] = [
    call("read", path="a.txt"),
    call("edit", path="a.txt", edits=[{"oldText": "one", "newText": "eins"}]),
    call("edit", path="a.txt", edits=[{"oldText": "eins", "newText": "uno"}]),
    call("bash", command="rm old.txt; echo new > new.txt; printf 'a\\0b' > blob.bin; echo same > same.txt"),
    say("done"),
]


@pytest.fixture(autouse=True)
def copied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    texts: list[str] = []

    def copy_text(text: str, _: object) -> str:
        texts.append(text)
        return "Copied."

    monkeypatch.setattr("pyagent_tui.app.actions.copying.copy_text", copy_text)
    return texts


def lay_out(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.txt").write_text("zero\none\n\ttwo\n")
    (project / "old.txt").write_text("old\n")
    (project / "same.txt").write_text("same\n")
    return project


async def worked(stage: AppStage) -> None:
    await stage.say("go")
    await stage.see("done")
    await stage.idle()


async def opened(stage: AppStage) -> DiffScreen:
    await stage.say("/diff")
    await stage.until(lambda: isinstance(stage.app.screen, DiffScreen), "the screen")
    screen = stage.app.screen
    assert isinstance(screen, DiffScreen)
    await stage.until(lambda: screen.diff.display and screen.diff.history.rows, "the changes")
    return screen


def files(screen: DiffScreen) -> list[tuple[str, str]]:
    cells = (cell for cell in screen.diff.history.cells if isinstance(cell, FileCell))
    return [(cell.path, cell.state) for cell in cells]


@needs_git
async def test_files_are_compared_with_what_they_were_before_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copied: list[str]
) -> None:
    lay_out(tmp_path)
    async with open_app(tmp_path, monkeypatch, WORK, approval="auto") as stage:
        await worked(stage)
        screen = await opened(stage)
        assert files(screen) == [("a.txt", ""), ("blob.bin", "new"), ("new.txt", "new"), ("old.txt", "deleted")]
        assert "4 files changed  +2 −2" in stage.text()
        assert "− one" in stage.text()
        assert "+ uno" in stage.text()
        assert "eins" not in stage.text()
        assert "No text: nothing before, 3 bytes now." in stage.text()
        await stage.press("Y")
        await stage.until(lambda: copied, "the patch")
        assert copied == ["--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n zero\n-one\n+uno\n \ttwo\n"]
        await stage.see("The patch of the file: copied.")
        (stage.project / "a.txt").write_text("zero\none\n\ttwo\n")
        await stage.press("r")
        await stage.see("3 files changed")
        await stage.press("escape")
        assert stage.app.focused is stage.app.view.editor


@needs_git
async def test_the_patch_of_all_files_can_be_taken_back_by_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copied: list[str]
) -> None:
    lay_out(tmp_path)
    turns = [call("read", path="a.txt"), WORK[1], call("bash", command="rm old.txt; echo new > new.txt"), say("done")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await worked(stage)
        await opened(stage)
        await stage.press("P")
        await stage.until(lambda: copied, "the patch")
        project = stage.project
    import subprocess

    subprocess.run(["git", "apply", "-R"], input=copied[0].encode(), cwd=project, check=True)
    assert (project / "a.txt").read_text() == "zero\none\n\ttwo\n"
    assert (project / "old.txt").read_text() == "old\n"
    assert not (project / "new.txt").exists()


async def test_without_snapshots_the_edits_are_shown_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path)
    async with open_app(tmp_path, monkeypatch, WORK, approval="auto", no_session=True) as stage:
        await worked(stage)
        screen = await opened(stage)
        assert files(screen) == [("a.txt", "")]
        assert "Only what the tools edit and write did, step by step" in stage.text()
        assert "+ eins" in stage.text()


async def test_nothing_changed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("hello")]) as stage:
        await opened(stage)
        assert "nothing was changed in this session" in stage.text()
        await stage.press("q")
        assert stage.app.focused is stage.app.view.editor


@needs_git
async def test_files_hunks_search_and_layout_by_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = lay_out(tmp_path)
    lines = [f"line {number}" for number in range(90)]
    (project / "long.txt").write_text("\n".join(lines))
    sed = "sed -i 's/^line 5$/LINE five/; s/^line 80$/LINE eighty/' long.txt"
    turns = [call("bash", command=f"echo x >> a.txt; {sed}; echo y >> same.txt"), say("done")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto", size=(100, 16)) as stage:
        await worked(stage)
        screen = await opened(stage)
        view = screen.diff
        await stage.press("}")
        assert isinstance(view.cursor, FileCell)
        assert view.cursor.path == "long.txt"
        await stage.press("]", "]")
        assert "LINE eighty" in stage.text()
        await stage.press("]")
        assert isinstance(view.cursor, FileCell)
        assert view.cursor.path == "same.txt"
        await stage.press("[", "[")
        assert "LINE five" in stage.text()
        await stage.press("s")
        await stage.see("line 5 │")
        await stage.press("s", "/", *"eighty")
        await stage.see("1 of 1")
        assert "LINE eighty" in stage.text()
        await stage.press("escape", "escape")
        assert stage.app.focused is stage.app.view.editor


@needs_git
async def test_many_changes_begin_as_a_list_and_hunk_keys_open_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path)
    turns = [call("bash", command="for n in 1 2 3; do seq 1 100 > f$n.txt; done"), say("done")]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await worked(stage)
        screen = await opened(stage)
        cells = [cell for cell in screen.diff.history.cells if isinstance(cell, FileCell)]
        assert [cell.is_expanded for cell in cells] == [False, False, False]
        assert "f3.txt  +100 −0  new" in stage.text()
        await stage.press("]")
        assert [cell.is_expanded for cell in cells] == [True, False, False]


async def test_help_and_the_name_of_the_file_are_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path)
    async with open_app(tmp_path, monkeypatch, WORK, approval="auto", size=(80, 12)) as stage:
        await worked(stage)
        await opened(stage)
        assert "f1 all keys" in stage.text()
        for key in ("f1", "question_mark"):
            await stage.press(key)
            await stage.see("In the changes of the session")
            headings = [line.strip() for line in stage.text().splitlines() if line.startswith(" In ")]
            assert headings[0] == "In the changes of the session"
            await stage.press("escape")
            await stage.see("Changes of this session")
        await stage.press("right_curly_bracket", "down", "pagedown")
        await stage.until(lambda: stage.text().splitlines()[0].split()[0] != "Changes", "the name of the file")
        assert " of " in stage.text().splitlines()[0]
