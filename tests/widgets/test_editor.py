"""The editor under Textual's pilot: what keys do, what it tells the app."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from pyagent_tui.agent.messages import ImageContent
from pyagent_tui.widgets.editor.completion import Completion
from pyagent_tui.widgets.editor.editor import Editor
from pyagent_tui.widgets.editor.history import EditorHistory
from pyagent_tui.widgets.text.fuzzy import fuzzy_filter

pytestmark = pytest.mark.anyio

COMMANDS = (
    Completion("/model", detail="choose the model"),
    Completion("/new", detail="a new session", sends=True),
    Completion("/name", detail="name the session"),
)
PICTURE = ImageContent("aGk=", "image/png")


def commands(query: str) -> list[Completion]:
    return fuzzy_filter(query.removeprefix("/"), COMMANDS, lambda item: item.text)


class Desk(App[None], inherit_bindings=False):
    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self.editor = editor
        self.told: list[Any] = []

    def compose(self) -> ComposeResult:
        yield self.editor

    def on_mount(self) -> None:
        self.editor.focus()

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        self.told.append((event.intent, event.text, *event.images))

    def on_key(self, event: events.Key) -> None:
        self.told.append(event.key)


@asynccontextmanager
async def desk(
    editor: Editor | None = None, size: tuple[int, int] = (60, 20)
) -> AsyncGenerator[tuple[Desk, Pilot[Any]]]:
    app = Desk(editor or Editor())
    async with app.run_test(size=size) as pilot:
        yield app, pilot


def drawn(editor: Editor) -> list[str]:
    """The editor's rows as text."""
    return [editor.render_line(y).text.rstrip() for y in range(editor.size.height)]


async def settle(app: Desk, pilot: Pilot[Any]) -> None:
    """Wait until every search and every picture has arrived."""
    await app.workers.wait_for_complete()  # pyright: ignore[reportUnknownMemberType]
    await pilot.pause()


async def test_enter_sends_once_and_empties_the_editor() -> None:
    async with desk() as (app, pilot):
        await pilot.press(*"hi", "enter", "enter")
        assert app.told == [("send", "hi")]
        assert app.editor.is_empty


@pytest.mark.parametrize("key", ["alt+enter", "ctrl+q"])
async def test_follow_up_keys_say_so(key: str) -> None:
    async with desk() as (app, pilot):
        await pilot.press(*"hi", key)
        assert app.told == [("follow_up", "hi")]


async def test_blank_lines_around_a_text_are_not_sent_but_its_indent_is() -> None:
    async with desk() as (app, pilot):
        app.editor.set_text("\n\n    x = 1\n\n  ")
        await pilot.press("enter")
        assert app.told == [("send", "    x = 1")]


async def test_keys_of_the_app_reach_the_app() -> None:
    async with desk() as (app, pilot):
        await pilot.press("escape", "ctrl+c", "ctrl+d", "pageup", "f1")
        assert app.told == ["escape", "ctrl+c", "ctrl+d", "pageup", "f1"]
        await pilot.press("x", "left", "ctrl+d")
        assert app.editor.is_empty
        assert app.told[5:] == []


async def test_it_grows_with_the_text_to_a_third_of_the_screen_and_scrolls_then() -> None:
    async with desk(size=(60, 30)) as (app, pilot):
        assert app.editor.size.height == 1
        for number in range(14):
            app.editor.insert(f"{number}\n")
        await pilot.pause()
        assert app.editor.size.height == 10
        assert [row.strip() for row in drawn(app.editor)] == ["↑ 5", *map(str, range(6, 14)), ""]
        await pilot.press("up", *["up"] * 9)
        assert drawn(app.editor)[0] == "↑ 4"
        await pilot.resize_terminal(60, 12)
        await pilot.pause()
        assert app.editor.size.height == 4


async def test_the_caret_is_drawn_and_the_terminal_cursor_is_under_it() -> None:
    async with desk() as (app, pilot):
        await pilot.press(*"ab漢", "left")
        await pilot.pause()
        reversed_cells = [
            segment.text for segment in app.editor.render_line(0) if segment.style and segment.style.reverse
        ]
        assert reversed_cells == ["漢"]
        assert app.cursor_position == (1 + 2 + 2, 0)


