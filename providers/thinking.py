"""Thinking levels: which a model has, and which it gets when it lacks the one that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from ..agent.messages import ThinkingLevel
from ..agent.model import Model

LEVELS: tuple[ThinkingLevel, ...] = get_args(ThinkingLevel)
"""All levels, from least to most."""


def levels_of(model: Model) -> tuple[ThinkingLevel, ...]:
    """The levels of a model from the least on: `off` first, unless it always thinks."""
    levels: tuple[ThinkingLevel, ...] = tuple(level for level in LEVELS[1:] if level in model.thinking_levels)
    return levels if levels and model.always_thinks else ("off", *levels)


def clamp_level(model: Model, level: ThinkingLevel) -> ThinkingLevel:
    """The level itself, or the next one up that the model has, or else the next one down."""
    available = levels_of(model)
    if level in available:
        return level
    wanted = LEVELS.index(level)
    higher: list[ThinkingLevel] = [each for each in LEVELS[wanted:] if each in available]
    return higher[0] if higher else available[-1]


def wire_word(model: Model, level: ThinkingLevel) -> str:
    """The word that the wire wants for `level` after clamping; empty for off."""
    clamped = clamp_level(model, level)
    return "" if clamped == "off" else model.thinking_levels[clamped]


def fitting_word(word: str, allowed: Sequence[str]) -> str:
    """`word`, or the nearest of those that the server says it takes (`allowed`; empty: it has not said).

    No word stays no word.
    """
    if not word or not allowed or word in allowed or (rank := _rank(word)) is None:
        return word
    ranked = sorted((found, each) for each in allowed if (found := _rank(each)) is not None)
    higher = [each for found, each in ranked if found >= rank]
    return higher[0] if higher else ranked[-1][1] if ranked else word


def _rank(word: str) -> int | None:
    if word == "none":
        return 0
    return next((rank for rank, level in enumerate(LEVELS) if level == word), None)
