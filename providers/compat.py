"""How servers of one protocol differ: one table of switches, by provider and by model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from ..agent.frozen import frozen
from ..agent.json_values import is_list
from ..agent.model import Model
from .address import hostname

ThinkingStyle: TypeAlias = Literal["none", "effort", "openrouter", "switch", "switch_effort", "enable_thinking"]
"""How a server is asked for reasoning: not at all, by an effort, and in Chat Completions by ``reasoning: {effort}``,
``thinking: {type}``, that with ``reasoning_effort`` beside it, or ``enable_thinking``."""

CallIds: TypeAlias = Literal["free", "word40", "word64", "alnum9"]
"""Which call ids a server takes back: any; 40 or 64 of ``[A-Za-z0-9_-]``; exactly 9 letters and digits."""


@frozen
class Compat:
    """The switches of one server and model.

    `reasoning_field` names what carries an assistant message's reasoning back (empty: nothing does).
    `off_word` says that reasoning is off (empty: leaving the field out does). `efforts` are the words that the server
    has said it takes. `signed_calls`: each step's first call needs a signature. `extra` goes into each request.
    `thinking_back`: signed thinking goes back to the model that wrote it; with `drop_unbound` the server leaves out
    what it can't check any more, because what stood before has changed (a summary, another system prompt).
    """

    system_role: Literal["system", "developer"] = "system"
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    stream_usage: bool = True
    strict_field: bool = False
    thinking: ThinkingStyle = "effort"
    off_word: str = ""
    efforts: tuple[str, ...] = ()
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
    thinking_back: bool = True
    drop_unbound: bool = False
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

_FINE_GRAINED = "fine-grained-tool-streaming-2025-05-14"
_INTERLEAVED = "interleaved-thinking-2025-05-14"

# Later rules win. Sources of the facts: the providers' API references and recorded traffic.
RULES: tuple[Rule, ...] = (
    Rule(_MESSAGES, "*", "*", {"call_ids": "word64", "result_images": True, "cache_markers": True}),
    Rule(_MESSAGES, "api.anthropic.com", "claude-*", {"betas": (_FINE_GRAINED,)}),
    # Newer models think between calls by themselves.
    Rule(_MESSAGES, "api.anthropic.com", "claude-*-4-5*", {"betas": (_FINE_GRAINED, _INTERLEAVED)}),
    # From the fifth generation on leaving thinking out does not turn it off.
    Rule(_MESSAGES, "*", "claude-*-[5-9]*", {"off_word": "disabled"}),
    Rule(_MESSAGES, "*", "claude-sonnet-5-5*", {"off_word": "between_tools"}),
    Rule(_MESSAGES, "*", "claude-*-4-*", {"off_word": ""}),
    Rule(_RESPONSES, "*", "*", {"call_ids": "word64", "strict_field": True}),
    Rule(_RESPONSES, "*.openai*.com", "*", {"prompt_cache_key": True, "encrypted_reasoning": True}),
    Rule(_RESPONSES, "*.openai*.com", "gpt-5.[1-9]*", {"off_word": "none"}),
    Rule(_RESPONSES, "*.openai*.com", "gpt-[6-9]*", {"off_word": "none"}),
    Rule(_RESPONSES, "*openrouter*", "*", {"encrypted_reasoning": True}),
    Rule(_GEMINI, "*", "*", {"call_ids": "free"}),
    Rule(_GEMINI, "*", "gemini-2.5-flash*", {"off_word": "0"}),
    Rule(_GEMINI, "*", "gemini-[3-9]*", {"result_images": True, "call_id_in_parts": True, "signed_calls": True}),
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
    Rule(_CHAT, "*deepseek*", "deepseek-v[4-9]*", {"thinking": "switch_effort"}),
    Rule(_CHAT, "*z.ai*", "*", {"thinking": "switch", "reasoning_field": "reasoning_content"}),
    Rule(_CHAT, "zai*", "*", {"thinking": "switch", "reasoning_field": "reasoning_content"}),
    Rule(_CHAT, "*z.ai*", "glm-5.[3-9]*", {"thinking": "switch_effort"}),
    Rule(_CHAT, "zai*", "glm-5.[3-9]*", {"thinking": "switch_effort"}),
    Rule(
        _CHAT,
        "*moonshot*",
        "*",
        {"thinking": "switch", "reasoning_field": "reasoning_content", "call_ids": "free"},
    ),
    Rule(_CHAT, "*moonshot*", "kimi-k[3-9]*", {"thinking": "effort"}),
    Rule(_CHAT, "*kimi*", "*", {"thinking": "switch", "reasoning_field": "reasoning_content", "call_ids": "free"}),
    Rule(_CHAT, "*groq*", "*", {"max_tokens_field": "max_completion_tokens"}),
    Rule(_CHAT, "*groq*", "openai/gpt-oss*", {"reasoning_field": "reasoning"}),
    Rule(_CHAT, "*groq*", "qwen/*", {"off_word": "none", "extra": {"reasoning_format": "parsed"}}),
    Rule(
        _CHAT,
        "*mistral*",
        "*",
        {"call_ids": "alnum9", "bridge_after_results": True, "stream_usage": False, "empty_content": "text"},
    ),
    Rule(_CHAT, "*mistral*", "mistral-*", {"off_word": "none"}),
    Rule(_CHAT, "*cerebras*", "*", {"max_tokens_field": "max_completion_tokens"}),
    Rule(_CHAT, "*cerebras*", "qwen*", {"off_word": "none"}),
    Rule(_CHAT, "*x.ai*", "grok-*", {"off_word": "none"}),
    Rule(_CHAT, "xai", "grok-*", {"off_word": "none"}),
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


def checked_switch(name: str, value: object) -> Any:
    """`value` as the switch `name` holds it. Raises `ValueError` that says what it takes."""
    kind = get_type_hints(Compat)[name]
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise ValueError(f"{name} must be one of {', '.join(map(repr, get_args(kind)))}")
        return value
    if get_origin(kind) is tuple:
        if not is_list(value) or not all(isinstance(each, str) for each in value):
            raise ValueError(f"{name} must be a list of texts")
        return tuple(value)
    shape, words = _SHAPES.get(kind, (dict, "a table"))
    if not isinstance(value, shape):
        raise ValueError(f"{name} must be {words}")
    return value


_SHAPES: Mapping[Any, tuple[type, str]] = {bool: (bool, "true or false"), str: (str, "a text")}


def compat_for(model: Model, base_url: str, overrides: Mapping[str, Any] | None = None) -> Compat:
    """The switches for `model` at `base_url`; `overrides` (switch name to value) win over the table."""
    compat = _by_rules(model.api, model.provider, model.id, hostname(base_url))
    return replace(compat, **overrides) if overrides else compat


@lru_cache(maxsize=256)
def _by_rules(api: str, provider: str, model: str, host: str) -> Compat:
    compat = Compat()
    for rule in RULES:
        known = fnmatchcase(provider.lower(), rule.provider) or fnmatchcase(host, rule.provider)
        if rule.api == api and known and fnmatchcase(model.lower(), rule.model):
            compat = replace(compat, **rule.changes)
    return compat
