"""Counting tokens as each provider reports them, and what they cost."""

from __future__ import annotations

from ..agent.frozen import frozen
from ..agent.json_values import count_of, object_of
from ..agent.messages import Cost, JsonObject, Usage
from ..agent.model import Model, Prices
from ..agent.mutable import mutable

CHARS_PER_TOKEN = 3.5
"""For estimates, where no provider counts."""


@frozen
class TieredPrices(Prices):
    """Prices that change for the whole request once its prompt has more tokens than a threshold; thresholds ascend."""

    above: tuple[tuple[int, Prices], ...] = ()

    def at(self, prompt_tokens: int) -> Prices:
        """The prices for a prompt of this size."""
        return next((prices for start, prices in reversed(self.above) if prompt_tokens > start), self)


@mutable
class Tokens:
    """What a provider has reported so far; None: nothing. `billed` is a total in US dollars that it charges."""

    input: int | None = None
    output: int | None = None
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    billed: float | None = None

    @property
    def is_known(self) -> bool:
        return self.input is not None or self.output is not None

    def usage(self, model: Model) -> Usage:
        """The usage with its cost at the prices of `model`."""
        usage = Usage(self.input or 0, self.output or 0, self.cache_read, self.cache_write, self.reasoning)
        return priced(usage, model.prices, self.billed)


def from_openai(report: JsonObject) -> Tokens:
    """Chat Completions and its relatives: prompt tokens include the cached ones.

    Some leave reasoning out of the completion tokens (xAI); the total tells.
    """
    prompt = count_of(report.get("prompt_tokens")) or 0
    completion = count_of(report.get("completion_tokens")) or 0
    total = count_of(report.get("total_tokens")) or 0
    details = object_of(report.get("prompt_tokens_details"))
    read = count_of(details.get("cached_tokens")) or count_of(report.get("prompt_cache_hit_tokens"))
    read = min(read or count_of(report.get("cached_tokens")) or 0, prompt)
    written = min(count_of(details.get("cache_write_tokens")) or 0, prompt - read)
    reasoning = count_of(object_of(report.get("completion_tokens_details")).get("reasoning_tokens")) or 0
    cost = report.get("cost")
    billed = float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) and cost > 0 else None
    return Tokens(prompt - read - written, max(completion, total - prompt), read, written, reasoning, billed)


def estimate(model: Model, prompt_chars: int, output_chars: int) -> Usage:
    """A guess from lengths, marked as one."""
    usage = Usage(_tokens(prompt_chars), _tokens(output_chars), estimated=True)
    return priced(usage, model.prices)


def priced(usage: Usage, prices: Prices, billed: float | None = None) -> Usage:
    """`usage` with its cost; None where a price that matters is unknown. `billed`, where given, is the true total."""
    cost = cost_of(usage, prices)
    if billed is not None:
        cost = _scaled(cost, billed)
    return Usage(usage.input, usage.output, usage.cache_read, usage.cache_write, usage.reasoning, cost, usage.estimated)


def cost_of(usage: Usage, prices: Prices) -> Cost | None:
    """Price times tokens. Cache tokens without a price of their own count as input, so nothing looks cheaper than it is."""
    if isinstance(prices, TieredPrices):
        prices = prices.at(usage.prompt_tokens)
    if prices.input is None or prices.output is None:
        return None
    read = prices.input if prices.cache_read is None else prices.cache_read
    write = prices.input if prices.cache_write is None else prices.cache_write
    return Cost(
        usage.input * prices.input / 1e6,
        usage.output * prices.output / 1e6,
        usage.cache_read * read / 1e6,
        usage.cache_write * write / 1e6,
    )


def _scaled(cost: Cost | None, total: float) -> Cost:
    if cost is None or cost.total <= 0:
        return Cost(input=total)
    factor = total / cost.total
    return Cost(cost.input * factor, cost.output * factor, cost.cache_read * factor, cost.cache_write * factor)


def _tokens(chars: int) -> int:
    return round(chars / CHARS_PER_TOKEN)
