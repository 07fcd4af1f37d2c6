"""Fuzzy matching: the characters of a query in order, better the closer together and the nearer to word starts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

ItemT = TypeVar("ItemT")

_TOKEN = re.compile(r"[\s/]+")
_WORD_BORDER = frozenset(" -_./:\\@")
_SWAPPED = re.compile(r"([a-z]+)([0-9]+)|([0-9]+)([a-z]+)")
_SWAP_PENALTY = 5.0


def fuzzy_score(query: str, text: str) -> float | None:
    """How far `text` is from `query` (lower is better), case aside; None if a token of the query does not occur.

    Tokens are parted by blanks or ``/``; ``opus4`` finds ``4-opus`` as well, a little later.
    """
    tokens = [token for token in _TOKEN.split(query.lower()) if token]
    total = 0.0
    for token in tokens:
        score = _token_score(token, text.lower())
        if score is None:
            return None
        total += score
    return total


def fuzzy_filter(query: str, items: Iterable[ItemT], text_of: Callable[[ItemT], str]) -> list[ItemT]:
    """The items that match, best first; equals keep their order."""
    scored = [(score, item) for item in items if (score := fuzzy_score(query, text_of(item))) is not None]
    scored.sort(key=lambda pair: pair[0])
    return [item for _, item in scored]


def fuzzy_patterns(query: str) -> list[re.Pattern[str]]:
    """Patterns that a text in small letters holds if `fuzzy_score` finds it: a sieve for very many texts."""
    tokens = [token for token in _TOKEN.split(query.lower()) if token]
    return [re.compile("|".join(_in_order(each) for each in (token, _swap(token)) if each)) for token in tokens]


def _in_order(token: str) -> str:
    """A pattern for these characters in order; it never looks back."""
    first, *rest = map(re.escape, token)
    return first + "".join(f"[^{character}]*{character}" for character in rest)


def _token_score(token: str, text: str) -> float | None:
    score = _ordered_score(token, text)
    if score is None and (swapped := _swap(token)) is not None:
        score = _ordered_score(swapped, text)
        return None if score is None else score + _SWAP_PENALTY
    return score


def _swap(token: str) -> str | None:
    """Letters and digits the other way round, for a token made of one run of each."""
    match = _SWAPPED.fullmatch(token)
    if match is None:
        return None
    letters, digits, digits_first, letters_last = match.groups()
    return f"{digits}{letters}" if letters else f"{letters_last}{digits_first}"


def _ordered_score(token: str, text: str) -> float | None:
    """Gaps and late starts cost, runs and word starts earn."""
    if token in text:
        return _run_score(token, text)
    score = 0.0
    run = 0
    last = -1
    for character in token:
        index = text.find(character, last + 1)
        if index < 0:
            return None
        run = run + 1 if index == last + 1 and last >= 0 else 0
        score += -5.0 * run if run else 2.0 * (index - last - 1 if last >= 0 else 0)
        score += -10.0 if _starts_word(text, index) else 0.1 * index
        last = index
    return score


def _run_score(token: str, text: str) -> float:
    """The token in one piece: at a word's start before elsewhere, a whole text before a part of one."""
    index = text.find(token)
    starts = [found.start() for found in re.finditer(re.escape(token), text) if _starts_word(text, found.start())]
    length = len(token)
    score = -5.0 * length * (length - 1) / 2 + 0.1 * (starts[0] if starts else index) + 0.01 * len(text)
    return score - (10.0 * length if starts else 0.0) - (100.0 if token == text else 0.0)


def _starts_word(text: str, index: int) -> bool:
    return index == 0 or text[index - 1] in _WORD_BORDER
