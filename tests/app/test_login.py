"""Keys on the real app: asked for, checked, stored, forgotten; never shown."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from pyagent_tui.app.arguments import Arguments
from pyagent_tui.app.screens.login import LoginScreen, OwnerPicker
from pyagent_tui.app.screens.model_picker import ModelPicker
from pyagent_tui.tests.providers.loopback import Answer, Asked, Hang, Reaction, Server, chat_reply, json_answer, serving
from pyagent_tui.tests.real_app import answer, isolate, open_real_app
from pyagent_tui.tests.stage_app import AppStage

pytestmark = pytest.mark.anyio

KEY = "gsk-the-very-secret-key-0123456789"

CUSTOM = """
[providers.work]
label = "Work"
api = "openai-completions"
base_url = "{url}/v1"
key_required = true

[[providers.work.models]]
id = "worker"
"""


def guarded(*, echo: bool = False) -> Reaction:
    """A provider that takes one key only; `echo`: it repeats a wrong one in its refusal."""

    def answer(asked: Asked) -> Answer:
        if asked.headers.get("authorization") != f"Bearer {KEY}":
            words = f"Wrong key {asked.headers.get('authorization')}" if echo else "Wrong key"
            return json_answer(401, {"error": {"message": words}})
        return chat_reply("let in") if "chat" in asked.path else json_answer(200, {"data": [{"id": "worker"}]})

    return answer


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return isolate(tmp_path, monkeypatch)


def configure(tmp_path: Path, url: str) -> None:
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "models.toml").write_text(CUSTOM.format(url=url))


def auth(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "config" / "auth.json"
    return json.loads(path.read_text()) if path.exists() else {}


def store(tmp_path: Path, server: Server, key: str = KEY) -> None:
    """A key that was stored before."""
    path = tmp_path / "config" / "auth.json"
    path.write_text(json.dumps({"work": {"type": "api_key", "key": key, "host": server.url}}))
    path.chmod(0o600)


async def command(stage: AppStage, text: str) -> None:
    await stage.type(f"{text} ")
    await stage.press("enter")


async def asked_for(stage: AppStage) -> None:
    """Wait for the form."""
    await stage.until(lambda: isinstance(stage.app.screen, LoginScreen), "the form")


async def give(stage: AppStage, key: str) -> None:
    await asked_for(stage)
    stage.app.screen.query_one(Input).value = key
    await stage.press("enter")


async def at_the_editor(stage: AppStage) -> None:
    """Past the start screen."""
    await stage.see("There is no model")
    await answer(stage, "escape")


async def test_a_good_key_is_checked_stored_and_used_at_once(project: Path, tmp_path: Path) -> None:
    async with serving(guarded()) as server:
        configure(tmp_path, server.url)
        async with open_real_app(project) as stage:
            await at_the_editor(stage)
            await command(stage, "/login work")
            await give(stage, KEY)
            await stage.see("The key for Work works and is stored in")
            await stage.until(lambda: stage.app.view.title.model == "worker")
            await stage.say("hi")
            await stage.see("let in")
        assert auth(tmp_path) == {"work": {"type": "api_key", "key": KEY, "host": server.url}}
        assert [asked.path for asked in server.asked] == ["/v1/models", "/v1/chat/completions"]
    assert os.name == "nt" or stat.S_IMODE((tmp_path / "config" / "auth.json").stat().st_mode) == 0o600


async def test_the_key_is_never_on_the_screen_nor_in_a_file_but_one(project: Path, tmp_path: Path) -> None:
    async with serving(guarded(echo=True)) as server:
        configure(tmp_path, server.url)
        async with open_real_app(project) as stage:
            await at_the_editor(stage)
            await command(stage, "/login work")
            await asked_for(stage)
            await stage.press(*KEY[:6])
            await stage.see("•" * 6)
            await give(stage, f"{KEY}-wrong")
            await stage.see("The key is refused, and nothing was stored: Wrong key Bearer")
            assert "[the key]" in stage.text()
            assert KEY[:8] not in stage.text()
            await give(stage, KEY)
            await stage.see("works and is stored")
            assert KEY[:8] not in stage.text()
    holding = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert holding == [tmp_path / "config" / "auth.json"]


async def test_a_refused_key_can_be_mended_and_nothing_was_stored(project: Path, tmp_path: Path) -> None:
    async with serving(guarded()) as server:
        configure(tmp_path, server.url)
        async with open_real_app(project) as stage:
            await at_the_editor(stage)
            await command(stage, "/login work")
            await give(stage, "nonsense")
            await stage.see("nothing was stored: Wrong key")
            assert auth(tmp_path) == {}
            await give(stage, KEY)
            await stage.see("works and is stored")


async def test_a_server_that_is_down_stores_nothing_and_says_why(project: Path, tmp_path: Path) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    async with open_real_app(project) as stage:
        await at_the_editor(stage)
        await command(stage, "/login work")
        await give(stage, KEY)
        await stage.see("The key could not be checked, and nothing was stored")
        assert "127.0.0.1:9" in stage.text()
        assert auth(tmp_path) == {}
        await stage.press("escape")
        await stage.until(lambda: not isinstance(stage.app.screen, LoginScreen))


async def test_escape_gives_up_a_check_that_takes_long(project: Path, tmp_path: Path) -> None:
    async with serving(Answer([Hang()])) as server:
        configure(tmp_path, server.url)
        async with open_real_app(project) as stage:
            await at_the_editor(stage)
            await command(stage, "/login work")
            await give(stage, KEY)
            await stage.see(f"asking {server.url}")
            await stage.until(lambda: server.asked)
            await stage.press("escape")
            await stage.until(lambda: not isinstance(stage.app.screen, LoginScreen))
            await stage.type("alive")
            assert stage.draft == "alive"
    assert auth(tmp_path) == {}


async def test_without_a_provider_there_is_a_list(project: Path, tmp_path: Path) -> None:
    async with serving(guarded()) as server:
        configure(tmp_path, server.url)
        async with open_real_app(project) as stage:
            await stage.see("There is no model")
            await answer(stage, "l")
            await stage.until(lambda: isinstance(stage.app.screen, OwnerPicker), "the list")
            await stage.see("Anthropic")
            await stage.press(*"work", "enter")
            await stage.see("The key for Work")
            await give(stage, KEY)
            await stage.until(lambda: stage.app.view.title.model == "worker")


async def test_a_key_on_the_command_line_is_not_taken_and_not_repeated(project: Path) -> None:
    async with open_real_app(project) as stage:
        await at_the_editor(stage)
        await command(stage, f"/login groq {KEY}")
        await stage.see("/login takes a provider only")
        assert KEY not in stage.text()


async def test_an_unknown_provider_names_the_nearest(project: Path) -> None:
    async with open_real_app(project) as stage:
        await at_the_editor(stage)
        await command(stage, "/login antropic")
        await stage.see("There is no provider 'antropic'; did you mean anthropic?")


async def test_choosing_a_model_without_a_key_asks_for_it_first(project: Path, tmp_path: Path) -> None:
    async with serving(guarded()) as server:
        configure(tmp_path, server.url)
        async with open_real_app(project) as stage:
            await at_the_editor(stage)
            await stage.press("ctrl+l")
            await stage.until(lambda: isinstance(stage.app.screen, ModelPicker))
            await stage.press(*"worker", "enter")
            await give(stage, KEY)
            await stage.until(lambda: stage.app.view.title.model == "worker")
            await stage.say("hi")
            await stage.see("let in")


async def test_a_new_key_counts_for_the_next_request_and_is_hidden_from_then_on(project: Path, tmp_path: Path) -> None:
    async with serving(guarded()) as server:
        configure(tmp_path, server.url)
        store(tmp_path, server, "an-old-key-0123456789")
        async with open_real_app(project) as stage:
            await stage.say("hi")
            await stage.see("Wrong key")
            await stage.idle()
            await command(stage, "/login work")
            await give(stage, KEY)
            await stage.see("works and is stored")
            await command(stage, "/retry")
            await stage.see("let in")
            assert stage.said() == ["hi"]
            composition = stage.app.conversation.composition
            assert composition is not None
            (redact,) = composition.agent.setup.pipeline.redactors
            assert redact(f"key={KEY}") == "key=[redacted: work key]"


async def test_logout_forgets_the_key_and_tells_of_another(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "another-one-0123456789")
    async with serving(guarded()) as server:
        configure(tmp_path, server.url)
        store(tmp_path, server)
        async with open_real_app(project) as stage:
            await stage.until(lambda: stage.app.view.title.model)
            await command(stage, "/logout groq")
            await stage.see("No key is stored for Groq.")
            await command(stage, "/logout work")
            await stage.see("The stored key for Work is forgotten.")
            assert auth(tmp_path) == {}
            await command(stage, "/logout")
            await stage.see("No key is stored.")


async def test_a_broken_file_of_keys_is_told_and_kept(project: Path, tmp_path: Path) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    (tmp_path / "config" / "auth.json").write_text("{")
    async with open_real_app(project, Arguments(model="work/worker")) as stage:
        await stage.see("config/auth.json is not valid")
    assert (tmp_path / "config" / "auth.json").read_text() == "{"
