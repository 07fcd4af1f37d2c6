"""How servers of one protocol differ: one table of switches, by provider and by model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from ..agent.frozen import frozen
from ..agent.model import Model

ThinkingStyle: TypeAlias = Literal["none", "effort", "openrouter", "switch", "enable_thinking"]
"""How Chat Completions asks for reasoning: not at all, ``reasoning_effort``, ``reasoning: {effort}``,
``thinking: {type}``, ``enable_thinking``."""

CallIds: TypeAlias = Literal["free", "word40", "word64", "alnum9"]
"""Which call ids a server takes back: any; 40 or 64 of ``[A-Za-z0-9_-]``; exactly 9 letters and digits."""


@frozen
class Compat:
    """The switches of one server and model.

    `reasoning_field` names what carries an assistant message's reasoning back (empty: nothing does).
    `off_word` is the least effort, for reasoning that is off (empty: leave the field out). `signed_calls`: each step's
    first call needs a signature. `extra` goes into each request.
    """

    system_role: Literal["system", "developer"] = "system"
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    stream_usage: bool = True
    strict_field: bool = False
    thinking: ThinkingStyle = "effort"
    off_word: str = ""
    reasoning_field: Literal["", "reasoning_content", "reasoning_details", "reasoning"] = ""
    empty_content: Literal["null", "text"] = "null"
    call_ids: CallIds = "word40"
    bridge_after_results: bool = False
    result_images: bool = False
    cache_markers: bool = False
    cache_ttl: Literal["", "1h"] = ""
    prompt_cache_key: bool = False
    encrypted_reasoning: bool = False
    call_id_in_parts: bool = False
    signed_calls: bool = False
    betas: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)


@frozen
class Rule:
    """`changes` apply where `api` is the protocol and the globs match: `provider` the name or the host, `model` the id."""

    api: str
    provider: str
    model: str
    changes: Mapping[str, Any]


_CHAT = "openai-completions"
_RESPONSES = "openai-responses"
_MESSAGES = "anthropic-messages"
_GEMINI = "google-generative-ai"

# Later rules win. Sources of the facts: the providers' API references and recorded traffic.
RULES: tuple[Rule, ...] = (
    Rule(_MESSAGES, "*", "*", {"call_ids": "word64", "result_images": True, "cache_markers": True}),
    Rule(
        _MESSAGES,
        "api.anthropic.com",
        "claude-*",
        {"betas": ("interleaved-thinking-2025-05-14", "fine-grained-tool-streaming-2025-05-14")},
    ),
    Rule(_RESPONSES, "*", "*", {"call_ids": "word64", "strict_field": True}),
    Rule(_RESPONSES, "*.openai*.com", "*", {"prompt_cache_key": True, "encrypted_reasoning": True}),
    Rule(_RESPONSES, "*.openai*.com", "gpt-5*", {"off_word": "minimal"}),
    Rule(_RESPONSES, "*.openai*.com", "gpt-5.[1-9]*", {"off_word": "none"}),
    Rule(_RESPONSES, "*.openai*.com", "gpt-[6-9]*", {"off_word": "none"}),
    Rule(_RESPONSES, "*.openai*.com", "*-codex*", {"off_word": "low"}),
    Rule(_RESPONSES, "*.openai*.com", "*-pro*", {"off_word": ""}),
    Rule(_RESPONSES, "*openrouter*", "*", {"encrypted_reasoning": True}),
    Rule(_GEMINI, "*", "*", {"call_ids": "free"}),
    Rule(_GEMINI, "*", "gemini-2.5-flash*", {"off_word": "0"}),
    Rule(_GEMINI, "*", "gemini-[3-9]*", {"result_images": True, "call_id_in_parts": True, "signed_calls": True}),
    Rule(_GEMINI, "*", "gemini-[3-9]*", {"off_word": "low"}),
    Rule(_GEMINI, "*", "gemini-[3-9]*flash*", {"off_word": "minimal"}),
    Rule(
        _CHAT,
        "*.openai*.com",
        "*",
        {"max_tokens_field": "max_completion_tokens", "strict_field": True, "prompt_cache_key": True},
    ),
    Rule(_CHAT, "*.openai*.com", "o[1-9]*", {"system_role": "developer"}),
    Rule(_CHAT, "*.openai*.com", "gpt-[5-9]*", {"system_role": "developer"}),
    Rule(_CHAT, "*.openai*.com", "o1-mini*", {"system_role": "system"}),
    Rule(_CHAT, "*openrouter*", "*", {"thinking": "openrouter", "reasoning_field": "reasoning_details"}),
    Rule(_CHAT, "*openrouter*", "anthropic/*", {"cache_markers": True}),
    Rule(
        _CHAT,
        "*deepseek*",
        "*",
        {"thinking": "switch", "reasoning_field": "reasoning_content", "empty_content": "text"},
    ),
    Rule(_CHAT, "*z.ai*", "*", {"thinking": "switch", "reasoning_field": "reasoning_content"}),
    Rule(_CHAT, "zai*", "*", {"thinking": "switch", "reasoning_field": "reasoning_content"}),
    Rule(
        _CHAT,
        "*moonshot*",
        "*",
        {"thinking": "switch", "reasoning_field": "reasoning_content", "call_ids": "free"},
    ),
    Rule(_CHAT, "*kimi*", "*", {"thinking": "switch", "reasoning_field": "reasoning_content", "call_ids": "free"}),
    Rule(_CHAT, "*groq*", "*", {"max_tokens_field": "max_completion_tokens"}),
    Rule(_CHAT, "*groq*", "openai/gpt-oss*", {"reasoning_field": "reasoning"}),
    Rule(
        _CHAT,
        "*mistral*",
        "*",
        {"call_ids": "alnum9", "bridge_after_results": True, "stream_usage": False, "empty_content": "text"},
    ),
    Rule(_CHAT, "*cerebras*", "*", {"max_tokens_field": "max_completion_tokens"}),
    Rule(_CHAT, "*alibaba*", "*", {"thinking": "enable_thinking"}),
    Rule(_CHAT, "*dashscope*", "*", {"thinking": "enable_thinking"}),
    Rule(_CHAT, "*googleapis*", "*", {"empty_content": "text"}),
    Rule(_CHAT, "ollama", "*", {"call_ids": "free"}),
    Rule(_CHAT, "llama.cpp", "*", {"thinking": "none", "call_ids": "free"}),
    Rule(_CHAT, "lmstudio", "*", {"thinking": "none", "call_ids": "free"}),
    Rule(_CHAT, "vllm", "*", {"thinking": "none", "call_ids": "free"}),
)

SWITCHES = frozenset(item.name for item in fields(Compat))
"""The names that ``compat`` tables in models.toml may use."""


def compat_for(model: Model, base_url: str, overrides: Mapping[str, Any] | None = None) -> Compat:
    """The switches for `model` at `base_url`; `overrides` (switch name to value) win over the table."""
    compat = _by_rules(model.api, model.provider, model.id, urlsplit(base_url).hostname or "")
    return replace(compat, **overrides) if overrides else compat


@lru_cache(maxsize=256)
def _by_rules(api: str, provider: str, model: str, host: str) -> Compat:
    compat = Compat()
    for rule in RULES:
        known = fnmatchcase(provider.lower(), rule.provider) or fnmatchcase(host, rule.provider)
        if rule.api == api and known and fnmatchcase(model.lower(), rule.model):
            compat = replace(compat, **rule.changes)
    return compat
