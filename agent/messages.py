"""What is said: content blocks and messages.

The vocabulary is the reference system's. Here it is frozen dataclasses in snake_case; `encoding` spells them
in camelCase for JSON mode and for session files.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from .details import Details
from .frozen import frozen
from .permission import Permission

StopReason: TypeAlias = Literal["pending", "stop", "length", "toolUse", "error", "aborted"]
"""Why a reply ended. `pending` exists only while it streams and is never stored."""

ThinkingLevel: TypeAlias = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]

JsonObject: TypeAlias = dict[str, Any]


def now_ms() -> int:
    """The wall clock in milliseconds since the epoch, as messages carry it."""
    return time.time_ns() // 1_000_000


@frozen
class TextContent:
    """Plain text; `signature` is an opaque provider token that goes back unchanged to the same model."""

    text: str
    signature: str | None = None


@frozen
class ThinkingContent:
    """A model's reasoning. `redacted`: the text is hidden and `signature` carries the encrypted form."""

    thinking: str
    signature: str | None = None
    redacted: bool = False


@frozen
class ImageContent:
    """A picture: `data` is base64 of the bytes, `mime_type` such as ``image/png``."""

    data: str
    mime_type: str


@frozen
class ToolCall:
    """A call that the model proposes. It has run only if a `ToolResultMessage` says so.

    `id` is unique within a session. `arguments` is what the model sent, before validation; when its JSON did not
    parse, `arguments` is empty, `raw_arguments` is the text that came in and `parse_error` says why, and the call
    never runs. `signature` is an opaque provider token; `wire_id` the provider's own id where it differs from `id`.
    """

    id: str
    name: str
    arguments: JsonObject
    raw_arguments: str | None = None
    parse_error: str | None = None
    signature: str | None = None
    wire_id: str | None = None


@frozen
class ServerToolContent:
    """A block of a tool that the provider ran itself: never ours to run, kept verbatim for replay."""

    kind: str
    data: JsonObject


AssistantContent: TypeAlias = TextContent | ThinkingContent | ToolCall | ServerToolContent
UserContent: TypeAlias = TextContent | ImageContent
ToolResultContent: TypeAlias = TextContent | ImageContent


@frozen
class Cost:
    """Money in US dollars."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0

    @property
    def total(self) -> float:
        return self.input + self.output + self.cache_read + self.cache_write

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )


@frozen
class Usage:
    """Tokens of one reply. `input` excludes what was read from or written to the cache; `output` includes `reasoning`.

    `cost` is None where the price is unknown: unknown is not free. `estimated` marks a count that no provider gave.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    cost: Cost | None = None
    estimated: bool = False

    @property
    def total_tokens(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write

    @property
    def prompt_tokens(self) -> int:
        """Tokens of the whole prompt, cached or not."""
        return self.input + self.cache_read + self.cache_write

    @property
    def cache_hit(self) -> float | None:
        """The part of the prompt tokens that came from the cache, 0 to 1; None without a prompt."""
        return self.cache_read / self.prompt_tokens if self.prompt_tokens else None

    def __add__(self, other: Usage) -> Usage:
        """The sum; its cost is the sum of the known costs, None only if both are unknown."""
        if self.cost is None or other.cost is None:
            cost = self.cost or other.cost
        else:
            cost = self.cost + other.cost
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.reasoning + other.reasoning,
            cost,
            self.estimated or other.estimated,
        )


@frozen(weakref_slot=True)
class UserMessage:
    """What the person (or a program in their place) says."""

    content: tuple[UserContent, ...]
    timestamp: int = field(default_factory=now_ms)

    @classmethod
    def of(cls, text: str, images: tuple[ImageContent, ...] = ()) -> UserMessage:
        """A message of one text and any number of pictures."""
        return cls((TextContent(text), *images))

    @property
    def text(self) -> str:
        return "\n".join(block.text for block in self.content if isinstance(block, TextContent))


@frozen(weakref_slot=True)
class AssistantMessage:
    """One reply of a model. `provider`, `model` and `api` name who wrote it; opaque signatures return only to them.

    `stop_detail` refines `stop_reason` where a provider says more: ``refusal``, ``content_filter``, ``pause`` or the
    provider's own unknown word.
    """

    content: tuple[AssistantContent, ...]
    api: str = ""
    provider: str = ""
    model: str = ""
    usage: Usage = Usage()
    stop_reason: StopReason = "stop"
    stop_detail: str | None = None
    error_message: str | None = None
    response_id: str | None = None
    response_model: str | None = None
    thinking_level: ThinkingLevel | None = None
    timestamp: int = field(default_factory=now_ms)
    tool_calls: tuple[ToolCall, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Every request looks at the calls of every reply, so they are picked out once.
        calls = tuple([block for block in self.content if isinstance(block, ToolCall)])
        object.__setattr__(self, "tool_calls", calls)

    @property
    def text(self) -> str:
        return "".join(block.text for block in self.content if isinstance(block, TextContent))


@frozen(weakref_slot=True)
class ToolResultMessage:
    """The one answer to the call `tool_call_id`. `content` goes to the model; `details` to screen and session only.

    `duration_ms` is None if the tool never ran. `usage` is what the tool itself spent on models (nested usage).
    `permission` says who decided about the call; None where nobody had to.
    """

    tool_call_id: str
    tool_name: str
    content: tuple[ToolResultContent, ...]
    details: Details | None = None
    is_error: bool = False
    usage: Usage | None = None
    duration_ms: int | None = None
    timestamp: int = field(default_factory=now_ms)
    permission: Permission | None = None

    @property
    def text(self) -> str:
        return "\n".join(block.text for block in self.content if isinstance(block, TextContent))


@frozen(weakref_slot=True)
class BashExecutionMessage:
    """A command that the person ran with ``!``. The model sees it as user text unless `exclude_from_context`."""

    command: str
    output: str
    exit_code: int | None
    cancelled: bool = False
    truncated: bool = False
    full_output_path: str | None = None
    exclude_from_context: bool = False
    timestamp: int = field(default_factory=now_ms)


@frozen(weakref_slot=True)
class CustomMessage:
    """A message of an extension; the model sees it as user text. `display`: the screen shows it."""

    custom_type: str
    content: tuple[UserContent, ...]
    display: bool = True
    details: Mapping[str, Any] | None = None
    timestamp: int = field(default_factory=now_ms)


@frozen(weakref_slot=True)
class BranchSummaryMessage:
    """What happened on a branch that was left; `from_id` is the entry it was left at."""

    summary: str
    from_id: str
    timestamp: int = field(default_factory=now_ms)


@frozen(weakref_slot=True)
class CompactionSummaryMessage:
    """The summary that stands for everything before it; `tokens_before` is the context size it replaced."""

    summary: str
    tokens_before: int
    timestamp: int = field(default_factory=now_ms)


Message: TypeAlias = (
    UserMessage
    | AssistantMessage
    | ToolResultMessage
    | BashExecutionMessage
    | CustomMessage
    | BranchSummaryMessage
    | CompactionSummaryMessage
)

ModelMessage: TypeAlias = UserMessage | AssistantMessage | ToolResultMessage
"""What a provider is given: `conversation.for_model` turns every other message into one of these."""
