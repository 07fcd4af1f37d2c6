"""The list of sessions and going on with one of them, on the real app."""

from __future__ import annotations

import asyncio
import shutil
import time
from pathlib import Path

import pytest

from pyagent_tui.agent.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, Usage, UserMessage
from pyagent_tui.app.screens.choice import ChoiceScreen
from pyagent_tui.app.screens.resume import ResumeScreen
from pyagent_tui.providers.scripted import ScriptedProvider
from pyagent_tui.sessions.session import Session
from pyagent_tui.tests.stage_app import AppStage, open_app, say
from pyagent_tui.tests.stored_sessions import entries, reply, said, store_session, talk

pytestmark = pytest.mark.anyio


async def open_list(stage: AppStage) -> ResumeScreen:
    await stage.say("/resume")
    await stage.until(lambda: isinstance(stage.app.screen, ResumeScreen), "the list of sessions")
    screen = stage.app.screen
    assert isinstance(screen, ResumeScreen)
    await stage.until(lambda: "reading" not in stage.text() and "…" not in screen.heading.facts[-1])
    return screen


def session_of(stage: AppStage) -> Session:
    composition = stage.app.conversation.composition
    assert composition is not None
    return composition.session


async def test_the_last_used_session_is_first_and_enter_goes_on_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_session(tmp_path, *talk("older question", "older answer"))
    path = store_session(tmp_path, *talk("newer question", "newer answer"))
    async with open_app(tmp_path, monkeypatch, [say("and on")]) as stage:
        await open_list(stage)
        assert stage.text().index("newer question") < stage.text().index("older question")
        await stage.press("enter")
        await stage.see("newer answer")
        await stage.until(lambda: session_of(stage).path == path)
        await stage.say("go on")
        await stage.see("and on")
        await stage.idle()
    assert said(path) == ["newer question", "newer answer", "go on", "and on"]


async def test_typing_filters_and_names_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store_session(tmp_path, *talk("about the parser", "x"), name="second thoughts")
    store_session(tmp_path, *talk("a second parser", "x"))
    store_session(tmp_path, *talk("something else", "x"))
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        screen = await open_list(stage)
        await stage.press(*"second")
        await stage.until(lambda: [item.title for item in screen.list.items] == ["second thoughts", "a second parser"])
        await stage.press("ctrl+u", *"re:[")
        await stage.see("not a regular expression")
        await stage.press("backspace", *"else")
        await stage.until(lambda: [item.title for item in screen.list.items] == ["something else"])
        await stage.press("ctrl+u", *"zzz")
        await stage.see("nothing found")
        await stage.press("escape")
        await stage.until(lambda: not isinstance(stage.app.screen, ResumeScreen))


async def test_tab_shows_the_sessions_of_all_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store_session(tmp_path, *talk("nearby", "x"))
    store_session(tmp_path, *talk("elsewhere", "x"), cwd=tmp_path / "other")
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await open_list(stage)
        assert "elsewhere" not in stage.text()
        await stage.press("tab")
        await stage.see("elsewhere")
        await stage.press(*"elsewhere")
        await stage.until(lambda: "nearby" not in stage.text())
        await stage.press("enter")
        await stage.until(lambda: stage.app.cwd == tmp_path / "other", "its own folder")
        assert session_of(stage).cwd == str(tmp_path / "other")


async def test_ctrl_r_renames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *talk("a question", "x"))
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await open_list(stage)
        await stage.press("ctrl+r")
        await stage.see("Name of this session")
        await stage.press(*"my [/] name", "enter")
        await stage.until(lambda: entries(path)[-1].get("name") == "my [/] name")
        await stage.see("❯ my [/] name")


async def test_ctrl_d_moves_to_the_trash_after_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    kept = store_session(tmp_path, *talk("keep me", "x"))
    path = store_session(tmp_path, *talk("away with it", "x"))
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        screen = await open_list(stage)
        await stage.press("ctrl+d")
        await stage.see("Delete this session?")
        await stage.press("enter")  # the safe answer is the first
        await stage.until(lambda: isinstance(stage.app.screen, ResumeScreen))
        assert path.exists()
        await stage.press("ctrl+d")
        await stage.see("Delete this session?")
        await stage.press("d")
        await stage.until(lambda: [item.title for item in screen.list.items] == ["keep me"])
    assert (path.exists(), kept.exists()) == (False, True)
    assert (tmp_path / "xdg" / "Trash" / "files" / path.name).exists()


