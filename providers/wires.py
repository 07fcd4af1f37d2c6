"""The wire protocols by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..agent.provider import ProviderError
from .anthropic import AnthropicWire
from .gemini import GeminiWire
from .ollama import OllamaWire
from .openai_chat import ChatWire
from .openai_responses import ResponsesWire
from .wire import Wire

WIRES: Mapping[str, Callable[[], Wire]] = {
    "anthropic-messages": AnthropicWire,
    "openai-completions": ChatWire,
    "openai-responses": ResponsesWire,
    "google-generative-ai": GeminiWire,
    "ollama-chat": OllamaWire,
}
"""What makes the protocol that `Model.api` names."""


def make_wire(api: str) -> Wire:
    """A wire for the protocol `api`. Raises `ProviderError`."""
    make = WIRES.get(api)
    if make is None:
        raise ProviderError("bad_request", f"There is no wire protocol {api!r}; there are {', '.join(WIRES)}.")
    return make()
