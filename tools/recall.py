"""What a stored conversation tells of the files that the model has seen in it."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import TypeAlias

import anyio.to_thread

from ..agent.details import DiffDetails, FileDetails, SeenContent
from ..agent.messages import AssistantMessage, JsonObject, Message, ToolResultMessage
from .changes import EditFailed
from .edit import EditTool, edited, fold_edits
from .filestate import digest_of
from .textfile import NotText

History: TypeAlias = Callable[[Collection[str]], Iterator[Message]]
"""The messages of these roles, from the first to the last of the branch. What it returns is read in a thread."""


class Recall:
    """Reads the history when it is first asked, as most sessions that go on never need it."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._digests: dict[str, str] | None = None

    async def digest(self, path: str) -> str | None:
        """The hash of what was last seen of a file, None for never."""
        if self._digests is None:
            self._digests = await anyio.to_thread.run_sync(last_digests, self._history(("toolResult",)))
        return self._digests.get(path)

    async def content(self, path: str) -> bytes | None:
        """What was last seen of it, worked out of calls and results; None unless its hash proves it."""
        history = self._history(("assistant", "toolResult"))
        return await anyio.to_thread.run_sync(partial(last_content, history, path))

    def start_over(self) -> None:
        """The history is another one now."""
        self._digests = None


def last_digests(messages: Iterator[Message]) -> dict[str, str]:
    """By real path, the hash of what was last seen of each file."""
    found = (_seen(message) for message in messages)
    return {seen.path: seen.digest for seen in found if seen is not None}


def last_content(messages: Iterator[Message], path: str) -> bytes | None:
    """The content of one file after the last call that showed or changed it."""
    calls: dict[str, JsonObject] = {}
    content: bytes | None = None
    for message in messages:
        if isinstance(message, AssistantMessage):
            calls = {call.id: call.arguments for call in message.tool_calls}
            continue
        seen = _seen(message)
        if seen is not None and seen.path == path and isinstance(message, ToolResultMessage):
            candidates = _candidates(message, calls.get(message.tool_call_id, {}), content)
            content = next((each for each in candidates if digest_of(each) == seen.digest), None)
    return content


def _seen(message: Message) -> SeenContent | None:
    details = message.details if isinstance(message, ToolResultMessage) else None
    return details.seen if isinstance(details, FileDetails | DiffDetails) else None


def _candidates(message: ToolResultMessage, arguments: JsonObject, before: bytes | None) -> Iterator[bytes]:
    """Contents that the file may have after a call, `before` being the one it had."""
    if before is not None:
        yield before
    if isinstance(message.details, FileDetails):
        text = message.text if message.details.lines else ""
        for shown in (text, text.replace("\n", "\r\n")):
            yield shown.encode("utf-8", "replace")
            yield codecs.BOM_UTF8 + shown.encode("utf-8", "replace")
    elif isinstance(text := arguments.get("content"), str):
        yield text.encode("utf-8", "replace")
    elif before is not None:
        from pydantic import ValidationError  # for a session that goes on

        try:
            yield edited(before, EditTool.Arguments.model_validate(fold_edits(arguments)))
        except (ValidationError, EditFailed, NotText):
            return
