"""The wire protocols by name; each is imported when it is first used."""

from __future__ import annotations

from ..agent.provider import ProviderError
from .config import APIS
from .wire import Wire


def make_wire(api: str) -> Wire:
    """A wire for the protocol that `Model.api` names. Raises `ProviderError`."""
    match api:
        case "anthropic-messages":
            from .anthropic import AnthropicWire as Made
        case "openai-completions":
            from .openai_chat import ChatWire as Made
        case "openai-responses":
            from .openai_responses import ResponsesWire as Made
        case "google-generative-ai":
            from .gemini import GeminiWire as Made
        case "ollama-chat":
            from .ollama import OllamaWire as Made
        case _:
            raise ProviderError("bad_request", f"There is no wire protocol {api!r}; there are {', '.join(APIS)}.")
    return Made()