async def test_the_open_session_is_marked_and_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path, monkeypatch, [say("answer")]) as stage:
        await stage.say("this one")
        await stage.idle()
        await open_list(stage)
        assert "open this one" in stage.text()
        await stage.press("ctrl+d")
        await stage.see("This session is open: it stays.")
        await stage.press("enter")
        await stage.see("This session is open already.")


async def test_a_session_that_another_instance_writes_can_be_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store_session(tmp_path, *talk("theirs", "answer"))
    other = Session.open(path)
    async with open_app(tmp_path, monkeypatch, [say("mine now")]) as stage:
        await open_list(stage)
        await stage.press("enter")
        await stage.see("Another instance has this session open.")
        await stage.press("f")
        await stage.until(lambda: "theirs" in stage.text() and session_of(stage).path != path)
        assert session_of(stage).header.parent_session == str(path)
        await stage.say("go on")
        await stage.see("mine now")
        copy = session_of(stage).path
    other.close()
    assert copy is not None
    assert said(copy) == ["theirs", "answer", "go on", "mine now"]
    assert said(path) == ["theirs", "answer"]


async def test_or_only_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *talk("theirs", "answer"))
    other = Session.open(path)
    async with open_app(tmp_path, monkeypatch, [say("never")]) as stage:
        await open_list(stage)
        await stage.press("enter")
        await stage.see("Another instance has this session open.")
        await stage.press("r")
        await stage.until(lambda: "theirs" in stage.text() and session_of(stage).is_read_only)
        await stage.say("my words")
        await stage.see("open for reading only")
        assert stage.draft == "my words"
        await stage.press("ctrl+c")
        await stage.say("/name other")
        await stage.until(lambda: stage.text().count("open for reading only") == 2)
    other.close()
    assert said(path) == ["theirs", "answer"]


@pytest.mark.parametrize(("key", "is_copy"), [("g", False), ("f", True)])
async def test_a_session_whose_folder_is_gone_goes_on_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, is_copy: bool
) -> None:
    path = store_session(tmp_path, *talk("long ago", "answer"), cwd=tmp_path / "gone")
    shutil.rmtree(tmp_path / "gone")
    async with open_app(tmp_path, monkeypatch, [say("here")]) as stage:
        await open_list(stage)
        await stage.press("tab")
        await stage.see("long ago")
        await stage.press("enter")
        await stage.see("The folder of this session is gone.")
        await stage.press(key)
        await stage.until(lambda: "long ago" in stage.text() and not isinstance(stage.app.screen, ChoiceScreen))
        await stage.until(lambda: len(session_of(stage).tree) > 1)
        assert stage.app.cwd == stage.project
        assert (session_of(stage).path != path) == is_copy


async def test_interrupted_calls_are_shown_as_such_and_answered_in_the_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = (ToolCall("c1", "bash", {"command": "one"}), ToolCall("c2", "bash", {"command": "two"}))
    path = store_session(
        tmp_path,
        UserMessage.of("do both"),
        AssistantMessage(calls, "scripted", "scripted", "scripted", Usage(), "toolUse"),
        ToolResultMessage("c1", "bash", (TextContent("done"),)),
    )
    before = path.read_bytes()
    async with open_app(tmp_path, monkeypatch, [say("I see")], session=str(path)) as stage:
        await stage.see("interrupted")
        await stage.see("their outcome is unknown: bash")
        assert path.read_bytes().startswith(before)
        await stage.say("go on")
        await stage.see("I see")
        composition = stage.app.conversation.composition
        assert composition is not None
        provider = composition.choice.provider
        assert isinstance(provider, ScriptedProvider)
        results = [message for message in provider.requests[0].messages if isinstance(message, ToolResultMessage)]
        assert [result.tool_call_id for result in results] == ["c1", "c2"]
        assert results[1].is_error
    assert path.read_bytes().startswith(before)


