"""Thinking levels: which a model has, and which it gets when it lacks the one that was asked for."""

from __future__ import annotations

from typing import get_args

from ..agent.messages import ThinkingLevel
from ..agent.model import Model

LEVELS: tuple[ThinkingLevel, ...] = get_args(ThinkingLevel)
"""All levels, from least to most."""


def levels_of(model: Model) -> tuple[ThinkingLevel, ...]:
    """The levels of a model, `off` first."""
    return ("off", *(level for level in LEVELS[1:] if level in model.thinking_levels))


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
