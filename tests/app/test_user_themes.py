"""Themes of the person's own, and choosing one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pyagent_tui.app.terminal.user_themes import ThemeFault, load_theme, load_user_themes
from pyagent_tui.tests.stage_app import open_app, say

pytestmark = pytest.mark.anyio

HARBOUR = 'name = "harbour"\ndark = true\n[colors]\nprimary = "#336699"\nbackground = "#101418"\n'


def write(folder: Path, text: str, name: str = "harbour.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path


def test_a_file_is_a_theme(tmp_path: Path) -> None:
    theme = load_theme(write(tmp_path, "\ufeff" + HARBOUR + '[variables]\nborder = "#ff0000"\n'))
    assert (theme.name, theme.dark, theme.primary, theme.background) == ("harbour", True, "#336699", "#101418")
    assert theme.variables == {"border": "#ff0000"}
    assert load_theme(write(tmp_path, '[colors]\nprimary = "red"\n', "night.toml")).name == "night"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('dark = true\n[colors]\nprimary = "#xyz"\n', 3, "primary must be a color"),
        ('dark = "yes"\n[colors]\nprimary = "red"\n', 1, "dark must be true or false"),
        ('[colors]\nprimary = "red"\nacent = "red"\n', 3, "there is no color acent; did you mean accent?"),
        ('primary = "red"\n', 1, "it belongs below [colors]"),
        ("[colors]\n", 1, "needs at least primary"),
        ("[colors\n", 1, "Expected"),
        ('[colors]\nprimary = "red"\n[variables]\nx = 1\n', 4, "x must be a text"),
        ("colors = 1\n", 1, "colors is a section"),
    ],
)
def test_a_fault_names_file_and_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ThemeFault) as raised:
        load_theme(path)
    assert str(raised.value).startswith(f"{path}:{line}: ")
    assert words in str(raised.value)


def test_one_broken_file_leaves_the_others(tmp_path: Path) -> None:
    write(tmp_path, HARBOUR)
    write(tmp_path, "[colors\n", "broken.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    found = load_user_themes(tmp_path)
    assert list(found.themes) == ["harbour"]
    assert len(found.problems) == 2
    assert load_user_themes(tmp_path / "none").problems == []


async def test_a_theme_of_ones_own_is_taken_on_anew_when_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    themes = tmp_path / "home" / "themes"
    path = write(themes, HARBOUR)
    (tmp_path / "home" / "config.toml").write_text('theme = "harbour"\n')
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        assert stage.app.theme == "harbour"
        assert stage.app.screen.styles.background.hex == "#101418"
        await stage.pilot.pause(0.6)
        save(path, HARBOUR.replace("#101418", "#200000"))
        await stage.until(lambda: stage.app.screen.styles.background.g == 0, "the new background")
        save(path, HARBOUR.replace("#101418", "nonsense"))
        await stage.see("background must be a color")
        assert stage.app.screen.styles.background.g == 0


def save(path: Path, text: str) -> None:
    """Write it with a time of its own, however coarse the clock of the disk is."""
    before = path.stat().st_mtime
    path.write_text(text)
    os.utime(path, (before + 5, before + 5))


async def test_a_theme_is_chosen_by_name_and_stays_in_a_new_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "home" / "themes", HARBOUR)
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.say("/theme harbour")
        await stage.until(lambda: stage.app.theme == "harbour", "the theme")
        await stage.say("/theme harbor")
        await stage.see("There is no theme 'harbor'; did you mean harbour?")
        await stage.say("/theme nord")
        await stage.until(lambda: stage.app.theme == "nord", "the theme")
        await stage.say("/new")
        await stage.until(lambda: stage.app.conversation.composition is not None, "the new session")
        await stage.pilot.pause()
        assert stage.app.theme == "nord"


async def test_the_list_shows_each_and_saves_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "home" / "themes", HARBOUR)
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.say("/theme")
        await stage.see("harbour")
        await stage.see("enter this session · ctrl+s also as default · esc back")
        await stage.press("down")
        await stage.until(lambda: stage.app.theme != "textual-dark", "another theme")
        await stage.press("escape")
        await stage.until(lambda: stage.app.theme == "textual-dark", "the old theme")
        await stage.say("/theme")
        await stage.see("harbour")
        await stage.press(*"harb")
        await stage.until(lambda: "nord" not in stage.text(), "the found theme")
        await stage.press("ctrl+s")
        await stage.until(lambda: stage.app.theme == "harbour", "the theme")
        await stage.see("harbour is the theme from now on.")
        assert 'theme = "harbour"' in (tmp_path / "home" / "config.toml").read_text()
