"""What a server's refusal teaches about it, where the table of switches does not know it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..agent.provider import ProviderError
from .compat import Compat

_CHAT = "openai-completions"
_RESPONSES = "openai-responses"
_MESSAGES = "anthropic-messages"
_GEMINI = "google-generative-ai"

# Protocols (empty: all), words of the refusal, switches to change. The first that changes anything counts.
_LESSONS: tuple[tuple[str, re.Pattern[str], Mapping[str, Any]], ...] = (
    (_MESSAGES, re.compile(r"different conversation|prefix_mismatch"), {"drop_unbound": True}),
    (
        _MESSAGES,
        re.compile(r"[Ii]nvalid .{0,3}signature|thinking.*cannot be modified", re.DOTALL),
        {"thinking_back": False},
    ),
    (_MESSAGES, re.compile(r"thinking\.type\.(disabled|between_tools)"), {"off_word": ""}),
    (_MESSAGES, re.compile(r"anthropic-beta|beta header"), {"betas": ()}),
    (_MESSAGES, re.compile(r"cache_control"), {"cache_markers": False}),
    (
        _MESSAGES,
        re.compile(r"thinking\b.{0,80}(not (supported|permitted)|unsupported)|output_config"),
        {"thinking": "none"},
    ),
    (_CHAT, re.compile(r"stream_options|include_usage"), {"stream_usage": False}),
    (_CHAT, re.compile(r"max_tokens.*max_completion_tokens", re.DOTALL), {"max_tokens_field": "max_completion_tokens"}),
    (_CHAT, re.compile(r"max_completion_tokens"), {"max_tokens_field": "max_tokens"}),
    (_CHAT, re.compile(r"\bdeveloper\b"), {"system_role": "system"}),
    (
        _CHAT,
        re.compile(r"reasoning_content.*(missing|must|required)", re.DOTALL),
        {"reasoning_field": "reasoning_content"},
    ),
    (_CHAT, re.compile(r"reasoning_(content|details)|\.reasoning\b"), {"reasoning_field": ""}),
    (_CHAT, re.compile(r"reasoning_format"), {"extra": {}}),
    (_CHAT, re.compile(r"reasoning_effort|enable_thinking|\bthinking\b|\breasoning\b"), {"thinking": "none"}),
    (_RESPONSES, re.compile(r"encrypted_content|\binclude\b"), {"encrypted_reasoning": False}),
    (_RESPONSES, re.compile(r"reasoning[._]effort|'reasoning'|\beffort\b"), {"thinking": "none"}),
    (_GEMINI, re.compile(r"thinking.?(config|level|budget)", re.IGNORECASE), {"thinking": "none"}),
    ("", re.compile(r"\bstrict\b"), {"strict_field": False}),
    ("", re.compile(r"prompt_cache_key"), {"prompt_cache_key": False}),
)

_EFFORT = re.compile(r"effort|thinking.?level|value: '(none|minimal|low|medium|high|xhigh|max)'", re.IGNORECASE)
_SUPPORTED = re.compile(r"\b(?:supported|allowed|valid) (?:levels|values|efforts)(?: are)?:? *(.+)", re.IGNORECASE)
_WORDS = re.compile(r"\b(none|minimal|low|medium|high|xhigh|max)\b")


def lesson(error: ProviderError, compat: Compat, api: str) -> dict[str, Any]:
    """The switches to change before the same request is sent again; empty if the refusal teaches nothing new."""
    if error.kind != "bad_request" or error.status not in (400, 422):
        return {}
    words = str(error)
    if (efforts := _efforts(words)) and efforts != compat.efforts:
        return {"efforts": efforts}
    for protocol, pattern, changes in _LESSONS:
        if protocol in ("", api) and pattern.search(words):
            new = {name: value for name, value in changes.items() if getattr(compat, name) != value}
            if new:
                return new
    return {}


def _efforts(words: str) -> tuple[str, ...]:
    """The efforts that a refusal says are taken."""
    named = _SUPPORTED.search(words) if _EFFORT.search(words) else None
    return tuple(_WORDS.findall(named[1])) if named else ()