async def test_up_walks_the_history_from_the_start_of_the_text_only() -> None:
    editor = Editor(history=EditorHistory(["first", "second"]))
    async with desk(editor) as (_, pilot):
        await pilot.press(*"dr", "up")
        assert editor.text == "dr"
        await pilot.press("up", "up")
        assert editor.text == "first"
        await pilot.press("down", "down")
        assert editor.text == "dr"


async def test_moving_in_a_recalled_prompt_ends_the_walk() -> None:
    editor = Editor(history=EditorHistory(["first", "a\nb"]))
    async with desk(editor) as (_, pilot):
        await pilot.press("up", "left", "up")
        assert editor.text == "a\nb"
        await pilot.press("x")
        assert editor.text == "xa\nb"


async def test_editing_a_recalled_prompt_does_not_lose_the_draft() -> None:
    editor = Editor(history=EditorHistory(["first"]))
    async with desk(editor) as (_, pilot):
        await pilot.press(*"my", "home", "up", "x")
        assert editor.text == "firstx"
        editor.clear()
        await pilot.press("up", "up")
        assert editor.text == "my"


async def test_clear_keeps_the_draft_and_take_does_not() -> None:
    async with desk() as (app, pilot):
        await pilot.press(*"one")
        app.editor.clear()
        assert app.editor.is_empty
        await pilot.press("up")
        assert app.editor.text == "one"
        assert app.editor.take() == "one"
        await pilot.press(*"x", "home", "up", "up", "up")
        assert app.editor.text == "one"


async def test_a_long_paste_survives_history_and_restoring() -> None:
    long = "\n".join(f"line {number}" for number in range(20))
    async with desk() as (app, pilot):
        app.editor.paste(long)
        await pilot.press(*" x", "enter")
        assert app.told == [("send", f"{long} x")]
        await pilot.press("up")
        assert drawn(app.editor) == ["❯ [paste #1 +20 lines] x"]
        app.editor.restore(["a", "", "b\nc"])
        assert app.editor.text == f"a\n\nb\nc\n\n{long} x"


async def test_restored_pictures_stand_where_their_names_stood() -> None:
    other = ImageContent("b28=", "image/png")
    async with desk() as (app, pilot):
        app.editor.insert("draft")
        app.editor.restore(["see [image #1] and [image #2]!", "plain", ""], [[PICTURE, other], (), [PICTURE]])
        await pilot.press("enter")
        text = "see [image #1] and [image #2]!\n\nplain\n\n[image #3]\n\ndraft"
        assert app.told == [("send", text, PICTURE, other, PICTURE)]


async def test_restored_texts_are_one_step_of_undo() -> None:
    async with desk() as (app, pilot):
        await pilot.press(*"draft")
        app.editor.restore(["A", "B"])
        assert app.editor.text == "A\n\nB\n\ndraft"
        await pilot.press("ctrl+underscore")
        assert app.editor.text == "draft"


async def test_a_path_pasted_behind_a_word_gets_a_blank() -> None:
    async with desk() as (app, pilot):
        await pilot.press(*"see")
        app.editor.paste("/tmp/a.py")
        assert app.editor.text == "see /tmp/a.py"


async def test_commands_complete_with_enter_and_those_without_arguments_go_at_once() -> None:
    async with desk(Editor(complete_command=commands)) as (app, pilot):
        await pilot.press(*"/mo", "enter")
        assert (app.editor.text, app.told) == ("/model ", [])
        app.editor.clear()
        await pilot.press(*"/ne", "enter")
        assert app.told == [("send", "/new")]


async def test_what_is_typed_exactly_is_sent_and_not_the_highlighted_choice() -> None:
    async with desk(Editor(complete_command=commands)) as (app, pilot):
        await pilot.press(*"/name", "up", "enter")
        assert app.told == [("send", "/name")]


async def test_the_menu_stands_above_the_text_and_keeps_its_height() -> None:
    async with desk(Editor(complete_command=commands)) as (app, pilot):
        await pilot.press("/")
        await pilot.pause()
        assert [row.split()[-1] for row in drawn(app.editor)] == ["model", "session", "session", "/"]
        await pilot.press("m", "o", "d")
        await pilot.pause()
        assert app.editor.size.height == 4
        assert drawn(app.editor)[2].split() == ["│", "/model", "choose", "the", "model"]
        await pilot.press("escape")
        await pilot.pause()
        assert drawn(app.editor) == ["❯ /mod"]
        await pilot.press("escape")
        assert app.told == ["escape"]


