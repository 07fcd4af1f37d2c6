"""What a server's refusal teaches about it, where the table of switches does not know it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..agent.provider import ProviderError
from .compat import Compat

_LESSONS: tuple[tuple[re.Pattern[str], Mapping[str, Any]], ...] = (
    (re.compile(r"stream_options|include_usage"), {"stream_usage": False}),
    (re.compile(r"max_tokens.*max_completion_tokens", re.DOTALL), {"max_tokens_field": "max_completion_tokens"}),
    (re.compile(r"max_completion_tokens"), {"max_tokens_field": "max_tokens"}),
    (re.compile(r"\bdeveloper\b"), {"system_role": "system"}),
    (re.compile(r"reasoning_content.*(missing|must|required)", re.DOTALL), {"reasoning_field": "reasoning_content"}),
    (re.compile(r"reasoning_(content|details)|\.reasoning\b"), {"reasoning_field": ""}),
    (re.compile(r"reasoning_effort|enable_thinking|\bthinking\b|\breasoning\b"), {"thinking": "none"}),
    (re.compile(r"\bstrict\b"), {"strict_field": False}),
    (re.compile(r"prompt_cache_key"), {"prompt_cache_key": False}),
)


def lesson(error: ProviderError, compat: Compat) -> dict[str, Any]:
    """The switches to change before the same request is sent again; empty if the refusal teaches nothing new."""
    if error.kind != "bad_request" or error.status not in (400, 422):
        return {}
    words = str(error)
    for pattern, changes in _LESSONS:
        if pattern.search(words) and any(getattr(compat, name) != value for name, value in changes.items()):
            return dict(changes)
    return {}
