"""Asking a provider, and taking everything that it says."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from pyagent_tui.agent.messages import AssistantMessage, ModelMessage, ThinkingLevel, UserMessage
from pyagent_tui.agent.model import Model, ModelRequest, ToolSpec
from pyagent_tui.agent.provider import Provider, ProviderError, StreamDone, StreamEvent
from pyagent_tui.agent.reply import Reply
from pyagent_tui.providers.config import PROVIDERS
from pyagent_tui.providers.http_provider import HttpProvider
from pyagent_tui.providers.keys import Key
from pyagent_tui.providers.limits import Limits

CHAT = "openai-completions"
MESSAGES = "anthropic-messages"
RESPONSES = "openai-responses"
GEMINI = "google-generative-ai"

HOMES = {MESSAGES: "anthropic", RESPONSES: "openai", GEMINI: "google", CHAT: "deepseek"}


def model_of(api: str, provider: str | None = None, model: str = "m", **facts: Any) -> Model:
    return Model(provider or HOMES[api], model, api, **facts)


def ask_for(
    model: Model,
    *messages: ModelMessage,
    system: str = "",
    tools: Sequence[ToolSpec] = (),
    level: ThinkingLevel = "off",
    **more: Any,
) -> ModelRequest:
    return ModelRequest(model, system, messages or (UserMessage.of("hi"),), tuple(tools), level, **more)


def provider_at(
    url: str, model: Model, limits: Limits | None = None, key: str = "sk-test", **changes: Any
) -> HttpProvider:
    """A provider of the model's name and protocol at a test server."""
    config = replace(PROVIDERS[model.provider].moved(url), api=model.api, **changes)
    return HttpProvider(config, Key(key, "a test"), limits, {})


@dataclass
class Heard:
    """The events of one reply, the message they make, and the error that ended it."""

    events: list[StreamEvent] = field(default_factory=list[StreamEvent])
    message: AssistantMessage | None = None
    error: ProviderError | None = None

    @property
    def done(self) -> StreamDone:
        last = self.events[-1]
        assert isinstance(last, StreamDone)
        return last


async def hear(provider: Provider, request: ModelRequest) -> Heard:
    heard = Heard()
    reply = Reply(request)
    try:
        async with aclosing(provider.stream(request)) as stream:
            async for event in stream:
                heard.events.append(event)
                reply.add(event)
    except ProviderError as error:
        heard.error = error
        heard.message = reply.broken("error", str(error))
        return heard
    heard.message = reply.finished()
    return heard
