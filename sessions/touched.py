"""Which files a conversation read and changed, so that a summary can name them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import cast

from ..agent.messages import AssistantMessage, JsonObject, Message
from ..agent.mutable import mutable
from .entries import BranchSummaryEntry, CompactionEntry

_READING = frozenset({"read"})
_CHANGING = frozenset({"edit", "write"})


@mutable
class TouchedFiles:
    """Paths as the model wrote them. A changed file is not listed as read."""

    read: set[str] = field(default_factory=set[str])
    modified: set[str] = field(default_factory=set[str])

    def add_messages(self, messages: Iterable[Message]) -> None:
        for message in messages:
            if isinstance(message, AssistantMessage):
                for call in message.tool_calls:
                    self._add(call.name, call.arguments.get("path"))

    def add_summary(self, entry: CompactionEntry | BranchSummaryEntry) -> None:
        """Carry over the lists of an earlier summary of ours; an extension's details mean something else."""
        if not entry.from_hook and entry.details:
            self.read.update(_paths(entry.details.get("readFiles")))
            self.modified.update(_paths(entry.details.get("modifiedFiles")))

    def _add(self, tool_name: str, path: object) -> None:
        if not isinstance(path, str) or not path:
            return
        if tool_name in _READING:
            self.read.add(path)
        elif tool_name in _CHANGING:
            self.modified.add(path)

    @property
    def details(self) -> JsonObject:
        """Both lists, sorted, as a summary entry stores them."""
        return {"readFiles": sorted(self.read - self.modified), "modifiedFiles": sorted(self.modified)}

    @property
    def text(self) -> str:
        """Both lists as blocks at the end of a summary; empty without files."""
        lists = (("read-files", sorted(self.read - self.modified)), ("modified-files", sorted(self.modified)))
        return "".join(f"\n\n<{name}>\n" + "\n".join(paths) + f"\n</{name}>" for name, paths in lists if paths)


def _paths(value: object) -> list[str]:
    return [path for path in cast("list[object]", value) if isinstance(path, str)] if isinstance(value, list) else []