async def test_a_command_says_what_it_still_wants() -> None:
    def hint(line: str) -> str:
        return "<a name>" if line.rstrip() == "/name" else ""

    async with desk(Editor(argument_hint=hint)) as (app, pilot):
        await pilot.press(*"/name ")
        await pilot.pause()
        assert drawn(app.editor) == ["❯ /name  <a name>"]
        await pilot.press("x")
        await pilot.pause()
        assert drawn(app.editor) == ["❯ /name x"]


async def test_vim_keys_are_a_choice_and_escape_leaves_insert_mode_first() -> None:
    async with desk() as (app, pilot):
        await pilot.press(*"dd", "escape")
        assert (app.editor.text, app.told) == ("dd", ["escape"])
        app.editor.is_vim = True
        await pilot.press("x", "escape")
        await pilot.pause()
        assert app.told == ["escape"]
        assert drawn(app.editor) == [": ddx"]
        await pilot.press("d", "escape")
        assert app.told == ["escape"]
        await pilot.press("0", "x", "escape")
        assert (app.editor.text, app.told) == ("dx", ["escape", "escape"])
        await pilot.press("enter")
        assert app.told[-1] == ("send", "dx")
        await pilot.press("i")
        assert app.editor.text == "i"


async def test_a_slash_inside_the_text_opens_nothing() -> None:
    async with desk(Editor(complete_command=commands)) as (app, pilot):
        await pilot.press(*"a /m")
        await pilot.pause()
        assert app.editor.size.height == 1


