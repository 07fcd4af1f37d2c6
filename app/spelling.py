"""Which known word a misspelt one may mean."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """A question to append to a message, such as ``; did you mean --model?``; empty if no word is near.

    `cutoff`, from 0 to 1, is how near a word must be.
    """
    from difflib import get_close_matches

    found = get_close_matches(word, list(known), n=3, cutoff=cutoff)
    if not found:
        return ""
    near = get_close_matches(word, found, n=2, cutoff=0.8) or found[:1]
    return f"; did you mean {' or '.join(near)}?"
