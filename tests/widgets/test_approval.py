"""The approval panel: what it shows, which keys count, what it answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from pyagent_tui.agent.approval import ApprovalAnswer, ApprovalRequest
from pyagent_tui.agent.details import DiffDetails, OutputDetails
from pyagent_tui.widgets.approval import GUARD, PAUSE, ApprovalPanel
from pyagent_tui.widgets.approval_question import question_of
from pyagent_tui.widgets.approval_sheet import ApprovalSheet

pytestmark = pytest.mark.anyio

PATCH = "--- a/t.py\n+++ b/t.py\n@@ -1,1 +1,1 @@\n-a\n+b\n@@ -9,1 +9,1 @@\n-c\n+d\n"
CHANGE = ApprovalRequest("c1", "edit", "change", {"path": "shop/t.py"}, DiffDetails("shop/t.py", PATCH, 4, 3))
REFUSE = ApprovalAnswer("refuse")


def command(text: str, call_id: str = "c2", **others: object) -> ApprovalRequest:
    return ApprovalRequest(call_id, "bash", "command", {"command": text, **others}, None)


class Desk(App[None], inherit_bindings=False):
    def __init__(self) -> None:
        super().__init__()
        self.panel = ApprovalPanel()
        self.answers: list[tuple[str, ApprovalAnswer]] = []
        self.typed = ""
        self.keys: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.panel

    def on_approval_panel_answered(self, event: ApprovalPanel.Answered) -> None:
        self.answers.append((event.tool_call_id, event.answer))

    def on_approval_panel_typed_ahead(self, event: ApprovalPanel.TypedAhead) -> None:
        self.typed += event.text

    def on_key(self, event: events.Key) -> None:
        self.keys.append(event.key)


@asynccontextmanager
async def desk(size: tuple[int, int] = (120, 30)) -> AsyncGenerator[tuple[Desk, Pilot[Any]]]:
    app = Desk()
    async with app.run_test(size=size) as pilot:
        yield app, pilot


async def press(app: Desk, pilot: Pilot[Any], key: str, after: float = GUARD + PAUSE) -> None:
    """A key that was pressed `after` seconds from now, as far as the panel can tell."""
    event = events.Key(key, key if len(key) == 1 else None)
    event.time = Message().time + after
    event.set_sender(app)
    app.post_message(event)
    await pilot.pause()


def drawn(app: Desk) -> list[str]:
    sheet = app.query_one(ApprovalSheet)
    return [sheet.render_line(y).text.rstrip() for y in range(sheet.size.height)]


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
        await press(app, pilot, "tab")
        await press(app, pilot, "right")
        await press(app, pilot, "enter")
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
        assert rows[0].endswith("in ~/shop · not confined ──────")
        assert [row.strip() for row in rows[1:4]] == ["│ pytest -q &&", "│ rm -rf build", "│ timeout: 120"]


@pytest.mark.parametrize("size", [(120, 30), (60, 15), (30, 12)])
async def test_a_long_command_scrolls_and_says_how_much_is_hidden(size: tuple[int, int]) -> None:
    lines = [f"echo {number}" for number in range(50)]
    async with desk(size) as (app, pilot):
        app.panel.ask(command("\n".join(lines)))
        await pilot.pause()
        seen: list[str] = []
        for _ in range(50):
            seen += [row.strip("│ ") for row in drawn(app) if row.startswith("  │ echo")]
            await press(app, pilot, "down")
        assert list(dict.fromkeys(seen)) == lines
        assert any("↑" in row and "lines" in row for row in drawn(app))
        assert app.query_one(ApprovalSheet).size.height <= size[1]


async def test_hidden_characters_are_shown_and_flagged() -> None:
    async with desk() as (app, pilot):
        app.panel.ask(command("echo \u202eabc\x1b[2K раypal"))
        await pilot.pause()
        text = "\n".join(drawn(app))
        assert "! hidden characters: U+202E right-to-left override, U+001B escape" in text
        assert "! letters that look like others" in text
        assert "echo ⟨U+202E⟩abc␛[2K" in text


def test_what_a_change_adds_is_searched_for_hidden_characters_and_what_it_removes_is_not() -> None:
    def change(patch: str, path: str = "a.py") -> tuple[str, ...]:
        return question_of(ApprovalRequest("c", "edit", "change", {}, DiffDetails(path, patch, 1, 1))).warnings

    assert change("@@ -1,1 +1,1 @@\n-a\u200b\n+b\n") == ()
    assert "in the new text" in change("@@ -1,1 +1,1 @@\n-a\n+b\u202e\n")[0]
    assert "in the path" in change("@@ -1,1 +1,1 @@\n-a\n+b\n", "раypal.py")[0]


def test_a_new_file_and_a_missing_patch_are_said() -> None:
    question = question_of(
        ApprovalRequest("c", "write", "change", {}, DiffDetails("a.bin", "", 0, 0, created=True, note="binary file"))
    )
    assert (question.measure, question.body) == ("new file · +0 −0", ("binary file",))


def test_the_preview_s_command_is_the_one_shown() -> None:
    question = question_of(ApprovalRequest("c", "bash", "command", {"command": "ls"}, OutputDetails("exact ls")))
    assert question.body == ("exact ls", "command: ls")


def test_an_unknown_tool_shows_every_argument_whole() -> None:
    question = question_of(ApprovalRequest("c", "mcp", "change", {"path": "a", "items": [1, {"x": "é"}]}, None))
    assert question.question == "let mcp run?"
    assert question.body == ("path: a", 'items: [1, {"x": "é"}]')
