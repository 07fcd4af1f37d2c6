"""What the commands about models and keys do. Heavy to import: only when one is called."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ...agent.agent import NothingToContinue
from ...agent.messages import ThinkingLevel
from ...agent.provider import ProviderError
from ...policy.trust import TrustError
from ...providers.address import host_of
from ...providers.auth_store import AuthStoreError
from ...providers.catalogue import model_name
from ...providers.config import ProviderConfig
from ...providers.registry import Registry
from ...providers.thinking import levels_of
from ...widgets.terminal.key_dispatch import key_hint
from ..conversation.composition import Composition
from ..conversation.project import decide_again
from ..models.choice import open_registry
from ..models.scope import models_in_scope
from ..screens.ask import ask
from ..screens.login import KeyOwner, LoginScreen, OwnerPicker, Refused
from ..screens.model_picker import LevelPicker, ModelOffer, ModelPicker, Picked
from ..screens.start import StartScreen
from ..settings.file import SettingsError, save_setting
from ..settings.shown import tell
from ..spelling import did_you_mean
from ..start_error import StartError

if TYPE_CHECKING:
    from ..tui import PyAgentApp


async def act(app: PyAgentApp, name: str, argument: str) -> None:
    """Do what the command `name` says; what cannot be done is said in the transcript."""
    try:
        await ACTIONS[name](app, argument)
    except (StartError, AuthStoreError, SettingsError) as error:
        app.view.transcript.add_note("error", str(error))


# Models


async def start(app: PyAgentApp, _: str) -> None:
    """Without a model: say what to do, and offer what is found on this machine."""
    conversation = app.conversation
    registry, problems = await asyncio.to_thread(
        open_registry, app.arguments, conversation.settings, conversation.paths
    )
    while conversation.composition is None:
        screen = StartScreen(problems, app.view.editor.insert)
        looking = app.run_worker(_offer_servers(app, registry, screen), group="servers", exit_on_error=False)
        try:
            choice = await ask(app, screen)
        finally:
            looking.cancel()
        match choice:
            case "login":
                if await log_in(app, ""):
                    return
            case "demo":
                app.start_demo()
                return
            case "quit":
                app.leave()
                return
            case "editor" | None:
                return
            case _:
                await use_model(app, model_name(choice))
                return


async def _offer_servers(app: PyAgentApp, registry: Registry, screen: StartScreen) -> None:
    found = await app.conversation.servers.look(registry)
    if screen.is_attached:
        screen.show(found)


async def choose_model(app: PyAgentApp, pattern: str) -> None:
    """``/model``: by name if it can mean one only, else from the list."""
    if pattern in STEPS:
        await step_model(app, STEPS[pattern])
    elif pattern and not await _is_ambiguous(app, pattern):
        await use_model(app, pattern, says=True)
    elif (picked := await _pick_model(app, pattern)) is not None:
        registry = await registry_of(app)
        provider = picked.name.partition("/")[0]
        if _lacks_key(registry, provider) and not await _log_in(app, registry, provider):
            return
        if await use_model(app, picked.name, says=True) and picked.saves:
            await _save_model(app)


async def _is_ambiguous(app: PyAgentApp, pattern: str) -> bool:
    if app.arguments.script is not None:
        return False
    registry = await registry_of(app)
    fitting, _ = await asyncio.to_thread(registry.fitting, pattern)
    return len(fitting) > 1


STEPS = {"next": 1, "previous": -1}
"""Words after ``/model`` that lead to another one of those that can be asked now."""


async def step_model(app: PyAgentApp, step: int) -> None:
    """The model after or before the present one; at the end of the list the first one again."""
    if app.arguments.script is not None:
        raise StartError("A script plays the model here; it cannot be changed.")
    registry = await registry_of(app)
    offers = await asyncio.to_thread(_offers, app, registry)
    patterns = app.conversation.settings.enabled_models
    wanted = models_in_scope(patterns, [offer.model for offer in offers if offer.is_ready])
    names = list(wanted)
    now = next((offer.name for offer in offers if offer.is_current), "")
    if not names or names == [now]:
        why = "fits enabled_models (/settings)" if patterns else "can be asked now: /login stores a key"
        _say(app, f"There is no other model that {why}.")
        return
    index = (names.index(now) + step) % len(names) if now in names else 0
    if await use_model(app, wanted[names[index]]) and (model := app.conversation.model) is not None:
        tell(app, f"{model.label} answers from now on")


async def use_model(app: PyAgentApp, pattern: str, *, says: bool = False) -> bool:
    """Let a model answer from the next request on; a demo ends by it. Whether it does; `says` tells which it is."""
    conversation = app.conversation
    composition, changed = conversation.composition, False
    arguments = replace(app.arguments, model=pattern, provider=None, demo=False, demo_without_model=False)
    if composition is not None and (composition.choice.registry is not None or app.arguments.script is not None):
        changed = await conversation.change_model(pattern)
    else:
        if composition is not None:
            await conversation.leave()
            arguments = replace(arguments, messages=(), files=())
        await app.prepare(arguments).wait()
        changed = conversation.model is not None
    if changed:
        app.arguments = arguments
    if changed and says and (model := conversation.model) is not None:
        _say(app, f"{model.label} answers from now on ({model_name(model)}).")
    return changed


async def _pick_model(app: PyAgentApp, pattern: str) -> Picked | None:
    """The list, searched for `pattern`, which grows when a server is found on this machine while it is open."""
    if app.arguments.script is not None:
        raise StartError("A script plays the model here; it cannot be changed.")
    registry = await registry_of(app)
    _, level = await asyncio.to_thread(registry.fitting, pattern)
    query = pattern.removesuffix(f":{level}") if level else pattern
    picker = ModelPicker(await asyncio.to_thread(_offers, app, registry), query)
    looking = app.run_worker(_look_again(app, registry, picker), group="servers", exit_on_error=False)
    try:
        picked = await ask(app, picker)
    finally:
        looking.cancel()
    return picked._replace(name=f"{picked.name}:{level}") if picked is not None and level else picked


async def _look_again(app: PyAgentApp, registry: Registry, picker: ModelPicker) -> None:
    await app.conversation.servers.look(registry)
    offers = await asyncio.to_thread(_offers, app, registry)
    if picker.is_attached:
        picker.update(offers)


def _offers(app: PyAgentApp, registry: Registry) -> list[ModelOffer]:
    ready, current = registry.ready(), app.conversation.model
    name = model_name(current) if current else ""
    return [ModelOffer(model, model.provider in ready, model_name(model) == name) for model in registry.models()]


async def _save_model(app: PyAgentApp) -> None:
    model = app.conversation.model
    if model is None:
        return
    folder = app.conversation.paths.config
    await asyncio.to_thread(save_setting, folder, "default_provider", model.provider)
    await asyncio.to_thread(save_setting, folder, "default_model", model.id)
    _say(app, f"{model_name(model)} is the default from now on ({folder / 'config.toml'}).")


async def registry_of(app: PyAgentApp) -> Registry:
    """The registry of the conversation; without one (no model yet, a demo) a new one."""
    composition = app.conversation.composition
    if composition is not None and composition.choice.registry is not None:
        return composition.choice.registry
    conversation = app.conversation
    registry, _ = await asyncio.to_thread(open_registry, app.arguments, conversation.settings, conversation.paths)
    conversation.servers.tell(registry)
    return registry


async def retry(app: PyAgentApp, _: str) -> None:
    """``/retry``: ask once more after a reply that failed or was stopped."""
    _composition(app)
    if app.conversation.is_running:
        stops = key_hint(app, "app.stop", "stops it, then ")
        _say(app, f"A run is going on: {stops}/retry asks once more.")
        return
    try:
        app.conversation.retry()
    except NothingToContinue:
        _say(app, "There is nothing to try again: the model has answered.")


# Thinking


async def choose_level(app: PyAgentApp, _: str) -> None:
    """``/thinking`` without a level: from the list."""
    composition = _composition(app)
    setup = composition.agent.setup
    levels = levels_of(setup.model)
    if len(levels) == 1:
        why = "always thinks, at one level" if setup.model.always_thinks else "does not reason, as far as is known"
        _say(app, f"{setup.model.label} {why}: there is nothing to choose.")
        return
    picked = await ask(app, LevelPicker(levels, setup.thinking_level, setup.model.label))
    if picked is None:
        return
    composition.set_thinking(cast("ThinkingLevel", picked.name))
    app.conversation.show_standing()
    if picked.saves:
        await asyncio.to_thread(save_setting, app.conversation.paths.config, "default_thinking_level", picked.name)
        _say(app, f"{picked.name} is the default thinking level from now on.")


# Trust


async def trust(app: PyAgentApp, _: str) -> None:
    """``/trust``: decide about the project once more."""
    try:
        composition = app.conversation.composition
        folder = composition.project.cwd if composition else Path.cwd()
        is_trusted = await decide_again(app.conversation.paths, folder, app.trusting.ask_again)
    except TrustError as error:
        raise StartError(str(error)) from None
    if is_trusted is None:
        _say(app, "This project brings nothing that needs trust.")
    else:
        word = "trusted" if is_trusted else "not trusted"
        _say(app, f"This project is {word} from the next session on: /new starts one.")


# Keys


async def log_in(app: PyAgentApp, wanted: str) -> bool:
    """``/login``: ask for a key, check it, store it; whether one was stored."""
    if len(wanted.split()) > 1:
        raise StartError(
            "/login takes a provider only. A key on this line can be read: give it to the form that comes up."
        )
    registry = await registry_of(app)
    provider = wanted or await ask(app, OwnerPicker("Whose key?", await asyncio.to_thread(_owners, registry)))
    if not provider or not await _log_in(app, registry, provider):
        return False
    if app.conversation.composition is None:
        app.arguments = replace(app.arguments, provider=provider)
        await app.prepare(app.arguments).wait()
    return True


async def log_out(app: PyAgentApp, wanted: str) -> None:
    """``/logout``: forget a stored key."""
    registry = await registry_of(app)
    stored = [owner for owner in await asyncio.to_thread(_owners, registry) if owner.state == STORED]
    if not stored:
        _say(app, "No key is stored.")
        return
    provider = wanted or await ask(app, OwnerPicker("Forget whose key?", stored))
    if not provider:
        return
    config = _config(registry, provider)
    if not await registry.log_out(provider):
        _say(app, f"No key is stored for {config.title}.")
        return
    await _renew(app)
    key = await asyncio.to_thread(registry.key_of, provider)
    rest = f" There is another one in {key.source}, which counts now." if key else ""
    _say(app, f"The stored key for {config.title} is forgotten.{rest}")


STORED = "stored"


async def _log_in(app: PyAgentApp, registry: Registry, provider: str) -> bool:
    """Ask for the key of a provider; whether one was stored."""
    config = _config(registry, provider)
    store = partial(_store, app, registry, config)
    said = await ask(app, LoginScreen(config.title, host_of(config.base_url), store))
    if said is None:
        return False
    await _renew(app)
    _say(app, said)
    return True


async def _store(app: PyAgentApp, registry: Registry, config: ProviderConfig, key: str) -> str:
    """Check a key and store it; what to tell. The server's words are cleared of the key. Raises `Refused`."""
    try:
        verdict = await registry.log_in(config.name, key)
    except (ProviderError, AuthStoreError) as error:
        why = str(error).replace(key, "[the key]")
        is_refused = isinstance(error, ProviderError) and error.kind == "auth"
        words = "The key is refused" if is_refused else "The key could not be checked"
        raise Refused(f"{words}, and nothing was stored: {why}") from None
    file = app.conversation.paths.auth_file
    if verdict == "good":
        return f"The key for {config.title} works and is stored in {file}."
    return f"The key for {config.title} is stored in {file}. It could not be checked: there is no request that costs nothing."


