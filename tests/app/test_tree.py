"""The tree of a session, on the real app."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.agent.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, Usage, UserMessage
from pyagent_tui.app.screens.choice import ChoiceScreen
from pyagent_tui.app.screens.tree import TreeScreen
from pyagent_tui.providers.scripted import ScriptedProvider
from pyagent_tui.sessions.session import Session
from pyagent_tui.tests.stage_app import AppStage, open_app, say
from pyagent_tui.tests.stored_sessions import entries, reply, said

pytestmark = pytest.mark.anyio


def store_tree(tmp_path: Path) -> Path:
    """one → first, then two branches: two → second, and (the current one) three → a call → third."""
    (tmp_path / "project").mkdir()
    session = Session.start(tmp_path / "project", tmp_path / "home")
    session.append_message(UserMessage.of("one"))
    fork = session.append_message(reply("first"))
    session.append_message(UserMessage.of("two"))
    session.append_message(reply("second"))
    session.branch(fork)
    session.append_thinking_level("off")
    session.append_message(UserMessage.of("three"))
    call = ToolCall("c1", "read", {"path": "notes"})
    session.append_message(AssistantMessage((call,), "scripted", "scripted", "scripted", Usage(), "toolUse"))
    session.append_message(ToolResultMessage("c1", "read", (TextContent("what is in it"),)))
    session.append_message(reply("third"))
    session.close()
    assert session.path is not None
    return session.path


async def open_tree(stage: AppStage) -> TreeScreen:
    await stage.say("/tree")
    await stage.until(lambda: isinstance(stage.app.screen, TreeScreen), "the tree")
    assert isinstance(stage.app.screen, TreeScreen)
    return stage.app.screen


def texts(screen: TreeScreen) -> list[str]:
    return [row.text for row in screen.list.items]


def chosen(screen: TreeScreen) -> str:
    row = screen.list.current
    assert row is not None
    return row.text


async def leave_without_summary(stage: AppStage) -> None:
    await stage.see("You leave a branch.")
    await stage.press("enter")


async def test_the_tree_shows_every_branch_and_where_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_tree(tmp_path)
    async with open_app(tmp_path, monkeypatch, [say("x")], session=str(path)) as stage:
        screen = await open_tree(stage)
        assert texts(screen) == [
            "user: one",
            "assistant: first",
            "user: two",
            "assistant: second",
            "user: three",
            "assistant: read",
            "read: what is in it",
            "assistant: third",
        ]
        assert chosen(screen) == "assistant: third"
        assert "you are here" in stage.text()
        await stage.press("down")
        assert chosen(screen) == "user: one"
        await stage.press("escape")
        await stage.until(lambda: stage.app.screen is not screen)


async def test_a_message_of_the_person_comes_back_into_the_editor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store_tree(tmp_path)
    async with open_app(tmp_path, monkeypatch, [say("otherwise")], session=str(path)) as stage:
        await open_tree(stage)
        await stage.press("up", "up", "up", "enter")
        await leave_without_summary(stage)
        await stage.until(lambda: stage.draft == "three")
        await stage.until(lambda: "third" not in stage.text() and "first" in stage.text())
        await stage.press("enter")
        await stage.see("otherwise")
        await stage.idle()
        assert stage.said() == ["one", "three"]
        composition = stage.app.conversation.composition
        assert composition is not None
        provider = composition.choice.provider
        assert isinstance(provider, ScriptedProvider)
        asked = [message.text for message in provider.requests[0].messages if isinstance(message, UserMessage)]
        assert asked == ["one", "three"]
    parents = {entry["id"]: entry["parentId"] for entry in entries(path)}
    answers = [entry for entry in entries(path) if entry["type"] == "message"]
    assert said(path)[-2:] == ["three", "otherwise"]
    assert parents[answers[-1]["id"]] == answers[-2]["id"]


async def test_another_entry_becomes_the_leaf_and_a_draft_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store_tree(tmp_path)
    async with open_app(tmp_path, monkeypatch, [say("on the other branch")], session=str(path)) as stage:
        await open_tree(stage)
        await stage.press(*"second")
        await stage.pilot.pause(0.1)
        await stage.press("enter")
        await leave_without_summary(stage)
        await stage.until(lambda: "second" in stage.text() and "third" not in stage.text())
        assert stage.draft == ""
        await stage.say("more")
        await stage.see("on the other branch")
        assert stage.said() == ["one", "two", "more"]


async def test_going_where_one_is_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_tree(tmp_path)
    async with open_app(tmp_path, monkeypatch, [say("x")], session=str(path)) as stage:
        composition = stage.app.conversation.composition
        assert composition is not None
        composition.session.branch(composition.session.tree.path()[-3].id)
        leaf = composition.session.leaf_id
        await open_tree(stage)
        await stage.press("enter")
        await stage.see("You are there already.")
        assert composition.session.leaf_id == leaf


async def test_filters_search_and_folds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_tree(tmp_path)
    async with open_app(tmp_path, monkeypatch, [say("x")], session=str(path)) as stage:
        screen = await open_tree(stage)
        await stage.press("ctrl+o")
        assert "read: what is in it" not in texts(screen)
        await stage.press("ctrl+o")
        assert texts(screen) == ["user: one", "user: two", "user: three"]
        assert chosen(screen) == "user: three"
        await stage.press("ctrl+o", "ctrl+o")
        assert "Thinking: off" in texts(screen)
        await stage.press("ctrl+o")
        await stage.press("ctrl+home", "down", "left")
        await stage.see("6 rows folded")
        assert texts(screen) == ["user: one", "assistant: first"]
        await stage.press("right")
        assert len(texts(screen)) == 8
        await stage.press("left", *"SECOND")
        await stage.until(lambda: texts(screen) == ["assistant: second"])
        await stage.press("left", "x")
        assert screen.query_text == "SECONxD"


async def test_labels_are_kept_found_and_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_tree(tmp_path)
    async with open_app(tmp_path, monkeypatch, [say("x")], session=str(path)) as stage:
        screen = await open_tree(stage)
        await stage.press("ctrl+l")
        await stage.see("Label of this entry")
        await stage.press(*"good [b]", "enter")
        await stage.see("[good [b]] assistant: third")
        assert entries(path)[-1]["label"] == "good [b]"
        await stage.press("ctrl+t")
        await stage.see("now")
        await stage.press("ctrl+o", "ctrl+o", "ctrl+o")
        assert texts(screen) == ["assistant: third"]
        await stage.press("ctrl+l", "ctrl+u", "enter")
        await stage.until(lambda: "label" not in entries(path)[-1] or not entries(path)[-1]["label"])
        await stage.until(lambda: texts(screen) == [])


async def test_the_branch_that_is_left_is_summarised_if_one_wants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store_tree(tmp_path)
    turns = [say("## Goal\nthe third way"), say("I know of it")]
    async with open_app(tmp_path, monkeypatch, turns, session=str(path)) as stage:
        await open_tree(stage)
        await stage.press(*"second")
        await stage.pilot.pause(0.1)
        await stage.press("enter")
        await stage.see("You leave a branch.")
        await stage.press("s")
        await stage.see("summary of the branch that was left")
        await stage.say("and now?")
        await stage.see("I know of it")
        await stage.idle()
    kinds = [entry for entry in entries(path) if entry["type"] == "branch_summary"]
    assert len(kinds) == 1
    assert "the third way" in kinds[0]["summary"]


async def test_escape_in_the_summary_or_the_question_returns_to_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store_tree(tmp_path)
    turns = [{"parts": [{"say": "## Goal"}, {"stall": 60}]}, {"parts": [{"fail": "bad_request", "message": "no way"}]}]
    async with open_app(tmp_path, monkeypatch, turns, session=str(path)) as stage:
        await open_tree(stage)
        await stage.press("ctrl+home", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, ChoiceScreen))
        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.screen, TreeScreen))
        assert chosen(stage.app.screen) == "user: one"  # type: ignore[arg-type]
        await stage.press("enter")
        await stage.see("You leave a branch.")
        await stage.press("s")
        await stage.see("summarising the branch")
        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.screen, TreeScreen))
        await stage.press("enter")
        await stage.see("You leave a branch.")
        await stage.press("s")
        await stage.see("no way")
        assert isinstance(stage.app.screen, TreeScreen)
        await stage.press("escape")
    assert not [entry for entry in entries(path) if entry["type"] == "branch_summary"]


async def test_the_tree_waits_for_the_end_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = {"parts": [{"say": "begin "}, {"stall": 60}]}
    async with open_app(tmp_path, monkeypatch, [slow]) as stage:
        await stage.say("start")
        await stage.see("begin")
        await stage.say("/tree")
        await stage.see("when the run is over")
        assert stage.app.conversation.is_running


async def test_f1_begins_with_the_keys_of_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_tree(tmp_path)
    async with open_app(tmp_path, monkeypatch, [say("unused")], session=str(path), size=(60, 15)) as stage:
        screen = await open_tree(stage)
        await stage.see("f1 keys")
        await stage.press("f1")
        await stage.see("In the tree of a session")
        rows = [line.split() for line in stage.text().splitlines()]
        for key in (["ctrl+o", "what"], ["left", "fold"], ["right", "unfold"], ["ctrl+l", "label"], ["ctrl+x", "copy"]):
            assert any(row[:2] == key for row in rows), stage.text()
        await stage.press("escape")
        await stage.until(lambda: stage.app.screen is screen, "the tree again")
