"""Session files for tests of the app: in the home folder that `stage_app` uses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pyagent_tui.agent.messages import AssistantMessage, Message, TextContent, Usage, UserMessage
from pyagent_tui.sessions.session import Session


def reply(text: str, usage: Usage | None = None) -> AssistantMessage:
    return AssistantMessage((TextContent(text),), "scripted", "scripted", "scripted", usage or Usage())


def talk(*texts: str) -> list[Message]:
    """What was said, the person and the model by turns."""
    return [UserMessage.of(text) if index % 2 == 0 else reply(text) for index, text in enumerate(texts)]


def store_session(tmp_path: Path, *messages: Message, name: str | None = None, cwd: Path | None = None) -> Path:
    """A session of the project (or of another folder) in the home folder of the app; its file."""
    folder = cwd or tmp_path / "project"
    folder.mkdir(exist_ok=True)
    session = Session.start(folder, tmp_path / "home", name)
    for message in messages:
        session.append_message(message)
    session.close()
    assert session.path is not None
    return session.path


def entries(path: Path) -> list[dict[str, Any]]:
    """The lines of a session file after its header."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()[1:]]


def said(path: Path) -> list[str]:
    """The texts of the messages in a session file, in file order."""
    messages = [entry["message"] for entry in entries(path) if entry["type"] == "message"]
    return [block["text"] for message in messages for block in message["content"] if block["type"] == "text"]
