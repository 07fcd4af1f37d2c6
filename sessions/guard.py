"""Keeps automatic compaction from running for ever: one without progress, then a message that names the cause."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from ..agent.frozen import frozen
from ..agent.messages import Message, ToolResultMessage
from ..agent.model import ToolSpec
from ..agent.mutable import mutable
from .estimate import estimate_text, estimate_tokens


@mutable
class CompactionGuard:
    """Whether another automatic compaction may be tried.

    After one, the next needs progress (a reply after which the context was below the threshold) or a new user turn.
    """

    is_open: bool = True

    def begin_turn(self) -> None:
        """The person said something new."""
        self.is_open = True

    def note_compaction(self) -> None:
        """An automatic compaction was tried, whatever came of it."""
        self.is_open = False

    def note_reply(self, context_tokens: int, threshold: int) -> None:
        """A reply came through with this context size (tokens)."""
        if context_tokens <= threshold:
            self.is_open = True


@frozen
class Share:
    """One part of what is sent, in estimated tokens."""

    name: str
    tokens: int


def shares_of(system_prompt: str, tools: Iterable[ToolSpec], messages: Sequence[Message]) -> list[Share]:
    """What fills the context, the largest first: system prompt, tools, the largest message, the other messages."""
    sizes = [estimate_tokens(message) for message in messages]
    largest = max(range(len(sizes)), key=sizes.__getitem__, default=None)
    declared = sum(estimate_text(tool.description + json.dumps(tool.parameters)) for tool in tools)
    shares = [Share("the system prompt with the project's instruction files", estimate_text(system_prompt))]
    shares.append(Share("the descriptions of the tools", declared))
    if largest is not None:
        shares.append(Share(_name(messages[largest]), sizes[largest]))
        shares.append(Share("the other messages", sum(sizes) - sizes[largest]))
    return sorted(shares, key=lambda share: share.tokens, reverse=True)


def _name(message: Message) -> str:
    if isinstance(message, ToolResultMessage):
        return f"one result of {message.tool_name}"
    return "one message"


def overflow_message(shares: Sequence[Share], window: int) -> str:
    """What the person is told when compaction cannot make room."""
    named = ", ".join(f"{share.name} (about {share.tokens:,} tokens)" for share in shares[:2] if share.tokens)
    return (
        f"The conversation does not fit the model's window of {window:,} tokens, and compaction made no room. "
        f"Most of it: {named}. Shorten that, choose a model with a larger window, or start a new session."
    )
