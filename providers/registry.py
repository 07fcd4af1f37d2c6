"""All providers and models of one program run: the shipped ones, the person's own, and the keys they need."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ..agent.messages import ThinkingLevel
from ..agent.model import Model
from .address import host_of
from .auth_store import AuthStore, AuthStoreError
from .catalogue import (
    ModelChoice,
    ModelNotFound,
    find_model,
    fitting_models,
    load_catalogue,
    model_name,
    near_models,
)
from .config import LOCAL, PROVIDERS, ProviderConfig
from .keys import Key, find_key, is_set
from .models_toml import ModelsToml

if TYPE_CHECKING:
    from .http_provider import HttpProvider
    from .limits import Limits


class Registry:
    """Finds models, knows whose key is there, makes providers (one per name, so that connections and caches last).

    `custom` is the person's models.toml, `auth` the stored keys. `explicit` maps a provider to the key of `--api-key`.
    """

    def __init__(
        self,
        environment: Mapping[str, str] | None = None,
        custom: ModelsToml | None = None,
        auth: AuthStore | None = None,
        explicit: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._environment = os.environ if environment is None else environment
        self._custom = custom or ModelsToml()
        self._auth = auth
        self._explicit = dict(explicit or {})
        self._limits = limits
        self._providers: dict[str, tuple[Key | None, HttpProvider]] = {}
        self._served: dict[str, tuple[Model, ...]] = {}
        self.configs: dict[str, ProviderConfig] = self._all_configs()

    def models(self) -> tuple[Model, ...]:
        """Every known model: the person's own first, then what local servers offer, then the shipped ones."""
        served = self.served()
        shipped = [self._adapted(model) for model in load_catalogue().models]
        by_name = {model_name(model): model for model in [*shipped, *served, *self._custom.models]}
        own = [model_name(model) for model in [*self._custom.models, *served]]
        return tuple(by_name[name] for name in dict.fromkeys([*own, *by_name]))

    def served(self) -> tuple[Model, ...]:
        """The models of the servers that were found or asked."""
        return tuple(model for models in self._served.values() for model in models)

    def key_of(self, provider: str) -> Key | None:
        """The key that would go to a provider, and where it was found. Reads auth.json; raises `AuthStoreError`."""
        config = self.configs[provider]
        stored = self._auth.get(provider) if self._auth is not None else None
        return find_key(config, self._environment, explicit=self._explicit.get(provider), stored=stored)

    def ready(self) -> frozenset[str]:
        """The providers that can be asked now: with a key, or found on this machine, or needing no key by configuration."""
        own = self._custom.configs
        return frozenset(
            name
            for name, config in self.configs.items()
            if self._has_key(name)
            or name in self._served
            or (not config.key_required and (name in own or config.base_url != _shipped_url(name)))
        )

    def find(self, pattern: str, provider: str | None = None) -> ModelChoice:
        """The model that a person means, as `find_model` says; an unknown id of a known provider is taken on trust.

        Raises `ModelNotFound`.
        """
        if provider is not None and provider not in self.configs:
            raise ModelNotFound(f"There is no provider {provider!r}; there are {', '.join(self.configs)}.")
        try:
            return find_model(pattern, self.models(), provider=provider, ready=self.ready())
        except ModelNotFound as error:
            name, slash, model = pattern.partition("/")
            if provider is None and slash and model and name in self.configs:
                return self._trusted(name, model)
            if provider is not None and pattern and not error.is_ambiguous:
                return self._trusted(provider, pattern.removeprefix(f"{provider}/"))
            raise

    def fitting(self, pattern: str) -> tuple[list[Model], ThinkingLevel | None]:
        """Every model that a person may mean, as `fitting_models` says."""
        return fitting_models(pattern, self.models(), ready=self.ready())

    def default_model(self) -> Model | None:
        """The first model of the first provider that is ready; the person's own come first. None: nothing is set up."""
        ready = self.ready()
        return next((model for model in self.models() if model.provider in ready), None)

    def provider_for(self, model: Model) -> HttpProvider:
        """The provider of a model, with the key as it is now. Reads auth.json; raises `AuthStoreError`."""
        # The protocols and the transport are not needed before the first request.
        from .http_provider import HttpProvider

        name = model.provider
        key = self.key_of(name)
        known = self._providers.get(name)
        if known is None or known[0] != key:
            known = (key, HttpProvider(self.configs[name], key, self._limits, self._environment))
            self._providers[name] = known
        return known[1]

    async def warm(self, model: Model) -> None:
        """Do now what the first request to `model` would have to wait for, if it has a provider already."""
        known = self._providers.get(model.provider)
        if known is not None:
            await known[1].warm(model)

    def use_key(self, provider: str, key: str) -> None:
        """Let `--api-key` speak for a provider."""
        self._explicit[provider] = key

    def add_served(self, config: ProviderConfig, models: tuple[Model, ...]) -> None:
        """Take in a server that was found on this machine, with the models that it offers."""
        self.configs[config.name] = config
        self._served[config.name] = models

    async def discover(self) -> tuple[str, ...]:
        """Look for model servers on this machine and take them in; the names of those found. Raises nothing."""
        from .local import find_local_servers

        servers = await find_local_servers(self.configs[name] for name in LOCAL)
        for server in servers:
            self.add_served(server.config, server.models)
        return tuple(server.config.name for server in servers)

    async def refresh(self, provider: str) -> tuple[Model, ...]:
        """Ask a provider what it serves and take that in. Raises `ProviderError`."""
        from .listing import list_models

        models = await list_models(await self._provider(provider))
        self.add_served(self.configs[provider], tuple(self._described(model) for model in models))
        return self._served[provider]

    async def log_in(self, provider: str, key: str) -> Literal["good", "unchecked"]:
        """Check a key with a request that costs nothing and store it for the provider's host.

        Raises `ProviderError` (nothing is stored then) and `AuthStoreError`.
        """
        from anyio import to_thread

        from .http_provider import HttpProvider
        from .listing import check_key

        config = self.configs[provider]
        candidate = HttpProvider(config, Key(key.strip(), "/login"), self._limits, self._environment)
        try:
            verdict = await check_key(candidate)
        finally:
            await candidate.aclose()
        if self._auth is None:
            raise AuthStoreError("There is no place to store keys.")
        await to_thread.run_sync(self._auth.put, provider, key, host_of(config.base_url))
        return verdict

    async def log_out(self, provider: str) -> bool:
        """Forget the stored key of a provider; whether there was one. Raises `AuthStoreError`."""
        from anyio import to_thread

        return self._auth is not None and await to_thread.run_sync(self._auth.remove, provider)

    async def aclose(self) -> None:
        """Close all connections."""
        for _, provider in self._providers.values():
            await provider.aclose()

    async def _provider(self, name: str) -> HttpProvider:
        from anyio import to_thread

        return await to_thread.run_sync(self.provider_for, Model(name, "", self.configs[name].api))

    def _described(self, model: Model) -> Model:
        """A served model with what the catalogue knows of it."""
        name = model_name(model)
        return next((known for known in self.models() if model_name(known) == name), model)

    def _all_configs(self) -> dict[str, ProviderConfig]:
        configs = {name: config.with_environment(self._environment) for name, config in PROVIDERS.items()}
        return {**configs, **self._custom.configs}

    def _adapted(self, model: Model) -> Model:
        """A shipped model in the protocol of the server that its provider now stands for."""
        api = self.configs[model.provider].api
        return replace(model, api=api) if api != PROVIDERS[model.provider].api else model

    def _trusted(self, provider: str, model_id: str) -> ModelChoice:
        config = self.configs[provider]
        model = Model(provider=provider, id=model_id, api=config.api)
        near = [f"{provider}/{each}" for each in near_models(model)]
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        return ModelChoice(
            model, None, f"{model_name(model)} is not in the catalogue: its limits and prices are unknown.{hint}"
        )

    def _has_key(self, provider: str) -> bool:
        try:
            key = self.key_of(provider)
            return key is not None and is_set(key, self._environment)
        except AuthStoreError:
            return False


def _shipped_url(name: str) -> str:
    return PROVIDERS[name].base_url if name in PROVIDERS else ""