async def test_dash_r_asks_first_and_escape_begins_a_new_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store_session(tmp_path, *talk("stored", "answer"))
    async with open_app(tmp_path, monkeypatch, [say("new")], has_agent=False, resume=True) as stage:
        await stage.see("stored")
        await stage.press("escape")
        await stage.until(lambda: stage.app.conversation.composition is not None)
        assert session_of(stage).path != path
        await stage.say("hello")
        await stage.see("new")


async def test_dash_c_goes_on_through_a_link_to_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path / "real"
    path = store_session(tmp_path, *talk("stored", "answer"), cwd=real)
    (tmp_path / "project").symlink_to(real)
    async with open_app(tmp_path, monkeypatch, [say("on")], continue_last=True) as stage:
        await stage.see("stored")
        assert session_of(stage).path == path


async def test_a_session_that_is_not_there_is_said_and_the_words_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(tmp_path, monkeypatch, [say("x")], session="nope", messages=("do it",)) as stage:
        await stage.see("There is no session 'nope'")
        await stage.until(lambda: stage.draft == "do it")
        assert stage.messages == []


async def test_opening_another_session_stops_the_run_and_keeps_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_session(tmp_path, *talk("stored", "answer"))
    slow = {"parts": [{"say": "begin "}, {"stall": 60}, {"say": "end"}]}
    async with open_app(tmp_path, monkeypatch, [slow]) as stage:
        await stage.say("start")
        await stage.see("begin")
        await stage.say("and this")
        first = session_of(stage).path
        assert first is not None
        screen = await open_list(stage)
        screen.list.move(1)
        await stage.press("enter")
        await stage.until(lambda: session_of(stage).path != first and "stored" in stage.text())
        assert stage.draft == "and this"
    assert said(first) == ["start", "begin "]


async def test_a_long_session_does_not_hold_up_the_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"text {number} " + "word " * 60 for number in range(3000)]
    path = store_session(tmp_path, *talk(*texts))
    gaps: list[float] = []
    async with open_app(tmp_path, monkeypatch, [say("on")], has_agent=False, session=str(path)) as stage:
        last = time.monotonic()
        while "text 2999" not in stage.text():
            await asyncio.sleep(0.001)
            now = time.monotonic()
            gaps.append(now - last)
            last = now
    gaps.sort()
    assert sum(gap > 0.3 for gap in gaps) <= 1, gaps[-5:]


async def test_all_of_a_long_session_is_there_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *talk(*(f"text {number}" for number in range(300))))
    async with open_app(tmp_path, monkeypatch, [say("and now this")], session=str(path)) as stage:
        await stage.say("go on")
        await stage.see("and now this")
        await stage.until(lambda: len(stage.app.view.transcript.history.cells) == 302)
        texts = [cell.text() for cell in stage.app.view.transcript.history.cells]
        assert texts == [*(f"text {number}" for number in range(300)), "go on", "and now this"]
        await stage.press("ctrl+home")
        await stage.see("text 0")


async def test_tokens_of_before_and_of_now_are_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, UserMessage.of("one"), reply("first", Usage(1000, 100)))
    turn = {**say("on"), "usage": {"input": 2000, "output": 50}}
    async with open_app(tmp_path, monkeypatch, [turn], session=str(path), messages=("go on",)) as stage:
        await stage.see("on")
        await stage.until(lambda: stage.app.view.status.tokens_in == 3000)
        assert stage.app.view.status.context_percent == pytest.approx(100 * 2050 / 200_000)


async def test_looking_at_a_session_changes_nothing_in_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store_session(tmp_path, *talk("question", "answer"))
    before = path.read_bytes()
    async with open_app(tmp_path, monkeypatch, [say("more")], session=str(path), thinking="high") as stage:
        await stage.see("answer")
    assert path.read_bytes() == before
    async with open_app(tmp_path, monkeypatch, [say("more")], session=str(path)) as stage:
        await stage.say("go on")
        await stage.see("more")
        await stage.idle()
    assert path.read_bytes().startswith(before)
    types = [entry["type"] for entry in entries(path)][2:]
    assert types[0] in ("model_change", "thinking_level_change")
    assert types[-2:] == ["message", "message"]
