"""Which model answers, and what it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from .frozen import frozen
from .messages import JsonObject, ModelMessage, ThinkingLevel


@frozen
class Prices:
    """US dollars per million tokens. None is unknown, which is not free."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


@frozen
class Model:
    """A model as the catalogue knows it. Sizes in tokens; None where nobody says.

    `api` is the wire protocol: ``anthropic-messages``, ``openai-completions``, ``openai-responses``,
    ``google-generative-ai`` or ``scripted``. `thinking_levels` lists the levels it can do besides off, with the word
    that the wire wants for each; empty for a model that does not reason. One that `always_thinks` has no off.
    """

    provider: str
    id: str
    api: str
    name: str = ""
    context_window: int | None = None
    max_output: int | None = None
    vision: bool = False
    thinking_levels: Mapping[ThinkingLevel, str] = field(default_factory=dict[ThinkingLevel, str])
    prices: Prices = Prices()
    always_thinks: bool = False

    @property
    def label(self) -> str:
        return self.name or self.id


@frozen
class ToolSpec:
    """A tool as the model is told of it; `parameters` is the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: JsonObject


@frozen
class ModelRequest:
    """One request. `messages` are in order, every call answered; `session_id` helps providers route to a warm cache."""

    model: Model
    system_prompt: str
    messages: tuple[ModelMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    thinking_level: ThinkingLevel = "off"
    max_output: int | None = None
    session_id: str = ""
