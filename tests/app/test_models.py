"""Models on the real app: servers found on this machine, the pickers, what a choice does and keeps."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from pyagent_tui.agent.model import Model
from pyagent_tui.app.arguments import Arguments
from pyagent_tui.app.models.local_servers import LocalServers
from pyagent_tui.app.screens.model_picker import LevelPicker, ModelOffer, ModelPicker
from pyagent_tui.app.screens.start import StartScreen
from pyagent_tui.providers.registry import Registry
from pyagent_tui.tests.providers.loopback import Answer, Hang, serving
from pyagent_tui.tests.real_app import answer, chat_site, isolate, open_real_app, write_script
from pyagent_tui.tests.stage_app import AppStage, say

pytestmark = pytest.mark.anyio

CUSTOM = """
[providers.box]
api = "openai-completions"
base_url = "{url}/v1"
key_required = false

[[providers.box.models]]
id = "thinker"
context_window = 1000
thinking = ["low", "high"]
prices = {{ input = 3, output = 15 }}

[[providers.box.models]]
id = "plain"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return isolate(tmp_path, monkeypatch)


def configure(tmp_path: Path, url: str) -> None:
    """Two models of one's own."""
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "models.toml").write_text(CUSTOM.format(url=url))


def kept(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "config" / "config.toml"
    return tomllib.loads(path.read_text()) if path.exists() else {}


async def ready(stage: AppStage) -> None:
    await stage.until(lambda: stage.app.view.title.model, "the agent")


async def command(stage: AppStage, text: str) -> None:
    """Type a command and send it, whatever the menu offers."""
    await stage.type(f"{text} ")
    await stage.press("enter")


async def open_picker(stage: AppStage) -> ModelPicker:
    await command(stage, "/model")
    await stage.until(lambda: isinstance(stage.app.screen, ModelPicker), "the picker")
    picker = stage.app.screen
    assert isinstance(picker, ModelPicker)
    return picker


def names(offers: Sequence[ModelOffer]) -> list[str]:
    return [offer.name for offer in offers]


# The start without a model


async def test_without_key_and_server_it_says_what_to_do(project: Path) -> None:
    async with open_real_app(project) as stage:
        await stage.see("There is no model to talk to yet.")
        await stage.see("none found")
        for words in ("export ANTHROPIC_API_KEY", "d play the demo", "esc go to the editor"):
            assert words in stage.text()


async def test_a_server_that_is_found_is_offered_and_one_key_uses_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(chat_site()) as server:
        monkeypatch.setenv("LLAMACPP_BASE_URL", f"{server.url}/v1")
        async with open_real_app(project) as stage:
            await stage.see(f"1  llama.cpp at 127.0.0.1:{server.port}: qwen3:8b")
            await answer(stage, "1")
            await ready(stage)
            assert stage.app.conversation.model == Model(
                "llama.cpp", "qwen3:8b", "openai-completions", context_window=40_960
            )
            await stage.say("hi")
            await stage.see("hello from here")


async def test_a_digit_without_a_server_does_nothing(project: Path) -> None:
    async with open_real_app(project) as stage:
        await stage.see("none found")
        await stage.pilot.pause(0.8)
        await stage.press("1")
        assert isinstance(stage.app.screen, StartScreen)


async def test_keys_that_come_with_the_screen_do_not_count(project: Path) -> None:
    async with open_real_app(project) as stage:
        await stage.until(lambda: isinstance(stage.app.screen, StartScreen))
        await stage.press("d", "l", "x", "enter")
        assert isinstance(stage.app.screen, StartScreen)
        assert stage.app.conversation.composition is None
        assert stage.draft == "dlx"


async def test_what_is_written_over_the_start_goes_on_in_the_editor(project: Path) -> None:
    async with open_real_app(project) as stage:
        await stage.see("none found")
        await stage.pilot.pause(0.8)
        await stage.press("h", "e", "l", "l", "o")
        await stage.until(lambda: not isinstance(stage.app.screen, StartScreen))
        assert stage.draft == "hello"


async def test_a_fault_in_models_toml_is_told_with_its_line(project: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "models.toml").write_text('[providers.box]\napi = "nonsense"\n')
    async with open_real_app(project) as stage:
        await stage.see("models.toml:2")


async def test_text_sent_without_a_model_comes_back(project: Path) -> None:
    async with open_real_app(project) as stage:
        await stage.see("There is no model")
        await answer(stage, "escape")
        await stage.say("hello?")
        await stage.see("There is no model to send this to")
        assert stage.draft == "hello?"


@pytest.mark.parametrize("size", [(60, 15), (80, 24)])
async def test_the_start_fits_small_screens(
    project: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    async with serving(chat_site()) as server:
        monkeypatch.setenv("LLAMACPP_BASE_URL", f"{server.url}/v1")
        async with open_real_app(project, size=size) as stage:
            await stage.see("1  llama.cpp")
            for words in ("There is no model", "ANTHROPIC_API_KEY", "d play the demo", "ctrl+c quit"):
                assert words in stage.text()


async def test_a_server_that_answers_nothing_holds_nothing_up(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(Answer([Hang()])) as server:
        monkeypatch.setenv("LLAMACPP_BASE_URL", f"{server.url}/v1")
        async with open_real_app(project) as stage:
            await stage.until(lambda: server.asked, "the question to the server")
            assert "looking for one" in stage.text()
            await answer(stage, "escape")
            await stage.type("still alive")
            assert stage.draft == "still alive"


async def test_only_this_machine_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def connect(address: tuple[str, int], timeout: float) -> None:
        asked.append(address[0])
        raise OSError

    monkeypatch.setattr(socket, "create_connection", connect)
    environment = {"OLLAMA_BASE_URL": "http://192.0.2.1:11434", "VLLM_BASE_URL": "https://models.example.org/v1"}
    assert await LocalServers().look(Registry(environment)) == ()
    assert asked == ["127.0.0.1", "127.0.0.1"]


# By name


async def test_an_unknown_model_names_the_nearest_and_changes_nothing(project: Path, tmp_path: Path) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    async with open_real_app(project) as stage:
        await ready(stage)
        await command(stage, "/model thinker9")
        await stage.see("There is no model 'thinker9'. Did you mean box/thinker")
        assert stage.app.conversation.model.id == "thinker"  # pyright: ignore[reportOptionalMemberAccess]


async def test_letters_of_a_name_are_no_name(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-none")
    async with open_real_app(project, Arguments(model="anthropic/claude-haiku-4-5")) as stage:
        await ready(stage)
        await stage.press(*"/model nope", "enter")
        await stage.see("There is no model 'nope'.")
        assert stage.app.conversation.model.id == "claude-haiku-4-5"  # pyright: ignore[reportOptionalMemberAccess]


async def test_a_name_that_several_models_have_opens_the_list_and_the_choice_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-none")
    async with open_real_app(project, Arguments(model="anthropic/claude-haiku-4-5")) as stage:
        await ready(stage)
        await stage.press(*"/model opus:low", "enter")
        await stage.see("this session")
        assert stage.app.conversation.model.id == "claude-haiku-4-5"  # pyright: ignore[reportOptionalMemberAccess]
        await stage.press("enter")
        await stage.see("answers from now on (anthropic/claude-opus")
        composition = stage.app.conversation.composition
        assert composition is not None
        assert composition.agent.setup.thinking_level == "low"


async def test_a_model_of_a_local_server_is_found_by_a_part_of_its_name(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(chat_site()) as server:
        monkeypatch.setenv("LLAMACPP_BASE_URL", f"{server.url}/v1")
        async with open_real_app(project, Arguments(model="qwen3:8b")) as stage:
            await stage.say("hi")
            await stage.see("hello from here")
            assert stage.app.conversation.model.provider == "llama.cpp"  # pyright: ignore[reportOptionalMemberAccess]


async def test_what_a_local_server_says_of_its_model_is_learned_after_the_start(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(chat_site(window=4096)) as server:
        monkeypatch.setenv("LLAMACPP_BASE_URL", f"{server.url}/v1")
        async with open_real_app(project, Arguments(model="llama.cpp/qwen3:8b")) as stage:
            await ready(stage)
            await stage.until(lambda: (model := stage.app.conversation.model) and model.context_window == 4096)
            assert "catalogue" not in stage.text()


async def test_a_server_that_is_down_is_named_with_its_address(project: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("[retry]\nenabled = false\n")
    async with open_real_app(project, Arguments(model="llama.cpp/qwen3:8b")) as stage:
        await stage.say("hi")
        await stage.see(os.environ["LLAMACPP_BASE_URL"].removesuffix("/v1").removeprefix("http://"))
        await stage.see("/retry")


def test_without_a_screen_a_server_is_named_and_not_taken(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pyagent_tui", "-p", "hi"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "No model is set up" in done.stderr
    assert "Traceback" not in done.stderr


async def test_without_a_screen_what_was_found_is_offered(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(chat_site()) as server:
        monkeypatch.setenv("LLAMACPP_BASE_URL", f"{server.url}/v1")
        program = [sys.executable, "-P", "-m", "pyagent_tui"]
        plain = await anyio.run_process([*program, "-p", "hi"], check=False)
        assert b"--model llama.cpp/qwen3:8b" in plain.stderr
        assert not any(asked.path == "/v1/chat/completions" for asked in server.asked)
        named = await anyio.run_process([*program, "-p", "--model", "qwen3:8b", "hi"], check=False)
        assert (named.returncode, named.stdout) == (0, b"hello from here\n")
        listed = await anyio.run_process([*program, "--list-models", "qwen3:8b"], check=False)
        assert b"* llama.cpp/qwen3:8b" in listed.stdout.replace(b"  ", b" ")


# The picker


async def test_the_picker_lists_ready_models_first_with_what_is_known(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    monkeypatch.setenv("GROQ_API_KEY", "a-key-of-groq-0123456789")
    async with open_real_app(project) as stage:
        await ready(stage)
        picker = await open_picker(stage)
        assert names(picker.list.items)[:2] == ["box/thinker", "box/plain"]
        assert picker.list.items[2].model.provider == "groq"
        ready_ones = [offer.model.provider for offer in picker.list.items if offer.is_ready]
        assert {*ready_ones} == {"box", "groq"}
        assert all(offer.is_ready for offer in picker.list.items[: len(ready_ones)])
        lines = stage.text().splitlines()
        thinker = next(line for line in lines if "box/thinker" in line)
        assert thinker.split() == ["❯", "●", "box/thinker", "$3", "$15", "1.0k", "ready"]
        plain = next(line for line in lines if "box/plain" in line)
        assert plain.split() == ["box/plain", "–", "–", "–", "ready"]
        assert "no key" in stage.text()


async def test_typing_narrows_and_enter_takes_it_for_this_session(project: Path, tmp_path: Path) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    async with open_real_app(project) as stage:
        await ready(stage)
        picker = await open_picker(stage)
        await stage.press(*"plain")
        await stage.until(lambda: names(picker.list.items)[:1] == ["box/plain"])
        await stage.press("enter")
        await stage.until(lambda: stage.app.view.title.model == "plain")
        assert kept(tmp_path) == {}
        await command(stage, "/new")
        await ready(stage)
        assert stage.app.view.title.model == "plain"


async def test_ctrl_s_makes_it_the_default(project: Path, tmp_path: Path) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    async with open_real_app(project) as stage:
        await ready(stage)
        await open_picker(stage)
        await stage.press("down", "ctrl+s")
        await stage.see("box/plain is the default from now on")
        assert kept(tmp_path) == {"default_provider": "box", "default_model": "plain"}
    async with open_real_app(project) as stage:
        await ready(stage)
        assert stage.app.view.title.model == "plain"


async def test_ctrl_l_opens_it_and_escape_changes_nothing(project: Path, tmp_path: Path) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    async with open_real_app(project) as stage:
        await ready(stage)
        await stage.type("a draft")
        await stage.press("ctrl+l")
        await stage.until(lambda: isinstance(stage.app.screen, ModelPicker))
        await stage.press("down", "escape")
        await stage.until(lambda: not isinstance(stage.app.screen, ModelPicker))
        assert (stage.app.view.title.model, stage.draft) == ("thinker", "a draft")


async def test_a_server_found_while_the_list_is_open_joins_it(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    async with open_real_app(project) as stage, serving(chat_site()) as server:
        await ready(stage)
        composition = stage.app.conversation.composition
        assert composition is not None
        registry = composition.choice.registry
        assert registry is not None
        config = registry.configs["llama.cpp"]
        registry.configs["llama.cpp"] = replace(config, base_url=f"{server.url}/v1")
        picker = await open_picker(stage)
        await stage.press("down")
        await stage.until(lambda: "llama.cpp/qwen3:8b" in names(picker.list.items), "the server's model")
        assert picker.list.current
        assert picker.list.current.name == "box/plain"


async def test_a_name_that_is_in_no_list_can_be_asked_for(project: Path, tmp_path: Path) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    async with open_real_app(project) as stage:
        await ready(stage)
        await open_picker(stage)
        await stage.press(*"box/zzzz", "enter")
        await stage.until(lambda: stage.app.view.title.model == "zzzz")
        await stage.see("its limits and prices are unknown")


@pytest.mark.parametrize("size", [(60, 15), (80, 24)])
async def test_the_picker_fits_small_screens(project: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    async with open_real_app(project, size=size) as stage:
        await ready(stage)
        await open_picker(stage)
        await stage.see("anthropic/claude-sonnet-4-5" if size[1] > 15 else "box/thinker")
        for words in ("Model", "ready", "enter", "ctrl+s", "1.0k"):
            assert words in stage.text()


async def test_a_script_is_not_changed_for_a_model(project: Path, tmp_path: Path) -> None:
    script = write_script(tmp_path, [say("hello")])
    async with open_real_app(project, Arguments(script=script)) as stage:
        await ready(stage)
        await command(stage, "/model")
        await stage.see("A script plays the model here")


async def test_a_model_ends_the_demo(project: Path, tmp_path: Path) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    async with open_real_app(project, Arguments(demo=True)) as stage:
        await ready(stage)
        await open_picker(stage)
        await stage.press("enter")
        await stage.until(lambda: stage.app.view.title.model == "thinker")
        assert stage.app.cwd == project
        assert stage.messages == []


async def test_a_name_from_outside_is_shown_as_it_is(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(chat_site("[/]\x1b[31m[@click=app.quit]x")) as server:
        monkeypatch.setenv("LLAMACPP_BASE_URL", f"{server.url}/v1")
        async with open_real_app(project) as stage:
            await stage.see("[/]␛[31m[@click=app.quit]x")
            await answer(stage, "1")
            await ready(stage)
            await open_picker(stage)
            await stage.see("llama.cpp/[/]␛[31m[@click=app.quit]x")


# Thinking


async def test_the_level_is_chosen_from_those_that_the_model_has(project: Path, tmp_path: Path) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    async with open_real_app(project) as stage:
        await ready(stage)
        assert stage.app.view.title.thinking == "high"
        await command(stage, "/thinking")
        await stage.until(lambda: isinstance(stage.app.screen, LevelPicker))
        await stage.see("● high")
        picker = stage.app.screen
        assert isinstance(picker, LevelPicker)
        assert list(picker.list.items) == ["off", "low", "high"]
        await stage.press("up", "ctrl+s")
        await stage.until(lambda: stage.app.view.title.thinking == "low")
        await stage.see("low is the default thinking level")
        assert kept(tmp_path) == {"default_thinking_level": "low"}
        await command(stage, "/thinking off")
        await stage.until(lambda: stage.app.view.title.thinking == "off")


async def test_a_model_that_does_not_reason_has_no_levels(project: Path, tmp_path: Path) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    async with open_real_app(project, Arguments(model="box/plain")) as stage:
        await ready(stage)
        await command(stage, "/thinking")
        await stage.see("does not reason")


async def test_a_level_that_the_model_lacks_becomes_the_nearest(project: Path, tmp_path: Path) -> None:
    configure(tmp_path, "http://127.0.0.1:9")
    async with open_real_app(project, Arguments(model="box/thinker")) as stage:
        await ready(stage)
        await command(stage, "/thinking max")
        await stage.see("thinker has no thinking level max; high is the nearest.")
        await stage.see("thinker · high")
        await command(stage, "/thinking deep")
        await stage.see("'deep' is no thinking level")


# Asking once more


async def test_a_wait_that_is_too_long_is_told_and_retry_asks_once_more(project: Path, tmp_path: Path) -> None:
    busy = {"parts": [{"say": "half "}, {"fail": "rate_limit", "message": "slow down", "retry_after": 300}]}
    async with open_real_app(project, Arguments(script=write_script(tmp_path, [busy, say("at last")]))) as stage:
        await stage.say("hi")
        await stage.see("slow down")
        await stage.see("The server asks to wait 5 min, until ")
        await stage.see("more than 60 s are not waited unasked.")
        await stage.see("/retry asks once more")
        await stage.idle()
        await command(stage, "/retry")
        await stage.see("at last")
        await stage.idle()
        assert stage.said() == ["hi"]
        await command(stage, "/retry")
        await stage.see("There is nothing to try again")


async def test_escape_in_the_wait_says_that_it_has_ended_and_retry_goes_on(project: Path, tmp_path: Path) -> None:
    busy = {"parts": [{"say": "half "}, {"fail": "overloaded", "message": "come back later", "retry_after": 50}]}
    async with open_real_app(project, Arguments(script=write_script(tmp_path, [busy, say("at last")]))) as stage:
        await stage.say("hi")
        await stage.see("retrying in ")
        await stage.press("escape")
        await stage.idle()
        await stage.see("aborted: it is not tried again")
        assert "retrying" not in stage.text()
        assert "half" in stage.text()
        await command(stage, "/retry")
        await stage.see("at last")


async def test_retry_goes_on_after_escape_and_not_while_it_runs(project: Path, tmp_path: Path) -> None:
    slow = {"parts": [{"say": "begin "}, {"stall": 60}]}
    async with open_real_app(project, Arguments(script=write_script(tmp_path, [slow, say("whole")]))) as stage:
        await stage.say("hi")
        await stage.see("begin")
        await command(stage, "/retry")
        await stage.see("A run is going on")
        await stage.press("escape")
        await stage.idle()
        await command(stage, "/retry")
        await stage.see("whole")
        assert stage.said() == ["hi"]
