"""The models that ship with the program, and finding one by what a person types."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from ..agent.frozen import frozen
from ..agent.messages import ThinkingLevel
from ..agent.model import Model, Prices
from .thinking import LEVELS
from .usage import TieredPrices

_DATA = Path(__file__).with_name("models.json")
NEAR = 0.6
"""How like a name must be, from 0 to 1, to be offered in place of one that does not exist."""

_DATED = re.compile(r"-\d{8}$|-\d{4}-\d{2}-\d{2}$|-\d{4}$")


class ModelNotFound(Exception):
    """No model, or more than one (`is_ambiguous`), fits. The text names the nearest; `candidates` are ``provider/id``."""

    def __init__(self, message: str, candidates: Sequence[str] = (), *, is_ambiguous: bool = False) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)
        self.is_ambiguous = is_ambiguous


@frozen
class ModelChoice:
    """What a pattern chose. `level` is None if it named none; `warning` says what the person should know."""

    model: Model
    level: ThinkingLevel | None = None
    warning: str | None = None


@frozen
class Catalogue:
    """The shipped models; `date` (ISO) is when the data was made."""

    date: str
    models: tuple[Model, ...]


@lru_cache(maxsize=1)
def load_catalogue() -> Catalogue:
    """Read the shipped data."""
    document = json.loads(_DATA.read_text("utf-8"))
    return Catalogue(document["date"], tuple(_model(entry) for entry in document["models"]))


def model_name(model: Model) -> str:
    """``provider/id``, which names a model everywhere."""
    return f"{model.provider}/{model.id}"


def find_model(
    pattern: str, models: Iterable[Model], *, provider: str | None = None, ready: Collection[str] = ()
) -> ModelChoice:
    """The model that `pattern` names: an id, ``provider/id`` or part of a name, each with ``:level`` behind it if wanted.

    An exact id beats a part of one; ids without a date beat dated ones, then the highest wins. Where several providers
    have it, those in `ready` (with a key) are preferred. Raises `ModelNotFound`.
    """
    pool = [model for model in models if provider in (None, model.provider)]
    for text, level in _readings(pattern.strip()):
        found = _exact(text, pool) or _fuzzy(text, pool)
        if found:
            return ModelChoice(_only(text, found, ready), level)
    raise ModelNotFound(*_nearest(pattern, pool))


def fitting_models(
    pattern: str, models: Iterable[Model], *, ready: Collection[str] = ()
) -> tuple[list[Model], ThinkingLevel | None]:
    """Every model that `pattern` may mean, the exact ones alone if there are any, with the level that it names.

    Where one of them is of a provider in `ready`, only such ones.
    """
    pool = list(models)
    for text, level in _readings(pattern.strip()):
        found = _exact(text, pool) or _holding(text, pool)
        if found:
            return [model for model in found if model.provider in ready] or found, level
    return [], None


def _readings(pattern: str) -> list[tuple[str, ThinkingLevel | None]]:
    """The pattern as it stands, then without a level at its end: ids may hold colons themselves."""
    readings: list[tuple[str, ThinkingLevel | None]] = [(pattern, None)]
    head, colon, tail = pattern.rpartition(":")
    if colon and tail in LEVELS:
        readings.append((head, tail))
    return readings


def _exact(text: str, pool: Sequence[Model]) -> list[Model]:
    wanted = text.lower()
    named = [model for model in pool if model_name(model).lower() == wanted]
    return named or [model for model in pool if model.id.lower() == wanted]


def _fuzzy(text: str, pool: Sequence[Model]) -> list[Model]:
    """The best of each provider among the models whose names hold every word of `text`."""
    best: dict[str, Model] = {}
    for model in sorted(_holding(text, pool), key=_rank):
        best[model.provider] = model
    return list(best.values())


def _holding(text: str, pool: Sequence[Model]) -> list[Model]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    if not words:
        return []
    return [model for model in pool if all(word in f"{model_name(model)} {model.name}".lower() for word in words)]


def _rank(model: Model) -> tuple[bool, list[tuple[int, str]]]:
    parts = re.findall(r"\d+|\D+", model.id)
    return not _DATED.search(model.id), [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _only(text: str, found: list[Model], ready: Collection[str]) -> Model:
    usable = [model for model in found if model.provider in ready] or found
    if len({model.provider for model in usable}) == 1:
        return usable[-1]
    names = [model_name(model) for model in usable]
    raise ModelNotFound(
        f"Several providers have {text!r}: {', '.join(names)}. Name one of them in full.", names, is_ambiguous=True
    )


def _nearest(pattern: str, pool: Sequence[Model]) -> tuple[str, list[str]]:
    from difflib import get_close_matches

    names = {model_name(model).lower(): model_name(model) for model in pool}
    names |= {model.id.lower(): model_name(model) for model in pool}
    texts = dict.fromkeys((pattern.lower(), pattern.lower().partition(":")[0]))
    close = [name for text in texts for name in get_close_matches(text, names, n=5, cutoff=NEAR)]
    nearest = list(dict.fromkeys(names[name] for name in close))[:5]
    hint = f" Did you mean {', '.join(nearest)}?" if nearest else " /model and --list-models show those there are."
    return f"There is no model {pattern!r}.{hint}", nearest


def near_models(model: Model) -> list[str]:
    """Ids of the shipped models of the same provider whose names are like that of `model`; not itself."""
    from difflib import get_close_matches

    ids = [each.id for each in load_catalogue().models if each.provider == model.provider and each.id != model.id]
    return get_close_matches(model.id, ids, n=3, cutoff=NEAR)


def _model(entry: dict[str, Any]) -> Model:
    return Model(
        provider=entry["provider"],
        id=entry["id"],
        api=entry["api"],
        name=entry["name"],
        context_window=entry["context_window"],
        max_output=entry["max_output"],
        vision=entry["vision"],
        thinking_levels=cast("dict[ThinkingLevel, str]", entry["thinking"]),
        prices=_prices(entry["prices"]),
        always_thinks=entry.get("always_thinks", False),
    )


def _prices(entry: dict[str, Any]) -> Prices:
    above = tuple((tier["tokens"], _flat(tier)) for tier in entry.get("above", ()))
    flat = _flat(entry)
    return TieredPrices(flat.input, flat.output, flat.cache_read, flat.cache_write, above) if above else flat


def _flat(entry: dict[str, Any]) -> Prices:
    return Prices(entry["input"], entry["output"], entry["cache_read"], entry["cache_write"])
