"""Which known word a misspelt one may mean."""

from __future__ import annotations

from collections.abc import Iterable


def holds_words(text: str, words: str) -> bool:
    """Whether a text holds every one of these words, in any order, case aside."""
    return all(word in text.lower() for word in words.lower().split())


def choice_of(word: str, known: Iterable[str]) -> str | None:
    """The known word that is meant: the same, or else the only one that begins with it or holds it; None if none is."""
    known = list(known)
    lowered = word.lower()
    for fits in (
        [each for each in known if each == word],
        [each for each in known if each.lower().startswith(lowered)],
        [each for each in known if lowered in each.lower()],
    ):
        if fits:
            return fits[0] if len(fits) == 1 else None
    return None


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
