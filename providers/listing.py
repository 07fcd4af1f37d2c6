"""Asking a provider which models it has, which also tells whether a key is good."""

from __future__ import annotations

from typing import Literal

from ..agent.json_values import count_of, list_of, object_of, text_of
from ..agent.messages import JsonObject
from ..agent.model import Model
from ..agent.provider import ProviderError
from .anthropic import VERSION
from .config import ProviderConfig
from .http_provider import HttpProvider

_KEY_PATHS = {"openrouter": "/key"}
"""Where a list of models is public and another cheap request asks for the key."""


async def check_key(provider: HttpProvider) -> Literal["good", "unchecked"]:
    """Whether the provider takes its key; `unchecked` where it has no request that costs nothing.

    Raises `ProviderError`, of kind `auth` for a key that is refused.
    """
    path = _KEY_PATHS.get(provider.name) or _models_path(provider.config)
    try:
        await _get(provider, path)
    except ProviderError as error:
        if error.kind != "not_found":
            raise
        return "unchecked"
    return "good"


async def list_models(provider: HttpProvider) -> tuple[Model, ...]:
    """What the provider says it serves, without models that only embed. Raises `ProviderError`."""
    document = object_of(await _get(provider, _models_path(provider.config)))
    entries = map(object_of, list_of(document.get("data")) or list_of(document.get("models")))
    found = (served_model(provider.config, entry) for entry in entries)
    return tuple(model for model in found if model is not None)


def served_model(config: ProviderConfig, entry: JsonObject) -> Model | None:
    """A model from its entry in a list of models, in any of the shapes that servers use. None: it cannot chat."""
    name = (text_of(entry.get("id")) or text_of(entry.get("name"))).removeprefix("models/")
    if not name or "embed" in f"{name} {text_of(entry.get('type'))}".lower():
        return None
    meta = object_of(entry.get("meta"))
    sizes = (
        entry.get("loaded_context_length"),
        entry.get("max_model_len"),
        entry.get("max_input_tokens"),
        entry.get("inputTokenLimit"),
        entry.get("context_length"),
        entry.get("max_context_length"),
        meta.get("n_ctx"),
        meta.get("n_ctx_train"),
    )
    outputs = (entry.get("max_tokens"), entry.get("outputTokenLimit"))
    return Model(
        provider=config.name,
        id=name,
        api=config.api,
        name=text_of(entry.get("display_name")) or text_of(entry.get("displayName")) or _file_title(name),
        context_window=next((size for size in map(count_of, sizes) if size), None),
        max_output=next((size for size in map(count_of, outputs) if size), None),
        vision=entry.get("type") == "vlm"
        or "image" in list_of(object_of(entry.get("architecture")).get("input_modalities")),
    )


def _file_title(name: str) -> str:
    """What a weights file is called without its folder and ending: llama.cpp names models by the path of the file."""
    return name.replace("\\", "/").rpartition("/")[2].removesuffix(".gguf") if name.endswith(".gguf") else ""


def _models_path(config: ProviderConfig) -> str:
    if config.api == "anthropic-messages" and not config.base_url.endswith("/v1"):
        return "/v1/models"
    if config.api == "ollama-chat":
        return "/api/tags"
    return "/models"


async def _get(provider: HttpProvider, path: str) -> object:
    headers = await provider.auth_headers()
    if provider.config.api == "anthropic-messages":
        headers["anthropic-version"] = VERSION
    return await provider.transport.get(path, headers)
