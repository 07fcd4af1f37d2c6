"""The theme that the settings name, and the terminal's own light or dark."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from pyagent_tui.app.arguments import Arguments
from pyagent_tui.app.terminal.theming import is_light, is_light_by_number
from pyagent_tui.tests.real_app import isolate, open_real_app, write_script
from pyagent_tui.tests.stage_app import say
from pyagent_tui.tests.terminal import Terminal
from pyagent_tui.widgets.terminal.sequences import TerminalReply

pytestmark = pytest.mark.anyio


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return isolate(tmp_path, monkeypatch)


def set_theme(tmp_path: Path, name: str) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(f'theme = "{name}"\n')


@pytest.mark.parametrize(
    ("answer", "light"),
    [
        ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\", True),
        ("\x1b]11;rgb:0000/0000/0000\x07", False),
        ("\x1b]11;rgb:fd/f6/e3\x07", True),
        ("\x1b]11;rgba:1e1e/1e1e/2e2e/ffff\x07", False),
        ("\x1b]10;rgb:ffff/ffff/ffff\x07", None),
        ("\x1b]11;?\x07", None),
        ("", None),
    ],
)
def test_a_background_is_light_or_dark(answer: str, light: bool | None) -> None:
    assert is_light(answer) is light


async def test_a_named_theme_is_used(project: Path, tmp_path: Path) -> None:
    set_theme(tmp_path, "nord")
    async with open_real_app(project, Arguments(script=write_script(tmp_path, [say("x")]))) as stage:
        assert stage.app.theme == "nord"


async def test_an_unknown_theme_is_told_with_the_nearest(project: Path, tmp_path: Path) -> None:
    set_theme(tmp_path, "gruvbux")
    async with open_real_app(project, Arguments(script=write_script(tmp_path, [say("x")]))) as stage:
        await stage.see("There is no theme 'gruvbux'; did you mean gruvbox?")
        assert stage.app.theme == "textual-dark"


async def test_a_trusted_projects_theme_counts(project: Path, tmp_path: Path) -> None:
    (project / ".pyagent").mkdir()
    (project / ".pyagent" / "config.toml").write_text('theme = "dracula"\n')
    script = write_script(tmp_path, [say("x")])
    async with open_real_app(project, Arguments(script=script, trust=True)) as stage:
        await stage.until(lambda: stage.app.theme == "dracula")


@pytest.mark.parametrize("dark", [True, False])
def test_the_terminals_background_decides(project: Path, tmp_path: Path, dark: bool) -> None:
    script = write_script(tmp_path, [say("x")])
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--script", script]
    with Terminal(argv, cwd=project, dark=dark) as terminal:
        terminal.wait_for("Scripted model")
        terminal.wait_for(lambda _: ground(terminal) == ("dark" if dark else "light"))


@pytest.mark.parametrize("dark", [True, False])
def test_the_first_frame_is_in_the_terminals_own_light(project: Path, tmp_path: Path, dark: bool) -> None:
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--script", write_script(tmp_path, [say("x")])]
    with Terminal(argv, cwd=project, dark=dark) as terminal:
        terminal.wait_for("Scripted model")
        grounds = [sum(map(int, found)) for found in re.findall(rb"48;2;(\d+);(\d+);(\d+)", terminal.output)]
        assert grounds
        assert {total > 3 * 128 for total in grounds} == {not dark}, "the other kind of frame was drawn"


PATIENT = """
import sys
from pyagent_tui.app.main import main
from pyagent_tui.app.terminal import theming
theming.PATIENCE = 40.0
sys.exit(main())
"""


def test_the_first_frame_waits_for_a_late_answer(project: Path, tmp_path: Path) -> None:
    argv = [sys.executable, "-P", "-c", PATIENT, "--script", write_script(tmp_path, [say("x")])]
    with Terminal(argv, cwd=project, dark=False, late=1.0) as terminal:
        terminal.wait_for("Scripted model")
        assert ground(terminal) == "light"
        assert b"48;2;18;18;18" not in terminal.output


def test_a_terminal_that_never_names_its_background_is_not_waited_for(project: Path, tmp_path: Path) -> None:
    argv = [sys.executable, "-P", "-c", PATIENT, "--script", write_script(tmp_path, [say("x")])]
    with Terminal(argv, cwd=project, knows_colours=False) as terminal:
        terminal.wait_for("Scripted model", 15.0)  # less than the patience of this start


@pytest.mark.parametrize(("colours", "light"), [("0;15", "light"), ("15;0", "dark"), ("", "dark")])
def test_a_terminal_that_says_nothing_is_what_its_environment_says(
    project: Path, tmp_path: Path, colours: str, light: str
) -> None:
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--script", write_script(tmp_path, [say("x")])]
    with Terminal(argv, cwd=project, answers=False, env={"COLORFGBG": colours}) as terminal:
        terminal.wait_for("Scripted model")
        assert ground(terminal) == light


def test_a_terminal_that_turns_light_is_followed(project: Path, tmp_path: Path) -> None:
    argv = [sys.executable, "-P", "-m", "pyagent_tui", "--script", write_script(tmp_path, [say("x")])]
    with Terminal(argv, cwd=project) as terminal:
        terminal.wait_for("Scripted model")
        assert ground(terminal) == "dark"
        terminal.dark = False
        terminal.send("\x1b[?997;2n")
        terminal.wait_for(lambda _: ground(terminal) == "light")
        assert b"\x1b[?2031h" in terminal.output


@pytest.mark.parametrize(
    ("colours", "light"),
    [("0;15", True), ("0;default;15", True), ("0;7", True), ("15;0", False), ("7;8", False), ("", None), ("a;b", None)],
)
def test_numbers_of_the_16_colours_are_light_or_dark(colours: str, light: bool | None) -> None:
    assert is_light_by_number(colours) is light


def ground(terminal: Terminal) -> str:
    """Whether the transcript's empty part is light or dark."""
    colour = str(terminal.cell(0, 5).bg)
    channels = [int(colour[start : start + 2], 16) for start in (0, 2, 4)] if len(colour) == 6 else []
    return "" if not channels else "light" if sum(channels) > 3 * 128 else "dark"


async def test_the_settings_name_the_theme_for_a_dark_and_a_light_terminal(project: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text('theme_dark = "nord"\ntheme_light = "solarized-light"\n')
    async with open_real_app(project, Arguments(script=write_script(tmp_path, [say("x")]))) as stage:
        assert stage.app.theme == "nord"
        stage.app.post_message(TerminalReply("\x1b]11;rgb:ffff/ffff/ffff\x1b\\"))
        await stage.until(lambda: stage.app.theme == "solarized-light", "the light one")
        stage.app.post_message(TerminalReply("\x1b]11;rgb:0000/0000/0000\x1b\\"))
        await stage.until(lambda: stage.app.theme == "nord", "the dark one")


async def test_an_unknown_theme_of_the_pair_is_told_and_the_default_one_stands_for_it(
    project: Path, tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text('theme_dark = "nort"\n')
    async with open_real_app(project, Arguments(script=write_script(tmp_path, [say("x")]))) as stage:
        await stage.see("There is no theme 'nort'; did you mean nord?")
        assert stage.app.theme == "textual-dark"