class Search:
    """A slow source of files: it answers when told, and notes what was asked and what was cancelled."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.cancelled: list[str] = []
        self.answer = anyio.Event()
        self.items: Sequence[Completion] = (Completion("my file.txt"), Completion("src/", stays_open=True))

    async def __call__(self, query: str) -> AsyncGenerator[Sequence[Completion]]:
        self.asked.append(query)
        try:
            await self.answer.wait()
        except BaseException:
            self.cancelled.append(query)
            raise
        yield self.items


async def test_files_are_asked_for_without_holding_up_the_keys_and_old_searches_are_cancelled() -> None:
    search = Search()
    async with desk(Editor(complete_file=search)) as (app, pilot):
        for key in "see @ab":
            await pilot.press(key)
        assert app.editor.text == "see @ab"
        assert search.asked == ["", "a", "ab"]
        assert search.cancelled == ["", "a"]
        await pilot.press("backspace", "escape")
        assert app.told == ["escape"]
        search.answer.set()
        await settle(app, pilot)
        assert [row.strip(" │❯") for row in drawn(app.editor)] == ["my file.txt", "src/", "see @a"]


async def test_better_answers_take_the_place_of_earlier_ones_and_what_was_chosen_stays_chosen() -> None:
    more = anyio.Event()

    async def files(query: str) -> AsyncGenerator[Sequence[Completion]]:
        yield [Completion("one"), Completion("two")]
        await more.wait()
        yield [Completion("zero"), Completion("one"), Completion("two")]

    async with desk(Editor(complete_file=files)) as (app, pilot):
        await pilot.press("@", "down")
        await pilot.pause()
        assert [row.strip(" ❯") for row in drawn(app.editor)] == ["one", "│ two", "@"]
        more.set()
        await settle(app, pilot)
        assert [row.strip(" ❯") for row in drawn(app.editor)] == ["zero", "one", "│ two", "@"]


async def test_what_hides_in_a_name_is_seen_in_the_menu_and_written_as_it_is() -> None:
    async def files(query: str) -> AsyncGenerator[Sequence[Completion]]:
        yield [Completion("a\nb\tc\u202etxt")]

    async with desk(Editor(complete_file=files)) as (app, pilot):
        await pilot.press("@")
        await settle(app, pilot)
        assert drawn(app.editor)[0].strip(" │") == "a␊b␉c⟨U+202E⟩txt"
        await pilot.press("tab")
        assert app.editor.text == '@"a\nb\tc\u202etxt" '


async def test_a_choice_taken_before_the_newest_answer_replaces_all_that_was_typed() -> None:
    search = Search()
    search.answer.set()
    async with desk(Editor(complete_file=search)) as (app, pilot):
        await pilot.press(*"@m")
        await settle(app, pilot)
        search.answer = anyio.Event()
        await pilot.press(*"yf", "tab")
        assert app.editor.text == '@"my file.txt" '


async def test_moving_the_caret_out_of_the_word_closes_the_menu() -> None:
    async with desk(Editor(complete_command=commands)) as (app, pilot):
        await pilot.press(*"/mo", "home")
        await pilot.pause()
        assert drawn(app.editor) == ["❯ /mo"]


async def test_a_file_with_blanks_is_quoted_and_a_folder_stays_open() -> None:
    search = Search()
    search.answer.set()
    async with desk(Editor(complete_file=search)) as (app, pilot):
        await pilot.press(*"@my")
        await settle(app, pilot)
        await pilot.press("tab")
        assert app.editor.text == '@"my file.txt" '
        await pilot.press("@")
        await settle(app, pilot)
        await pilot.press("down", "tab")
        assert app.editor.text == '@"my file.txt" @src/'
        assert search.asked[-1] == "src/"


async def test_tab_completes_a_single_path_at_once() -> None:
    async def paths(query: str) -> list[Completion]:
        return [Completion("./setup.py")] if query == "./se" else []

    async with desk(Editor(complete_path=paths)) as (app, pilot):
        await pilot.press(*"run ./se", "tab")
        await settle(app, pilot)
        assert app.editor.text == "run ./setup.py "


async def test_ctrl_r_searches_the_history() -> None:
    editor = Editor(history=EditorHistory(["fix the totals", "run the tests", "say hello"]))
    async with desk(editor) as (_, pilot):
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert [row.strip(" │❯") for row in drawn(editor)[:3]] == ["say hello", "run the tests", "fix the totals"]
        await pilot.press(*"tot", "enter")
        assert editor.text == "fix the totals"


async def test_a_search_says_what_it_searches_and_what_came_of_it() -> None:
    editor = Editor(history=EditorHistory(["fix the totals", "run the tests", "fix THE tests"]))
    async with desk(editor, size=(80, 20)) as (app, pilot):
        await pilot.press("ctrl+r")
        assert drawn(editor)[-1].startswith("❯ search   1 of 3 · enter takes it · esc back to the draft")
        await pilot.press(*"the tes")
        assert [row.strip(" │─") for row in drawn(editor)[1:3]] == ["fix THE tests", "run the tests"]
        assert drawn(editor)[-1].startswith("❯ search the tes  1 of 2")
        assert app.cursor_position[0] == 1 + 2 + len("search the tes")
        await pilot.press("ctrl+r")
        assert "2 of 2" in drawn(editor)[-1]
        await pilot.press(*"x")
        assert drawn(editor)[-1].startswith("❯ search the tesx  no earlier prompt")
        await pilot.press("backspace")
        assert "1 of 2" in drawn(editor)[-1]


@pytest.mark.parametrize("key", ["escape", "ctrl+g", "ctrl+c"])
@pytest.mark.parametrize("query", ["tot", "nothing like it"])
async def test_the_draft_is_as_it_was_after_a_search_that_is_left(key: str, query: str) -> None:
    editor = Editor(history=EditorHistory(["fix the totals"]))
    async with desk(editor) as (app, pilot):
        await pilot.press(*"ab", "left", "ctrl+r", *query, key, "X")
        assert (editor.text, app.told) == ("aXb", [])
        await pilot.press("enter")
        assert app.told == [("send", "aXb")]


async def test_enter_takes_what_is_found_and_undo_brings_the_draft_back() -> None:
    editor = Editor(history=EditorHistory(["fix the totals"]))
    async with desk(editor) as (app, pilot):
        await pilot.press(*"mine", "ctrl+r", *"TOT", "enter")
        assert (editor.text, app.told, len(drawn(editor))) == ("fix the totals", [], 1)
        await pilot.press("ctrl+underscore")
        assert editor.text == "mine"


async def test_enter_without_a_hit_takes_nothing_and_sends_nothing() -> None:
    editor = Editor(history=EditorHistory(["fix the totals"]))
    async with desk(editor) as (app, pilot):
        await pilot.press(*"mine", "ctrl+r", *"zzz", "enter", "up", "down", "pageup")
        assert (editor.text, editor.is_searching) == ("mine", True)
        await pilot.press("left", "!")
        assert editor.text == "mine!"
        assert app.told == ["pageup"]


async def test_another_key_takes_what_is_found_and_works_on_it() -> None:
    editor = Editor(history=EditorHistory(["fix the totals"]))
    async with desk(editor) as (app, pilot):
        await pilot.press(*"mine", "ctrl+r", *"tot", "ctrl+a", *"please ", "enter")
        assert app.told == [("send", "please fix the totals")]


async def test_what_is_sent_or_put_into_the_editor_ends_the_search() -> None:
    editor = Editor(history=EditorHistory(["fix the totals"]))
    async with desk(editor) as (app, pilot):
        await pilot.press("ctrl+r", *"tot")
        editor.restore(["taken back"])
        assert not editor.is_searching
        await pilot.press(*"!", "enter", *"tot", "enter")
        assert app.told == [("send", "taken back!"), ("send", "tot")]


async def test_a_paste_is_searched_for_and_a_click_takes_what_is_clicked() -> None:
    editor = Editor(history=EditorHistory(["fix the totals", "run the tests"]))
    async with desk(editor) as (_, pilot):
        await pilot.press("ctrl+r")
        editor.paste("the\n")
        await pilot.pause()
        assert drawn(editor)[-1].startswith("❯ search the  1 of 2")
        await pilot.click(editor, offset=(5, len(drawn(editor)) - 1))
        assert editor.is_searching
        await pilot.click(editor, offset=(5, 1))
        assert editor.text == "fix the totals"
        await pilot.press("!")
        assert editor.text == "fix the totals!"


async def test_a_dropped_picture_becomes_an_attachment_and_goes_with_its_marker() -> None:
    async def load(path: str) -> ImageContent | None:
        return PICTURE if path == "/tmp/my shot.png" else None

    async with desk(Editor(load_image=load)) as (app, pilot):
        await pilot.press(*"see ")
        app.editor.paste("'/tmp/my shot.png'")
        await settle(app, pilot)
        assert drawn(app.editor) == ["❯ see [image #1 my shot.png]"]
        app.editor.paste("/tmp/missing.png")
        await settle(app, pilot)
        await pilot.press("enter")
        assert app.told == [("send", "see [image #1] /tmp/missing.png", PICTURE)]


async def test_a_picture_whose_marker_is_deleted_does_not_go() -> None:
    async with desk() as (app, pilot):
        app.editor.attach(PICTURE)
        await pilot.press("backspace", "x", "enter")
        assert app.told == [("send", "x")]


async def test_a_mouse_selection_gives_the_text_without_folds_and_with_pastes_whole() -> None:
    long = "\n".join(f"line {number}" for number in range(20))
    async with desk(size=(24, 30)) as (app, pilot):
        app.editor.set_text("some words that fold 漢字\nnext ")
        app.editor.paste(long)
        await pilot.pause()
        assert [row[2:] for row in drawn(app.editor)][:3] == ["some words that", "fold 漢字", "next"]
        await pilot.mouse_down(app.editor, offset=(3 + 5, 0))
        await pilot.hover(app.editor, offset=(3 + 1, 3))
        assert (
            app.screen.get_selected_text() == f"words that fold 漢字\nnext {long}"[: len("words that fold 漢字\nnext ")]
        )
        await pilot.mouse_up(app.editor, offset=(3 + 1, 3))
        selection = Selection(Offset(5, 0), None)
        assert app.editor.get_selection(selection) == (f"words that fold 漢字\nnext {long}", "\n")


async def test_a_click_sets_the_caret_by_cells() -> None:
    async with desk() as (app, pilot):
        app.editor.set_text("漢字漢字\nplain")
        await pilot.pause()
        await pilot.click(app.editor, offset=(3 + 4, 0))
        await pilot.press("x")
        assert app.editor.text == "漢字x漢字\nplain"


async def test_keys_can_be_mapped_anew() -> None:
    async with desk() as (app, pilot):
        app.set_keymap({"editor.newline": "f4", "editor.submit": "f5"})
        await pilot.press("a", "f4", "b", "f5")
        assert app.told == [("send", "a\nb")]


async def test_outside_text_is_literal_wherever_it_comes_in() -> None:
    async with desk(
        Editor(complete_command=lambda _: [Completion("[/]\x1b]0;x\x07", detail="[@click=app.quit]x[/]")])
    ) as (
        app,
        pilot,
    ):
        await pilot.press("/")
        await pilot.pause()
        assert drawn(app.editor)[0].strip(" │") == "[/]␛]0;x␇  [@click=app.quit]x[/]"
        app.editor.set_text("[bold]x[/] \x1b[31mred")
        assert app.editor.text == "[bold]x[/] red"
