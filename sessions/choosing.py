"""Narrows a list of sessions to what a person typed: words, "phrases", or ``re:`` and a regular expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from pathlib import Path

from .listing import SessionSummary


class QueryError(Exception):
    """The regular expression is none; `str(error)` says why."""


def choose_sessions(
    summaries: Iterable[SessionSummary], query: str, with_text: Set[Path] = frozenset()
) -> list[SessionSummary]:
    """The sessions that match, exact names first, then exact texts, then letters in order; else in the given order.

    `with_text` are the files in whose messages the search index found the query. Raises `QueryError`.
    """
    query = query.strip()
    if not query:
        return list(summaries)
    rank = _regex_rank(query[3:]) if query.startswith("re:") else _word_rank(query, with_text)
    ranked = [(rank(summary), summary) for summary in summaries]
    found = [(position, summary) for position, summary in ranked if position is not None]
    return [summary for _, summary in sorted(found, key=lambda pair: pair[0])]


Rank = Callable[[SessionSummary], "int | None"]


def _regex_rank(pattern: str) -> Rank:
    try:
        compiled = re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise QueryError(f"not a regular expression: {error}") from error
    return lambda summary: 0 if any(compiled.search(text) for text in _fields(summary)) else None


def _word_rank(query: str, with_text: Set[Path]) -> Rank:
    words = [(phrase or word).lower() for phrase, word in re.findall(r'"([^"]+)"|(\S+)', query)]

    def rank(summary: SessionSummary) -> int | None:
        name, fields = (summary.name or "").lower(), "\n".join(_fields(summary)).lower()
        if name and all(word in name for word in words):
            return 0
        if summary.path in with_text or all(word in fields for word in words):
            return 1
        loose = f"{name} {summary.cwd.lower()}"
        return 2 if '"' not in query and all(_in_order(word, loose) for word in words) else None

    return rank


def _fields(summary: SessionSummary) -> tuple[str, ...]:
    return summary.name or "", summary.id, summary.first_message, summary.cwd


def _in_order(letters: str, text: str) -> bool:
    """Whether all letters occur in the text in this order, each further right than the one before."""
    remaining = iter(text)
    return all(letter in remaining for letter in letters)
