"""Choosing in the linear mode: one of a few words, one of a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..spelling import choice_of, did_you_mean
from ..start_error import StartError

if TYPE_CHECKING:
    from ..conversation.composition import Composition
    from .talk import LinearTalk

OFFERED = 20
"""How many things a list offers at most."""


async def word(talk: LinearTalk, what: str, wanted: str, words: Sequence[str], now: str) -> str | None:
    """The word that is wanted, from a list if none is given. Raises `StartError` if it is not one of them."""
    if not wanted:
        picked = await pick(talk, f"Which {what}? Now {now}", list(words))
        return None if picked is None else words[picked]
    chosen = choice_of(wanted, words)
    if chosen is None:
        hint = did_you_mean(wanted, words) or "."
        raise StartError(f"{wanted!r} is no {what}{hint} There are {', '.join(words)}.")
    return chosen


async def pick(talk: LinearTalk, question: str, choices: Sequence[str]) -> int | None:
    """The index of what the person chose; None for nothing."""
    shown = choices[:OFFERED]
    more = f" (the first {OFFERED} of {len(choices)})" if len(choices) > OFFERED else ""
    answer = await talk.questions.choose(question + more, [*shown, "none of them"])
    return None if answer is None or answer[0] > len(shown) else answer[0] - 1


def composition_of(talk: LinearTalk) -> Composition:
    """The conversation that goes on. Raises `StartError` if there is none."""
    if talk.composition is None:
        raise StartError("There is no session yet.")
    return talk.composition
