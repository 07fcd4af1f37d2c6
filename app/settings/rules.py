"""What a setting's value may be."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeGuard, cast

from ...agent.frozen import frozen


@frozen
class Rule:
    """`accepts` decides about a value as TOML gives it; `expected` says in words what it must be ("true or false").

    `choices` are the words of a closed list, empty for an open value.
    """

    expected: str
    accepts: Callable[[object], bool]
    choices: tuple[str, ...] = ()


def flag() -> Rule:
    """True or false."""
    return Rule("true or false", lambda value: isinstance(value, bool))


def choice(*words: str) -> Rule:
    """One word of a closed list."""
    return Rule(f"one of {', '.join(words)}", lambda value: isinstance(value, str) and value in words, words)


def whole(minimum: int, maximum: int | None = None) -> Rule:
    """A whole number in a range."""
    return Rule(
        f"a whole number, {_range(minimum, maximum)}",
        lambda value: isinstance(value, int) and _is_within(value, minimum, maximum),
    )


def number(minimum: float, maximum: float | None = None) -> Rule:
    """A number in a range, whole or not; never infinite."""
    return Rule(
        f"a number, {_range(minimum, maximum)}",
        lambda value: isinstance(value, int | float) and _is_within(value, minimum, maximum),
    )


def text() -> Rule:
    """A text that is not empty."""
    return Rule("a text in quotes", lambda value: isinstance(value, str) and bool(value.strip()))


def names() -> Rule:
    """A list of words."""
    return Rule('a list such as ["a", "b"]', is_list_of_words)


def tool_names() -> Rule:
    """A list of tools, or of changes to it (see `change_tools`), not both."""
    return Rule(
        'a list of tools such as ["read", "grep"], or of changes such as ["+grep", "-bash"]',
        lambda value: is_list_of_words(value) and not is_mixed(value),
    )


def is_list_of_words(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(
        isinstance(word, str) and word.strip() for word in cast("list[object]", value)
    )


def is_mixed(words: Sequence[str]) -> bool:
    """Whether plain names and changes (``+x``, ``-x``) stand together, which has no clear meaning."""
    return len({word.startswith(("+", "-")) for word in words}) > 1


def change_tools(base: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """The list `words`, or `base` with the changes that `words` ask for: ``+x`` adds, ``-x`` takes away."""
    if not words or not words[0].startswith(("+", "-")):
        return tuple(dict.fromkeys(words))
    chosen = dict.fromkeys(base)
    for word in words:
        if word.startswith("+"):
            chosen[word[1:]] = None
        else:
            chosen.pop(word[1:], None)
    return tuple(chosen)


def _is_within(value: float, minimum: float, maximum: float | None) -> bool:
    """A bool is an int to Python and no number to a person."""
    return (
        not isinstance(value, bool)
        and math.isfinite(value)
        and value >= minimum
        and (maximum is None or value <= maximum)
    )


def _range(minimum: float, maximum: float | None) -> str:
    return f"at least {minimum:g}" if maximum is None else f"from {minimum:g} to {maximum:g}"
