"""`--list-models`: what can be used, one model a line."""

from __future__ import annotations

import asyncio
import sys

from ...agent.model import Model
from ...providers.catalogue import model_name
from ...providers.registry import Registry
from ...widgets.text.marks import marks
from ..arguments import Arguments
from ..paths import find_paths
from ..settings.reading import load_settings
from .choice import open_registry


def list_models(arguments: Arguments) -> int:
    """Print the models whose name holds every word of the search; those that can be asked now have a mark. Exit status."""
    paths = find_paths()
    settings, _ = load_settings(paths.config)
    registry, problems = open_registry(arguments, settings, paths)
    for problem in problems:
        sys.stderr.write(f"pyagent-tui: {problem}\n")
    asyncio.run(registry.discover())
    words = (arguments.list_models or "").lower().split()
    found = [model for model in registry.models() if all(word in _words(model) for word in words)]
    if not found:
        sys.stderr.write(f"pyagent-tui: no model matches {arguments.list_models!r}\n")
        return 1
    sys.stdout.write(model_table(found, registry))
    return 0


def model_table(models: list[Model], registry: Registry) -> str:
    """The table; prices in US dollars per million tokens, an unknown one is ``–``."""
    ready = registry.ready()
    rows = [("", "model", "context", "output", "$ in", "$ out")]
    rows += [_row(model, model.provider in ready) for model in models]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(_align(cell, width, i) for i, (cell, width) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]
    return (
        "\n".join(line.rstrip() for line in lines) + "\n* can be used now: a key is set, or it runs on this machine\n"
    )


def _row(model: Model, is_ready: bool) -> tuple[str, ...]:
    prices = model.prices
    return (
        "*" if is_ready else "",
        model_name(model),
        _count(model.context_window),
        _count(model.max_output),
        _price(prices.input),
        _price(prices.output),
    )


def _align(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column < 2 else cell.rjust(width)


def _words(model: Model) -> str:
    return f"{model_name(model)} {model.name}".lower()


def _count(tokens: int | None) -> str:
    return marks().unknown if tokens is None else f"{tokens:,}"


def _price(dollars: float | None) -> str:
    return marks().unknown if dollars is None else f"{dollars:g}"
