"""The list of hunks in the approval panel: what it shows, what is applied."""

from __future__ import annotations

import re

import pytest

from pyagent_tui.agent.approval import ApprovalAnswer, ApprovalRequest
from pyagent_tui.agent.details import DiffDetails
from pyagent_tui.tests.approval_desk import EDITS, IN_PARTS, desk, drawn, open_hunks, press, sheet_rows
from pyagent_tui.widgets.review.hunk_sheet import HunkSheet
from pyagent_tui.widgets.review.sheet import ApprovalSheet

pytestmark = pytest.mark.anyio


async def test_hunks_are_listed_with_their_place_and_the_current_one_is_shown() -> None:
    async with desk() as (app, pilot):
        await open_hunks(app, pilot)
        rows = sheet_rows(app)
        assert rows[0].endswith("3 of 3 hunks · +3 −3 ────")
        assert [row.split() for row in rows[1:4]] == [
            ["❯", "[x]", "line", "1", "+1", "−1", "a", "=", "2"],
            ["[x]", "line", "9", "+1", "−1", "X"],
            ["[x]", "line", "13", "+1", "−1", "Y"],
        ]
        assert [row.strip() for row in rows[4:6]] == ["│    1 − a = 1", "│    1 + a = 2"]
        await pilot.press("k")
        await pilot.pause()
        assert [row.strip() for row in sheet_rows(app)[4:6]] == ["│   12   k3", "│   13 − y"]


@pytest.mark.parametrize("size", [(120, 40), (60, 15), (40, 10), (20, 6)])
async def test_the_list_of_hunks_fits_the_screen_and_its_keys_are_in_sight(size: tuple[int, int]) -> None:
    async with desk(size) as (app, pilot):
        await open_hunks(app, pilot)
        for _ in range(3):
            rows = sheet_rows(app)
            assert len(rows) <= max(3, size[1] * 0.6)
            assert "space" in "".join(rows[-2:])
            assert any("❯ [x]" in row for row in rows)
            await pilot.press("j")
            await pilot.pause()


async def test_only_what_is_ticked_is_applied_and_the_model_is_told() -> None:
    async with desk() as (app, pilot):
        await open_hunks(app, pilot)
        await pilot.press("j", "space", "enter")
        ((_, answer),) = app.answers
        assert answer.verdict == "apply"
        assert answer.arguments == {
            "path": "t.py",
            "edits": [EDITS["edits"][0], {"oldText": EDITS["edits"][1]["oldText"], "newText": "x\nk1\nk2\nk3\nY\n"}],
        }
        assert answer.note == "Reviewed in parts: 2 of 3 approved.\nDeclined at line 9:\n-x\n+X"


async def test_an_edit_of_which_nothing_is_left_is_dropped_and_nothing_at_all_is_a_refusal() -> None:
    async with desk() as (app, pilot):
        await open_hunks(app, pilot)
        await pilot.press("space", "enter")
        assert app.answers[0][1].arguments == {"path": "t.py", "edits": EDITS["edits"][1:]}
        await open_hunks(app, pilot)
        await pilot.press("a", "enter")
        assert app.answers[1][1].verdict == "refuse"
        await open_hunks(app, pilot)
        await pilot.press("a", "a", "enter")
        assert app.answers[2][1] == ApprovalAnswer("apply")


async def test_the_text_of_a_hunk_can_be_changed() -> None:
    async with desk() as (app, pilot):
        await open_hunks(app, pilot)
        await pilot.press("e", "backspace", *"3", "enter", *"b = 4", "ctrl+s")
        await pilot.pause()
        assert [row.strip() for row in sheet_rows(app)[4:7]] == ["│    1 − a = 1", "│    1 + a = 3", "│    2 + b = 4"]
        await pilot.press("enter")
        ((_, answer),) = app.answers
        assert answer.arguments is not None
        assert answer.arguments["edits"][0] == {"oldText": "a = 1\n", "newText": "a = 3\nb = 4\n"}
        assert answer.note is not None
        assert "Changed by the person at line 1; approved there:\n-a = 1\n+a = 3\n+b = 4" in answer.note


async def test_a_text_that_is_kept_as_it_was_is_not_called_edited() -> None:
    async with desk() as (app, pilot):
        await open_hunks(app, pilot)
        await pilot.press("e", "ctrl+s")
        await pilot.pause()
        assert "(edited)" not in "\n".join(sheet_rows(app))
        await pilot.press("e", "9", "ctrl+s")
        await pilot.pause()
        assert "(edited)" in "\n".join(sheet_rows(app))
        await pilot.press("e", "backspace", "ctrl+s")
        await pilot.pause()
        assert "(edited)" not in "\n".join(sheet_rows(app))


async def test_letters_in_the_list_of_hunks_answer_nothing() -> None:
    async with desk() as (app, pilot):
        await open_hunks(app, pilot)
        await pilot.press("y", "n", "f", "escape")
        assert app.answers == []
        assert app.query_one(ApprovalSheet).display
        await press(app, pilot, "y")
        assert app.answers == [("c1", ApprovalAnswer("apply"))]