async def _renew(app: PyAgentApp) -> None:
    """Let the conversation use, and hide, the keys as they are now."""
    composition = app.conversation.composition
    if composition is not None:
        await asyncio.to_thread(composition.renew_keys)


def _owners(registry: Registry) -> list[KeyOwner]:
    """Every provider that takes a key, those that have one first."""
    owners = [
        KeyOwner(config.name, config.title, _key_state(registry, config.name))
        for config in registry.configs.values()
        if config.key_required or config.key_env
    ]
    return sorted(owners, key=lambda owner: not owner.state)


def _key_state(registry: Registry, provider: str) -> str:
    key = registry.key_of(provider)
    if key is None:
        return ""
    return STORED if key.source == "auth.json" else f"from {key.source}"


def _lacks_key(registry: Registry, provider: str) -> bool:
    config = registry.configs.get(provider)
    return config is not None and config.key_required and registry.key_of(provider) is None


def _config(registry: Registry, provider: str) -> ProviderConfig:
    config = registry.configs.get(provider)
    if config is None:
        raise StartError(f"There is no provider {provider!r}{did_you_mean(provider, registry.configs)}")
    return config


def _composition(app: PyAgentApp) -> Composition:
    composition = app.conversation.composition
    if composition is None:
        raise StartError("There is no model yet.")
    return composition


def _say(app: PyAgentApp, text: str) -> None:
    app.view.transcript.add_note("info", text)


ACTIONS: dict[str, Callable[[PyAgentApp, str], Awaitable[object]]] = {
    "start": start,
    "model": choose_model,
    "retry": retry,
    "thinking": choose_level,
    "trust": trust,
    "login": log_in,
    "logout": log_out,
}
