"""The real app in a folder of its own, with no key, no server and no script unless a test gives one."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pyagent_tui.app.arguments import Arguments
from pyagent_tui.app.paths import find_paths
from pyagent_tui.app.settings.reading import load_settings
from pyagent_tui.app.tui import PyAgentApp
from pyagent_tui.providers.config import LOCAL, PROVIDERS
from pyagent_tui.tests.providers.loopback import Answer, Asked, Reaction, chat_reply, json_answer
from pyagent_tui.tests.stage_app import AppStage
from pyagent_tui.widgets.review.consent import GUARD, PAUSE


def isolate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No key in the environment, nothing on the ports of local servers, a home of its own; the project's folder."""
    for config in PROVIDERS.values():
        for name in (*config.key_env, *config.bearer_env, *config.base_url_env):
            monkeypatch.delenv(name, raising=False)
    nowhere = f"http://127.0.0.1:{closed_port()}/v1"
    for name in LOCAL:
        monkeypatch.setenv(PROVIDERS[name].base_url_env[0], nowhere)
    project = tmp_path / "work" / "project"
    project.mkdir(parents=True, exist_ok=True)
    (tmp_path / "home").mkdir(exist_ok=True)
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYAGENT_TUI_HOME", str(tmp_path / "config"))
    return project


def write_script(tmp_path: Path, turns: Sequence[dict[str, Any]]) -> str:
    """The path of a scenario of these turns."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"turns": list(turns)}))
    return str(script)


@asynccontextmanager
async def open_real_app(
    project: Path, arguments: Arguments | None = None, *, size: tuple[int, int] = (100, 30)
) -> AsyncGenerator[AppStage]:
    """The app as the command line starts it; waits for nothing. Call `isolate` before."""
    paths = find_paths()
    settings, problems = load_settings(paths.config)
    app = PyAgentApp(arguments or Arguments(), settings, problems, paths, project)
    async with app.run_test(size=size) as pilot:
        yield AppStage(app, pilot, project)


def closed_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def chat_site(model: str = "qwen3:8b", window: int = 40_960, reply: str = "hello from here") -> Reaction:
    """A llama.cpp server with one model, which always says the same."""

    def answer(asked: Asked) -> Answer:
        if asked.path == "/v1/models":
            return json_answer(200, {"data": [{"id": model}]})
        if asked.path == "/props":
            return json_answer(200, {"default_generation_settings": {"n_ctx": window}})
        return chat_reply(reply) if asked.path == "/v1/chat/completions" else json_answer(404, {"error": "no"})

    return answer


async def answer(stage: AppStage, key: str) -> None:
    """Answer a screen that takes no key for a moment: wait, press, and pause, until it is gone."""
    screen = stage.app.screen
    await stage.pilot.pause(GUARD + 0.1)
    while stage.app.screen is screen:
        await stage.press(key)
        await stage.pilot.pause(PAUSE + 0.1)
