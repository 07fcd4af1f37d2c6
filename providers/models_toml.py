"""The person's own providers and models: models.toml.

    [providers.work]
    api = "openai-completions"
    base_url = "https://models.example.org/v1"
    key = "$WORK_KEY"                     # or the key itself, or "!command"
    headers = { "x-team" = "tools" }

    [[providers.work.models]]
    id = "big-model"
    context_window = 200000
    max_output = 32000
    vision = true
    thinking = ["low", "high"]            # or { low = "word of the wire" }
    always_thinks = false                 # true: it has no off
    prices = { input = 3, output = 15, cache_read = 0.3 }

A table with the name of a shipped provider changes that provider. What is wrong is left out and named with its line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any, cast, get_args

from ..agent.frozen import frozen
from ..agent.json_values import is_list, is_object, list_of
from ..agent.messages import ThinkingLevel
from ..agent.model import Model, Prices
from ..agent.toml_lines import nearest_line
from .address import hostname
from .compat import SWITCHES, checked_switch
from .config import APIS, PROVIDERS, AuthStyle, ProviderConfig, normal_base_url
from .thinking import LEVELS

_PROVIDER: Mapping[str, Any] = {
    "api": str,
    "base_url": str,
    "key": str,
    "headers": dict,
    "label": str,
    "auth": str,
    "allow_http": bool,
    "key_required": bool,
    "compat": dict,
    "models": list,
}
_MODEL: Mapping[str, Any] = {
    "id": str,
    "api": str,
    "name": str,
    "context_window": int,
    "max_output": int,
    "vision": bool,
    "thinking": (list, dict),
    "always_thinks": bool,
    "prices": dict,
}
_PRICES: Mapping[str, Any] = dict.fromkeys(("input", "output", "cache_read", "cache_write"), (int, float))
_CHOICES: Mapping[str, tuple[str, ...]] = {"api": APIS, "auth": get_args(AuthStyle)}
_PROVIDER_NAME = re.compile(r"[A-Za-z0-9._-]+")


@frozen
class ModelsToml:
    """What the file says. `problems` name file, line, and what was left out."""

    configs: Mapping[str, ProviderConfig] = field(default_factory=dict[str, ProviderConfig])
    models: tuple[Model, ...] = ()
    problems: tuple[str, ...] = ()


def load_models_toml(path: Path) -> ModelsToml:
    """Read the file; a missing one is an empty one."""
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return ModelsToml()
    except (OSError, UnicodeDecodeError) as error:
        return ModelsToml(problems=(f"{path} cannot be read: {error}; it is ignored.",))
    return parse_models_toml(text, str(path))


def parse_models_toml(text: str, name: str = "models.toml") -> ModelsToml:
    """Read the text of a file called `name`."""
    import tomllib  # for those who have such a file

    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return ModelsToml(problems=(f"{name}: {error}; the whole file is ignored.",))
    return _Reader(text, name).read(document)


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._problems: list[str] = []

    def read(self, document: dict[str, Any]) -> ModelsToml:
        configs: dict[str, ProviderConfig] = {}
        models: list[Model] = []
        top = self._fields(document, {"providers": dict}, ())
        for name, table in top.get("providers", {}).items():
            place = ("providers", name)
            fields = self._fields(table, _PROVIDER, place)
            config = self._config(name, fields, place)
            if config is not None:
                configs[name] = config
                models += self._models(config, fields.get("models", []), place)
        return ModelsToml(configs, tuple(models), tuple(self._problems))

    def _config(self, name: str, fields: dict[str, Any], place: tuple[str | int, ...]) -> ProviderConfig | None:
        known = PROVIDERS.get(name)
        missing = [key for key in ("api", "base_url") if known is None and key not in fields]
        if missing or not _PROVIDER_NAME.fullmatch(name):
            why = f"it needs {' and '.join(missing)}" if missing else "its name must be letters, digits, dot, - and _"
            self._problem(place, f"the provider {name!r} is ignored: {why}")
            return None
        config = known or ProviderConfig(name, fields["api"], "", auth=_auth_of(fields["api"]))
        changes = {key: value for key, value in fields.items() if key not in ("models", "base_url", "compat")}
        config = replace(config, **changes, compat=self._compat(fields.get("compat", {}), (*place, "compat")))
        if "base_url" in fields:
            url = fields["base_url"]
            moved = config.moved(url) if known and "api" not in fields else None
            config = moved or replace(config, base_url=normal_base_url(url, config.api))
        required = fields.get("key_required", config.key_required and not (config.is_local and "key" not in fields))
        return replace(config, key_required=required)

    def _models(self, config: ProviderConfig, tables: list[Any], place: tuple[str | int, ...]) -> list[Model]:
        found: list[Model] = []
        for number, table in enumerate(tables):
            where = (*place, "models", number)
            fields = self._fields(table, _MODEL, where)
            if not fields.get("id"):
                self._problem(where, "a model is ignored: it needs an id")
                continue
            fields["thinking_levels"] = self._levels(fields.pop("thinking", []), where)
            fields["prices"] = Prices(**self._fields(fields.get("prices", {}), _PRICES, (*where, "prices")))
            found.append(Model(provider=config.name, api=fields.pop("api", config.api), **fields))
        return found

    def _levels(self, value: object, place: tuple[str | int, ...]) -> dict[ThinkingLevel, str]:
        words = {str(word): str(word) for word in list_of(value)} if is_list(value) else cast("dict[str, Any]", value)
        wrong = [word for word in words if word not in LEVELS[1:]]
        if wrong:
            self._problem(
                (*place, "thinking"), f"{wrong[0]!r} is no thinking level ({', '.join(LEVELS[1:])}); it is ignored"
            )
        return {level: str(words[level]) for level in LEVELS[1:] if level in words}

    def _compat(self, switches: dict[str, Any], place: tuple[str | int, ...]) -> dict[str, Any]:
        good: dict[str, Any] = {}
        for name, value in switches.items():
            try:
                if name not in SWITCHES:
                    raise ValueError(f"unknown switch {name!r}; known are {', '.join(sorted(SWITCHES))}")
                good[name] = checked_switch(name, value)
            except ValueError as error:
                self._problem((*place, name), f"{error}; it is ignored")
        return good

    def _fields(self, table: object, allowed: Mapping[str, Any], place: tuple[str | int, ...]) -> dict[str, Any]:
        """The fields of a table that are known and of the right kind."""
        if not is_object(table):
            self._problem(place, "must be a table; it is ignored")
            return {}
        good: dict[str, Any] = {}
        for key, value in table.items():
            kind = allowed.get(key)
            if kind is None:
                self._problem((*place, key), f"unknown key {key!r} is ignored; known are {', '.join(allowed)}")
            elif not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
                self._problem((*place, key), f"{key} has the wrong kind of value ({value!r:.60}); it is ignored")
            elif (wish := _wish(key, value)) is not None:
                self._problem((*place, key), f"{key} must be {wish}; it is ignored")
            elif key in _CHOICES and value not in _CHOICES[key]:
                self._problem((*place, key), f"{key} must be one of {', '.join(_CHOICES[key])}; {value!r} is ignored")
            else:
                good[key] = value
        return good

    def _problem(self, place: tuple[str | int, ...], words: str) -> None:
        line = nearest_line(self._text, place)
        self._problems.append(f"{self._name}:{line}: {words}." if line else f"{self._name}: {words}.")


def _wish(key: str, value: Any) -> str | None:
    """What a value of the right kind must be beyond that; None if it is."""
    if key == "base_url" and not hostname(value):
        return "an address such as https://models.example.org/v1"
    if key == "headers" and not all(isinstance(each, str) for each in value.values()):
        return "a table of texts"
    if key in ("context_window", "max_output") and value <= 0:
        return "a number of tokens"
    if key in _PRICES and not 0 <= value < math.inf:
        return "a price in US dollars per million tokens"
    return None


def _auth_of(api: str) -> AuthStyle:
    styles: dict[str, AuthStyle] = {"anthropic-messages": "x-api-key", "google-generative-ai": "x-goog-api-key"}
    return styles.get(api, "bearer")