@pytest.mark.parametrize("way", ["y", "enter in the list", "a", "rule"])
async def test_what_was_ticked_and_edited_lives_as_long_as_the_question_and_is_what_is_applied(way: str) -> None:
    async with desk() as (app, pilot):
        await open_hunks(app, pilot, rules=("this file",))
        await pilot.press("space", "j", "e", *" ed", "ctrl+s", "escape")
        await pilot.pause()
        rows = " ".join(drawn(app))
        assert "y apply 2 of 3 hunks, 1 edited " in rows
        assert "a apply these, then all in this run " in rows
        for key in {"y": "y", "enter in the list": "h enter", "a": "a", "rule": "w 1"}[way].split():
            await press(app, pilot, key)
            await pilot.pause()
        ((_, answer),) = app.answers
        assert answer.verdict == ("apply_all" if way == "a" else "apply")
        assert answer.arguments is not None
        assert answer.arguments["edits"] == [{**EDITS["edits"][1], "newText": "X ed\nk1\nk2\nk3\nY\n"}]
        assert answer.words == "2 of 3 · 1 edited"
        assert app.rules == [0 if way == "rule" else None]


async def test_the_next_question_begins_with_everything_ticked() -> None:
    async with desk() as (app, pilot):
        await open_hunks(app, pilot)
        await pilot.press("space", "escape")
        await press(app, pilot, "n")
        app.panel.ask(IN_PARTS)
        await pilot.pause()
        await press(app, pilot, "y")
        assert app.answers[1][1] == ApprovalAnswer("apply")


async def test_a_text_that_was_begun_is_there_when_one_goes_on_and_counts_for_nothing_until_it_is_kept() -> None:
    async with desk() as (app, pilot):
        await open_hunks(app, pilot)
        await pilot.press("e", *"00", "escape")
        await pilot.pause()
        assert "(begun, not kept) a = 2" in sheet_rows(app)[1]
        await pilot.press("j", "k", "e", "ctrl+s")
        await pilot.pause()
        assert "(edited) a = 200" in sheet_rows(app)[1]
        await pilot.press("e", "backspace", "escape", "enter")
        assert app.answers[0][1].arguments is not None
        assert app.answers[0][1].arguments["edits"][0]["newText"] == "a = 200\n"


@pytest.mark.parametrize("size", [(120, 40), (60, 15)])
async def test_while_a_text_is_written_the_lines_that_it_replaces_stand_above_it(size: tuple[int, int]) -> None:
    async with desk(size) as (app, pilot):
        await open_hunks(app, pilot)
        await pilot.press("j", "e")
        await pilot.pause()
        rows = sheet_rows(app)
        assert any(row.strip().startswith("│    9 − x") for row in rows)
        assert not any("+ X" in row for row in rows)


async def test_a_click_goes_to_a_hunk_and_one_on_its_box_unticks_it() -> None:
    async with desk() as (app, pilot):
        await open_hunks(app, pilot)
        sheet = app.query_one(HunkSheet)
        top, left = sheet.content_region.y, sheet.content_region.x
        for x, y, expected in ((20, 2, "❯ [x]"), (3, 3, "❯ [ ]"), (3, 3, "❯ [x]")):
            await pilot.click(offset=(left + x, top + y))
            await pilot.pause()
            assert sheet_rows(app)[y].startswith(expected)
        assert app.answers == []


MANY = ApprovalRequest(
    "c1",
    "edit",
    "change",
    {"path": "t.py", "edits": [{"oldText": f"a{n}\n", "newText": f"b{n}\n"} for n in range(20, 0, -1)]},
    DiffDetails("t.py", "".join(f"@@ -{n * 10},1 +{n * 10},1 @@\n-a{n}\n+b{n}\n" for n in range(1, 21)), 20, 20),
)


@pytest.mark.parametrize("size", [(120, 40), (60, 15), (40, 10)])
async def test_the_list_says_how_many_hunks_are_out_of_sight_and_is_in_the_order_of_the_file(
    size: tuple[int, int],
) -> None:
    async with desk(size) as (app, pilot):
        app.panel.ask(MANY)
        await pilot.pause()
        await press(app, pilot, "h")
        lines: list[int] = []
        for _ in range(20):
            await pilot.pause()
            listed = [row for row in sheet_rows(app) if "[x]" in row]
            above = re.search(r"↑ (\d+)", listed[0])
            below = re.search(r"↓ (\d+)", listed[-1])
            assert len(listed) + sum(int(found[1]) for found in (above, below) if found) == 20
            lines += [int(found[1]) for row in listed if (found := re.search(r"❯ \[x\] line (\d+)", row))]
            await pilot.press("j")
        assert lines == [n * 10 for n in range(1, 21)]


async def test_hunks_that_are_listed_in_another_order_than_given_are_still_the_right_ones() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(MANY)
        await pilot.pause()
        await press(app, pilot, "h")
        await pilot.press("space", "enter")
        assert app.answers[0][1].arguments is not None
        assert [edit["newText"] for edit in app.answers[0][1].arguments["edits"]] == [
            f"b{n}\n" for n in range(20, 1, -1)
        ]


async def test_e_opens_the_first_hunk_for_editing() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(IN_PARTS)
        await pilot.pause()
        await press(app, pilot, "e")
        await pilot.press("ctrl+u", "ctrl+s", "enter")
        assert app.answers[0][1].arguments is not None
        assert app.answers[0][1].arguments["edits"][0]["newText"] == ""
