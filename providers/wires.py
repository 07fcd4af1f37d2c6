"""The wire protocols by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .anthropic import AnthropicWire
from .openai_chat import ChatWire
from .wire import Wire

WIRES: Mapping[str, Callable[[], Wire]] = {
    "anthropic-messages": AnthropicWire,
    "openai-completions": ChatWire,
}
"""What makes the protocol that `Model.api` names."""
