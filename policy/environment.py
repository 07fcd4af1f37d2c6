"""Which environment variables a command may see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

PROVIDER_KEYS: Mapping[str, str] = {
    "ANTHROPIC_API_KEY": "anthropic",
    "ANTHROPIC_AUTH_TOKEN": "anthropic",
    "OPENAI_API_KEY": "openai",
    "GEMINI_API_KEY": "google",
    "GOOGLE_API_KEY": "google",
    "AZURE_OPENAI_API_KEY": "azure",
    "OPENROUTER_API_KEY": "openrouter",
    "DEEPSEEK_API_KEY": "deepseek",
    "GROQ_API_KEY": "groq",
    "MISTRAL_API_KEY": "mistral",
    "XAI_API_KEY": "xai",
    "CEREBRAS_API_KEY": "cerebras",
    "TOGETHER_API_KEY": "together",
    "FIREWORKS_API_KEY": "fireworks",
    "MOONSHOT_API_KEY": "moonshot",
    "KIMI_API_KEY": "kimi",
    "MINIMAX_API_KEY": "minimax",
    "ZAI_API_KEY": "zai",
    "HF_TOKEN": "huggingface",
    "OLLAMA_API_KEY": "ollama",
}
"""Variables that hold a key of a model provider, and whose it is."""


def withheld_names(
    environ: Mapping[str, str], *, withheld: Iterable[str] = PROVIDER_KEYS, passed: Iterable[str] = ()
) -> frozenset[str]:
    """The variables of `environ` that commands do not see: the `withheld` ones without those that `passed` lists.

    `passed` may use ``*`` and ``?``.
    """
    patterns = tuple(passed)
    names = (name for name in withheld if name in environ)
    return frozenset(name for name in names if not any(fnmatchcase(name, pattern) for pattern in patterns))


def known_secrets(environ: Mapping[str, str], names: Iterable[str] = PROVIDER_KEYS) -> dict[str, str]:
    """The keys that `environ` holds, by name, as `make_redactor` takes them."""
    return {name: environ[name] for name in names if environ.get(name)}
