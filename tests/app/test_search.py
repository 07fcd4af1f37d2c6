"""Search over all sessions and the view of context and cost, on the real app."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyagent_tui.agent.messages import Cost, Usage, UserMessage
from pyagent_tui.app.screens.search import SearchScreen
from pyagent_tui.app.screens.usage import UsageScreen, draw_bar
from pyagent_tui.sessions.session import Session
from pyagent_tui.tests.stage_app import AppStage, open_app, say
from pyagent_tui.tests.stored_sessions import reply, store_session, talk

pytestmark = pytest.mark.anyio


def session_of(stage: AppStage) -> Session:
    composition = stage.app.conversation.composition
    assert composition is not None
    return composition.session


async def open_search(stage: AppStage, words: str) -> SearchScreen:
    await stage.say(f"/search {words}")
    await stage.until(lambda: isinstance(stage.app.screen, SearchScreen), "the search")
    screen = stage.app.screen
    assert isinstance(screen, SearchScreen)
    return screen


async def test_search_finds_what_was_said_anywhere_and_goes_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filler = [f"filler {number}" for number in range(60)]
    path = store_session(tmp_path, *talk("where is the zebra", "in the [/] stable", *filler), cwd=tmp_path / "zoo")
    store_session(tmp_path, *talk("about horses", "they run"))
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        screen = await open_search(stage, "stable")
        await stage.see("in the [/] stable")
        await stage.press("ctrl+u", *"zeb")
        await stage.see("where is the zebra")
        assert len(screen.list.items) == 1
        await stage.press("tab")
        await stage.see("nothing found")
        await stage.press("tab")
        await stage.see("where is the zebra")
        await stage.press("enter")
        await stage.until(lambda: session_of(stage).path == path)
        await stage.until(lambda: "❯ where is the zebra" in stage.text() and "filler 59" not in stage.text())


async def test_on_a_narrow_screen_what_was_found_keeps_half_of_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_session(tmp_path, *talk("we were told where the zebra is", "yes"), name="a name that is rather long")
    async with open_app(tmp_path, monkeypatch, [say("x")], size=(60, 15)) as stage:
        await open_search(stage, "zebra")
        await stage.see("you: we were told where the zebra is")


async def test_search_in_the_open_session_shows_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n\n".join(f"line {number}" for number in range(80))
    async with open_app(tmp_path, monkeypatch, [say("a giraffe"), say(text)]) as stage:
        await stage.say("first")
        await stage.see("a giraffe")
        await stage.idle()
        await stage.say("second")
        await stage.see("line 79")
        await stage.idle()
        assert "a giraffe" not in stage.text()
        session_id = session_of(stage).id
        await open_search(stage, "giraffe")
        await stage.see("model: a giraffe")
        await stage.press("enter")
        await stage.until(lambda: not isinstance(stage.app.screen, SearchScreen) and "a giraffe" in stage.text())
        assert session_of(stage).id == session_id
        assert len(stage.messages) == 4


async def test_a_hit_on_another_branch_leads_to_that_branch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_session(tmp_path, *talk("one", "first", "about the okapi", "a quiet one", "more of it", "yes"))
    session = Session.open(path)
    session.branch(session.tree.path()[1].id)
    session.append_message(UserMessage.of("something else"))
    session.append_message(reply("fine"))
    session.close()
    async with open_app(tmp_path, monkeypatch, [say("x")], session=str(path)) as stage:
        await stage.see("fine")
        await open_search(stage, "okapi")
        await stage.see("about the okapi")
        await stage.press("enter")
        await stage.until(lambda: "about the okapi" in stage.text() and "fine" not in stage.text())
        assert stage.said() == ["one", "about the okapi", "more of it"]


async def test_a_lost_index_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store_session(tmp_path, *talk("where is the zebra", "x"))
    (tmp_path / "home" / "search.sqlite").write_bytes(b"no database at all" * 100)
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await open_search(stage, "zebra")
        await stage.see("where is the zebra")


async def test_the_list_of_sessions_finds_words_in_messages_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_session(tmp_path, *talk("a title", "the axolotl answer"))
    store_session(tmp_path, *talk("another", "nothing"))
    async with open_app(tmp_path, monkeypatch, [say("x")]) as stage:
        await open_search(stage, "axolotl")
        await stage.see("the axolotl answer")
        await stage.press("escape")
        await stage.say("/resume")
        await stage.see("another")
        await stage.press(*"axolotl")
        await stage.until(lambda: "❯ a title" in stage.text() and "another" not in stage.text())


async def test_usage_draws_every_reply_and_goes_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usages = [Usage(1000, 20, cost=Cost(input=0.01)), Usage(100_000, 30, cost=Cost(input=0.5)), Usage(150_000, 40)]
    messages = [m for n, usage in enumerate(usages) for m in (UserMessage.of(f"ask {n}"), reply(f"told {n}", usage))]
    path = store_session(tmp_path, *messages)
    async with open_app(tmp_path, monkeypatch, [say("x")], session=str(path)) as stage:
        await stage.see("told 2")
        await stage.say("/usage")
        await stage.until(lambda: isinstance(stage.app.screen, UsageScreen))
        await stage.see("$0.51 and more")
        lines = [
            line for line in stage.text().splitlines() if " in " in line and " out" in line and "window" not in line
        ]
        lengths = [line.split("now")[0].count("█") for line in lines]
        assert len(lines) == 3
        assert 1 == lengths[0] < lengths[1] < lengths[2]
        assert lines[2].rstrip().endswith("–")
        await stage.press("ctrl+home", "enter")
        await stage.until(lambda: not isinstance(stage.app.screen, UsageScreen))
        assert "told 0" in stage.text()


def test_a_bar_is_as_long_as_its_part_and_never_empty_for_something() -> None:
    assert draw_bar(5, 10, 8) == "████    "
    assert draw_bar(0, 10, 8) == " " * 8
    assert draw_bar(0.001, 10, 8) == "█" + " " * 7
    assert draw_bar(99, 10, 8) == "█" * 8
