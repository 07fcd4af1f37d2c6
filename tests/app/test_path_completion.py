"""Tab completes paths, on the real app and in a real terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pyagent_tui.app.prompt.paths import LocalPaths
from pyagent_tui.tests.real_app import isolate, write_script
from pyagent_tui.tests.stage_app import AppStage, open_app, say
from pyagent_tui.tests.terminal import Terminal


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a folder, names with blanks and signs, and a home beside it."""
    home, project = tmp_path / "someone", tmp_path / "project"
    for folder in (project / "src" / "deep", project / "my dir", home / "notes here"):
        folder.mkdir(parents=True)
    for name in ("src/alpha.py", "src/album.py", "my dir/x y.txt", "setup.py", ".hidden", "cost$(1).txt", "Zed.md"):
        (project / name).write_text("")
    (home / "notes here" / "a.txt").write_text("")
    monkeypatch.setenv("HOME", str(home))
    return project


async def tab(stage: AppStage, text: str) -> str:
    """The draft after this was typed into an empty editor and Tab was pressed."""
    stage.app.view.editor.set_text(text)
    await stage.press("tab")
    await stage.pilot.pause()
    return stage.draft


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("see sr", "see src/"),
        ("see src/alp", "see src/alpha.py "),
        ("see zed", "see Zed.md "),
        ("see my", 'see "my dir/'),
        ('see "my dir/x', 'see "my dir/x y.txt" '),
        ("~/no", '"~/notes here/'),
        ("~", "~/"),
        ("(.hid", "(.hidden "),
        ("!ls sr", "!ls src/"),
        ("!!cat my", '!!cat "my dir/'),
        ("!cat cost", '!cat "cost\\$(1).txt" '),
        ("!cat ~/no", '!cat ~/"notes here/'),
        ('!cat ~/"notes here/', '!cat ~/"notes here/a.txt" '),
        ("/export sr", "/export src/"),
        ("/model sr", "/model sr"),
        ("see nothing-like-it", "see nothing-like-it"),
        ("/etc/hostn", "/etc/hostname "),
    ],
)
async def test_tab_completes_what_stands_before_the_caret(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, completed: str
) -> None:
    if typed.startswith("/etc") and not os.path.exists("/etc/hostname"):
        pytest.skip("no /etc/hostname here")
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        assert await tab(stage, typed) == completed


@pytest.mark.anyio
async def test_many_names_are_shown_and_typing_goes_on_narrowing_them(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await tab(stage, "see src/al")
        await stage.see("album.py alpha.py")
        await stage.press("p")
        await stage.until(lambda: "album.py" not in stage.text(), "a narrower menu")
        await stage.press("tab")
        assert stage.draft == "see src/alpha.py "


@pytest.mark.anyio
async def test_a_folder_that_is_written_opens_no_menu_that_would_take_enter(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        assert await tab(stage, "see sr") == "see src/"
        await stage.press("enter")
        await stage.idle()
        assert stage.said() == ["see src/"]


@pytest.mark.anyio
async def test_a_file_of_a_huge_folder_is_found_and_names_that_are_no_text_are_left_out(tmp_path: Path) -> None:
    for number in range(3_000):
        (tmp_path / f"file{number}").touch()
    (tmp_path / os.fsdecode(b"file\xff")).touch()
    paths = LocalPaths(tmp_path)
    assert [item.text for item in await paths.complete("file2999")] == ["file2999"]
    found = await paths.complete("fi")
    assert len(found) == 100
    assert all(item.text.isascii() for item in found)


@pytest.mark.parametrize(
    ("sent", "draft"),
    [("sr\t", "src/"), ("see sr\talp\t", "see src/alpha.py"), ("why?", "why?"), ("x\x7f\t", "")],
)
def test_keys_of_one_packet_count_in_the_order_in_which_they_come(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: str, draft: str
) -> None:
    home = Path(os.environ["HOME"])
    isolate(tmp_path, monkeypatch)
    env = {"HOME": str(home)}
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--script", write_script(tmp_path, [say("x")])]
    with Terminal(argv, columns=80, cwd=project, env=env) as terminal:
        terminal.wait_for("Scripted model")
        terminal.send(sent)
        if draft:
            terminal.wait_for(lambda rows: any(row.strip() == f"❯ {draft}" for row in rows))
            assert "tab back" not in terminal.text
        else:
            terminal.wait_for("tab back")


def test_ctrl_c_behind_letters_clears_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = isolate(tmp_path, monkeypatch)
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--script", write_script(tmp_path, [say("x")])]
    with Terminal(argv, columns=80, cwd=project) as terminal:
        terminal.wait_for("Scripted model")
        terminal.send("draft\x03next")
        terminal.wait_for(lambda rows: any(row.strip() == "❯ next" for row in rows))
