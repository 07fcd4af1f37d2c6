"""Which model answers: by the command line, the settings, or whatever has a key."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from typing import TYPE_CHECKING

from ...agent.messages import ThinkingLevel
from ...agent.model import Model
from ...agent.mutable import mutable
from ...agent.provider import Provider, ProviderError
from ...providers.auth_store import AuthStore, AuthStoreError
from ...providers.catalogue import ModelNotFound, model_name
from ...providers.config import LOCAL, ProviderConfig
from ...providers.keys import reveal_key
from ...providers.limits import Limits
from ...providers.models_toml import load_models_toml
from ...providers.registry import Registry
from ...providers.thinking import clamp_level
from ...sessions.context import settings_of
from ...sessions.entries import ThinkingLevelChangeEntry
from ...sessions.session import Session
from ..arguments import Arguments
from ..paths import Paths
from ..settings.model import Settings
from ..start_error import NoModelError, StartError

if TYPE_CHECKING:
    from ...providers.local import LocalServer

NO_MODEL = (
    "No model is set up. Set a key, such as ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or name the model of a "
    "local server, such as --model ollama/NAME; --demo needs neither."
)


@mutable
class ModelChoice:
    """A model, its provider and how much it thinks. `registry` is None for a scripted one."""

    model: Model
    provider: Provider
    thinking_level: ThinkingLevel
    registry: Registry | None = None
    notices: tuple[str, ...] = field(default=())

    async def warm(self) -> None:
        """Do now what the first request would have to wait for: imports, certificates."""
        if self.registry is not None:
            await self.registry.warm(self.model)

    async def aclose(self) -> None:
        """Close the connections."""
        if self.registry is not None:
            await self.registry.aclose()


def open_registry(
    arguments: Arguments, settings: Settings, paths: Paths, environment: Mapping[str, str] = os.environ
) -> tuple[Registry, tuple[str, ...]]:
    """All models and keys there are, and what is wrong with the files that say so. Reads disk."""
    custom = load_models_toml(paths.models_file)
    limits = Limits(idle=settings.http_idle_timeout_ms / 1000)
    registry = Registry(environment, custom, AuthStore(paths.auth_file), limits=limits)
    if arguments.api_key and arguments.provider:
        registry.use_key(arguments.provider, arguments.api_key)
    return registry, tuple(str(problem) for problem in custom.problems)


def choose_model(
    arguments: Arguments, settings: Settings, paths: Paths, servers: Sequence[LocalServer] | None = None
) -> ModelChoice:
    """The model to start with.

    `servers` are those that were found on this machine; None: nobody has looked yet, and nobody will. Looks itself for
    a model of which nothing is known. Raises `NoModelError` if none is set up and `StartError` if the one that is
    wanted cannot be had.
    """
    if arguments.demo or arguments.script is not None:
        return _scripted(None if arguments.demo else arguments.script)
    registry, notices = open_registry(arguments, settings, paths)
    for server in servers or ():
        registry.add_served(server.config, server.models)
    try:
        chosen = _found(registry, arguments, settings, is_first_look=servers is None)
    except AuthStoreError as error:
        raise StartError(str(error)) from None
    chosen.notices = (*notices, *chosen.notices)
    return chosen


def choose_for_session(
    session: Session,
    arguments: Arguments,
    settings: Settings,
    paths: Paths,
    has_own_model: bool,
    servers: Sequence[LocalServer] | None = None,
) -> ModelChoice:
    """The model to start a session with: its own one, if it `has_own_model` and the command line names no other.

    Raises as `choose_model`.
    """
    path = session.tree.path() if has_own_model else []
    model, level = settings_of(path)
    thinks = any(isinstance(entry, ThinkingLevelChangeEntry) for entry in path)
    if model is None or arguments.model or arguments.provider or arguments.script or arguments.demo:
        return choose_model(arguments, settings, paths, servers)
    name = "/".join(model)
    wanted = replace(arguments, model=name, thinking=arguments.thinking or (level if thinks else None))
    try:
        return choose_model(wanted, settings, paths, servers)
    except StartError:
        choice = choose_model(arguments, settings, paths, servers)
        choice.notices = (
            *choice.notices,
            f"The model of this session, {name}, cannot be had; {choice.model.label} answers.",
        )
        return choice


def change_model(choice: ModelChoice, pattern: str, wanted: ThinkingLevel) -> ModelChoice:
    """Another model of the same registry. Raises `StartError`."""
    if choice.registry is None:
        raise StartError("A script plays the model here; it cannot be changed.")
    try:
        return _by_pattern(choice.registry, pattern, None, wanted)
    except AuthStoreError as error:
        raise StartError(str(error)) from None
    except StartError:
        if not _look(choice.registry):
            raise
        return _by_pattern(choice.registry, pattern, None, wanted)


def literal_keys(registry: Registry) -> dict[str, str]:
    """The keys that can be told without running a command, for hiding them in results. Reads auth.json."""
    found: dict[str, str] = {}
    for name, config in registry.configs.items():
        try:
            key = registry.key_of(name)
            if key is not None and not key.is_command:
                found[f"{name} key"] = reveal_key(key, os.environ)
        except (AuthStoreError, ProviderError):
            continue
        if config.key and not config.key.startswith(("$", "!")):
            found[f"{name} key in models.toml"] = config.key
    return found


def key_variables(configs: Collection[ProviderConfig]) -> frozenset[str]:
    """The environment variables that hold keys of these providers, those that models.toml names as well."""
    named = (_VARIABLE.fullmatch(config.key or "") for config in configs)
    return frozenset(
        [
            *(name for config in configs for name in (*config.key_env, *config.bearer_env)),
            *(match[1] for match in named if match),
        ]
    )


_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")


def _found(registry: Registry, arguments: Arguments, settings: Settings, *, is_first_look: bool) -> ModelChoice:
    """As `_choose`; before it says no, it looks for servers on this machine."""
    try:
        return _choose(registry, arguments, settings)
    except NoModelError as error:
        if not is_first_look or not _look(registry):
            raise
        names = " or ".join(f"--model {model_name(model)}" for model in registry.served()[:3])
        raise NoModelError(f"{error} A server was found on this machine: {names}.") from None
    except StartError:
        if not _look(registry):
            raise
        return _choose(registry, arguments, settings)


def _look(registry: Registry) -> bool:
    """Look for servers on this machine, a fraction of a second; whether there are any. Blocks."""
    with ThreadPoolExecutor(1) as pool:
        return bool(pool.submit(asyncio.run, registry.discover()).result())


def _choose(registry: Registry, arguments: Arguments, settings: Settings) -> ModelChoice:
    wanted = arguments.thinking or settings.default_thinking_level
    provider = arguments.provider
    if arguments.model is not None:
        choice = _by_pattern(registry, arguments.model, provider, wanted)
        if arguments.api_key:
            registry.use_key(choice.model.provider, arguments.api_key)
            choice.provider = registry.provider_for(choice.model)
        return choice
    if provider is None and settings.default_model is not None:
        return _by_pattern(registry, settings.default_model, settings.default_provider, wanted)
    model = _first_model(registry, provider or settings.default_provider)
    if model is None:
        raise NoModelError(NO_MODEL)
    return _made(registry, model, wanted)


def _first_model(registry: Registry, provider: str | None) -> Model | None:
    if provider is None:
        return registry.default_model()
    if provider not in registry.configs:
        raise StartError(f"There is no provider {provider!r}; there are {', '.join(registry.configs)}.")
    return next((model for model in registry.models() if model.provider == provider), None)


def _by_pattern(registry: Registry, pattern: str, provider: str | None, wanted: ThinkingLevel) -> ModelChoice:
    try:
        found = registry.find(pattern, provider)
    except ModelNotFound as error:
        raise StartError(str(error)) from None
    choice = _made(registry, found.model, found.level or wanted)
    if found.warning and found.model.provider not in LOCAL:
        choice.notices = (found.warning,)
    return choice


def _made(registry: Registry, model: Model, wanted: ThinkingLevel) -> ModelChoice:
    return ModelChoice(model, registry.provider_for(model), clamp_level(model, wanted), registry)


def _scripted(script: str | None) -> ModelChoice:
    # A start with a real model has no use for these.
    from ...providers.scripted import SCRIPTED_MODEL
    from .scripted import scripted_provider

    return ModelChoice(SCRIPTED_MODEL, scripted_provider(script), "off")
