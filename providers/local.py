"""Model servers on this machine, found by knocking at their usual ports."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urlsplit

from ..agent.frozen import frozen
from ..agent.json_values import count_of, list_of, object_of, text_of
from ..agent.messages import JsonObject
from ..agent.model import Model
from ..agent.provider import ProviderError
from .config import LOCAL, PROVIDERS, ProviderConfig

KNOCK = 0.2
"""Seconds in which a port must answer."""

LIST = 2.0
"""Seconds in which a server that answered must say what it has."""


@frozen
class LocalServer:
    """A server that was found, and its models."""

    config: ProviderConfig
    models: tuple[Model, ...]


async def find_local_servers(configs: Iterable[ProviderConfig] | None = None) -> tuple[LocalServer, ...]:
    """The servers among `configs` (the usual four) that listen on loopback and list models; all asked at once.

    Nothing else than loopback is asked, and nothing is raised: what does not answer in time is not there.
    """
    import anyio

    wanted = [PROVIDERS[name] for name in LOCAL] if configs is None else list(configs)
    found: dict[str, LocalServer] = {}

    async def look(config: ProviderConfig) -> None:
        if await _listens(config) and (models := await _models(config)):
            found[config.name] = LocalServer(config, models)

    async with anyio.create_task_group() as group:
        for config in wanted:
            if config.is_local:
                group.start_soon(look, config)
    return tuple(found[config.name] for config in wanted if config.name in found)


async def _listens(config: ProviderConfig) -> bool:
    """Whether something takes connections there.

    Asked in a thread, where the system keeps the time: an event loop that is busy would take its own delay for the
    server's.
    """
    from anyio import to_thread

    parts = urlsplit(config.base_url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return await to_thread.run_sync(_connects, parts.hostname or "127.0.0.1", port)


def _connects(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=KNOCK).close()
    except OSError:
        return False
    return True


async def _models(config: ProviderConfig) -> tuple[Model, ...]:
    import anyio

    from .http_provider import HttpProvider
    from .listing import list_models

    provider = HttpProvider(config, environment={})
    models: tuple[Model, ...] = ()
    try:
        with anyio.move_on_after(LIST):
            models = await list_models(provider)
            models = await _measured(config, models)
    except ProviderError:
        return models
    finally:
        with anyio.move_on_after(1, shield=True):
            await provider.aclose()
    return models


async def _measured(config: ProviderConfig, models: tuple[Model, ...]) -> tuple[Model, ...]:
    """The models with what the server tells apart from the list: the window that is loaded, whether they see."""
    from .transport import Transport

    path = {"ollama": "/api/ps", "lmstudio": "/api/v0/models", "llama.cpp": "/props"}.get(config.name)
    if path is None or not models:
        return models
    transport = Transport(config.base_url.removesuffix("/v1"))
    try:
        document = object_of(await transport.get(path))
    finally:
        await transport.aclose()
    return tuple(_with_facts(model, _facts(model, document)) for model in models)


def _facts(model: Model, document: JsonObject) -> JsonObject:
    """What a document says of a model: llama.cpp's of the only one, the others' in a list."""
    settings = object_of(document.get("default_generation_settings"))
    if settings:
        return {"context_length": settings.get("n_ctx"), "vision": object_of(document.get("modalities")).get("vision")}
    entries = [object_of(entry) for entry in list_of(document.get("models")) or list_of(document.get("data"))]
    return next((entry for entry in entries if model.id in (entry.get("id"), entry.get("name"))), JsonObject())


def _with_facts(model: Model, facts: JsonObject) -> Model:
    window = count_of(facts.get("loaded_context_length")) or count_of(facts.get("context_length"))
    sees = model.vision or facts.get("vision") is True or text_of(facts.get("type")) == "vlm"
    return replace(model, context_window=window or model.context_window, vision=sees)
