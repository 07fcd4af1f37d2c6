"""`keys.toml`: what it says holds everywhere, what is wrong in it is told, and nothing breaks."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from pyagent_tui.app.doctor import Machine, examine
from pyagent_tui.app.keys.keymap import load_keymap
from pyagent_tui.app.keys.table import PLACES, WAYS_OUT
from pyagent_tui.app.paths import Paths
from pyagent_tui.app.screens.help import HelpScreen
from pyagent_tui.app.screens.model_picker import LevelPicker
from pyagent_tui.tests.stage_app import AppStage, call, open_app, say

pytestmark = pytest.mark.anyio


def write(tmp_path: Path, text: str) -> Path:
    (tmp_path / "home").mkdir(exist_ok=True)
    path = tmp_path / "home" / "keys.toml"
    path.write_text(text, "utf-8")
    return path


def told(tmp_path: Path, text: str) -> list[str]:
    """What is told about a file, without the path before it."""
    path = write(tmp_path, text)
    return [note.replace(f"{path}:", "") for note in load_keymap(path).notes]


async def help_text(stage: AppStage) -> str:
    """The whole help screen, by scrolling through it."""
    await stage.press("f1")
    await stage.until(lambda: isinstance(stage.app.screen, HelpScreen), "the help")
    pages: list[str] = []
    while not pages or pages[-1] != stage.text():
        pages.append(stage.text())
        await stage.press("pagedown")
        await stage.pilot.pause()
    await stage.press("escape")
    return "\n".join(pages)


# The file


def test_without_a_file_the_defaults_hold_and_nothing_is_told(tmp_path: Path) -> None:
    keymap = load_keymap(tmp_path / "keys.toml")
    assert (keymap.changed, keymap.notes) == ({}, ())
    assert keymap.label("app.help") == "f1"


@pytest.mark.parametrize(
    "text",
    ['"app.help" = "f5"', 'app.help = "F5"', '[app]\nhelp = ["f5"]', '\ufeff"app.help" = ["f5", "f5"]'],
)
def test_an_action_is_named_in_any_way_that_toml_has(tmp_path: Path, text: str) -> None:
    keymap = load_keymap(write(tmp_path, text))
    assert (keymap.changed, keymap.notes) == ({"app.help": "f5"}, ())


def test_the_examples_of_the_guide_hold_without_a_clash(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "keys.md").read_text("utf-8")
    examples = re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        keymap = load_keymap(write(tmp_path, example))
        assert keymap.problems == ()
        assert not any(clash.is_wanted for clash in keymap.clashes)


def test_an_empty_list_takes_all_keys_away(tmp_path: Path) -> None:
    keymap = load_keymap(write(tmp_path, '"app.help" = []'))
    assert keymap.label("app.help") == ""


def test_the_only_way_out_of_a_place_keeps_a_key(tmp_path: Path) -> None:
    said = told(tmp_path, '"picker.cancel" = []\n"picker.choose" = ["escape", "ctrl+c"]\n"help.close" = "f5"\n')
    assert "picker.cancel is the only way out and needs a key; it stays at esc · ctrl+c" in "\n".join(said)
    keymap = load_keymap(tmp_path / "home" / "keys.toml")
    assert "picker.cancel" not in keymap.changed
    assert keymap.changed["help.close"] == "f5"


def test_every_place_over_the_main_screen_has_a_way_out() -> None:
    inside = ("the editor", "Vim", "the transcript", "a question about a change", "something to wait for")
    for place in PLACES:
        if not place.name.startswith(inside):
            assert {binding.id for binding in place.bindings} & WAYS_OUT, place.name


def test_mistakes_are_told_with_their_line_and_leave_the_default(tmp_path: Path) -> None:
    lines = '# mine\n"app.modle" = "f5"\n"app.help" = "ctrl+"\n"app.stop" = "contrl+x"\n[editor]\nsubmit = ["f9", 3]\nup = "x"\n'
    assert told(tmp_path, lines) == [
        "2: there is no action app.modle; did you mean app.model?",
        '4: "contrl+x" is no key, such as "ctrl+x", "alt+enter", "f5" or "?"; app.stop stays at esc',
        '6: 3 is no key, such as "ctrl+x", "alt+enter", "f5" or "?"; editor.submit stays at enter',
        '7: "x" is typed where editor.up counts; it needs a key with ctrl or alt, or one like f5; editor.up stays at up',
    ]


def test_a_file_that_is_no_toml_is_told_with_its_line_and_leaves_all_defaults(tmp_path: Path) -> None:
    path = write(tmp_path, '"app.help" = "f5"\n"app.stop" = \n')
    keymap = load_keymap(path)
    assert keymap.changed == {}
    assert keymap.notes[0].startswith(f"{path}:2: Invalid value")
    assert keymap.notes[0].endswith("the file is left alone and the default keys hold")


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 5000, b'x = "' + b"y" * 100_000 + b'"'])
def test_a_file_of_garbage_leaves_the_defaults(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "keys.toml"
    path.write_bytes(content)
    keymap = load_keymap(path)
    assert keymap.changed == {}
    assert len(keymap.notes) == 1


# Clashes


def test_a_key_is_taken_from_the_action_that_has_it_by_default(tmp_path: Path) -> None:
    keymap = load_keymap(write(tmp_path, '"app.model" = "ctrl+k"'))
    assert keymap.label("editor.kill_to_end") == ""
    assert keymap.notes == ("keys.toml: ctrl+k is app.model now, no longer editor.kill_to_end",)


def test_a_key_asked_for_twice_goes_to_one_and_all_clashes_are_one_note(tmp_path: Path) -> None:
    keymap = load_keymap(write(tmp_path, '"app.model" = "f9"\n"app.expand_all" = ["f9", "f7"]\n"hunks.tick" = "e"'))
    assert keymap.label("app.expand_all") in ("f9 · f7", "f9 - f7")
    assert keymap.label("app.model") == ""
    assert keymap.notes == (
        "keys.toml: f9 is given to app.expand_all and app.model; in the editor only app.expand_all has it; "
        "e is hunks.tick now, no longer hunks.edit",
    )


def test_the_same_key_in_different_places_is_no_clash(tmp_path: Path) -> None:
    assert (
        told(
            tmp_path,
            '"approval.rule_1" = "y"\n"vim.object.word" = "d"\n"hunks.tick" = "t"\n"approval.apply" = "t"\n"tree.label" = "f9"\n"resume.rename" = "f9"',
        )
        == []
    )


def test_actions_that_share_a_key_by_default_may_share_another(tmp_path: Path) -> None:
    assert told(tmp_path, '"app.end_if_empty" = "ctrl+e"\n"app.stop" = "f9"\n"editor.close_menu" = "f9"') == []


async def test_everything_is_told_at_start_in_one_note_a_mistake_and_one_for_clashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, '"app.modle" = "f5"\n"app.model" = "ctrl+k"\n"app.help" = "ctrl+u"\n')
    async with open_app(tmp_path, monkeypatch, [say("x")], size=(140, 30)) as stage:
        await stage.see("did you mean app.model?")
        await stage.see("ctrl+k is app.model now, no longer editor.kill_to_end")
        assert stage.text().count("keys.toml:") == 2


def test_doctor_tells_mistakes_and_clashes(tmp_path: Path) -> None:
    path = write(tmp_path, '"app.modle" = "f5"\n"app.help" = "ctrl+u"\n')
    machine = Machine(Paths(path.parent, path.parent), {}, tmp_path, True, (80, 24), "utf-8")
    found = {(finding.text, finding.level) for section in examine(machine) for finding in section.findings}
    assert (f"{path}:1: there is no action app.modle; did you mean app.model?", "fix") in found
    assert ("ctrl+u is app.help now, no longer editor.kill_to_start", "note") in found


# On the screen


async def test_a_key_of_the_app_is_rebound_and_every_hint_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, '"app.expand_all" = "f5"\n"editor.follow_up" = "f9"\n"app.take_back" = "f7"\n"app.stop" = "f8"')
    turns = [call("bash", command="seq 1 12"), {"parts": [{"say": "slow "}, {"stall": 60}]}]
    async with open_app(tmp_path, monkeypatch, turns, approval="auto") as stage:
        await stage.say("count")
        await stage.see("… 7 earlier lines")
        await stage.see("f5 expand")
        await stage.see("f8 stops · enter steers · f9 sends it later")
        await stage.press("ctrl+o")
        assert "│ 3\n" not in stage.text()
        await stage.press("f5")
        await stage.until(lambda: "│ 3\n" in stage.text(), "the output")
        await stage.type("later")
        await stage.press("f9")
        await stage.see("f7 takes back")
        await stage.press("f7")
        await stage.until(lambda: stage.draft == "later", "the message")
        await stage.press("escape")
        assert stage.app.conversation.is_running
        await stage.press("f8")
        await stage.idle()
        shown = await help_text(stage)
        assert re.search(r"f5 +open or fold all tool output", shown)


async def test_whatever_can_be_stopped_says_the_key_that_stops_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, '"app.stop" = "f9"')
    busy = {"parts": [{"fail": "overloaded", "message": "too busy", "retry_after": 50}]}
    async with open_app(tmp_path, monkeypatch, [say("one"), busy]) as stage:
        await stage.say("!sleep 60")
        await stage.see("f9 stops the command")
        await stage.press("f9")
        await stage.see("aborted")
        await stage.say("hi")
        await stage.see("one")
        await stage.idle()
        waits = asyncio.Event()
        rule, jobs = stage.app.view.rule, stage.app.jobs
        stage.app.run_worker(jobs.follow("counting", lambda _: waits.wait()), exit_on_error=False)
        await stage.see("counting · f9 stops")
        await stage.press("f9")
        await stage.until(lambda: not jobs.stop(), "the end of the job")
        waits.set()
        await stage.until(lambda: not rule.notice, "no notice")
        await stage.say("again")
        await stage.see("attempt 1 of 3 · f9 stops")
        assert "esc stop" not in stage.text()


async def test_keys_of_the_editor_are_rebound_and_unbound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, '"editor.kill_to_end" = []\n"editor.delete_left" = "f5"\n"editor.line_start" = ["ctrl+b"]')
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.type("abc")
        await stage.press("backspace")
        assert stage.draft == "abc"
        await stage.press("f5")
        assert stage.draft == "ab"
        await stage.press("ctrl+b", "ctrl+k", "X")
        assert stage.draft == "Xab"
        shown = await help_text(stage)
        assert "cut to the end of the line" not in shown


async def test_the_question_mark_types_itself_where_help_has_another_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, '"app.help_if_empty" = "%"')
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.see("% help")
        await stage.press("question_mark", "percent_sign")
        assert stage.draft == "?%"
        await stage.press("ctrl+u", "percent_sign")
        await stage.until(lambda: isinstance(stage.app.screen, HelpScreen), "the help")


async def test_the_panel_asks_with_the_keys_that_answer_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        tmp_path,
        '"approval.apply" = "j"\n"approval.explain" = "s"\n"approval.field_back" = "f9"\n"approval.take" = "f10"\n'
        '"approval.field_send" = "f11"\n"app.stop" = "f8"',
    )
    turns = [call("bash", command="echo one"), call("bash", command="echo two"), say("done")]
    async with open_app(tmp_path, monkeypatch, turns, size=(120, 30)) as stage:
        await stage.say("go")
        await stage.question()
        await stage.see("j run")
        await stage.see("f8 stop")
        await stage.press("y", "enter")
        assert stage.app.view.panel.is_open
        await stage.press("s")
        await stage.see("f11 refuses with this sentence · f9 back")
        await stage.press("f9")
        await stage.see("j run")
        await stage.press("j")
        await stage.until(lambda: stage.results, "the result")
        assert stage.results[0].text.strip() == "one"
        await stage.question()
        await stage.press("s", *"why", "f11")
        await stage.see("done")
        assert "why" in stage.results[1].text


async def test_keys_of_lists_are_rebound_in_all_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, '"picker.down" = "ctrl+n"\n"picker.cancel" = "f5"\n"choice.cancel" = "f5"\n"wait.stop" = "f5"')
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        stage.app.push_screen(picker := LevelPicker(["off", "low", "high"], "off", "m"))
        await stage.see("f5 back")
        await stage.press("down")
        assert picker.list.index == 0
        await stage.press("ctrl+n")
        assert picker.list.index == 1
        await stage.press("f5")
        await stage.until(lambda: stage.app.screen is not picker, "the end of the list")


@pytest.mark.parametrize(
    ("opens", "binding_id"),
    [
        ("/help", "help.close"),
        ("/settings", "picker.cancel"),
        ("/resume", "picker.cancel"),
        ("/tree", "picker.cancel"),
        ("/search", "picker.cancel"),
        ("/diff", "diff.back"),
        ("/login anthropic", "login.cancel"),
    ],
)
async def test_every_screen_is_left_with_the_key_that_leaves_it_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opens: str, binding_id: str
) -> None:
    write(tmp_path, f'"{binding_id}" = "f4"')
    async with open_app(tmp_path, monkeypatch, [say("one")]) as stage:
        await stage.say("hi")
        await stage.see("one")
        await stage.idle()
        await stage.say(opens)
        await stage.until(lambda: len(stage.app.screen_stack) > 1, opens)
        await stage.pilot.pause(0.5)
        await stage.press("escape")
        assert len(stage.app.screen_stack) > 1
        await stage.press("f4")
        await stage.until(lambda: len(stage.app.screen_stack) == 1, "the main screen")


async def test_keys_of_settings_hunks_and_the_field_that_finds_are_rebound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, '"settings.next" = "f4"\n"hunks.tick" = "t"\n"find.end" = "f9"\n"hunks.apply" = "f10"')
    (tmp_path / "project").mkdir()
    lines = "\n".join(map(str, range(60)))
    (tmp_path / "project" / "a.txt").write_text(lines)
    edits = [{"oldText": "\n5\n", "newText": "\nfive\n"}, {"oldText": "\n50\n", "newText": "\nfifty\n"}]
    turns = [call("read", path="a.txt"), call("edit", path="a.txt", edits=edits), say("done")]
    async with open_app(tmp_path, monkeypatch, turns, size=(100, 40)) as stage:
        await stage.say("go")
        await stage.question()
        await stage.press("h", "space", "t", "enter", "f10")
        await stage.see("done")
        text = (tmp_path / "project" / "a.txt").read_text()
        assert ("five" in text, "fifty" in text) == (False, True)
        await stage.idle()
        await stage.press("f3", *"done", "escape")
        assert stage.app.finding is not None
        assert stage.app.finding.is_open
        await stage.press("f9")
        await stage.until(lambda: stage.app.finding is None or not stage.app.finding.is_open, "the end of finding")
        await stage.say("/settings")
        await stage.see("f4")


async def test_reload_reads_the_file_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, '"app.expand_all" = "f5"')
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await stage.see("f5 expand")
        path.write_text('"app.expand_all" = "f9"\n"app.modle" = "f7"', "utf-8")
        await stage.say("/reload")
        await stage.see("f9 expand")
        await stage.see("did you mean app.model?")
        path.unlink()
        await stage.say("/reload")
        await stage.see("ctrl+o expand")
        await stage.see("the default ones hold")
