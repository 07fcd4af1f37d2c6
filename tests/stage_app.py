"""The real app on a script, in a project of its own, driven by keys."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from pyagent_tui.agent.messages import Message, ToolResultMessage, UserMessage
from pyagent_tui.app.arguments import Arguments
from pyagent_tui.app.paths import find_paths
from pyagent_tui.app.settings.reading import load_settings
from pyagent_tui.app.tui import PyAgentApp

WAIT = 15.0
"""Seconds after which a test gives up on what it waits for."""


class AppStage:
    """A running app: press keys, wait for what must come, look at the screen."""

    def __init__(self, app: PyAgentApp, pilot: Pilot[int], project: Path) -> None:
        self.app = app
        self.pilot = pilot
        self.project = project

    async def until(self, holds: Callable[[], object], what: str = "") -> None:
        """Let the app work until something holds; fails after `WAIT` seconds."""
        end = time.monotonic() + WAIT
        while not holds():
            assert time.monotonic() < end, f"never came: {what}\n{self.text()}"
            await self.pilot.pause(0.01)

    async def see(self, words: str) -> None:
        """Wait until the screen holds these words, also where a row ends in the midst of them."""
        wanted = "".join(words.split())
        await self.until(lambda: wanted in "".join(self.text().split()), words)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, words: str) -> None:
        """Type into the editor."""
        self.app.view.editor.insert(words)
        await self.pilot.pause()

    async def say(self, words: str) -> None:
        """Type and send."""
        await self.type(words)
        await self.press("enter")

    async def idle(self) -> None:
        """Wait until no run goes on."""
        await self.until(lambda: not self.app.conversation.is_running, "the end of the run")

    async def question(self) -> None:
        """Wait for the approval panel, and until a key counts as an answer."""
        await self.until(lambda: self.app.view.panel.is_open, "the approval panel")
        await self.pilot.pause(0.7)

    def text(self) -> str:
        """The screen as text."""
        lines = self.app.screen._compositor.render_strips()  # pyright: ignore[reportUnknownMemberType]
        return "\n".join(strip.text.rstrip() for strip in lines)

    @property
    def draft(self) -> str:
        return self.app.view.editor.text

    @property
    def messages(self) -> list[Message]:
        composition = self.app.conversation.composition
        assert composition is not None
        return composition.agent.messages

    @property
    def results(self) -> list[ToolResultMessage]:
        return [message for message in self.messages if isinstance(message, ToolResultMessage)]

    def said(self) -> list[str]:
        """The person's messages that reached the conversation."""
        return [message.text for message in self.messages if isinstance(message, UserMessage)]


@asynccontextmanager
async def open_app(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    turns: Sequence[dict[str, Any]],
    *,
    size: tuple[int, int] = (100, 30),
    has_agent: bool = True,
    **arguments: Any,
) -> AsyncGenerator[AppStage]:
    """The app on a scenario of these turns (`providers.scenario` says their form), ready for keys.

    `has_agent` False: it does not wait for the agent, because the person is asked something first.
    """
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir(exist_ok=True)
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"turns": list(turns)}))
    monkeypatch.chdir(project)
    monkeypatch.setenv("PYAGENT_TUI_HOME", str(home))
    paths = find_paths()
    settings, problems = load_settings(paths.config)
    app = PyAgentApp(Arguments(script=str(script), **arguments), settings, problems, paths, project)
    async with app.run_test(size=size) as pilot:
        stage = AppStage(app, pilot, project)
        if has_agent:
            await stage.until(lambda: app.conversation.composition is not None, "the agent")
        yield stage


def say(text: str, **more: Any) -> dict[str, Any]:
    """A turn of one text."""
    return {"parts": [{"say": text, **more}]}


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    """A turn of one call."""
    return {"parts": [{"call": name, "arguments": arguments}]}
