"""Short ways to say messages and files in the tests of sessions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyagent_tui.agent.messages import AssistantContent, AssistantMessage, TextContent, Usage, UserMessage
from pyagent_tui.sessions.session import Session

HEADER: dict[str, Any] = {
    "type": "session",
    "version": 3,
    "id": "test",
    "timestamp": "2026-01-01T00:00:00.000Z",
    "cwd": "/tmp",
}


def user(text: str) -> UserMessage:
    return UserMessage.of(text)


def reply(text: str, *blocks: AssistantContent, usage: Usage | None = None) -> AssistantMessage:
    content = (TextContent(text), *blocks) if text else blocks
    return AssistantMessage(content, "anthropic-messages", "anthropic", "model-a", usage or Usage())


def stored(id_: str, parent: str | None, text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    """A message entry as a file holds it."""
    message = {"role": role, "content": [{"type": "text", "text": text}], "timestamp": 1, **more}
    return {
        "type": "message",
        "id": id_,
        "parentId": parent,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "message": message,
    }


def chain(count: int) -> list[dict[str, Any]]:
    """Messages ``e0``, ``e1``, … each the child of the one before."""
    return [
        stored(f"e{i}", f"e{i - 1}" if i else None, f"text {i}", "assistant" if i % 2 else "user") for i in range(count)
    ]


def line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def write_file(path: Path, entries: Iterable[dict[str, Any] | bytes], header: dict[str, Any] = HEADER) -> Path:
    """A session file of these entries; bytes stand as they are."""
    path.write_bytes(b"".join(item if isinstance(item, bytes) else line(item) for item in (header, *entries)))
    return path


def texts(session: Session) -> list[str]:
    """The texts of the current branch."""
    messages = session.messages()
    return [message.text for message in messages if isinstance(message, (UserMessage, AssistantMessage))]


def lines_of(path: Path | None) -> list[dict[str, Any]]:
    assert path is not None
    return [json.loads(text) for text in path.read_bytes().splitlines()]
