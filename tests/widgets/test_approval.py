"""The approval panel: what it shows, which keys count, what it answers."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events
from textual.message import Message
from textual.pilot import Pilot

from pyagent_tui.agent.approval import ApprovalAnswer, ApprovalRequest
from pyagent_tui.agent.details import DiffDetails, OutputDetails
from pyagent_tui.tests.approval_desk import IN_PARTS, Desk, command, desk, drawn, press
from pyagent_tui.widgets.review.consent import GUARD, PAUSE
from pyagent_tui.widgets.review.question import question_of
from pyagent_tui.widgets.review.sheet import ApprovalSheet

pytestmark = pytest.mark.anyio

PATCH = "--- a/t.py\n+++ b/t.py\n@@ -1,1 +1,1 @@\n-a\n+b\n@@ -9,1 +9,1 @@\n-c\n+d\n"
CHANGE = ApprovalRequest("c1", "edit", "change", {"path": "shop/t.py"}, DiffDetails("shop/t.py", PATCH, 4, 3))
REFUSE = ApprovalAnswer("refuse")


async def test_a_change_is_asked_about_with_its_measure_and_every_key() -> None:
    async with desk() as (app, pilot):
        assert not app.panel.display
        app.panel.ask(CHANGE)
        await pilot.pause()
        rule, keys = drawn(app)
        assert rule.startswith("── apply this change to shop/t.py? ──")
        assert rule.endswith("1 file · 2 hunks · +4 −3 ──────")
        assert keys.split("   ") == [
            " y apply",
            " n refuse",
            " f refuse, and say why",
            " a apply all in this run",
            " esc stop",
        ]


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("y", ApprovalAnswer("apply")),
        ("n", REFUSE),
        ("a", ApprovalAnswer("apply_all")),
        ("enter", REFUSE),
    ],
)
async def test_each_key_answers_and_enter_takes_the_safe_default(key: str, answer: ApprovalAnswer) -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        await pilot.pause()
        await press(app, pilot, key)
        assert app.answers == [("c1", answer)]
        assert not app.panel.is_open
        assert not app.panel.display


async def test_arrows_and_tab_move_the_highlight() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        await pilot.pause()
        await press(app, pilot, "left")
        await press(app, pilot, "enter")
        app.panel.ask(command("ls"))
        await pilot.pause()
        for key in ("tab", "right", "right", "enter"):
            await press(app, pilot, key)
        assert app.answers == [("c1", ApprovalAnswer("apply")), ("c2", ApprovalAnswer("apply_all"))]


async def test_a_sentence_goes_with_the_refusal_and_escape_leads_back_to_the_choice() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        await pilot.pause()
        await press(app, pilot, "f")
        await pilot.press(*"no", "escape")
        assert (app.answers, app.keys) == ([], [])
        await press(app, pilot, "f")
        await pilot.press(*", y?", "enter")
        assert app.answers == [("c1", ApprovalAnswer("refuse", "no, y?"))]


async def test_a_command_can_be_changed_before_it_runs() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(command("rm -rf build", timeout=9))
        await pilot.pause()
        await press(app, pilot, "e")
        await pilot.press("ctrl+w", *"dist", "escape")
        assert app.answers == []
        await press(app, pilot, "e")
        await pilot.press("enter")
        ((_, answer),) = app.answers
        assert answer.arguments == {"command": "rm -rf dist", "timeout": 9}
        assert answer.note == "The person changed the command to: rm -rf dist"


async def test_a_command_left_as_it_is_is_simply_applied() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(command("ls"))
        await pilot.pause()
        await press(app, pilot, "e")
        await pilot.press("enter")
        assert app.answers == [("c2", ApprovalAnswer("apply"))]


async def test_escape_is_the_app_s() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        await pilot.pause()
        await press(app, pilot, "escape", after=0)
        await press(app, pilot, "escape")
        assert (app.answers, app.keys) == ([], ["escape", "escape"])


async def test_keys_right_after_it_opens_are_no_answer_and_go_to_the_draft() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        await pilot.pause()
        for key, after in (("y", 0.0), ("a", 0.1), ("enter", 0.2), ("n", GUARD - 0.05)):
            await press(app, pilot, key, after)
        assert (app.answers, app.typed) == ([], "yan")
        await press(app, pilot, "y", GUARD - 0.05 + PAUSE + 0.05)
        assert app.answers == [("c1", ApprovalAnswer("apply"))]


async def test_typing_that_goes_on_is_no_answer_however_long_it_lasts() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        await pilot.pause()
        for index in range(20):
            await press(app, pilot, "y", index * 0.1)
        assert (app.answers, app.typed) == ([], "y" * 20)
        await press(app, pilot, "y", 1.9 + PAUSE + 0.05)
        assert len(app.answers) == 1


@pytest.mark.parametrize("gap", [0.11, 0.3, 0.8])
async def test_a_sentence_that_is_typed_slowly_approves_nothing(gap: float) -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        await pilot.pause()
        for index, letter in enumerate("wait, and then stay away from my files"):
            await press(app, pilot, "space" if letter == " " else letter, 0.2 + index * gap)
        assert app.answers == []


async def three(app: Desk, pilot: Pilot[Any]) -> None:
    for number in range(3):
        app.panel.ask(command(f"echo {number}", f"c{number}"))
    await pilot.pause()


async def test_an_answer_key_pressed_in_haste_is_neither_an_answer_nor_text_and_is_said_to_be_too_early() -> None:
    async with desk() as (app, pilot):
        await three(app, pilot)
        await press(app, pilot, "y")
        for index in range(5):
            await press(app, pilot, "y", after=0.3 + index * 0.3)
        assert "too early: not taken" in drawn(app)[0]
        assert (len(app.answers), app.typed) == (1, "")
        await press(app, pilot, "y", after=1.5 + PAUSE + 0.05)
        assert [call_id for call_id, _ in app.answers] == ["c0", "c1"]
        assert "too early" not in drawn(app)[0]


@pytest.mark.parametrize("sentence", ["yes, but not so", "no", "nay", "a test first", "yyyes"])
async def test_a_sentence_that_begins_after_an_answer_loses_no_letter(sentence: str) -> None:
    async with desk() as (app, pilot):
        await three(app, pilot)
        await press(app, pilot, "y")
        for index, letter in enumerate(sentence):
            await press(app, pilot, "space" if letter == " " else letter, 0.1 + index * 0.2)
        assert app.typed == sentence.replace(" ", "")
        assert len(app.answers) == 1
        assert "too early" not in drawn(app)[0]


async def test_a_letter_is_text_where_the_question_follows_no_answer_or_a_draft_has_grown_since() -> None:
    async with desk() as (app, pilot):
        app.panel.draft = lambda: app.typed
        await three(app, pilot)
        await press(app, pilot, "y", after=0.1)
        assert app.typed == "y"
        await press(app, pilot, "n")
        app.panel.close()
        app.typed += "hurr"
        app.panel.ask(CHANGE)
        await pilot.pause()
        await press(app, pilot, "y", after=0.1)
        assert app.typed == "yhurry"


async def test_the_word_too_early_goes_when_keys_count_again() -> None:
    async with desk() as (app, pilot):
        await three(app, pilot)
        await press(app, pilot, "y")
        await press(app, pilot, "y", after=0.1)
        assert "too early" in drawn(app)[0]
        for _ in range(60):
            await pilot.pause(0.05)
            if "too early" not in drawn(app)[0]:
                return
        raise AssertionError("it stays")


async def test_keys_that_are_on_their_way_when_the_last_question_is_answered_go_to_the_draft() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        await pilot.pause()
        for key in "nno":
            event = events.Key(key, key)
            event.time = Message().time + GUARD + PAUSE
            app.panel.post_message(event)
        await pilot.pause()
        assert (app.answers, app.typed) == ([("c1", REFUSE)], "no")


@pytest.mark.parametrize("keys", ["h", "e", "f"])
async def test_what_is_sent_twice_from_a_list_or_a_field_answers_one_question(keys: str) -> None:
    async with desk() as (app, pilot):
        app.panel.ask(IN_PARTS if keys == "h" else command("echo 0"))
        app.panel.ask(IN_PARTS if keys == "h" else command("echo 1", "c9"))
        await pilot.pause()
        await press(app, pilot, keys)
        target = app.focused
        assert target is not None
        for _ in range(3):
            target.post_message(events.Key("enter", None))
        await pilot.pause()
        await pilot.pause()
        assert len(app.answers) == 1


async def test_the_next_question_is_guarded_like_the_first() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        app.panel.ask(command("rm -rf /"))
        await pilot.pause()
        assert "1 more waits" in drawn(app)[0]
        await press(app, pilot, "y")
        await press(app, pilot, "y", after=0.1)
        assert app.answers == [("c1", ApprovalAnswer("apply"))]
        assert "run this command?" in drawn(app)[0]


async def test_a_paste_is_never_an_answer() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        await pilot.pause()
        app.panel.post_message(events.Paste("y\n"))
        await pilot.pause()
        assert (app.answers, app.typed) == ([], "y\n")


async def test_a_question_can_be_withdrawn_and_all_can_be_closed() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        app.panel.ask(command("ls"))
        app.panel.withdraw("c1")
        await pilot.pause()
        assert "run this command?" in drawn(app)[0]
        app.panel.withdraw("unknown")
        app.panel.close()
        await pilot.pause()
        assert not app.panel.display
        assert app.answers == []


async def test_a_command_is_shown_whole_with_its_folder_and_its_other_arguments() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(
            command("pytest -q &&\nrm -rf build", timeout=120, cwd=None), folder="~/shop", confinement="not confined"
        )
        await pilot.pause()
        rows = drawn(app)
        assert rows[0].endswith("not confined · in ~/shop ──────")
        assert [row.strip() for row in rows[1:4]] == ["│ pytest -q &&", "│ rm -rf build", "│ timeout: 120"]


@pytest.mark.parametrize("size", [(120, 30), (30, 12)])
async def test_a_long_command_scrolls_and_says_how_much_is_hidden(size: tuple[int, int]) -> None:
    lines = [f"echo {number}" for number in range(24)]
    async with desk(size) as (app, pilot):
        app.panel.ask(command("\n".join(lines)))
        await pilot.pause()
        seen: list[str] = []
        for _ in range(24):
            seen += [row.strip("│ ") for row in drawn(app) if row.startswith("  │ echo")]
            app.panel.action_scroll_body(1)
        assert list(dict.fromkeys(seen)) == lines
        assert any("↑" in row and "lines" in row for row in drawn(app))
        assert app.query_one(ApprovalSheet).size.height <= size[1]


async def test_where_there_is_no_room_the_rest_of_a_command_and_its_warnings_are_still_marked() -> None:
    async with desk((30, 8)) as (app, pilot):
        app.panel.ask(command("echo ok" + " " * 300 + "; rm -rf ~/x"))
        await pilot.pause()
        rows = drawn(app)
        assert rows[0].startswith("── ! run this command?")
        assert rows[1].startswith("  ↓ echo ok")
        app.query_one(ApprovalSheet).scroll_body(100)
        assert "↓" not in "".join(drawn(app))


@pytest.mark.parametrize("size", [(120, 40), (60, 15), (40, 10), (40, 6)])
async def test_whatever_there_is_to_say_the_choices_are_in_sight(size: tuple[int, int]) -> None:
    text = "\n".join(f"echo \u202e{number} раypal сору" for number in range(40))
    async with desk(size) as (app, pilot):
        app.panel.ask(command(text), folder="~/a/folder/with/a/long/name", confinement="not confined")
        await pilot.pause()
        rows = drawn(app)
        assert len(rows) <= size[1] * 0.6
        assert "run this command?" in rows[0]
        assert any(row.lstrip().startswith("y") for row in rows[-3:])
        assert "esc" in rows[-1]
        if size[1] > 6:
            assert any("!" in row for row in rows[1:3])
            assert any(row.startswith(("  │ echo ⟨U+202E⟩0", "  ↓ echo ⟨U+202E⟩0")) for row in rows)


async def test_short_words_stand_where_it_is_narrow() -> None:
    full = "y apply n refuse f refuse, and say why h choose hunks e edit it a apply all in this run esc stop"
    for size, words in (((60, 15), full), ((40, 12), "y apply n refuse f why h hunks e edit a all esc stop")):
        async with desk(size) as (app, pilot):
            app.panel.ask(IN_PARTS)
            await pilot.pause()
            assert "+3 −3" in drawn(app)[0] or size[0] < 60
            assert " ".join(drawn(app)[1:]).split() == words.split()


async def test_a_question_too_long_for_its_rule_is_shown_whole_below() -> None:
    path = "deep/" * 20 + "totals.py"
    async with desk((60, 20)) as (app, pilot):
        app.panel.ask(ApprovalRequest("c1", "edit", "change", {}, DiffDetails(path, PATCH, 1, 1)))
        await pilot.pause()
        assert path in "".join(row.strip(" │") for row in drawn(app)[1:-2]).replace(" ", "")


async def test_the_scroll_keys_are_the_transcript_s_while_there_is_nothing_to_scroll() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        await pilot.pause()
        for key in ("pageup", "pagedown", "up"):
            await press(app, pilot, key)
        assert app.keys == ["pageup", "pagedown", "up"]


async def test_hidden_characters_are_shown_and_flagged() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(command("echo \u202eabc\x1b[2K раypal"))
        await pilot.pause()
        text = "\n".join(drawn(app))
        assert "! hidden characters: U+202E right-to-left override, U+001B escape" in text
        assert "! letters that look like others" in text
        assert "echo ⟨U+202E⟩abc␛[2K" in text


async def test_a_path_with_a_line_break_stays_on_its_row_and_is_flagged() -> None:
    async with desk() as (app, pilot):
        path = "safe.txt\nother\tname"
        app.panel.ask(ApprovalRequest("c", "write", "change", {}, DiffDetails(path, "", 1, 0, note="x")))
        await pilot.pause()
        rows = drawn(app)
        assert "\n" not in "".join(rows)
        assert any("apply this change to safe.txt␊other␉name?" in row for row in rows)
        assert any("! hidden characters: U+000A line break, U+0009 tab (in the path)" in row for row in rows)


def test_the_name_of_a_tool_and_a_folder_are_one_row_too() -> None:
    assert question_of(ApprovalRequest("c", "a\nb", "command", {}, None)).question == "let a␊b run?"
    question = question_of(ApprovalRequest("c", "bash", "command", {"command": "ls\npwd"}, None), folder="/a\nb")
    assert (question.measure, question.body, question.warnings) == (("in /a␊b",), ("ls", "pwd"), ())


def test_what_a_change_adds_is_searched_for_hidden_characters_and_what_it_removes_is_not() -> None:
    def change(patch: str, path: str = "a.py") -> tuple[str, ...]:
        return question_of(ApprovalRequest("c", "edit", "change", {}, DiffDetails(path, patch, 1, 1))).warnings

    assert change("@@ -1,1 +1,1 @@\n-a\u200b\n+b\n") == ()
    assert "in the new text" in change("@@ -1,1 +1,1 @@\n-a\n+b\u202e\n")[0]
    assert "in the new text" in change("--- a\n+++ b\n@@ -1,1 +1,1 @@\n-a\n+++ \u202e\n")[0]
    assert "look like others" in change("@@ -1,1 +1,1 @@\n-a\n+раypal = 1\n")[0]
    assert change("@@ -1,1 +1,1 @@\n-a\n+оса и рысь\n") == ()
    assert "in the path" in change("@@ -1,1 +1,1 @@\n-a\n+b\n", "раypal.py")[0]


def test_a_new_file_and_a_missing_patch_are_said() -> None:
    question = question_of(
        ApprovalRequest("c", "write", "change", {}, DiffDetails("a.bin", "", 0, 0, created=True, note="binary file"))
    )
    assert (question.measure, question.body) == (("new file", "+0 −0"), ("binary file",))


def test_the_preview_s_command_is_the_one_shown() -> None:
    question = question_of(ApprovalRequest("c", "bash", "command", {"command": "ls"}, OutputDetails("exact ls")))
    assert question.body == ("exact ls", "command: ls")


def test_an_unknown_tool_shows_every_argument_whole() -> None:
    question = question_of(ApprovalRequest("c", "mcp", "change", {"path": "a", "items": [1, {"x": "é"}]}, None))
    assert question.question == "let mcp run?"
    assert question.body == ("path: a", 'items: [1, {"x": "é"}]')


RULES = ("exactly: pytest -q", "commands that begin with: pytest", "any command in ~/shop")


async def test_always_offers_rules_in_words_and_a_digit_takes_one() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(command("pytest -q"), rules=RULES)
        await pilot.pause()
        await press(app, pilot, "w")
        await pilot.pause()
        rows = drawn(app)
        assert [row.strip() for row in rows[2:]] == [
            "from now on, without a question",
            *(f"{digit}  {rule}" for digit, rule in enumerate(RULES, 1)),
            "esc  none of these",
        ]
        for key in ("y", "4", "escape"):
            await press(app, pilot, key)
        assert (app.answers, app.keys) == ([], [])
        await press(app, pilot, "w")
        await press(app, pilot, "2")
        assert (app.answers, app.rules) == ([("c2", ApprovalAnswer("apply"))], [1])


LONG_RULES = tuple(
    f"always apply changes in a/folder/with/a/long/name/number/{n} and below in this project" for n in range(5)
)


@pytest.mark.parametrize("size", [(120, 40), (60, 15), (40, 10), (30, 8)])
async def test_every_rule_can_be_scrolled_to_and_none_is_taken_that_is_out_of_sight(size: tuple[int, int]) -> None:
    async with desk(size) as (app, pilot):
        app.panel.ask(command("pytest -q"), rules=LONG_RULES)
        await pilot.pause()
        await press(app, pilot, "w")
        await pilot.pause()
        if size[0] < 120:
            await press(app, pilot, "5")
            assert app.answers == []
            assert "↓" in drawn(app)[-1]
        for _ in range(60):
            await press(app, pilot, "down")
        await pilot.pause()
        assert len(drawn(app)) <= size[1] * 0.6
        assert "4 and below" in " ".join(" ".join(drawn(app)).split())
        if size[0] < 120:
            await press(app, pilot, "1")
            assert app.answers == []
        await press(app, pilot, "enter")
        assert (app.answers, app.rules) == ([("c2", ApprovalAnswer("apply"))], [4])


async def test_a_rule_higher_than_the_room_is_not_taken_before_it_was_scrolled_to_its_end() -> None:
    async with desk((30, 8)) as (app, pilot):
        app.panel.ask(command("x"), rules=("always run exactly " + "word " * 40 + "end", "other"))
        await pilot.pause()
        await press(app, pilot, "w")
        await pilot.pause()
        for key in ("enter", "1"):
            await press(app, pilot, key)
        assert app.answers == []
        for _ in range(30):
            await press(app, pilot, "down")
            await pilot.pause()
            if "end" in " ".join(drawn(app)).split():
                break
        await press(app, pilot, "enter")
        assert app.rules == [0]


async def click(app: Desk, pilot: Pilot[Any], words: str, after: float = GUARD + PAUSE) -> None:
    """A click on words of the question, `after` seconds from now as far as the panel can tell."""
    sheet = app.query_one(ApprovalSheet)
    y = next(y for y, row in enumerate(drawn(app)) if words in row)
    x = drawn(app)[y].index(words) + 1 + sheet.content_region.x
    style = app.screen.get_style_at(x, y + sheet.content_region.y)
    event = events.Click(sheet, x, y, 0, 0, 1, False, False, False, x, y + sheet.content_region.y, style)
    event.time = Message().time + after
    sheet.post_message(event)
    await pilot.pause()


@pytest.mark.parametrize(
    ("words", "answer"),
    [("y apply", ApprovalAnswer("apply")), ("n refuse", REFUSE), ("a apply all", ApprovalAnswer("apply_all"))],
)
async def test_a_click_on_a_choice_does_what_it_says_but_not_at_once(words: str, answer: ApprovalAnswer) -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        await pilot.pause()
        await click(app, pilot, words, after=0)
        assert app.answers == []
        await click(app, pilot, words)
        assert app.answers == [("c1", answer)]


async def test_a_click_opens_what_a_choice_opens_takes_a_rule_and_hits_nothing_beside() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(command("pytest -q"), rules=RULES)
        await pilot.pause()
        await click(app, pilot, "stop")
        await click(app, pilot, "pytest -q")
        await click(app, pilot, "always allow")
        assert app.answers == []
        await click(app, pilot, "commands that begin")
        assert app.rules == [1]
        app.panel.ask(command("pytest -q"))
        await pilot.pause()
        await click(app, pilot, "edit it")
        assert app.panel.field is not None
        assert app.panel.field.text == "pytest -q"


async def test_without_rules_there_is_no_always() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(command("pytest -q"))
        await pilot.pause()
        await press(app, pilot, "w")
        assert app.keys == ["w"]
        await press(app, pilot, "y")
        assert app.rules == [None]


def big(content: str, arguments: dict[str, Any] | None = None) -> ApprovalRequest:
    details = DiffDetails("big.txt", "", 1, 0, created=True, note="The change is too large to be shown.")
    return ApprovalRequest("c1", "write", "change", arguments or {"path": "big.txt", "content": content}, details)


@pytest.mark.parametrize("kind", ["content", "edits"])
async def test_of_a_change_too_large_to_be_shown_there_are_the_first_and_last_lines_and_a_count(kind: str) -> None:
    content = "".join(f"row {number}\n" for number in range(5_000))
    edits = {"path": "big.txt", "edits": [{"oldText": "a", "newText": content}]}
    async with desk((80, 40)) as (app, pilot):
        app.panel.ask(big(content, edits if kind == "edits" else None))
        await pilot.pause()
        rows = [row.strip(" │") for row in drawn(app)]
        at = rows.index("… 4,990 lines between …")
        assert (rows[at - 6], rows[at - 1], rows[at + 1], rows[at + 4]) == ("row 0", "row 5", "row 4996", "row 4999")
        assert ("e read all of it, or edit it" in " ".join(rows)) == (kind == "content")


def test_a_text_too_large_to_be_shown_is_still_searched_for_what_deceives() -> None:
    question = question_of(big("x\n" * 9 + "раypal\u202e\n"))
    assert len(question.warnings) == 2


NEW = ApprovalRequest(
    "c1",
    "write",
    "change",
    {"path": "a.py", "content": "import os\nprint(1)\n"},
    DiffDetails("a.py", "@@ -0,0 +1,2 @@\n+import os\n+print(1)\n", 2, 0, created=True),
)


async def test_the_text_of_a_new_file_can_be_edited_before_it_is_written() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(NEW)
        await pilot.pause()
        assert " e edit it " in drawn(app)[1]
        await press(app, pilot, "e")
        assert app.panel.field_ending == ".py"
        await pilot.press("backspace", *"2)", "enter", *"x", "escape")
        assert app.answers == []
        await press(app, pilot, "e")
        await pilot.press("ctrl+s")
        ((_, answer),) = app.answers
        assert answer.arguments == {"path": "a.py", "content": "import os\nprint(12)\nx\n"}
        assert answer.words == "edited"
        assert answer.note is not None
        assert answer.note.endswith("-print(1)\n+print(12)\n+x")


@pytest.mark.parametrize("content", ["a\r\nb\r\n", "a\nb", "a\tb\n", "", "\n\n"])
async def test_a_text_left_as_it_is_is_written_to_the_byte(content: str) -> None:
    async with desk() as (app, pilot):
        request = ApprovalRequest("c1", "write", "change", {"path": "a", "content": content}, NEW.preview)
        app.panel.ask(request)
        await pilot.pause()
        await press(app, pilot, "e")
        await pilot.press("ctrl+s")
        assert app.answers == [("c1", ApprovalAnswer("apply"))]


async def test_a_text_of_which_the_field_would_lose_something_is_not_offered_there() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(ApprovalRequest("c1", "write", "change", {"path": "a", "content": "a\x00\x1b[2Kb"}, NEW.preview))
        await pilot.pause()
        assert "edit" not in " ".join(drawn(app))
        await press(app, pilot, "e")
        assert app.panel.field is None


async def test_the_line_ends_of_a_file_stay_when_its_text_is_edited() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(ApprovalRequest("c1", "write", "change", {"path": "a", "content": "a\r\nb\r\n"}, NEW.preview))
        await pilot.pause()
        await press(app, pilot, "e")
        await pilot.press("enter", *"c", "ctrl+s")
        assert app.answers[0][1].arguments == {"path": "a", "content": "a\r\nb\r\nc\r\n"}


async def test_a_change_that_is_out_of_sight_is_shown_in_the_panel_and_can_be_scrolled() -> None:
    async with desk((60, 15)) as (app, pilot):
        patch = "@@ -1,30 +1,30 @@\n" + "".join(f"-old {n}\n+new {n}\n" for n in range(30))
        app.panel.is_in_sight = lambda _: False
        app.panel.ask(ApprovalRequest("c1", "edit", "change", {}, DiffDetails("t.py", patch, 30, 30)))
        await pilot.pause()
        await pilot.pause()
        seen = "\n".join(drawn(app))
        assert "− old 0" in seen
        assert len(drawn(app)) <= 9
        for _ in range(70):
            app.panel.action_scroll_body(1)
            seen += "\n".join(drawn(app))
        assert all(f"+ new {n}" in seen for n in range(30))


async def test_a_change_that_is_in_sight_is_not_shown_twice() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(CHANGE)
        await pilot.pause()
        await pilot.pause()
        assert len(drawn(app)) == 2


@pytest.mark.parametrize("size", [(40, 10), (30, 12), (20, 5)])
async def test_where_it_is_narrow_the_question_is_shortened_and_stands_once(size: tuple[int, int]) -> None:
    async with desk(size) as (app, pilot):
        app.panel.is_in_sight = lambda _: False
        app.panel.ask(CHANGE)
        await pilot.pause()
        await pilot.pause()
        rows = drawn(app)
        assert rows[0].strip("─ ").startswith("apply")
        assert sum("apply this" in row or "apply shop" in row or "apply …" in row for row in rows) == 1
        assert any("│" in row or "↓" in row for row in rows[1:])


@pytest.mark.parametrize("size", [(60, 15), (40, 10), (20, 5)])
async def test_the_field_is_on_the_screen_however_small_that_is(size: tuple[int, int]) -> None:
    async with desk(size) as (app, pilot):
        app.panel.ask(CHANGE)
        await pilot.pause()
        await press(app, pilot, "f")
        await pilot.press(*"no")
        await pilot.pause()
        field = app.panel.field
        assert field is not None
        assert field.region.height >= 1
        assert field.region.bottom <= max(3, int(size[1] * 0.6))
