"""The models that the keys go through: those that `enabled_models` names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from ...agent.model import Model
from ...providers.catalogue import ModelNotFound, find_model, model_name
from ...providers.thinking import LEVELS

WILD = frozenset("*?[")


def models_in_scope(patterns: Sequence[str], models: Sequence[Model]) -> Mapping[str, str]:
    """The models that fit, by name (``provider/id``), in the order of the patterns; all without a pattern.

    A pattern with ``*``, ``?`` or ``[…]`` is compared with the id and with ``provider/id``; another one means a single
    model, as on the command line. Each with the pattern that
    asks for it: its name, with the ``:level`` that stood behind the pattern.
    """
    if not patterns:
        return {name: name for name in map(model_name, models)}
    found: dict[str, str] = {}
    for pattern in patterns:
        for name, level in _fitting(pattern, models):
            found.setdefault(name, f"{name}:{level}" if level else name)
    return found


def _fitting(pattern: str, models: Sequence[Model]) -> Iterator[tuple[str, str | None]]:
    """The names that one pattern means, with its level."""
    if WILD.isdisjoint(pattern):
        try:
            choice = find_model(pattern, models)
        except ModelNotFound:
            return
        yield model_name(choice.model), choice.level
        return
    head, colon, tail = pattern.rpartition(":")
    text, level = (head, tail) if colon and tail in LEVELS else (pattern, None)
    for model in models:
        if any(fnmatchcase(name.lower(), text.lower()) for name in (model.id, model_name(model))):
            yield model_name(model), level
