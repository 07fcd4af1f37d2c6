"""The setting `editor_mode`: Vim's keys on the real app, and which mode it is on the line above the editor."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.tests.stage_app import AppStage, open_app, say
from pyagent_tui.widgets.editor.editor import Editor

pytestmark = pytest.mark.anyio


def use_vim(tmp_path: Path, keys: str = "") -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text('editor_mode = "vim"\n')
    if keys:
        (tmp_path / "home" / "keys.toml").write_text(keys)


def rule(stage: AppStage) -> str:
    """The line above the editor."""
    return stage.text().splitlines()[stage.app.view.rule.region.y]


async def test_vim_says_which_mode_it_is_and_sending_ends_normal_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_vim(tmp_path)
    async with open_app(tmp_path, monkeypatch, [say("Good.")]) as stage:
        await stage.until(lambda: " INSERT " in rule(stage), "insert mode")
        await stage.press(*"one two", "escape")
        await stage.until(lambda: " NORMAL ─" in rule(stage), "normal mode")
        await stage.press(*"2d")
        await stage.until(lambda: " NORMAL 2d ─" in rule(stage), "a command")
        await stage.press("escape", "0", *"dw")
        assert stage.draft == "two"
        await stage.press("enter")
        await stage.see("Good.")
        assert " INSERT " in rule(stage)


async def test_a_command_is_typed_and_help_opens_in_normal_mode_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_vim(tmp_path)
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.until(lambda: " INSERT " in rule(stage), "insert mode")
        await stage.press("escape", "question_mark")
        await stage.until(lambda: len(stage.app.screen_stack) > 1, "the help")
        await stage.press("escape")
        await stage.until(lambda: " NORMAL " in rule(stage), "the main screen")
        await stage.press("s", "escape")
        assert stage.draft == ""
        await stage.press(*"/na")
        assert stage.draft == "/na"


async def test_without_it_escape_is_the_apps_and_no_mode_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.press(*"dd", "escape", *"dd")
        assert stage.draft == "dddd"
        assert not any(mode in rule(stage) for mode in ("INSERT", "NORMAL"))


async def test_what_is_selected_is_drawn_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_vim(tmp_path)
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        editor = stage.app.view.editor
        await stage.until(lambda: " INSERT " in rule(stage), "insert mode")
        await stage.press(*"one two", "ctrl+j", *"three", "escape", "g", "g", "w", "v", "j")
        assert " VISUAL ─" in rule(stage)
        assert selected(editor) == ["two", "three"]
        await stage.press("h", "h")
        assert selected(editor) == ["two", "thr"]
        await stage.press("V")
        assert " VISUAL LINE ─" in rule(stage)
        assert selected(editor) == ["one two", "three"]
        await stage.press("escape")
        assert selected(editor) == ["", ""]
        await stage.press("V", "d")
        assert stage.draft == "one two"


def selected(editor: Editor) -> list[str]:
    """What is drawn as selected in each row."""
    colour = editor.screen.get_component_rich_style("screen--selection").bgcolor
    rows = [editor.render_line(row) for row in range(editor.size.height)]
    return ["".join(part.text for part in row if part.style and part.style.bgcolor == colour) for row in rows]


async def test_a_colon_never_sends_and_leads_to_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_vim(tmp_path)
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.until(lambda: " INSERT " in rule(stage), "insert mode")
        await stage.press(*"a", "ctrl+j", *"b", "ctrl+j", *"c", "escape")
        await stage.press(*":foo")
        await stage.until(lambda: " :foo ─" in rule(stage), "the line")
        await stage.press("enter")
        await stage.see("there is no :foo")
        await stage.press(*":2", "enter", "x")
        assert stage.draft == "a\n\nc"
        await stage.press(*":q", "backspace", "backspace", "backspace", "x")
        assert " NORMAL ─" in rule(stage)
        await stage.press(*":approval edits", "enter")
        await stage.until(lambda: stage.app.view.status.approval == "edits")
        await stage.press(*":q", "escape", "escape")
        assert stage.app.return_code is None
        await stage.press(*":q!", "enter")
        await stage.until(lambda: stage.app.return_code == 0, "the end")
        assert stage.said() == []


async def test_enter_inside_a_command_does_not_send(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_vim(tmp_path)
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.until(lambda: " INSERT " in rule(stage), "insert mode")
        await stage.press(*"ab", "escape", "d", "enter")
        assert (stage.draft, " NORMAL ─" in rule(stage)) == ("ab", True)
        await stage.press("0", "r", "enter")
        assert (stage.draft, stage.said()) == ("\nb", [])


async def test_escape_stops_a_run_only_with_nothing_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_vim(tmp_path)
    slow = {"parts": [{"say": "begin "}, {"stall": 60}]}
    async with open_app(tmp_path, monkeypatch, [slow]) as stage:
        await stage.until(lambda: " INSERT " in rule(stage), "insert mode")
        await stage.say("go")
        await stage.see("begin")
        await stage.press(*"x", "escape", "2", "d", "escape", "v", "escape", "colon", "escape")
        assert stage.app.conversation.is_running
        await stage.press("escape")
        await stage.idle()


async def test_up_on_the_first_line_is_the_prompt_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_vim(tmp_path)
    async with open_app(tmp_path, monkeypatch, [say("one"), say("two")]) as stage:
        await stage.until(lambda: " INSERT " in rule(stage), "insert mode")
        await stage.say("first")
        await stage.idle()
        await stage.say("second")
        await stage.idle()
        await stage.press(*"new", "escape", "k")
        assert stage.draft == "second"
        await stage.press("k")
        assert stage.draft == "first"
        await stage.press("j", "j")
        assert stage.draft == "new"


async def test_vims_keys_are_rebound_and_clash_only_where_both_could_be_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = '"vim.delete" = "k"\n"vim.word" = "ctrl+x"\n"vim.escape" = "f9"\n"vim.object.word" = "k"\n"vim.undo" = []\n'
    use_vim(tmp_path, keys)
    async with open_app(tmp_path, monkeypatch, [say("x")], size=(140, 30)) as stage:
        await stage.see("keys.toml: k is vim.delete now, no longer vim.up")
        assert "vim.object.word" not in stage.text()
        await stage.until(lambda: " INSERT " in rule(stage), "insert mode")
        await stage.press(*"one two six", "ctrl+j", *"ten", "escape")
        assert " INSERT " in rule(stage)
        await stage.press("f9", "g", "g", "k", "ctrl+x")
        assert stage.draft == "two six\nten"
        await stage.press("k", "i", "k", "u", "d", "d")
        assert stage.draft == " six\nten"
        await stage.press("k", "k", "full_stop")
        assert stage.draft == ""
